// cmd_ab: two sides, a verdict.
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/number.h"
#include "core/record/records.h"
#include "core/show/progress.h"
#include "core/show/sink.h"

#define AT(member) offsetof(struct ab_arguments, member)
static const struct option ab_options[] = {
    {"A", 0, OPTION_TEXT, AT(a), "SPEC", .help = "the side that is compared with"},
    {"B", 0, OPTION_TEXT, AT(b), "SPEC", .help = "the side that may be faster or slower"},
    {"side", 0, OPTION_LIST, AT(sides), "NAME=SPEC",
     .help = "further sides, each against the first"},
    {"build", 0, OPTION_TEXT, AT(build), "COMMAND",
     .help = "git: sides: makes a revision ready, once; by $SHELL"},
    {"stmt", 0, OPTION_LIST, AT(stmts), "STMT", .help = "a statement to compare, of --language"},
    {"budget", 0, OPTION_SECONDS, AT(budget), "TIME", .help = "for each case (5 s)"},
    {"fail-on", 0, OPTION_TEXT, AT(fail_on), "slower[:PCT]",
     .help = "exit with 3 when a case is slower, by more than PCT %"},
    {"count", 0, OPTION_FLAG, AT(count), .help = "instructions of both sides, too"},
    {"no-time", 0, OPTION_FLAG, AT(no_time), .help = "with --count, count only"},
    {"explain", 0, OPTION_FLAG, AT(explain),
     .help = "with --count: the functions that the largest changes are in"},
    {"isolate", 0, OPTION_FLAG, AT(isolate),
     .help = "each side in a process of its own, whatever it is"},
    {"bisect", 0, OPTION_FLAG, AT(bisect),
     .help = "git: sides: find the first commit that is slower than its parent"},
    {"alpha", 0, OPTION_NUMBER, AT(margins.alpha), "SHARE",
     .help = "how often a verdict may be wrong (.01)"},
    {"margin", 0, OPTION_NUMBER, AT(margins.claim), "SHARE",
     .help = "what is smaller is no change (.0025)"},
    {"equal", 0, OPTION_NUMBER, AT(margins.same), "SHARE",
     .help = "what lies within is the same (.005)"},
    {"filter", 0, OPTION_TEXT, AT(settings.filter), "REGEX",
     .help = "compare only cases whose name matches"},
    {"tag", 0, OPTION_LIST, AT(tags), "TAG", .help = "of a suite: cases with this tag"},
    {"no-lang", 0, OPTION_LIST, AT(without_languages), "LANGUAGE",
     .help = "of a suite: no cases in this language"},
    {"backtest", 0, OPTION_FLAG, AT(backtest),
     .help = "leave out what a side's version does not have (since, until)"},
    {"timeout", 0, OPTION_SECONDS, AT(settings.timeout), "TIME",
     .help = "how long a process may be silent (60 s)"},
    {"seed", 0, OPTION_COUNT, AT(settings.seed), "N",
     .help = "repeat the same order and layout draws"},
    {.group = statement_code_options, .offset = AT(code)},
    {.group = statement_layout_options, .offset = AT(code)},
    {.group = console_pages_options, .offset = AT(settings)},
    {.group = console_showing_options, .offset = AT(settings)},
    // Of the tool that this one is the successor of.
    {"backtesting", 0, OPTION_FLAG, AT(backtest)},
    {"no_cpp", 0, OPTION_FLAG, AT(no_cpp)},
    {"patch_a", 0, OPTION_FLAG, AT(patched_a)},
    {"patch_b", 0, OPTION_FLAG, AT(patched_b)},
    {0},
};

// A comparison of one side with the first, as it goes.
struct comparison {
    const struct ab_arguments *arguments;
    struct ab_side *first, *other;
    struct sink *sink;
    struct progress_bar bar;
    struct ab_results results;
    bool failed, regressed;
};

static void working(void *context, const struct run_case *item)
{
    struct comparison *comparison = context;
    progress_bar_working(&comparison->bar, item);
}

static bool is_regression(const struct ab_arguments *arguments, const struct bilanx_record *record)
{
    return arguments->fail_on && record->verdict &&
           strcmp(record->verdict->verdict, "slower") == 0 &&
           record->verdict->change > arguments->fail_share;
}

