// cmd_ab: compares sides and prints verdicts.
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "ab_bundle.h"
#include "ab_flame.h"
#include "ab_report.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/number.h"
#include "core/record/provenance.h"
#include "core/record/records.h"
#include "core/show/progress.h"
#include "core/show/sink.h"
#include "flame_beside.h"
#include "hints.h"
#include "results/read/reader.h"
#include "share_arguments.h"
#include "sources/source/source.h"

#define AT(member) offsetof(struct ab_arguments, member)
static const struct option ab_options[] = {
    {"A", 0, OPTION_TEXT, AT(a), "SPEC", .help = "the baseline"},
    {"B", 0, OPTION_TEXT, AT(b), "SPEC", .help = "the side to compare with it"},
    {"side", 0, OPTION_LIST, AT(sides), "NAME=SPEC",
     .help = "more sides, each compared with the first"},
    {"build", 0, OPTION_TEXT, AT(build), "COMMAND",
     .help = "git: sides: build a revision, once (run by $SHELL)"},
    {"stmt", 0, OPTION_LIST, AT(stmts), "STMT", .help = "a statement to compare, in --language"},
    {"budget", 0, OPTION_SECONDS, AT(budget), "TIME", .range = &range_duration,
     .help = "time per case (5 s)"},
    {"max-run-time", 0, OPTION_SECONDS, AT(budget),
     .range = &range_duration},  // the name in the other commands
    {"fail-on", 0, OPTION_TEXT, AT(fail_on), "WHEN",
     .help = "exit with status 3 if a case is slower: slower, or\n"
             "slower:PCT for more than PCT %; undecided: also if\n"
             "there is no verdict; seems-slower[:PCT]: also if\n"
             "stored results only seem slower"},
    {"count", 0, OPTION_FLAG, AT(count), .help = "also count instructions on both sides"},
    {.group = hwcaps_options, .offset = AT(hwcaps)},
    {"no-time", 0, OPTION_FLAG, AT(no_time), .help = "with --count: skip timing"},
    {"explain", 0, OPTION_FLAG, AT(explain),
     .help = "with --count: show which functions changed most"},
    {.group = flame_beside_options, .offset = AT(flame)},
    {.group = ab_bundle_options},
    {"isolate", 0, OPTION_FLAG, AT(isolate), .help = "always run each side in its own process"},
    {.group = show_core_options, .offset = AT(settings)},
    {"bisect", 0, OPTION_FLAG, AT(bisect),
     .help = "git: sides: find the first commit that is slower\n"
             "than its parent"},
    {"alpha", 0, OPTION_NUMBER, AT(margins.alpha), "SHARE", .range = &range_chance,
     .help = "how often a verdict may be wrong (.01)"},
    {"margin", 0, OPTION_NUMBER, AT(margins.claim), "SHARE",
     .help = "ignore smaller changes (.0025)"},
    {"equal", 0, OPTION_NUMBER, AT(margins.same), "SHARE",
     .help = "call sides within this the same (.005)"},
    {"filter", 0, OPTION_TEXT, AT(settings.filter), "REGEX",
     .help = "compare only cases whose name matches REGEX"},
    {"tag", 0, OPTION_LIST, AT(tags), "TAG", .help = "suites: only cases with this tag"},
    {"no-lang", 0, OPTION_LIST, AT(without_languages), "LANGUAGE",
     .help = "suites: skip cases in this language"},
    {"backtest", 0, OPTION_FLAG, AT(backtest),
     .help = "suites: skip cases that a side's version does not\n"
             "support (since, until)"},
    {.group = share_options, .offset = AT(share)},
    {.group = cluster_options, .offset = AT(cluster)},
    {"timeout", 0, OPTION_SECONDS, AT(settings.timeout), "TIME", .range = &range_duration,
     .help = "kill a process silent for this long (60 s)"},
    {"seed", 0, OPTION_COUNT, AT(settings.seed), "N",
     .help = "reuse the same random order and layouts"},
    {.group = statement_code_options, .offset = AT(code)},
    {.group = statement_layout_options, .offset = AT(code)},
    {.group = statement_input_options, .offset = AT(code)},
    {.group = show_pages_options, .offset = AT(settings)},
    {.group = show_showing_options, .offset = AT(settings)},
    // Options of the predecessor of this tool.
    {"backtesting", 0, OPTION_FLAG, AT(backtest)},
    {"no_cpp", 0, OPTION_FLAG, AT(no_cpp)},
    {"patch_a", 0, OPTION_FLAG, AT(patched_a)},
    {"patch_b", 0, OPTION_FLAG, AT(patched_b)},
    {0},
};

