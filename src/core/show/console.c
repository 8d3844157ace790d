// console: one run, from its options to its tables.
#include "console.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "core/show/complain.h"
#include "core/show/progress.h"
#include "core/show/show.h"
#include "core/show/sink.h"

enum { METHOD_RIGOROUS, METHOD_BLOCKED, METHOD_ADAPTIVE, METHOD_TIMEIT, METHOD_LATENCY };
const char *const console_pages[] = {"draw", "keep", NULL};
const char *const console_methods[] = {"rigorous", "blocked", "adaptive",
                                       "timeit",   "latency", NULL};
static const struct method *const methods[] = {NULL, &method_blocked, &method_adaptive,
                                               &method_timeit, &method_latency};

const char *console_records_path(const struct console_settings *settings)
{
    return !settings->json && settings->format == BILANX_JSON ? "-" : settings->json;
}

struct table_look console_look(const struct console_settings *settings)
{
    return (struct table_look){settings->format, terminal_color(settings->color, STDOUT_FILENO),
                               settings->csv_safe};
}

enum output_mode console_output_mode(const struct console_settings *settings)
{
    return settings->append ? OUTPUT_APPEND : settings->overwrite ? OUTPUT_REPLACE : OUTPUT_NEW;
}

static struct bilanx_error check_output(const struct console_settings *settings)
{
    if (settings->append && settings->overwrite)
        return bilanx_error_make(BILANX_E_USAGE, "--append and --overwrite exclude each other");
    if ((settings->append || settings->overwrite) && !settings->json)
        return bilanx_error_make(BILANX_E_USAGE, "--%s is about the file of -o, and there is none",
                                 settings->append ? "append" : "overwrite");
    if (!settings->json || strcmp(settings->json, "-") == 0)
        return BILANX_SUCCESS;
    return output_check(settings->json, &output_records, console_output_mode(settings));
}

// The least that one answer of a process can take: nothing takes less than a tenth of a nanosecond.
static double silence_of(const struct console_settings *settings)
{
    double calls = (double)settings->number, blocks = 1, least = 0;
    if (settings->method == METHOD_TIMEIT && settings->repeats)
        blocks = (double)settings->repeats;
    if (settings->method == METHOD_BLOCKED || settings->method == METHOD_ADAPTIVE)
        least = settings->min_run_time;
    double calling = calls * blocks * 1e-10;
    return settings->warmup + (calling > least ? calling : least);
}

static struct bilanx_error check_times(const struct console_settings *settings)
{
    static const double USUAL_TIMEOUT = 60;
    double timeout = settings->timeout > 0 ? settings->timeout : USUAL_TIMEOUT;
    double silence = silence_of(settings);
    if (settings->max_run_time > 0 && settings->min_run_time > settings->max_run_time)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--min-run-time %g s is more than --max-run-time %g s",
                                 settings->min_run_time, settings->max_run_time);
    if (silence >= timeout)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "this would take at least %.3g s without an answer, and --timeout "
                                 "allows %g s: measure less, or allow more",
                                 silence, timeout);
    return BILANX_SUCCESS;
}

struct bilanx_error console_check(const struct console_settings *settings)
{
    BILANX_TRY(check_times(settings));
    return check_output(settings);
}

struct session {
    const struct console_settings *settings;
    const struct run_cases *cases;
    struct sink *sink;
    struct progress_bar bar;
    struct shown shown;
    size_t epochs, epochs_finished;  // processes so far; and those of cases that are done
};

// Cases are done by the handful, as their epochs are interleaved: what those under way have taken
// counts by what the others took.
static void working(void *context, const struct run_case *measured)
{
    struct session *session = context;
    struct progress_bar *bar = &session->bar;
    size_t paid = bar->done - bar->skipped;
    if (paid)
        bar->ahead = (double)(session->epochs - session->epochs_finished) * (double)paid /
                     (double)session->epochs_finished;
    if (bar->ahead > (double)(bar->total - bar->done))
        bar->ahead = (double)(bar->total - bar->done);
    session->epochs++;
    progress_bar_working(bar, measured);
}

static size_t epochs_of(const struct bilanx_record *record)
{
    size_t epochs = record->timing.epoch_count + record->redrawn;
    return epochs ? epochs : 1;
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct session *session = context;
    progress_bar_clear(&session->bar);
    if (!record->place)
        record->place = (uint64_t)(measured - session->cases->items) + 1;
    struct bilanx_error error = sink_write(session->sink, record);
    if (error.status != BILANX_OK)
        complain(error.text);
    session->epochs_finished += epochs_of(record);
    progress_bar_finished(&session->bar, measured, record);
    if (session->settings->no_table)
        bilanx_timing_done(&record->timing);  // only notes are made of it: a suite may be long
    shown_add(&session->shown, measured, record);
}

