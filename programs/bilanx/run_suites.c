// run_suites: suites read, and shown or measured.
#include "run_suites.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/lines.h"
#include "base/mem.h"
#include "bilanx/compare.h"
#include "bilanx/suite.h"
#include "command.h"
#include "core/show/sink.h"
#include "count_beside.h"
#include "count_suite.h"
#include "sources/suite_cases/passes.h"
#include "sources/suite_cases/resume.h"
#include "sources/suite_cases/schedule.h"

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// A line such as "suite: name", after comments.
static bool starts_like_a_suite(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end && (*bytes == '#' || isspace((unsigned char)*bytes) ||
                           (end - bytes > 3 && strncmp(bytes, "---", 3) == 0))) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        bytes = line_end ? line_end + 1 : end;
    }
    const char *word = bytes;
    while (bytes < end && (islower((unsigned char)*bytes) || *bytes == '_'))
        bytes++;
    return bytes > word && bytes < end && *bytes == ':';
}

bool is_suite(const char *path)
{
    if (strcmp(path, "-") == 0 || file_names_descriptor(path) || ends_in(path, ".yaml") ||
        ends_in(path, ".yml"))
        return true;
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || access(path, X_OK) == 0)
        return false;
    AUTO(lines) struct lines lines = {0};
    const char *bytes;
    size_t size;
    return lines_open(path, &lines).status == BILANX_OK &&
           lines_peek(&lines, 4096, &bytes, &size).status == BILANX_OK &&
           starts_like_a_suite(bytes, size);
}

static void show(struct bilanx_suite_case *const *cases, size_t count, bool expand)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(text) struct text name = {0};
        AUTO(memory) char *json = expand ? bilanx_suite_case_json(cases[i]) : NULL;
        text_add_harmless(&name, cases[i]->name);
        puts(json ? json : text_get(&name));
    }
}

// The words of an option as an array that ends in NULL; NULL for none.
static const char **ended(const struct words *words)
{
    if (words->count == 0)
        return NULL;
    const char **array = mem_array(const char *, words->count + 1);
    memcpy(array, words->items, words->count * sizeof *array);
    return array;
}

static struct bilanx_error select_cases(struct bilanx_suite *suite, const char *const *paths,
                                        size_t count, const struct suite_arguments *arguments,
                                        const char *filter, struct selection *out)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_suite(paths[i]))
            return bilanx_error_make(
                BILANX_E_USAGE, "'%s' is no suite: suites and programs cannot be mixed", paths[i]);
        BILANX_TRY(bilanx_suite_read_file(suite, paths[i]));
    }
    AUTO(memory) const char **tags = ended(&arguments->tags);
    AUTO(memory) const char **without = ended(&arguments->without_languages);
    struct selection_options options = {
        .suite = {.filter = filter, .tags = tags, .without_languages = without},
        .backtest = arguments->backtest,
        .defaults = &arguments->statement};
    BILANX_TRY(selection_make(suite, &options, out));
    return out->count ? BILANX_SUCCESS
                      : bilanx_error_make(BILANX_E_FAILED, "no case matches (see --list)");
}

// A run of a suite: what is timed, and what is counted, of the same cases.
struct suite_run {
    const struct suite_arguments *arguments;
    const struct console_settings *settings;
    const struct run_options *running;  // while it does
    struct sink sink;
    struct schedule timed, counted;
    struct count_beside beside;
    struct run_cases cases;  // those without a record yet
    size_t *places;          // of those among all
    char **records;          // of all, as JSON; NULL: there is none
    size_t count;            // of all
    size_t done, failed, skipped;
    struct statement_options options;  // of those that are counted
    double counting_seconds;
};

static struct schedule *main_schedule(struct suite_run *run)
{
    return run->arguments->no_time ? &run->counted : &run->timed;
}

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct suite_run *run = context;
    size_t at = run->places[passes_place(measured)];
    schedule_check(&run->timed, &run->timed.cases.items[at], record);
    if (run->arguments->count)
        count_beside(&run->beside, &run->counted.cases.items[at], record);
}

static struct bilanx_error count_pass(struct suite_run *run, const struct run_cases *cases,
                                      const struct run_observer *observer)
{
    struct count_suite counting = {.schedule = &run->counted,
                                   .places = run->places,
                                   .jobs = run->arguments->jobs,
                                   .options = &run->beside.collector.options};
    struct bilanx_error error = count_suite(&counting, cases, observer);
    run->counting_seconds += counting.seconds;
    return error;
}

static struct bilanx_error measure_pass(void *context, const struct run_cases *cases,
                                        const struct run_observer *observer)
{
    struct suite_run *run = context;
    if (run->arguments->no_time)
        return count_pass(run, cases, observer);
    struct run_options options = *run->running;
    options.check = check;
    options.check_context = run;
    return run_measure(cases, &options, observer);
}

// Keeps what is shown at the end, in the order of the suite.
struct keeping {
    struct suite_run *run;
    const struct run_observer *observer;
};