static const struct option_rule ab_rules[] = {
    {"bisect", RULE_EXCLUDES, "count no-time explain hwcaps",
     .why = "it judges commits by time; bisect first, then count the commit it names: "
            "--A git:COMMIT~1 --B git:COMMIT --count --explain"},
    {"bisect", RULE_EXCLUDES,
     "flame bundle bundle-all side cluster shard cases shard-costs "
     "csv-safe format=csv format=markdown color backtest",
     .why = "it only judges commits"},
    {"no-time explain", RULE_NEEDS, "count"},
    {"explain", RULE_EXCLUDES, "format=csv format=json", .why = "functions are shown in tables"},
    {"tag no-lang backtest", RULE_EXCLUDES, "stmt", .why = "it only applies to suites"},
    {"hwcaps", RULE_NEEDS, "count bundle"},
    {"bundle-all", RULE_NEEDS, "bundle"},
    {"bundle", RULE_EXCLUDES, "shard cases", .why = "it needs all cases"},
    {"no-time", RULE_EXCLUDES, "core core-wait", .why = "they are about times"},
    {"color", RULE_EXCLUDES, "format=csv format=json", .why = "programs read that"},
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append", RULE_NEEDS, "json"},
    {"overwrite", RULE_NEEDS, "json bundle"},
    {"fact", RULE_NEEDS, "json format=json", .why = "it is for records"},
    {.group = show_look_rules},
    {.group = statement_rules},
    {.group = statement_input_rules},
    {.group = share_rules},
    {.group = cluster_rules},
    {0},
};

// The observer's state for showing a comparison in progress.
struct display {
    const struct ab_arguments *arguments;
    struct sink sink;
    bool is_sink_open, has_shown;
    struct list revisions, provenances;  // names of sides that are revisions; their `git`
    struct progress_bar bar;
    int code;  // exit code: the largest so far
    struct ab_flame flame;
    struct ab_bundle bundle;
};

static void display_done(struct display *display)
{
    ab_bundle_done(&display->bundle);
    sink_done(&display->sink);
    list_done(&display->revisions);
    list_done(&display->provenances);
    ab_flame_done(&display->flame);
}
SCOPE_VALUE(display, display_done)

static void raise_code(struct display *display, int code)
{
    display->code = code > display->code ? code : display->code;
}

// --overwrite may be about the bundle alone.
static struct bilanx_error check_settings(const struct ab_arguments *arguments)
{
    struct show_settings settings = arguments->settings;
    settings.overwrite = settings.overwrite && (settings.json || !arguments->bundle);
    return show_check(&settings);
}

static void note_revisions(struct display *display, const struct side *const *sides, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(memory) char *git =
            sides[i]->kind == &side_revision ? provenance_of(NULL, &sides[i]->surroundings) : NULL;
        if (!git)
            continue;
        list_add(&display->revisions, sides[i]->name);
        list_take(&display->provenances, TAKE(git));
    }
}

// Refuses to write to an input: an output that is a side's file would be lost before it is read.
static struct bilanx_error opened(void *context, const struct side *const *sides, size_t count)
{
    struct display *display = context;
    AUTO(output_uses) struct output_uses uses = {0};
    options_files(cmd_ab.options, display->arguments, &uses);
    size_t stored = 0;
    for (size_t i = 0; i < count; i++)
        if (sides[i]->kind == &side_records) {
            output_uses_add(&uses, sides[i]->path, NULL, "what side %s reads", sides[i]->name);
            reader_tell_cut(sides[i]->path, &complain_tell);
            stored++;
        }
    BILANX_TRY(output_uses_check(&uses));
    if (display->arguments->hwcaps.word && stored == count)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--hwcaps needs something to count, but all sides are files");
    if (show_records_path(&display->arguments->settings))
        note_revisions(display, sides, count);
    ab_bundle_open(&display->bundle, display->arguments, sides, count);
    return check_settings(display->arguments);
}