static void print_results(struct session *session)
{
    const struct console_settings *settings = session->settings;
    bool records_on_stdout = settings->json && strcmp(settings->json, "-") == 0;
    if (session->shown.count == 0)
        return;
    shown_sort(&session->shown);
    AUTO(text) struct text table = {0};
    if (settings->format != BILANX_JSON && !records_on_stdout && !settings->no_table) {
        struct table_look look = console_look(settings);
        if (settings->format == BILANX_CSV)
            show_csv(&session->shown, settings->csv_safe, &table);
        else
            show_table(&session->shown, look, &table);
        if (settings->functions != CONSOLE_NO_FUNCTIONS && settings->format != BILANX_CSV)
            show_functions(&session->shown, settings->functions == CONSOLE_INCLUSIVE, look, &table);
        fputs(text_get(&table), stdout);
        fflush(stdout);
    }
    AUTO(text) struct text notes = {0};
    bool color = terminal_color(settings->color, STDERR_FILENO);
    if (settings->quiet)
        show_failures(&session->shown, color, &notes);
    else
        show_notes(&session->shown, color, &notes);
    fputs(text_get(&notes), stderr);
}

static int exit_status(const struct session *session, const struct bilanx_error *error)
{
    if (error->status == BILANX_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    for (size_t i = 0; i < session->shown.count; i++)
        if (session->shown.records[i].error && !record_skipped(&session->shown.records[i]))
            return EXIT_FAILED;
    return session->sink->failed ? EXIT_FAILED : EXIT_DONE;
}

static int measure(struct session *session, const struct run_cases *cases)
{
    const struct console_settings *settings = session->settings;
    struct run_options options = {.method = methods[settings->method],
                                  .number = settings->number,
                                  .repeats = settings->repeats,
                                  .min_run_time = settings->min_run_time,
                                  .max_run_time = settings->max_run_time,
                                  .warmup = settings->warmup,
                                  .threshold = settings->threshold,
                                  .precision = settings->precision,
                                  .timeout = settings->timeout,
                                  .seed = settings->seed,
                                  .max_memory = settings->max_memory,
                                  .one_process = settings->setup_once,
                                  .check = settings->check,
                                  .check_context = settings->check_context};
    bool replicated = !settings->measure && options.repeats > 1 && options.method != &method_timeit;
    progress_bar_init(&session->bar, cases->count * (replicated ? options.repeats : 1),
                      settings->quiet);
    interrupt_catch();
    struct run_observer observer = {session, working, finished};
    struct bilanx_error error =
        settings->measure ? settings->measure(settings->measure_context, cases, &options, &observer)
                          : run_measure(cases, &options, &observer);
    progress_bar_clear(&session->bar);
    print_results(session);
    if (error.status != BILANX_OK && !settings->no_table)
        complain("interrupted; what was measured is above");
    return exit_status(session, &error);
}

static int list(const struct run_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        AUTO(text) struct text line = {0};
        text_add_harmless(&line, cases->items[i].name);
        puts(text_get(&line));
    }
    return EXIT_DONE;
}

int console_run(const struct run_subject *subjects, size_t count,
                const struct console_settings *settings)
{
    AUTO(run_cases) struct run_cases cases = {0};
    int failed = complain_error(console_check(settings));
    if (failed)
        return failed;
    for (size_t i = 0; i < count; i++) {
        int code = complain_error(run_list(&subjects[i], settings->filter, &cases));
        if (code > EXIT_FAILED)
            return code;
        failed = code ? code : failed;
    }
    if (cases.count == 0 && !failed) {
        complain(settings->filter ? "no case matches the filter (see --list)"
                                  : "there is no benchmark to measure");
        return EXIT_FAILED;
    }
    if (settings->list)
        return list(&cases) | failed;
    int status = console_measure(&cases, settings);
    return status ? status : failed;
}

void console_choose_pages(const struct console_settings *settings)
{
    enum { DRAW, KEEP };
    if (settings->pages == KEEP)
        setenv("BILANX_PAGES", "keep", 1);
}

int console_measure(const struct run_cases *cases, const struct console_settings *settings)
{
    AUTO(sink) struct sink sink = {0};
    struct session session = {
        .settings = settings, .cases = cases, .sink = settings->sink ? settings->sink : &sink};
    console_choose_pages(settings);
    const char *path = console_records_path(settings);
    struct bilanx_error error =
        settings->sink ? BILANX_SUCCESS : sink_open(&sink, path, console_output_mode(settings));
    int status = complain_error(error);
    if (status == EXIT_DONE)
        status = measure(&session, cases);
    shown_done(&session.shown);
    return status;
}

static int help(const char *program)
{
    AUTO(text) struct text options = {0};
    options_help(console_options, &options);
    printf("Usage: %s [OPTION...]\n\nMeasures the benchmarks of this program.\n\n%s"
           "      --help                  this text\n",
           program, text_get(&options));
    return EXIT_DONE;
}

int console_main(int argc, char **argv, const struct run_subject *self)
{
    streams_prepare();
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help(argv[0]);
    struct console_settings settings = {0};
    AUTO(words) struct words words = {0};
    struct bilanx_error error = options_parse(console_options, argc, argv, &settings, &words);
    if (error.status == BILANX_OK && words.count > 0)
        error = bilanx_error_make(BILANX_E_USAGE, "unexpected argument '%s'", words.items[0]);
    if (error.status != BILANX_OK) {
        AUTO(memory) char *line = mem_format("%s (--help lists the options)", error.text);
        complain_as(argv[0], line);
        return EXIT_USAGE;
    }
    return complain_finish(console_run(self, 1, &settings));
}
