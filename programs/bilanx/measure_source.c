// measure_source: times or counts the cases of a source and shows the results.
#include "measure_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "core/show/display.h"
#include "measure_overheads.h"
#include "measure_tables.h"
#include "results/read/reader.h"
#include "sources/suite_cases/passes.h"
#include "sources/suite_cases/resume.h"
#include "sources/suite_cases/suite_source.h"

struct measuring {
    const struct measuring_options *options;
    struct show_settings settings;
    struct run_options running;
    struct source *source;     // timed or, without times, counted
    struct source counted;     // the same cases, prepared for counting
    struct collector counter;  // for counting those
    struct sink sink;
    struct run_cases cases;      // cases without a record yet
    size_t *places;              // their indices in the source
    size_t *positions;           // their positions among all cases, those of other shards included
    struct overheads overheads;  // of suites
    struct bilanx_record *resumed;  // one per case; kind NULL: none
    double counting_seconds;
    size_t counting_now;
    uint64_t counting_since_ns;
};

static void measuring_done(struct measuring *measuring)
{
    for (size_t i = 0; measuring->resumed && i < measuring->source->cases.count; i++)
        bilanx_record_done(&measuring->resumed[i]);
    free(measuring->resumed);
    free(measuring->places);
    free(measuring->positions);
    free(measuring->cases.items);
    overheads_done(&measuring->overheads);
    sink_done(&measuring->sink);
    collector_done(&measuring->counter);
    source_done(&measuring->counted);
}
SCOPE_VALUE(measuring, measuring_done)

// Adds counts to a record that already has times. If counting fails, the times are kept.
static void count_beside(struct measuring *measuring, size_t place, struct bilanx_record *record)
{
    AUTO(bilanx_record) struct bilanx_record counted = {0};
    const struct run_case *item = &measuring->counted.cases.items[place];
    const char *reason = item->failure ? item->failure->text : NULL;
    if (!reason &&
        collector_count(&measuring->counter, &(struct collect_task){.item = item}, &counted)
                .status != BILANX_OK)
        return;  // ^C: the run notices it itself
    if (counted.error)
        reason = counted.error->text;
    if (reason)
        record_warn(record, "not-counted", "%s", reason);
    record_take_warnings(record, &counted);
    record->counts = counted.counts;
    counted.counts = NULL;
}

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct measuring *measuring = context;
    size_t place = measuring->places[passes_place(measured)];
    overheads_add(&measuring->overheads, place, record);
    source_check(measuring->source, place, record);
    if (measuring->options->count)
        count_beside(measuring, place, record);
    if (measuring->options->flame)
        flame_run_measured(measuring->options->flame, place, record);
}

// When only counting: cases are prepared while others are counted.

static const struct run_case *ready(void *context, const struct run_case *item)
{
    const struct measuring *measuring = context;
    return source_case(measuring->source, measuring->places[passes_place(item)]);
}

static struct bilanx_error prepare_some(void *context, bool *more)
{
    return source_prepare_some(((struct measuring *)context)->source, more);
}

struct counting_observer {
    struct measuring *measuring;
    const struct run_observer *next;
};

static void count_begins(void *context, const struct run_case *measured, double ahead)
{
    struct counting_observer *observer = context;
    if (observer->measuring->counting_now++ == 0)
        observer->measuring->counting_since_ns = monotonic_ns();
    observer->next->working(observer->next->context, measured, ahead);
}

static void count_ends(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct counting_observer *observer = context;
    struct measuring *measuring = observer->measuring;
    if (--measuring->counting_now == 0)
        measuring->counting_seconds +=
            (double)(monotonic_ns() - measuring->counting_since_ns) / 1e9;
    observer->next->finished(observer->next->context, measured, record);
}

static struct bilanx_error count_cases(struct measuring *measuring, const struct run_cases *cases,
                                       const struct run_observer *observer)
{
    struct collect_options options = measuring->options->counting;
    options.case_count = cases->count;
    options.source = (struct collect_source){measuring, ready, prepare_some};
    struct counting_observer timed = {measuring, observer};
    return collect_cases(&options, cases, &(struct run_observer){&timed, count_begins, count_ends});
}

static struct bilanx_error run_pass(void *context, const struct run_cases *cases,
                                    const struct run_observer *observer)
{
    struct measuring *measuring = context;
    return measuring->options->no_time ? count_cases(measuring, cases, observer)
                                       : run_measure(cases, &measuring->running, observer);
}