static struct bilanx_error begun(void *context, const struct ab_pair *pair, size_t case_count)
{
    (void)pair;
    struct display *display = context;
    const struct show_settings *settings = &display->arguments->settings;
    progress_bar_init(&display->bar, case_count, settings->quiet);
    if (display->is_sink_open)
        return BILANX_SUCCESS;
    display->is_sink_open = true;
    return sink_open(&display->sink, settings);
}

static void working(void *context, const struct run_case *item, double ahead)
{
    struct display *display = context;
    progress_bar_working(&display->bar, item, ahead);
}

static void finished(void *context, const struct bilanx_record *record)
{
    struct display *display = context;
    display->bar.done++;
    if (record->counts && !display->arguments->count)  // for the bundle only
        return;
    struct bilanx_record whole = *record;
    for (size_t i = 0; i < display->revisions.count && !whole.git; i++)
        if (text_equal(display->revisions.items[i], record->side))
            whole.git = display->provenances.items[i];
    raise_code(display, complain_error(sink_write(&display->sink, &whole)));
}

static bool is_regression(const struct ab_arguments *arguments, const struct bilanx_record *record)
{
    const struct bilanx_verdict *verdict = record->verdict;
    if (!arguments->fail_on || !verdict)
        return false;
    if (strcmp(verdict->verdict, "slower") == 0 ||
        (arguments->fail_seeming && strcmp(verdict->verdict, "seems-slower") == 0))
        return verdict->change > arguments->fail_share;
    return arguments->fail_undecided && !ab_is_reached(verdict);
}

// Names the cases that fail the gate: with --no-time, the table has no verdicts.
static void raise_regressions(struct display *display, const struct bilanx_record *records,
                              char *const *names, size_t count)
{
    const char *first = NULL;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (is_regression(display->arguments, &records[i]) && found++ == 0)
            first = names[i];
    if (!found)
        return;
    AUTO(text) struct text line = {0};
    text_format(&line, "--fail-on %s: failed by %s", display->arguments->fail_on, first);
    if (found > 1)
        text_format(&line, " and %zu more", found - 1);
    complain(text_get(&line));
    raise_code(display, EXIT_REGRESSION);
}

static bool are_stored(const struct bilanx_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < records[i].warning_count; k++)
            if (text_equal(records[i].warnings[k].code, "not-interleaved"))
                return true;
    return false;
}

// A gate that let everything pass because it decided nothing should not look like a success.
static void warn_of_nothing_decided(const struct ab_arguments *arguments,
                                    const struct bilanx_record *records, size_t count)
{
    size_t judged = 0, measured = 0;
    for (size_t i = 0; i < count; i++) {
        const struct bilanx_verdict *verdict = records[i].verdict;
        judged += verdict != NULL;
        measured += verdict && ab_is_measured(verdict);
        if (verdict && ab_is_measured(verdict) &&
            (ab_is_reached(verdict) ||
             (arguments->fail_seeming && text_starts(verdict->verdict, "seems-"))))
            return;
    }
    if (arguments->fail_on && judged && !measured)
        complain("--fail-on had no effect: the sides make no difference to any case");
    else if (arguments->fail_on && are_stored(records, count))
        complain("--fail-on had no effect: stored results were measured at different times "
                 "(--fail-on seems-slower judges them too; sides measured in turns get a verdict)");
    else if (arguments->fail_on && judged)
        complain(arguments->fail_undecided
                     ? "no case has a verdict: a larger --budget may help"
                     : "--fail-on had no effect: no case has a verdict (a larger --budget may "
                       "help; --fail-on undecided makes this a failure)");
}

// Prints no table if records go to stdout. Separates a table from the one before.
static bool begin_table(struct display *display)
{
    if (display->sink.file == stdout)
        return false;
    if (display->has_shown && display->arguments->settings.format != BILANX_JSON)
        putchar('\n');
    display->has_shown = true;
    return true;
}

static bool any_known(const struct ab_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->records[i].kind)
            return true;
    return false;
}