static void note(struct comparison *comparison, const struct bilanx_record *record)
{
    struct bilanx_error error = sink_write(comparison->sink, record);
    if (error.status != BILANX_OK)
        complain_error(error);
    comparison->failed |= (record->error && !record_skipped(record)) || error.status != BILANX_OK;
    comparison->regressed |= is_regression(comparison->arguments, record);
}

// What the control shows may be known only after some cases were told. Those that it does not allow
// come again, taken back: of two verdicts on a task the later one counts.
static void revise(struct comparison *comparison, const struct contest_summary *summary)
{
    const struct ab_arguments *arguments = comparison->arguments;
    comparison->regressed = false;
    for (size_t i = 0; i < comparison->results.count; i++) {
        struct bilanx_record *record = &comparison->results.records[i];
        if (record->verdict && contest_revise(summary, &arguments->margins, record->verdict))
            note(comparison, record);
        comparison->regressed |= is_regression(arguments, record);
    }
}

static void finished(void *context, size_t index, struct bilanx_record *record)
{
    struct comparison *comparison = context;
    ab_suspect_layout(comparison->arguments, comparison->first, comparison->other, index, record);
    note(comparison, record);
    comparison->bar.done++;
    comparison->results.records[index] = *record;
}

struct contest_side ab_contest_side(struct ab_side *side)
{
    return (struct contest_side){
        .name = side->side->name, .title = side->side->title, .cases = &side->cases};
}

struct contest_options ab_contest_options(const struct ab_arguments *arguments,
                                          const struct ab_side *first, const struct ab_side *other)
{
    return (struct contest_options){
        .way = first->side->kind == &side_command ? &bout_by_commands : NULL,
        .margins = arguments->margins,
        .budget = arguments->budget,
        .timeout = arguments->settings.timeout,
        .seed = arguments->settings.seed,
        .apart =
            arguments->isolate || !first->side->kind->can_share || !other->side->kind->can_share,
    };
}

static void prepare_results(const struct run_cases *cases, struct ab_results *out)
{
    out->count = cases->count;
    out->records = mem_array(struct bilanx_record, cases->count);
    out->names = mem_array(char *, cases->count);
    for (size_t i = 0; i < cases->count; i++)
        out->names[i] = mem_text(cases->items[i].name);
}

static struct bilanx_error interleave(struct comparison *comparison, struct ab_side *first,
                                      struct ab_side *other, struct contest_summary *summary)
{
    const struct ab_arguments *arguments = comparison->arguments;
    struct contest_side pair[] = {ab_contest_side(first), ab_contest_side(other)};
    struct contest_options options = ab_contest_options(arguments, first, other);
    prepare_results(&first->cases, &comparison->results);
    progress_bar_init(&comparison->bar, first->cases.count, arguments->settings.quiet);
    struct bilanx_error error = contest_run(
        pair, &options, &(struct contest_observer){comparison, working, finished}, summary);
    progress_bar_clear(&comparison->bar);
    revise(comparison, summary);
    return error;
}

static struct bilanx_error compare_stored(struct comparison *comparison, struct ab_side *first,
                                          struct ab_side *other)
{
    BILANX_TRY(ab_compare_stored(comparison->arguments, first, other, &comparison->results));
    for (size_t i = 0; i < comparison->results.count; i++)
        note(comparison, &comparison->results.records[i]);
    return BILANX_SUCCESS;
}

static bool is_stored(const struct ab_side *first, const struct ab_side *other)
{
    return first->side->kind == &side_records || other->side->kind == &side_records;
}

// A table after another one stands apart.
static void set_apart(const struct ab_arguments *arguments, const struct sink *sink, bool further)
{
    if (further && sink->file != stdout && arguments->settings.format != BILANX_JSON)
        putchar('\n');
}

static bool any_told(const struct ab_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->records[i].kind)
            return true;
    return false;
}

static int compare_side(const struct ab_arguments *arguments, struct ab_sides *sides, size_t at,
                        struct sink *sink)
{
    struct ab_side *first = &sides->items[0], *other = &sides->items[at];
    struct comparison comparison = {
        .arguments = arguments, .first = first, .other = other, .sink = sink};
    struct contest_summary summary = {0};
    bool stored = is_stored(first, other);
    struct bilanx_error error = stored ? compare_stored(&comparison, first, other)
                                       : interleave(&comparison, first, other, &summary);
    if (sink->file != stdout && any_told(&comparison.results))
        ab_show(arguments, first, other, &comparison.results, stored ? NULL : &summary);
    ab_show_failures(arguments, &comparison.results);
    ab_results_done(&comparison.results);
    if (error.status != BILANX_OK)
        return complain_error(error);
    return comparison.regressed ? EXIT_REGRESSION : comparison.failed ? EXIT_FAILED : EXIT_DONE;
}