// Suites may ask for overheads. Methods that use one process cannot compare two.
static bool has_overheads(const struct measuring *measuring)
{
    return measuring->source->kind == &suite_source && !measuring->options->no_time &&
           !measuring->running.method && !measuring->running.one_process;
}

static struct bilanx_error run_all(struct measuring *measuring, struct display *display)
{
    const struct run_observer *observer = &display->observer;
    if (has_overheads(measuring))
        BILANX_TRY(overheads_measure(measuring->source, measuring->places, measuring->cases.count,
                                     display, &measuring->overheads));
    const struct measuring_options *options = measuring->options;
    if (!options->shuffled && !options->retries && !options->compared)
        return run_pass(measuring, &measuring->cases, observer);
    struct passes passes = {.measure = run_pass,
                            .context = measuring,
                            .retries = options->retries,
                            .shuffled = options->shuffled,
                            .seed = options->settings.seed};
    return passes_run(&passes, &measuring->cases, observer);
}

// Compiling takes a while, before there is any progress to show.
static void show_preparing(const struct measuring *measuring, size_t count)
{
    if (measuring->settings.quiet || !measuring->options->compared || !isatty(STDERR_FILENO))
        return;
    if (count)
        fprintf(stderr, "preparing %zu case%s", count, count == 1 ? "" : "s");
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

// If it fails, the cases are measured nevertheless; the graph is tried again at the end.
static struct bilanx_error prepare_flame(struct flame_run *flame, const struct source *source)
{
    struct bilanx_error error = flame_run_prepare(flame, source);
    return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
}

// If only counting, cases are prepared meanwhile. But to know which cases have a record, we must
// know how they are compiled.
static struct bilanx_error prepare_sources(struct measuring *measuring)
{
    const struct measuring_options *options = measuring->options;
    bool more = true;
    if (!options->no_time || options->resume)
        BILANX_TRY(source_prepare(measuring->source));
    else
        BILANX_TRY(source_prepare_some(measuring->source, &more));
    if (options->flame && !options->no_time)
        BILANX_TRY(prepare_flame(options->flame, measuring->source));
    if (!options->count || options->no_time)
        return BILANX_SUCCESS;
    BILANX_TRY(source_duplicate(measuring->source, SOURCE_FOR_VALGRIND, &measuring->counted));
    return source_prepare(&measuring->counted);
}

// Reads the file to resume. If output goes there too, drops the cases to be measured again from it.
static struct bilanx_error read_resumed(struct measuring *measuring)
{
    struct resumed resumed = {.records = measuring->resumed};
    const struct show_settings *settings = &measuring->settings;
    const char *path = measuring->options->resume;
    struct bilanx_error error = resume_read(path, &measuring->source->cases, &resumed);
    if (error.status == BILANX_OK && resumed.any_dropped && settings->append &&
        output_is_same(path, settings->json))
        error =
            output_rewrite(path, text_get(&resumed.kept), resumed.kept.size, &measuring->sink.file);
    resumed_done(&resumed);
    return error;
}

// Selects the cases without a record in the file to resume.
static struct bilanx_error select_missing(struct measuring *measuring)
{
    const struct run_cases *all = &measuring->source->cases;
    measuring->resumed = mem_array(struct bilanx_record, all->count);
    measuring->places = mem_array(size_t, all->count);
    measuring->positions = mem_array(size_t, all->count);
    measuring->cases.items = mem_array(struct run_case, all->count);
    if (measuring->options->resume)
        BILANX_TRY(read_resumed(measuring));
    for (size_t i = 0; i < all->count; i++) {
        if (measuring->resumed[i].kind)
            continue;
        struct run_case *item = &measuring->cases.items[measuring->cases.count];
        *item = all->items[i];
        item->place = measuring->cases.count;
        measuring->positions[measuring->cases.count] = source_place(measuring->source, i);
        measuring->places[measuring->cases.count++] = i;
    }
    return BILANX_SUCCESS;
}

// Results go to the resumed file unless -o names another.
static void choose_output(const char *resumed, struct show_settings *settings)
{
    if (!resumed || (settings->json && !output_is_same(settings->json, resumed)))
        return;
    settings->json = resumed;
    settings->append = true;
}

static struct bilanx_error prepare(struct measuring *measuring)
{
    const struct show_settings *settings = &measuring->settings;
    const char *resumed = measuring->options->resume;
    BILANX_TRY(show_check(settings));
    if (resumed && access(resumed, F_OK) == 0) {
        BILANX_TRY(file_check(resumed));
        reader_tell_cut(resumed, &complain_tell);
    }
    show_preparing(measuring, measuring->source->cases.count);
    struct bilanx_error error = prepare_sources(measuring);
    show_preparing(measuring, 0);
    BILANX_TRY(error);
    BILANX_TRY(sink_open(&measuring->sink, settings));
    return select_missing(measuring);
}

static void tell_interrupted(const struct measuring *measuring)
{
    const char *path = measuring->settings.json;
    AUTO(text) struct text line = {0};
    text_add(&line, "interrupted; the results so far are above");
    if (measuring->options->compared && path && strcmp(path, "-") != 0)
        text_format(&line, ": measure the rest with --resume '%s'", path);
    complain(text_get(&line));
}

static size_t records_to_come(const struct measuring *measuring)
{
    const struct run_options *running = &measuring->running;
    bool replicated = !measuring->options->no_time && !measuring->options->compared &&
                      running->repeats > 1 && running->method != &method_timeit;
    return measuring->cases.count * (replicated ? running->repeats : 1);
}

// Formats for programs stay the same with inputs.
static bool is_tabulated(const struct measuring *measuring)
{
    enum bilanx_output_format format = measuring->settings.format;
    return measuring->options->tabulated && (format == BILANX_TABLE || format == BILANX_MARKDOWN);
}

static void print_tables(const struct measuring *measuring, const struct display *display)
{
    AUTO(list) struct list columns = {0};
    if (measuring->source->kind == &suite_source)
        suite_source_columns(measuring->source, &columns);
    measure_print_tables(display, measuring->source, measuring->resumed,
                         measuring->options->no_time, (const char *const *)columns.items);
}

static void show_results(const struct measuring *measuring, struct display *display)
{
    bool as_compare = measuring->options->compared || is_tabulated(measuring);
    display_sort(display);
    if (as_compare)
        print_tables(measuring, display);
    else
        display_show_tables(display);
    if (measuring->options->fit)
        measure_print_growth(display);
    fflush(stdout);  // before output on stderr
    display_show_notes(display, as_compare);
}

static int run_and_show(struct measuring *measuring, uint64_t started_ns)
{
    AUTO(display) struct display display = {0};
    int code = complain_error(display_begin(&display, &measuring->settings, &measuring->sink,
                                            &measuring->cases, records_to_come(measuring)));
    if (code)
        return code;
    display.places = measuring->positions;
    display.alternatives = measuring->options->alternatives;
    struct bilanx_error error = run_all(measuring, &display);
    progress_bar_clear(&display.bar);
    fputs(measuring->options->code ? measuring->options->code : "", stdout);
    show_results(measuring, &display);
    if (measuring->options->compared) {
        struct measure_totals totals = {
            .source = measuring->source,
            .seconds = (double)(monotonic_ns() - started_ns) / 1e9,
            .counting_seconds = measuring->counting_seconds,
            .counted = measuring->options->no_time,
        };
        measure_print_totals(&display, &totals);
    }
    if (error.status != BILANX_OK)
        tell_interrupted(measuring);
    return display_status(&display, &error);
}

int measure_source(struct source *source, const struct measuring_options *options)
{
    uint64_t started_ns = monotonic_ns();
    AUTO(measuring) struct measuring measuring = {
        .options = options, .settings = options->settings, .source = source};
    choose_output(options->resume, &measuring.settings);
    measuring.running = show_run_options(&measuring.settings);
    measuring.running.check = check;
    measuring.running.check_context = &measuring;
    interrupt_catch();
    collector_init(&measuring.counter, &(struct collect_options){
                                           .timeout = options->settings.timeout,
                                           .max_memory = options->settings.max_memory,
                                           .hwcaps = options->counting.hwcaps,
                                       });
    int code = complain_error(prepare(&measuring));
    if (code == EXIT_DONE)
        code = run_and_show(&measuring, started_ns);
    return code ? code : source->incomplete ? EXIT_FAILED : EXIT_DONE;
}

int list_source(const struct source *source)
{
    for (size_t i = 0; i < source->cases.count; i++) {
        AUTO(text) struct text line = {0};
        text_add_harmless(&line, source->cases.items[i].name);
        puts(text_get(&line));
    }
    return source->incomplete ? EXIT_FAILED : EXIT_DONE;
}