static void compared(void *context, const struct ab_pair *pair, struct ab_results *results)
{
    struct display *display = context;
    const struct ab_arguments *arguments = display->arguments;
    progress_bar_clear(&display->bar);
    if (any_known(results) && begin_table(display))
        ab_show(arguments, pair, results);
    ab_show_failures(arguments, results);
    AUTO(list) struct list given = {0};
    for (size_t i = 0; i < results->count; i++)
        hint_at(&results->records[i].task, results->records[i].error, &given);
    raise_code(display, complain_error(results->error));
    for (size_t i = 0; i < results->count; i++) {
        const struct bilanx_record *record = &results->records[i];
        if (record->error && !record_skipped(record))
            raise_code(display, EXIT_FAILED);
    }
    raise_regressions(display, results->records, results->names, results->count);
    warn_of_nothing_decided(arguments, results->records, results->count);
    if (arguments->flame)
        ab_flame_compared(&display->flame, pair, results);
    ab_bundle_compared(&display->bundle, arguments, pair, results);
}

// Counts of different variants neither pass nor fail.
static bool refuse_gate(struct display *display, const struct ab_counts *counts)
{
    AUTO(text) struct text why = {0};
    const char *fail_on = display->arguments->fail_on;
    if (!fail_on || !ab_counts_differ(counts, &why))
        return false;
    raise_code(display, complain_error(bilanx_error_make(
                            BILANX_E_FAILED,
                            "--fail-on %s cannot judge these counts: count both sides with the "
                            "same --hwcaps",
                            fail_on)));
    return true;
}

static void show_counts(struct display *display, const struct ab_pair *pair,
                        const struct ab_counts *counts)
{
    bool with_legend = !display->has_shown || display->arguments->sides.count > 0;
    if (counts->count && begin_table(display))
        ab_show_counts(display->arguments, pair, counts, with_legend);
    raise_code(display, complain_error(counts->error));
    for (size_t i = 0; i < counts->count; i++)
        if (counts->before[i].error || counts->after[i].error)
            raise_code(display, EXIT_FAILED);
    if (counts->verdicts && !refuse_gate(display, counts))
        raise_regressions(display, counts->verdicts, counts->names, counts->count);
}

static void counted(void *context, const struct ab_pair *pair, struct ab_counts *counts)
{
    struct display *display = context;
    progress_bar_clear(&display->bar);
    if (display->arguments->count)
        show_counts(display, pair, counts);
    ab_bundle_counted(&display->bundle, display->arguments, pair, counts);
}

// For --bundle, which is written without it.
static void missed(void *context, const char *what, struct bilanx_error error)
{
    struct display *display = context;
    bundle_miss(display->bundle.bundle, "%s: %s", what, error.text);
    if (display->arguments->flame)
        raise_code(display, complain_error(error));
}

static bool examines(void *context, const char *name)
{
    const struct display *display = context;
    return name ? ab_bundle_examines(&display->bundle, name)
                : display->arguments->flame || bundle_examines_any(display->bundle.bundle);
}

static void judged(void *context, const char *title, const char *what,
                   const struct bilanx_record *record)
{
    (void)context;
    ab_show_step(title, what, record);
}

static struct flame_beside flame_of(const struct ab_arguments *arguments)
{
    return (struct flame_beside){.path = arguments->flame, .settings = &arguments->settings};
}

static void tell_sampling(const struct ab_arguments *arguments, const char *name)
{
    AUTO(memory) char *line = mem_format("sampling %.200s on all sides, in turns", name);
    if (!arguments->settings.quiet)
        complain(line);
}

// Sampled once, for both outputs.
static struct bilanx_error sample_one(struct display *display, const struct ab_sampled_side *sides,
                                      size_t count, size_t at)
{
    const struct ab_arguments *arguments = display->arguments;
    AUTO(ab_samples) struct ab_samples samples = {0};
    bool bundled = ab_bundle_samples(&display->bundle, sides[0].cases, at);
    if (!bundled && !arguments->flame)
        return BILANX_SUCCESS;
    if (bundled)
        tell_sampling(arguments, sides[0].cases->items[at].name);
    struct bilanx_error error = ab_sample_case(arguments, sides, count, at, &samples);
    if (bundled)
        ab_bundle_sampled(&display->bundle, sides, at, &samples);
    if (!arguments->flame)
        return error;
    ab_flame_sampled(&display->flame, sides, at, &samples);
    for (size_t i = 0; i < count && error.status == BILANX_OK; i++)
        complain_error(samples.errors[i]);
    return error;
}