static struct bilanx_error write_counts(struct sink *sink, const struct ab_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) {
        if (counts->before[i].kind)
            BILANX_TRY(sink_write(sink, &counts->before[i]));
        if (counts->after[i].kind)
            BILANX_TRY(sink_write(sink, &counts->after[i]));
    }
    return BILANX_SUCCESS;
}

static bool any_failed(const struct ab_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->before[i].error || counts->after[i].error)
            return true;
    return false;
}

// Without times, the verdict is on the counts.
static struct bilanx_error judge_counts(const struct ab_arguments *arguments,
                                        const struct ab_side *first, const struct ab_counts *counts,
                                        struct sink *sink, bool *regressed)
{
    for (size_t i = 0; i < counts->count; i++) {
        AUTO(bilanx_record) struct bilanx_record record = {0};
        if (!ab_judge_counts(arguments, first, counts, i, &record))
            continue;
        *regressed |= is_regression(arguments, &record);
        BILANX_TRY(sink_write(sink, &record));
    }
    return BILANX_SUCCESS;
}

static int count_side(const struct ab_arguments *arguments, struct ab_side *first,
                      struct ab_side *other, struct sink *sink)
{
    AUTO(ab_counts) struct ab_counts counts = {0};
    bool stored = is_stored(first, other);
    struct bilanx_error error =
        stored ? BILANX_SUCCESS : ab_check_sentries(arguments, first, other);
    if (error.status == BILANX_OK)
        error = (stored ? ab_count_stored : ab_count)(arguments, first, other, &counts);
    if (error.status == BILANX_OK)
        error = write_counts(sink, &counts);
    bool regressed = false;
    if (error.status == BILANX_OK && arguments->no_time)
        error = judge_counts(arguments, first, &counts, sink, &regressed);
    if (sink->file != stdout && counts.count)
        ab_show_counts(arguments, first, other, &counts);
    if (error.status != BILANX_OK)
        return complain_error(error);
    return regressed ? EXIT_REGRESSION : any_failed(&counts) ? EXIT_FAILED : EXIT_DONE;
}

// Counts are of the same statements, compiled for valgrind.
static int count(const struct ab_arguments *arguments, const struct words *subjects,
                 const struct ab_sides *sides, struct sink *sink)
{
    AUTO(ab_sides) struct ab_sides counted = {0};
    ab_borrow_sides(sides, &counted);
    struct bilanx_error error = ab_prepare(arguments, subjects, true, &counted);
    if (error.status != BILANX_OK)
        return complain_error(error);
    int worst = EXIT_DONE;
    for (size_t i = 1; i < counted.count && worst != EXIT_INTERRUPTED; i++) {
        set_apart(arguments, sink, i > 1 || !arguments->no_time);
        int code = count_side(arguments, &counted.items[0], &counted.items[i], sink);
        worst = code > worst ? code : worst;
    }
    return worst;
}

// What is read is never written to: an output that is a side's file would be lost before it is
// read.
static struct bilanx_error check_output(const struct ab_arguments *arguments,
                                        const struct ab_sides *sides)
{
    const char *path = arguments->settings.json;
    for (size_t i = 0; path && i < sides->count; i++) {
        const struct side *side = sides->items[i].side;
        if (side->kind == &side_records && output_is_same(path, side->path))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "'%s' is what side %s reads: name another file with -o", path,
                                     side->name);
    }
    return console_check(&arguments->settings);
}

