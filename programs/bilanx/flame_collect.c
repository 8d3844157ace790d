// flame_collect: obtains stacks by running what a user names.
#include "flame_collect.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "profile/counted/counted.h"
#include "profile/stack_files/stack_files.h"
#include "profile/stacks/trees.h"
#include "sources/commands/child.h"
#include "sources/suite_cases/suite_source.h"

#define AT(member) offsetof(struct flame_collecting, member)
const struct option flame_collect_options[] = {
    {"sampled", 0, OPTION_FLAG, AT(sampled), .help = "where the time goes, by sampling (default)"},
    {"counted", 0, OPTION_FLAG, AT(counted),
     .help = "where the instructions go, exactly, by callgrind"},
    {"duration", 0, OPTION_SECONDS, AT(sampling.duration_s), "TIME",
     .help = "sample for this long (5 s); repeat a command until\n"
             "then (default: run it once)"},
    {"rate", 0, OPTION_COUNT, AT(sampling.rate), "HZ",
     .help = "samples per second of CPU time (499)"},
    {"number", 0, OPTION_COUNT, AT(number), "N",
     .help = "with --counted: executions to count (100)"},
    {"threads-apart", 0, OPTION_FLAG, AT(sampling.threads_apart),
     .help = "separate the threads, by their names"},
    {"signals", 0, OPTION_FLAG, AT(sampling.by_signals),
     .help = "let the process sample itself, as for Python and\n"
             "where perf events are not permitted"},
    {"filter", 0, OPTION_TEXT, AT(filter), "REGEX",
     .help = "suites and programs: only cases whose name matches"},
    {"timeout", 0, OPTION_SECONDS, AT(sampling.timeout_s), "TIME",
     .help = "kill a process silent for this long (60 s)"},
    {"max-memory", 0, OPTION_COUNT, AT(sampling.max_memory), "BYTES",
     .help = "memory limit per process (4/5 of free memory)"},
    {.group = statement_code_options, .offset = AT(code)},
    {0},
};

static bool is_program(const char *word)
{
    struct stat status;
    return stat(word, &status) == 0 && S_ISREG(status.st_mode) && access(word, X_OK) == 0;
}

static bool ends_in(const char *word, const char *suffix)
{
    size_t size = strlen(word), length = strlen(suffix);
    return size > length && strcmp(word + size - length, suffix) == 0;
}

// A statement has blanks, parentheses or operators; a misspelt name of a file has not.
static bool looks_like_a_file(const char *word)
{
    static const char *const suffixes[] = {".folded", ".svg", ".txt", ".json", ".jsonl", ".gz"};
    static const char usual[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";
    if (strspn(word, usual) != strlen(word))
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_in(word, suffixes[i]))
            return true;
    return word[0] == '/' || text_starts(word, "./") || text_starts(word, "../");
}

bool flame_collect_takes(const char *word)
{
    if (strcmp(word, "-") == 0)  // stacks from stdin, not a suite
        return false;
    if (is_program(word) || ends_in(word, ".yaml") || ends_in(word, ".yml"))
        return true;
    // Some files of stacks begin like a suite.
    if (source_kind_of(word) == &suite_source)
        return !stack_file_is_one(word);
    return access(word, F_OK) != 0 && !looks_like_a_file(word);
}

static const struct source_kind *kind_of(const char *word)
{
    return source_kind_of(word) == &suite_source ? &suite_source
           : is_program(word)                    ? &program_source
                                                 : &statement_source;
}

// ---- Cases

static struct bilanx_error collect_case(const struct flame_collecting *collecting,
                                        struct collector *counter, const struct run_case *item,
                                        struct stacks *out)
{
    out->title = mem_text(item->name);
    if (collecting->counted)
        return counted_case(counter, item, out);
    return sampling_case(item, &collecting->sampling, out);
}

// What one unit of weight is worth per call; 1 if unknown.
static double per_call(const struct stacks *stacks, const char **unit)
{
    bool samples = stacks->seconds > 0;
    *unit = samples ? "nanoseconds per call" : "instructions per call";
    double total = stacks->nodes[0].total;
    if (!(stacks->calls > 0) || !(total > 0))
        return 1;
    return (samples ? stacks->seconds * 1e9 / total : 1) / stacks->calls;
}

static char *described(const char *name, const struct stacks *stacks)
{
    return mem_format("%.200s%s%.0f %s%s%s", name ? name : "", name ? ": " : "",
                      stacks->nodes[0].total, stacks->unit, stacks->note ? ", " : "",
                      stacks->note ? stacks->note : "");
}

void flame_collect_report(const char *name, const struct stacks *stacks)
{
    AUTO(memory) char *line = described(name, stacks);
    complain(line);
}

enum { MOST_DESCRIBED = 4 };  // of the cases of a graph

// Each case keeps its root, which has its name.
static void add_case(struct stacks *all, const struct stacks *one, bool scaled, bool describe)
{
    const char *unit;
    double factor = per_call(one, &unit);
    stacks_merge(all, 0, one, scaled ? factor : 1);
    stacks_set_unit(all, scaled ? unit : one->unit);
    all->seconds += one->seconds;
    all->lost += one->lost;
    if (!describe)
        return;
    AUTO(memory) char *remark = described(one->title, one);
    stacks_remark(all, remark);
}

static void remark_others(struct stacks *all, size_t done)
{
    if (done <= MOST_DESCRIBED)
        return;
    AUTO(memory) char *remark = mem_format("and %zu more", done - MOST_DESCRIBED);
    stacks_remark(all, remark);
}