static struct bilanx_error sample(void *context, const struct ab_sampled_side *sides, size_t count)
{
    struct display *display = context;
    struct bilanx_error error = BILANX_SUCCESS;
    progress_bar_clear(&display->bar);
    if (display->arguments->flame)
        BILANX_TRY(ab_flame_check(sides, count));
    ab_bundle_sampling(&display->bundle, sides, count);
    for (size_t i = 0; i < sides[0].cases->count && error.status == BILANX_OK; i++)
        error = sample_one(display, sides, count, i);
    if (display->arguments->flame) {
        struct bilanx_error written = ab_flame_write(&display->flame, display->arguments);
        error = error.status == BILANX_OK ? written : error;
    }
    if (error.status == BILANX_OK)
        display->bundle.step = NULL;
    return error;
}

static int compare(const struct ab_arguments *arguments, const struct ab_options *options)
{
    AUTO(display) struct display display = {.arguments = arguments};
    const struct ab_observer observer = {
        .context = &display,
        .progress = arguments->settings.quiet ? NULL : complain_line,
        .note = complain_line,
        .opened = opened,
        .begun = begun,
        .working = working,
        .finished = finished,
        .compared = compared,
        .counted = counted,
        .sample = arguments->flame || arguments->bundle ? sample : NULL,
        .examines = arguments->bundle ? examines : NULL,
        .missed = missed,
    };
    const struct flame_beside flame = flame_of(arguments);
    int code = complain_error(flame_beside_check(&flame));
    if (code != EXIT_DONE)
        return code;
    struct bilanx_error error = ab_compare(options, &observer);
    raise_code(&display, complain_error(error));
    progress_bar_clear(&display.bar);
    raise_code(&display, ab_bundle_finish(&display.bundle, arguments, error));
    return display.code;
}

static int bisect(const struct ab_arguments *arguments, const struct ab_options *options)
{
    AUTO(ab_bisection) struct ab_bisection found = {0};
    AUTO(sink) struct sink sink = {0};
    const struct show_settings *settings = &arguments->settings;
    const struct ab_observer observer = {.progress = settings->quiet ? NULL : complain_line,
                                         .note = complain_line,
                                         .judged = judged};
    struct bilanx_error error = show_check(settings);
    if (error.status == BILANX_OK)
        error = ab_bisect(options, &observer, &found);
    if (error.status == BILANX_OK)
        error = ab_show_bisection(&found);
    if (error.status == BILANX_OK)
        error = sink_open(&sink, settings);
    if (error.status == BILANX_OK)
        error = sink_write(&sink, &found.record);
    if (error.status != BILANX_OK || !is_regression(arguments, &found.record))
        return complain_error(error);
    AUTO(memory) char *line =
        mem_format("--fail-on %s: failed by %s", arguments->fail_on, found.name);
    complain(line);
    return EXIT_REGRESSION;
}

// Reads --A, --B and --side, in that order. `specs` has room for all.
static struct bilanx_error read_sides(const struct ab_arguments *arguments, struct list *names,
                                      struct ab_spec *specs, size_t *count)
{
    if (arguments->a)
        specs[(*count)++] = (struct ab_spec){"A", arguments->a};
    if (arguments->b)
        specs[(*count)++] = (struct ab_spec){"B", arguments->b};
    for (size_t i = 0; i < arguments->sides.count; i++) {
        const char *named = arguments->sides.items[i], *equals = strchr(named, '=');
        if (!equals || equals == named)
            return bilanx_error_make(BILANX_E_USAGE, "--side '%s' is not NAME=SPEC", named);
        char *name = mem_text_n(named, (size_t)(equals - named));
        list_take(names, name);
        specs[(*count)++] = (struct ab_spec){name, equals + 1};
    }
    return BILANX_SUCCESS;
}