static void keep_working(void *context, const struct run_case *measured)
{
    struct keeping *keeping = context;
    keeping->observer->working(keeping->observer->context, measured);
}

static void keep_finished(void *context, const struct run_case *measured,
                          struct bilanx_record *record)
{
    struct keeping *keeping = context;
    struct suite_run *run = keeping->run;
    size_t at = run->places[measured - run->cases.items];
    bool skipped = record_skipped(record);
    run->skipped += skipped;
    run->failed += record->error && !skipped;
    run->done += !record->error;
    record->place = at + 1;
    free(run->records[at]);
    run->records[at] = bilanx_record_json(record);
    keeping->observer->finished(keeping->observer->context, measured, record);
}

static struct bilanx_error measure(void *context, const struct run_cases *cases,
                                   const struct run_options *options,
                                   const struct run_observer *observer)
{
    struct suite_run *run = context;
    run->running = options;
    struct keeping keeping = {run, observer};
    return passes_run(&(struct passes){.measure = measure_pass,
                                       .context = run,
                                       .retries = run->arguments->retries,
                                       .shuffled = run->arguments->order == SUITE_RANDOM,
                                       .seed = options->seed},
                      cases, &(struct run_observer){&keeping, keep_working, keep_finished});
}

// Compiling takes a while, before anything is done that progress could count.
static void show_preparing(const struct suite_run *run, size_t count)
{
    if (run->settings->quiet || !isatty(STDERR_FILENO))
        return;
    if (count)
        fprintf(stderr, "preparing %zu case%s", count, count == 1 ? "" : "s");
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

// Cases that are counted and not timed are prepared meanwhile; but to find out which of them have a
// record, how they are compiled must be known.
static struct bilanx_error prepare(struct suite_run *run, const struct selection *selection)
{
    const struct suite_arguments *arguments = run->arguments;
    if (!arguments->no_time) {
        BILANX_TRY(schedule_open(selection, &arguments->statement, complain, &run->timed));
        BILANX_TRY(schedule_prepare(&run->timed));
    }
    run->options = arguments->statement;
    run->options.counting = true;
    if (!arguments->count)
        return BILANX_SUCCESS;
    BILANX_TRY(schedule_open(selection, &run->options,
                             arguments->no_time ? complain : schedule_tell_nobody, &run->counted));
    return arguments->no_time && !arguments->resume ? BILANX_SUCCESS
                                                    : schedule_prepare(&run->counted);
}

// Reads the file to resume, and drops from it what is measured again if that goes there, too.
static struct bilanx_error resume(struct suite_run *run)
{
    struct resumed resumed = {.records = run->records};
    const char *path = run->arguments->resume;
    struct bilanx_error error = resume_read(path, &main_schedule(run)->cases, &resumed);
    if (error.status == BILANX_OK && resumed.any_dropped && run->settings->append &&
        output_is_same(path, run->settings->json))
        error = output_rewrite(path, text_get(&resumed.kept), resumed.kept.size, &run->sink.file);
    resumed_done(&resumed);
    return error;
}

// Leaves out what has a record in the file to resume.
static struct bilanx_error select_missing(struct suite_run *run)
{
    const struct schedule *schedule = main_schedule(run);
    run->count = schedule->cases.count;
    run->records = mem_array(char *, run->count);
    run->places = mem_array(size_t, run->count);
    run->cases.items = mem_array(struct run_case, run->count);
    if (run->arguments->resume)
        BILANX_TRY(resume(run));
    for (size_t i = 0; i < run->count; i++) {
        if (run->records[i])
            continue;
        run->places[run->cases.count] = i;
        const struct run_case *item = schedule_case(schedule, i);
        run->cases.items[run->cases.count++] = item ? *item : schedule_preview(schedule, i);
    }
    return BILANX_SUCCESS;
}

static bool is_there(const struct bilanx_record *record)
{
    (void)record;
    return true;
}

static bool has_bytes(const struct bilanx_record *record)
{
    return !record->error && record->rates && record->rates->bytes > 0;
}

// What has a metric, in the order of the suite. NULL: nothing has.
static struct bilanx_compare *gather(const struct suite_run *run,
                                     bool (*has)(const struct bilanx_record *record))
{
    struct bilanx_compare *compare = NULL;
    for (size_t i = 0; i < run->count; i++) {
        AUTO(bilanx_record) struct bilanx_record record = {0};
        const char *json = run->records[i];
        if (!json || bilanx_record_read(json, strlen(json), "", &record).status != BILANX_OK ||
            !has(&record))
            continue;
        compare = compare ? compare : bilanx_compare_new();
        bilanx_compare_add(compare, &record, NULL);
    }
    return compare;
}

static void print_tables(const struct suite_run *run)
{
    const struct console_settings *settings = run->settings;
    bool on_stdout = settings->json && strcmp(settings->json, "-") == 0;
    if (settings->format == BILANX_JSON || on_stdout)
        return;
    const struct {
        const char *metric;
        bool (*has)(const struct bilanx_record *record);
        bool wanted;
    } tables[] = {{"time", is_there, !run->arguments->no_time},
                  {"instructions", is_there, run->arguments->no_time},
                  {"bytes-per-second", has_bytes, settings->format != BILANX_CSV}};
    bool printed = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct bilanx_compare *compare = tables[i].wanted ? gather(run, tables[i].has) : NULL;
        if (!compare)
            continue;
        if (printed)
            puts("");
        struct bilanx_compare_options options = {
            .format = settings->format,
            .metric = tables[i].metric,
            .envs = true,
            .csv_safe = settings->csv_safe,
            .color = terminal_color(settings->color, STDOUT_FILENO),
            .width = terminal_width(STDOUT_FILENO),
        };
        bilanx_compare_print(compare, &options, stdout);
        bilanx_compare_free(compare);
        printed = true;
    }
}