struct bilanx_error flame_collect_cases(const struct flame_collecting *collecting,
                                        const struct flame_cases *cases, struct stacks **out,
                                        bool *failed)
{
    AUTO(stacks) struct stacks *all = stacks_new();
    AUTO(collector) struct collector counter = {0};
    size_t count = cases->cases->count, done = 0;
    struct bilanx_error error = BILANX_SUCCESS;
    counted_collector(&counter,
                      &(struct counted_options){.number = collecting->number,
                                                .timeout_s = collecting->sampling.timeout_s,
                                                .max_memory = collecting->sampling.max_memory});
    for (size_t i = 0; i < count && error.status != BILANX_E_INTERRUPTED; i++) {
        AUTO(stacks) struct stacks *one = stacks_new();
        error = collect_case(collecting, &counter, &cases->cases->items[i], one);
        stacks_sum(one);
        bool useful = one->nodes[0].total > 0;
        if (count == 1 && error.status != BILANX_OK && !useful)
            return error;
        if (error.status != BILANX_OK && error.status != BILANX_E_INTERRUPTED) {
            complain_error(error);
            *failed = true;
        }
        if (!useful)
            continue;
        done++;
        if (count == 1) {
            stacks_free(all);
            all = TAKE(one);
        } else {
            add_case(all, one, cases->per_call, done <= MOST_DESCRIBED);
        }
    }
    bool interrupted = error.status == BILANX_E_INTERRUPTED;
    remark_others(all, count > 1 ? done : 0);
    if (interrupted)
        stacks_remark(all, "interrupted");
    if (done && count > 1)
        all->title = mem_text(cases->title);
    stacks_sum(all);
    *out = done ? TAKE(all) : NULL;
    return interrupted ? error : BILANX_SUCCESS;
}

// ---- Words

static struct bilanx_error open_source(struct flame_collecting *collecting, struct words *words,
                                       struct source *out)
{
    const struct source_kind *kind = kind_of(words->items[0]);
    BILANX_TRY(statement_arguments_complete(&collecting->code, words));
    struct source_request request = {
        .words = words->items,
        .word_count = words->count,
        .purpose = collecting->counted ? SOURCE_FOR_VALGRIND : SOURCE_TO_SAMPLE,
        .code = &collecting->code.options,
        .filter = collecting->filter,
        .tell = {.line = complain_line},
    };
    BILANX_TRY(source_open(kind, &request, out));
    BILANX_TRY(source_prepare(out));
    if (out->cases.count)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_FAILED,
                             collecting->filter ? "no cases match the filter" : "nothing to run");
}

static struct bilanx_error check(const struct flame_collecting *collecting)
{
    if (collecting->sampled && collecting->counted)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--sampled and --counted exclude each other: use one of them");
    if (collecting->number && !collecting->counted)
        return bilanx_error_make(BILANX_E_USAGE, "--number needs --counted");
    if (collecting->counted && (collecting->sampling.rate || collecting->sampling.duration_s > 0))
        return bilanx_error_make(BILANX_E_USAGE, "--duration and --rate only apply to --sampled");
    if (collecting->sampling.rate > 20000)
        return bilanx_error_make(BILANX_E_USAGE, "--rate must be at most 20000");
    return BILANX_SUCCESS;
}

static struct bilanx_error none_left(const struct stacks *stacks, bool failed)
{
    if (stacks)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_FAILED,
                             failed ? "no case could be profiled" : "nothing was collected");
}

struct bilanx_error flame_collect(struct flame_collecting *collecting, struct words *words,
                                  struct stacks **out, bool *failed)
{
    AUTO(source) struct source source = {0};
    BILANX_TRY(check(collecting));
    interrupt_catch();
    BILANX_TRY(open_source(collecting, words, &source));
    struct flame_cases cases = {.cases = &source.cases, .title = words->items[0]};
    BILANX_TRY(flame_collect_cases(collecting, &cases, out, failed));
    return none_left(*out, *failed);
}

// ---- Commands

static char *joined(const char *const *argv)
{
    struct text text = {0};
    for (size_t i = 0; argv[i]; i++)
        text_format(&text, "%s%s", i ? " " : "", argv[i]);
    return text_take(&text);
}

// A command that fails is drawn nevertheless, up to there.
static void report_fate(int status, bool *failed)
{
    *failed = status != 0;
    if (status == 0)
        return;
    AUTO(memory) char *line = mem_format("the command failed: %s", child_fate(status).text);
    complain(line);
}

struct bilanx_error flame_collect_command(const struct flame_collecting *collecting,
                                          const char *const *argv, struct stacks **out,
                                          bool *failed)
{
    AUTO(stacks) struct stacks *stacks = stacks_new();
    int status = 0;
    BILANX_TRY(check(collecting));
    AUTO(memory) char *program = surroundings_find_program(NULL, argv[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "command '%s' not found", argv[0]);
    interrupt_catch();
    stacks->title = joined(argv);
    struct bilanx_error error = collecting->counted
                                    ? counted_command(argv, stacks, &status)
                                    : sampling_command(&(struct sampling_command){.argv = argv},
                                                       &collecting->sampling, stacks, &status);
    report_fate(status, failed);
    stacks_sum(stacks);
    if (error.status == BILANX_E_INTERRUPTED && stacks->nodes[0].total > 0)
        stacks_remark(stacks, "interrupted");
    if ((error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED) &&
        stacks->nodes[0].total > 0)
        *out = TAKE(stacks);
    return error;
}