// `bilanx ab ./old ./new` means --A bin:./old --B bin:./new.
static struct bilanx_error too_few_sides(const struct words *words)
{
    if (words->count != 2)
        return bilanx_error_make(
            BILANX_E_USAGE,
            "a comparison needs two sides: --A SPEC --B SPEC (see 'bilanx help ab')");
    const char *a = words->items[0], *b = words->items[1];
    const char *quotes[] = {strchr(a, ' ') ? "'" : "", strchr(b, ' ') ? "'" : ""};
    return bilanx_error_make(BILANX_E_USAGE,
                             "a comparison needs two sides, such as --A %s%s%s%s --B %s%s%s%s",
                             quotes[0], side_likely_prefix(a), a, quotes[0], quotes[1],
                             side_likely_prefix(b), b, quotes[1]);
}

static struct ab_options options_of(const struct ab_arguments *arguments, const struct words *words)
{
    bool suites =
        !arguments->stmts.count && words->count && source_kind_of(words->items[0]) == &suite_source;
    return (struct ab_options){.build = arguments->build,
                               .stmts = arguments->stmts,
                               .suites = suites ? *words : (struct words){0},
                               .program = words->count && !suites ? words->items[0] : NULL,
                               .code = arguments->code.options,
                               .filter = arguments->settings.filter,
                               .tags = arguments->tags,
                               .without_languages = arguments->without_languages,
                               .backtest = arguments->backtest,
                               .share = arguments->share,
                               .margins = arguments->margins,
                               .budget = arguments->budget,
                               .timeout = arguments->settings.timeout,
                               .seed = arguments->settings.seed,
                               .isolate = arguments->isolate,
                               .any_core = arguments->settings.core == RUN_ANY_CORE,
                               .free_core = arguments->settings.core == RUN_FREE_CORE,
                               .core_wait = arguments->settings.core_wait,
                               .count = arguments->count,
                               .hwcaps = arguments->hwcaps.hwcaps,
                               .examine = arguments->bundle != NULL,
                               .no_time = arguments->no_time};
}

// The nodes open the sides themselves; here only the names and costs of the cases matter.
static int run_on_cluster(const struct ab_arguments *arguments, const struct words *words)
{
    AUTO(source) struct source source = {0};
    struct statement_options code = arguments->code.options;
    struct source_request request = {.words = words->items,
                                     .word_count = words->count,
                                     .code = &code,
                                     .filter = arguments->settings.filter,
                                     .tags = &arguments->tags,
                                     .without_languages = &arguments->without_languages,
                                     .backtest = arguments->backtest,
                                     .tell = {.line = complain_line}};
    struct bilanx_error error = BILANX_SUCCESS;
    if (arguments->stmts.count || words->count == 0 ||
        source_kind_of(words->items[0]) == &statement_source)
        error = bilanx_error_make(BILANX_E_USAGE,
                                  "ab --cluster compares suites and programs, not --stmt");
    if (error.status == BILANX_OK)
        error = source_open(source_kind_of(words->items[0]), &request, &source);
    if (error.status != BILANX_OK)
        return complain_error(error);
    bool single = !arguments->count && arguments->sides.count + 2 <= 2;
    return cluster_run_source(
        &(struct cluster_request){.arguments = &arguments->cluster,
                                  .settings = &arguments->settings,
                                  .options = ab_options,
                                  .argc = arguments->argc,
                                  .argv = arguments->argv,
                                  .records = single ? RECORDS_SINGLE : RECORDS_WHOLE,
                                  .portion = &arguments->share.portion,
                                  .counted = arguments->no_time},
        &source, &arguments->share.costs);
}

static int execute(const struct ab_arguments *arguments, const struct words *words)
{
    AUTO(list) struct list names = {0};
    AUTO(memory) struct ab_spec *specs = mem_array(struct ab_spec, arguments->sides.count + 2);
    struct ab_options options = options_of(arguments, words);
    options.sides = specs;
    struct bilanx_error error = read_sides(arguments, &names, specs, &options.side_count);
    if (error.status == BILANX_OK && options.side_count < 2)
        error = too_few_sides(words);
    int code = complain_error(error);
    if (code != EXIT_DONE)
        return code;
    if (arguments->cluster.cluster)
        return run_on_cluster(arguments, words);
    interrupt_catch();
    return (arguments->bisect ? bisect : compare)(arguments, &options);
}

