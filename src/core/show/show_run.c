// show_run: performs one run, from its options to its tables.
#include "show_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "core/show/complain.h"
#include "core/show/display.h"

enum { METHOD_RIGOROUS, METHOD_BLOCKED, METHOD_ADAPTIVE, METHOD_TIMEIT, METHOD_LATENCY };
const char *const show_cores[] = {
    [RUN_PREFER_FREE] = "auto", [RUN_FREE_CORE] = "free", [RUN_ANY_CORE] = "any", NULL};
const char *const show_pages[] = {"draw", "keep", NULL};
const char *const show_methods[] = {"rigorous", "blocked", "adaptive", "timeit", "latency", NULL};
static const struct method *const methods[] = {NULL, &method_blocked, &method_adaptive,
                                               &method_timeit, &method_latency};

const char *show_records_path(const struct show_settings *settings)
{
    return !settings->json && settings->format == BILANX_JSON ? "-" : settings->json;
}

struct table_look show_look(const struct show_settings *settings)
{
    return (struct table_look){settings->format, terminal_color(settings->color, STDOUT_FILENO),
                               settings->csv_safe, terminal_width(STDOUT_FILENO)};
}

enum output_mode show_output_mode(const struct show_settings *settings)
{
    return settings->append ? OUTPUT_APPEND : settings->overwrite ? OUTPUT_REPLACE : OUTPUT_NEW;
}

static struct bilanx_error check_output(const struct show_settings *settings)
{
    if (settings->append && settings->overwrite)
        return bilanx_error_make(BILANX_E_USAGE, "--append and --overwrite cannot be combined");
    if ((settings->append || settings->overwrite) && !settings->json)
        return bilanx_error_make(BILANX_E_USAGE, "--%s needs -o FILE",
                                 settings->append ? "append" : "overwrite");
    if ((settings->facts.count || settings->env) && !show_records_path(settings))
        return bilanx_error_make(BILANX_E_USAGE, "--%s is for records: it needs -o FILE",
                                 settings->env ? "env" : "fact");
    if (!settings->json || strcmp(settings->json, "-") == 0)
        return BILANX_SUCCESS;
    return output_check(settings->json, &output_records, show_output_mode(settings));
}

static struct bilanx_error check_google(const struct show_settings *settings)
{
    static const char *const instead[] = {
        [SHOW_GOOGLE_CONSOLE] = "> FILE", [SHOW_GOOGLE_CSV] = "--format csv > FILE"};
    if (settings->google.out_format != SHOW_GOOGLE_JSON)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "files of results are always JSON, a record per line: instead of "
                                 "--benchmark_out_format, use %s",
                                 instead[settings->google.out_format]);
    if (settings->google.only_aggregates && settings->repeats > 1)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "repetitions are not aggregated, because each row is already the "
                                 "result of many processes, with its interval: leave out the "
                                 "repetitions, or --benchmark_report_aggregates_only");
    return BILANX_SUCCESS;
}

static struct bilanx_error check_core(const struct show_settings *settings)
{
    const struct method *method = methods[settings->method];
    if (settings->core == RUN_ANY_CORE && settings->core_wait > 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--core any keeps every batch, so there is nothing to wait for: "
                                 "leave out --core-wait");
    if (method && method != &method_latency && (settings->core || settings->core_wait > 0))
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--core and --core-wait choose among batches: use them with "
                                 "--method rigorous or latency, not '%s', which keeps every block",
                                 method->name);
    if (method == &method_latency && settings->core_wait > 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "the method latency measures for a fixed time: raise "
                                 "--max-run-time instead of --core-wait");
    return BILANX_SUCCESS;
}

static struct bilanx_error check_facts(const struct words *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        const char *fact = facts->items[i];
        size_t size = strcspn(fact, "=");
        if (size == 0 || !fact[size])
            return bilanx_error_make(BILANX_E_USAGE, "--fact takes KEY=VALUE, not '%s'", fact);
        for (size_t k = 0; k < i; k++)
            if (strncmp(facts->items[k], fact, size + 1) == 0)
                return bilanx_error_make(BILANX_E_USAGE, "--fact has '%.*s' twice", (int)size,
                                         fact);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error show_check(const struct show_settings *settings)
{
    BILANX_TRY(check_facts(&settings->facts));
    BILANX_TRY(check_core(settings));
    BILANX_TRY(check_google(settings));
    struct run_options options = show_run_options(settings);
    BILANX_TRY(run_check(&options));
    return check_output(settings);
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

int show_run(const struct run_subject *subjects, size_t count, const struct show_settings *settings)
{
    AUTO(run_cases) struct run_cases cases = {0};
    int failed = complain_error(show_check(settings));
    if (failed)
        return failed;
    for (size_t i = 0; i < count; i++) {
        int code = complain_error(run_list(&subjects[i], settings->filter, &cases));
        if (code > EXIT_FAILED)
            return code;
        failed = code ? code : failed;
    }
    if (cases.count == 0 && !failed) {
        complain(settings->filter ? "no cases match the filter (--list shows them all)"
                                  : "no benchmarks to measure");
        return EXIT_FAILED;
    }
    if (settings->list)
        return list(&cases) | failed;
    struct run_options options = show_run_options(settings);
    int status = show_measure(&cases, settings, &options);
    return status ? status : failed;
}

void show_choose_pages(const struct show_settings *settings)
{
    enum { DRAW, KEEP };
    if (settings->pages == KEEP)
        setenv("BILANX_PAGES", "keep", 1);
}

struct run_options show_run_options(const struct show_settings *settings)
{
    return (struct run_options){.method = methods[settings->method],
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
                                .core = (enum run_core)settings->core,
                                .core_wait = settings->core_wait};
}

int show_measure(const struct run_cases *cases, const struct show_settings *settings,
                 const struct run_options *options)
{
    AUTO(display) struct display display = {0};
    bool replicated = options->repeats > 1 && options->method != &method_timeit;
    size_t total = cases->count * (replicated ? options->repeats : 1);
    int status = complain_error(display_begin(&display, settings, NULL, cases, total));
    if (status != EXIT_DONE)
        return status;
    struct bilanx_error error = run_measure(cases, options, &display.observer);
    display_show(&display);
    if (error.status != BILANX_OK)
        complain("interrupted; the results so far are above");
    return display_status(&display, &error);
}

static int help(const char *program)
{
    AUTO(text) struct text options = {0};
    options_help(show_options, &options);
    printf("Usage: %s [OPTION...]\n\nMeasures the benchmarks of this program.\n\n%s"
           "  -h, --help                  show this help\n",
           program, text_get(&options));
    return EXIT_DONE;
}

int show_main(int argc, char **argv, const struct run_subject *self)
{
    streams_prepare();
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help(argv[0]);
    struct show_settings settings = {0};
    AUTO(words) struct words words = {0};
    struct bilanx_error error = options_parse(show_options, argc, argv, &settings, &words);
    if (error.status == BILANX_OK)
        error = options_agree(show_options, show_rules, argc, argv);
    if (error.status == BILANX_OK)
        error = options_agree(show_options, show_look_rules, argc, argv);
    if (error.status == BILANX_OK && words.count > 0)
        error = bilanx_error_make(BILANX_E_USAGE, "unexpected argument '%s'", words.items[0]);
    if (error.status != BILANX_OK) {
        bool hints = error.text[strlen(error.text) - 1] == ')';
        AUTO(memory) char *line =
            mem_format("%s%s", error.text, hints ? "" : " (--help lists the options)");
        complain_as(argv[0], line);
        return EXIT_USAGE;
    }
    return complain_finish(show_run(self, 1, &settings));
}
