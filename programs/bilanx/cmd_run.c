// cmd_run: measures suites and benchmark programs.
#include "command.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/mem.h"
#include "cluster_arguments.h"
#include "flame_beside.h"
#include "measure_source.h"
#include "share_arguments.h"
#include "sources/suite_cases/suite_source.h"
#include "suite_arguments.h"

struct run_arguments {
    struct show_settings settings;
    struct suite_arguments suites;
    struct share share;
    struct cluster_arguments cluster;
    const char *flame;
    int argc;  // the whole line, for nodes of a cluster
    char **argv;
};

#define AT(member) offsetof(struct run_arguments, member)
static const struct option run_options[] = {
    {.group = show_selection_options, .offset = AT(settings)},
    {.group = share_options, .offset = AT(share)},
    {.group = cluster_options, .offset = AT(cluster)},
    {"count", 0, OPTION_FLAG, AT(suites.count),
     .help = "also count instructions ('bilanx help count')"},
    {.group = hwcaps_options, .offset = AT(suites.hwcaps)},
    {.group = flame_beside_options, .offset = AT(flame)},
    {.group = suite_options, .offset = AT(suites)},
    {.group = show_measuring_options, .offset = AT(settings)},
    {.group = show_reference_options, .offset = AT(settings)},
    {.group = show_env_options, .offset = AT(settings)},
    {.group = show_showing_options, .offset = AT(settings)},
    {.group = show_google_options, .offset = AT(settings)},
    {0},
};

static const struct option_rule run_rules[] = {
    {"hwcaps", RULE_NEEDS, "count"},
    {"no-time", RULE_NEEDS, "count", .why = "nothing would be measured"},
    {"list", RULE_EXCLUDES, "count", .unless = "no-time", .why = "nothing is measured"},
    {"no-time", RULE_EXCLUDES,
     "fit method number repeats min-run-time max-run-time precision threshold warmup core "
     "core-wait pages seed reference layouts",
     .why = "no time is measured"},
    {"jobs", RULE_NEEDS, "no-time", .why = "times are measured one after another"},
    {"expand", RULE_ALLOWS,
     "filter shard shard-costs cases tag no-lang backtest cc cflags ldflags "
     "python preload fresh layouts quiet",
     .why = "nothing is measured"},
    {"env", RULE_NEEDS, "json resume format=json benchmark_out", .why = "it is for records"},
    {.group = show_rules},
    {.group = show_look_rules},
    {.group = share_rules},
    {.group = cluster_rules},
    {0},
};

// A word may name something else that exists: a FIFO, a folder, a device.
static struct bilanx_error check_words(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        AUTO(memory) char *program = file_find_program(words->items[i]);
        if (!program && source_kind_of(words->items[i]) == &program_source &&
            access(words->items[i], F_OK) == 0)
            BILANX_TRY(file_check(words->items[i]));
    }
    return BILANX_SUCCESS;
}

// All words must be of one kind: the first that is not simply a program decides.
static const struct source_kind *kind_of(const struct words *words)
{
    const struct source_kind *kind = &program_source;
    for (size_t i = 0; i < words->count && kind == &program_source; i++)
        kind = source_kind_of(words->items[i]);
    return kind;
}

static struct bilanx_error check_options(const struct run_arguments *arguments,
                                         const struct source_kind *kind)
{
    if (kind != &suite_source)
        BILANX_TRY(options_apply(run_options, suite_scope, arguments->argc, arguments->argv));
    if (kind == &suite_source && arguments->settings.reference)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--reference applies to programs; for a suite, use 'bilanx "
                                 "compare --ratio %s' on its records",
                                 arguments->settings.reference);
    return kind == &suite_source ? BILANX_SUCCESS : show_check(&arguments->settings);
}

static struct bilanx_error open_source(const struct run_arguments *arguments,
                                       const struct words *words, struct source *out)
{
    const struct source_kind *kind = kind_of(words);
    const struct suite_arguments *suites = &arguments->suites;
    BILANX_TRY(check_options(arguments, kind));
    struct source_request request = {
        .words = words->items,
        .word_count = words->count,
        .purpose = suites->no_time ? SOURCE_FOR_VALGRIND : SOURCE_TO_TIME,
        .code = &suites->statement,
        .filter = arguments->settings.filter,
        .tags = &suites->tags,
        .without_languages = &suites->without_languages,
        .backtest = suites->backtest,
        .with_others = !suites->no_time,
        .tell = {.line = complain_line},
    };
    BILANX_TRY(source_open(kind, &request, out));
    if (out->cases.count || out->incomplete)
        return arguments->cluster.cluster ? BILANX_SUCCESS : share_take(&arguments->share, out);
    return bilanx_error_make(BILANX_E_FAILED,
                             kind == &suite_source ? "no cases match (--list shows them all)"
                             : arguments->settings.filter
                                 ? "no cases match the filter (--list shows them all)"
                                 : "no benchmarks to measure");
}

static int expand(const struct source *source)
{
    const struct selection *selection = suite_source_selection(source);
    for (size_t i = 0; i < selection->count; i++) {
        AUTO(memory) char *json = bilanx_suite_case_json(selection->cases[i]);
        puts(json);
    }
    return EXIT_DONE;
}