static struct bilanx_error read_fail_on(struct ab_arguments *arguments)
{
    const char *when = arguments->fail_on;
    double percent = 0;
    if (!when || strcmp(when, "slower") == 0)
        return BILANX_SUCCESS;
    arguments->fail_undecided = strcmp(when, "undecided") == 0;
    arguments->fail_seeming = text_starts(when, "seems-slower");
    const char *limit = when + strlen(arguments->fail_seeming ? "seems-slower" : "slower");
    bool known = arguments->fail_seeming || text_starts(when, "slower");
    bool good = known && (*limit == ':' ? number_read(limit + 1, &percent) && percent >= 0
                                        : arguments->fail_seeming && !*limit);
    if (!arguments->fail_undecided && !good)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--fail-on takes 'slower', 'slower:PCT', 'seems-slower', "
                                 "'seems-slower:PCT' or 'undecided', not '%s'",
                                 when);
    arguments->fail_share = percent / 100;
    return BILANX_SUCCESS;
}

static struct bilanx_error complete(struct ab_arguments *arguments)
{
    BILANX_TRY(read_fail_on(arguments));
    if (arguments->no_cpp) {
        struct words *without = &arguments->without_languages;
        mem_grow(without->items, without->count, &without->room);
        without->items[without->count++] = "c++";
    }
    arguments->share.costs.counted = arguments->no_time;
    arguments->share.costs.run_time = arguments->budget;
    show_choose_pages(&arguments->settings);
    BILANX_TRY(hwcaps_arguments_complete(&arguments->hwcaps));
    if (arguments->patched_a || arguments->patched_b)
        complain("patching is not needed: bilanx measures each side with its own timer");
    return ab_bundle_check(arguments);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct ab_arguments arguments = {.margins = default_margins,
                                     .code.options.layouts = STATEMENT_LAYOUTS,
                                     .argc = argc,
                                     .argv = argv};
    AUTO(words) struct words words = {0};
    AUTO(text) struct text line = {0};
    text_add(&line, "bilanx");
    for (int i = 0; i < argc; i++) {
        text_add(&line, " ");
        text_add_quoted(&line, argv[i]);
    }
    arguments.command_line = text_get(&line);
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE)
        code = complain_error(complete(&arguments));
    if (code == EXIT_DONE)
        code = complain_error(statement_arguments_complete(&arguments.code, &arguments.stmts));
    if (code == EXIT_DONE)
        code = execute(&arguments, &words);
    statement_arguments_done(&arguments.code);
    cluster_arguments_done(&arguments.cluster);
    words_done(&arguments.sides);
    words_done(&arguments.stmts);
    words_done(&arguments.tags);
    words_done(&arguments.without_languages);
    return code;
}

static const struct example ab_examples[] = {
    {"bilanx ab --A 'cc:gcc -O2' --B 'cc:gcc -O3' --stmt 'sum(a, 9)' --source sum.c",
     "compiler flags"},
    {"bilanx ab --A git:merge-base:main --B git:. --build make ./bench",
     "this branch against main"},
    {"bilanx ab --A 'source v1/bin/activate' --B 'source v2/bin/activate' suite.yaml",
     "two environments"},
    {"bilanx ab --A bin:./old --B bin:./new", "two benchmark programs"},
    {"bilanx ab --A bin:./old --B bin:./new --bundle out.zip", "... with a report to pass on"},
    {"bilanx ab --A 'cmd:gzip -kf f' --B 'cmd:zstd -qkf f'", "two commands"},
    {0},
};

const struct command cmd_ab = {
    .name = "ab",
    .usage = "--A SPEC --B SPEC [OPTION...] (SUITE...|PROGRAM|--stmt STMT)",
    .summary = "compare two sides and decide whether one is faster",
    .options = ab_options,
    .rules = ab_rules,
    .examples = ab_examples,
    .details = "The sides alternate batch by batch, in random order, in many short processes,\n"
               "until the verdict is certain or time runs out. SPEC is a shell command that sets\n"
               "up an environment, or one of git:REV, cc:COMPILER FLAGS, bin:PROGRAM,\n"
               "cmd:COMMAND, file:RECORDS (docs/formats/sides.md).\n",
    .run = run,
};