static int compare(const struct ab_arguments *arguments, const struct words *subjects)
{
    AUTO(ab_sides) struct ab_sides sides = {0};
    AUTO(sink) struct sink sink = {0};
    interrupt_catch();
    struct bilanx_error error = ab_open_sides(arguments, &sides);
    if (error.status == BILANX_OK)
        error = check_output(arguments, &sides);
    if (error.status == BILANX_OK && !arguments->no_time)
        error = ab_prepare(arguments, subjects, false, &sides);
    const char *path = console_records_path(&arguments->settings);
    if (error.status == BILANX_OK)
        error = sink_open(&sink, path, console_output_mode(&arguments->settings));
    if (error.status != BILANX_OK)
        return complain_error(error);
    int worst = EXIT_DONE;
    for (size_t i = 1; i < sides.count && !arguments->no_time && worst != EXIT_INTERRUPTED; i++) {
        set_apart(arguments, &sink, i > 1);
        int code = compare_side(arguments, &sides, i, &sink);
        worst = code > worst ? code : worst;
    }
    if (arguments->count && worst != EXIT_INTERRUPTED) {
        int code = count(arguments, subjects, &sides, &sink);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int bisect(const struct ab_arguments *arguments, const struct words *subjects)
{
    AUTO(bilanx_record) struct bilanx_record found = {0};
    AUTO(sink) struct sink sink = {0};
    interrupt_catch();
    const struct console_settings *settings = &arguments->settings;
    struct bilanx_error error = console_check(settings);
    if (error.status == BILANX_OK)
        error = ab_bisect(arguments, subjects, &found);
    if (error.status == BILANX_OK && found.kind)
        error = sink_open(&sink, settings->json, console_output_mode(settings));
    if (error.status == BILANX_OK && found.kind)
        error = sink_write(&sink, &found);
    return complain_error(error);
}

static struct bilanx_error complete(struct ab_arguments *arguments)
{
    const char *fail_on = arguments->fail_on;
    double percent = 0;
    if (fail_on && strcmp(fail_on, "slower") != 0 &&
        (strncmp(fail_on, "slower:", 7) != 0 || !number_read(fail_on + 7, &percent) || percent < 0))
        return bilanx_error_make(BILANX_E_USAGE, "--fail-on is 'slower' or 'slower:PCT', not '%s'",
                                 fail_on);
    arguments->fail_share = percent / 100;
    console_choose_pages(&arguments->settings);
    if (!(arguments->margins.alpha > 0 && arguments->margins.alpha < 1))
        return bilanx_error_make(BILANX_E_USAGE, "--alpha is between 0 and 1");
    if ((arguments->no_time || arguments->explain) && !arguments->count)
        return bilanx_error_make(BILANX_E_USAGE, "--%s goes with --count",
                                 arguments->no_time ? "no-time" : "explain");
    if (arguments->patched_a || arguments->patched_b)
        complain("nothing needs to be patched in: each side is measured by bilanx's own timer");
    return BILANX_SUCCESS;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct ab_arguments arguments = {.margins = default_margins,
                                     .code.options.layouts = STATEMENT_LAYOUTS};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE)
        code = complain_error(complete(&arguments));
    if (code == EXIT_DONE)
        code = complain_error(statement_arguments_complete(&arguments.code, &arguments.stmts));
    if (code == EXIT_DONE)
        code = arguments.bisect ? bisect(&arguments, &words) : compare(&arguments, &words);
    statement_arguments_done(&arguments.code);
    words_done(&arguments.sides);
    words_done(&arguments.stmts);
    words_done(&arguments.tags);
    words_done(&arguments.without_languages);
    return code;
}

static const struct example ab_examples[] = {
    {"bilanx ab --A 'cc:gcc -O2' --B 'cc:gcc -O3' --stmt 'sum(a, 1000)' --source sum.c", "flags"},
    {"bilanx ab --A git:merge-base:main --B git:. --build make ./bench", "this branch"},
    {"bilanx ab --A 'source old/bin/activate' --B 'source new/bin/activate' suite.yaml",
     "environments"},
    {"bilanx ab --A bin:./old --B bin:./new", "two benchmark programs"},
    {"bilanx ab --A 'cmd:gzip -kf f' --B 'cmd:zstd -qkf f'", "two commands"},
    {0},
};

const struct command cmd_ab = {
    .name = "ab",
    .usage = "--A SPEC --B SPEC [OPTION...] (SUITE...|PROGRAM|--stmt STMT)",
    .summary = "compare two sides, and say how surely one is faster",
    .options = ab_options,
    .examples = ab_examples,
    .details =
        "Both sides take turns, batch by batch, in random order, in many short processes, until\n"
        "the verdict is sure or time is up. SPEC: a shell command that sets an environment\n"
        "up, git:REV, cc:COMPILER FLAGS, bin:PROGRAM, cmd:COMMAND, file:RECORDS\n"
        "(docs/formats/sides.md).\n",
    .run = run,
};