static void print_totals(const struct suite_run *run, double seconds)
{
    if (run->settings->quiet)
        return;
    size_t before = run->count - run->cases.count;
    fprintf(stderr, "%zu case%s: %zu measured", run->count, run->count == 1 ? "" : "s", run->done);
    if (before)
        fprintf(stderr, ", %zu before", before);
    if (run->failed)
        fprintf(stderr, ", %zu failed", run->failed);
    if (run->skipped)
        fprintf(stderr, ", %zu skipped", run->skipped);
    fprintf(stderr, ", in %.0f s", seconds);
    if (run->arguments->no_time)
        fprintf(stderr, " (%.0f s compiling, %.0f s counting, at once where there are cores)",
                run->counted.compile_seconds, run->counting_seconds);
    fputs("\n", stderr);
}

static void print_interrupted(const char *path)
{
    bool file = path && strcmp(path, "-") != 0;
    AUTO(text) struct text line = {0};
    text_add(&line, "interrupted; what was measured is above");
    if (file)
        text_format(&line, ": measure the rest with --resume '%s'", path);
    complain(text_get(&line));
}

static void suite_run_done(struct suite_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        free(run->records[i]);
    free(run->records);
    free(run->places);
    free(run->cases.items);
    sink_done(&run->sink);
    count_beside_done(&run->beside);
    schedule_done(&run->counted);
    schedule_done(&run->timed);
}
SCOPE_VALUE(suite_run, suite_run_done)

// What is measured goes to the file that is resumed, unless -o says otherwise.
static void choose_output(const char *resumed, struct console_settings *settings)
{
    if (!resumed || (settings->json && !output_is_same(settings->json, resumed)))
        return;
    settings->json = resumed;
    settings->append = true;
}

static struct bilanx_error prepare_all(struct suite_run *run, const struct selection *selection)
{
    const struct console_settings *settings = run->settings;
    const char *resumed = run->arguments->resume;
    BILANX_TRY(console_check(settings));
    if (resumed && access(resumed, F_OK) == 0)
        BILANX_TRY(file_check(resumed));
    show_preparing(run, selection->count);
    struct bilanx_error error = prepare(run, selection);
    show_preparing(run, 0);
    BILANX_TRY(error);
    BILANX_TRY(
        sink_open(&run->sink, console_records_path(settings), console_output_mode(settings)));
    return select_missing(run);
}

static int measure_selection(const struct selection *selection,
                             const struct suite_arguments *arguments,
                             const struct console_settings *asked)
{
    uint64_t started_ns = monotonic_ns();
    struct console_settings settings = *asked;
    choose_output(arguments->resume, &settings);
    AUTO(suite_run) struct suite_run run = {.arguments = arguments, .settings = &settings};
    interrupt_catch();
    count_beside_init(&run.beside, asked);
    struct bilanx_error error = prepare_all(&run, selection);
    if (error.status != BILANX_OK)
        return complain_error(error);
    settings.measure = measure;
    settings.measure_context = &run;
    settings.no_table = true;
    settings.sink = &run.sink;
    int code = console_measure(&run.cases, &settings);
    print_tables(&run);
    fflush(stdout);  // before what goes to stderr
    print_totals(&run, (double)(monotonic_ns() - started_ns) / 1e9);
    if (code == EXIT_INTERRUPTED)
        print_interrupted(settings.json);
    return code;
}

int run_suites(const char *const *paths, size_t count, const struct suite_arguments *arguments,
               const struct console_settings *settings)
{
    if (arguments->no_time && !arguments->count)
        return complain_error(
            bilanx_error_make(BILANX_E_USAGE, "--no-time without --count would measure nothing"));
    struct bilanx_suite *suite = bilanx_suite_new(NULL);
    struct selection selection = {0};
    int code =
        complain_error(select_cases(suite, paths, count, arguments, settings->filter, &selection));
    if (code == EXIT_DONE && (settings->list || arguments->expand))
        show(selection.cases, selection.count, arguments->expand);
    else if (code == EXIT_DONE)
        code = measure_selection(&selection, arguments, settings);
    selection_done(&selection);
    bilanx_suite_free(suite);
    return code;
}