static struct measuring_options measuring_options_of(const struct run_arguments *arguments,
                                                     const struct source *source)
{
    const struct suite_arguments *suites = &arguments->suites;
    bool suite = source->kind == &suite_source;
    return (struct measuring_options){
        .settings = arguments->settings,
        .count = suites->count,
        .no_time = suites->no_time,
        .counting = {.timeout = arguments->settings.timeout,
                     .max_memory = arguments->settings.max_memory,
                     .hwcaps = suites->hwcaps.hwcaps,
                     .jobs = suites->jobs ? suites->jobs : cpus_allowed()},
        .resume = suites->resume,
        .retries = suites->retries,
        .shuffled = suite && suites->order == SUITE_RANDOM,
        .compared = suite,
        .alternatives = !suite && source->request.word_count > 1,
        .fit = suites->fit,
    };
}

// Options that decide the expected cost of cases, and which are compared.
static void complete_share(struct run_arguments *arguments, const struct words *words)
{
    const struct show_settings *settings = &arguments->settings;
    struct case_costs *costs = &arguments->share.costs;
    costs->counted = arguments->suites.no_time;
    costs->run_time = settings->min_run_time > 1 ? settings->min_run_time : settings->max_run_time;
    costs->compared = settings->reference || (kind_of(words) != &suite_source && words->count > 1);
}

static int run_on_cluster(const struct run_arguments *arguments, const struct source *source)
{
    const struct show_settings *settings = &arguments->settings;
    bool repeated = source->kind != &suite_source && settings->repeats > 1;
    struct cluster_request request = {.arguments = &arguments->cluster,
                                      .settings = settings,
                                      .options = run_options,
                                      .argc = arguments->argc,
                                      .argv = arguments->argv,
                                      .records = repeated ? RECORDS_WHOLE : RECORDS_SINGLE,
                                      .portion = &arguments->share.portion,
                                      .resume = arguments->suites.resume,
                                      .counted = arguments->suites.no_time,
                                      .same_source = true};
    return cluster_run_source(&request, source, &arguments->share.costs);
}

static int run_words(struct run_arguments *arguments, const struct words *words)
{
    complete_share(arguments, words);
    AUTO(source) struct source source = {0};
    AUTO(flame_run) struct flame_run flame = {.flame = {.path = arguments->flame,
                                                        .counted = arguments->suites.no_time,
                                                        .hwcaps = arguments->suites.hwcaps.hwcaps,
                                                        .settings = &arguments->settings}};
    int code = complain_error(flame_beside_check(&flame.flame));
    if (code == EXIT_DONE)
        code = complain_error(open_source(arguments, words, &source));
    if (code != EXIT_DONE)
        return code;
    if (arguments->suites.expand)
        return expand(&source);
    if (arguments->settings.list)
        return list_source(&source);
    if (arguments->cluster.cluster)
        return run_on_cluster(arguments, &source);
    struct measuring_options options = measuring_options_of(arguments, &source);
    options.flame = &flame;
    return flame_run_finish(&flame, &source, measure_source(&source, &options));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct run_arguments arguments = {
        .suites.statement.layouts = STATEMENT_LAYOUTS, .argc = argc, .argv = argv};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (arguments.settings.method != SHOW_RIGOROUS)
        arguments.suites.statement.layouts = 0;
    if (code == EXIT_DONE && words.count == 0)
        code = complain_error(bilanx_error_make(
            BILANX_E_USAGE, "run needs a suite or a benchmark program (see 'bilanx help run')"));
    if (code == EXIT_DONE)
        code = complain_error(hwcaps_arguments_complete(&arguments.suites.hwcaps));
    if (code == EXIT_DONE)
        code = complain_error(check_words(&words));
    if (code == EXIT_DONE)
        code = run_words(&arguments, &words);
    suite_arguments_done(&arguments.suites);
    cluster_arguments_done(&arguments.cluster);
    return code;
}

static const struct example run_examples[] = {
    {"bilanx run suites/machine.yaml", "the speed of this machine and its libc"},
    {"bilanx run suite.yaml --filter copy -o copy.jsonl", "some cases; save the records"},
    {"bilanx run suite.yaml --resume copy.jsonl", "only the missing cases"},
    {"bilanx run suite.yaml --count --no-time", "instructions instead of times"},
    {"bilanx run suite.yaml --cluster slurm -o out.jsonl", "on all nodes of a cluster"},
    {"bilanx run ./copy", "a program made with <bilanx/bench.h>"},
    {"bilanx run ./old ./new", "two programs, epochs interleaved"},
    {0},
};

const struct command cmd_run = {
    .name = "run",
    .usage = "[OPTION...] SUITE|PROGRAM|LOG...",
    .summary = "measure suites and benchmark programs (made with <bilanx/bench.h>)",
    .options = run_options,
    .rules = run_rules,
    .examples = run_examples,
    .details =
        "Each case runs in its own processes, so a crash or a hang fails only that case.\n"
        "^C keeps the results so far. A suite is a YAML file ('-' is stdin). A log of operators\n"
        "runs on PyTorch, or else on the reference backend ('bilanx help ops' compares\n"
        "backends). Formats: docs/formats/suite.md and docs/formats/record.md.\n",
    .run = run,
};
