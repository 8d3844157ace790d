// flame_collect: obtains stacks by running the user's code.
#include "flame_collect.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/monotonic.h"
#include "command.h"
#include "core/worker/sample_board.h"
#include "profile/counted/counted.h"
#include "profile/stack_files/stack_files.h"
#include "profile/stacks/trees.h"
#include "sources/commands/child.h"
#include "sources/statements/language.h"
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
    {.group = hwcaps_options, .offset = AT(hwcaps)},
    {"threads-apart", 0, OPTION_FLAG, AT(sampling.threads_apart),
     .help = "separate the threads, by their names"},
    {"signals", 0, OPTION_FLAG, AT(sampling.by_signals),
     .help = "let the process sample itself, as for Python and\n"
             "where perf events are not permitted"},
    {"filter", 0, OPTION_TEXT, AT(filter), "REGEX",
     .help = "suites and programs: only cases whose name matches"},
    {"timeout", 0, OPTION_SECONDS, AT(sampling.timeout_s), "TIME", .range = &range_duration,
     .help = "kill a process silent for this long (60 s)"},
    {"max-memory", 0, OPTION_COUNT, AT(sampling.max_memory), "BYTES",
     .help = "memory limit per process (4/5 of free memory)"},
    {.group = statement_code_options, .offset = AT(code)},
    {0},
};

const struct option_rule flame_collect_rules[] = {
    {"counted", RULE_EXCLUDES, "sampled duration rate threads-apart signals",
     .why = "instructions are counted, not sampled"},
    {"number hwcaps", RULE_NEEDS, "counted"},
    {.group = statement_rules},
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

// A statement contains blanks, parentheses or operators; a misspelt file name does not.
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

bool flame_collect_is_statement(const char *word)
{
    return kind_of(word) == &statement_source;
}

// ---- Cases

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
static void add_case(struct stacks *all, const struct stacks *one, bool describe)
{
    stacks_merge(all, 0, one, 1);
    stacks_set_unit(all, one->unit);
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

struct stacks *flame_collect_join(struct stacks **stacks, size_t count, const char *title)
{
    size_t done = 0, last = 0;
    for (size_t i = 0; i < count; i++)
        if (stacks[i]) {
            done++;
            last = i;
        }
    if (done == 0)
        return NULL;
    if (count == 1)
        return TAKE(stacks[last]);
    struct stacks *all = stacks_new();
    for (size_t i = 0, described = 0; i < count; i++)
        if (stacks[i])
            add_case(all, stacks[i], ++described <= MOST_DESCRIBED);
    remark_others(all, done);
    all->title = mem_text(title);
    stacks_sum(all);
    return all;
}

// Takes the stacks of a case, unless there are none.
static struct stacks *taken(struct stacks *stacks)
{
    stacks_sum(stacks);
    if (stacks->nodes[0].total > 0)
        return stacks;
    stacks_free(stacks);
    return NULL;
}

static struct bilanx_error count_all(const struct flame_collecting *collecting,
                                     struct sampling_turn *turns, size_t count)
{
    AUTO(collector) struct collector counter = {0};
    counted_collector(&counter,
                      &(struct counted_options){.number = collecting->number,
                                                .timeout_s = collecting->sampling.timeout_s,
                                                .max_memory = collecting->sampling.max_memory,
                                                .hwcaps = collecting->hwcaps.hwcaps});
    for (size_t i = 0; i < count; i++) {
        turns[i].error = counted_case(&counter, turns[i].item, turns[i].stacks);
        if (turns[i].error.status == BILANX_E_INTERRUPTED)
            return turns[i].error;
    }
    return BILANX_SUCCESS;
}

// In turns, a few at a time: each has the unwinding rules of its process in memory.
static struct bilanx_error sample_all(const struct flame_collecting *collecting,
                                      struct sampling_turn *turns, size_t count)
{
    enum { AT_A_TIME = 8 };
    struct sampling_options options = collecting->sampling;
    if (!options.epochs && count > 1)
        options.epochs = SAMPLING_EPOCHS;
    for (size_t i = 0; i < count; i += AT_A_TIME)
        BILANX_TRY(
            sampling_in_turns(turns + i, count - i < AT_A_TIME ? count - i : AT_A_TIME, &options));
    return BILANX_SUCCESS;
}

struct bilanx_error flame_collect_each(const struct flame_collecting *collecting,
                                       const struct run_case *items, size_t count,
                                       struct stacks **out, bool *failed)
{
    AUTO(memory) struct sampling_turn *turns = mem_array(struct sampling_turn, count);
    for (size_t i = 0; i < count; i++) {
        turns[i] = (struct sampling_turn){.item = &items[i], .stacks = stacks_new()};
        turns[i].stacks->title = mem_text(items[i].name);
    }
    struct bilanx_error error =
        (collecting->counted ? count_all : sample_all)(collecting, turns, count);
    bool interrupted = error.status == BILANX_E_INTERRUPTED;
    for (size_t i = 0; i < count; i++) {
        out[i] = taken(turns[i].stacks);
        if (turns[i].error.status == BILANX_OK || turns[i].error.status == BILANX_E_INTERRUPTED)
            continue;
        *failed = true;
        if (count == 1 && !out[i])
            return turns[i].error;
        complain_error(turns[i].error);
    }
    return interrupted ? error : BILANX_SUCCESS;
}

struct bilanx_error flame_collect_cases(const struct flame_collecting *collecting,
                                        const struct flame_cases *cases, struct stacks **out,
                                        bool *failed)
{
    size_t count = cases->cases->count;
    AUTO(memory) struct stacks **stacks = mem_array(struct stacks *, count);
    struct bilanx_error error =
        flame_collect_each(collecting, cases->cases->items, count, stacks, failed);
    *out = flame_collect_join(stacks, count, cases->title);
    for (size_t i = 0; i < count; i++)
        stacks_free(stacks[i]);
    if (*out && error.status == BILANX_E_INTERRUPTED)
        stacks_remark(*out, "interrupted");
    return error;
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

// Without the library, only the frames of Python are missing, which the result then says.
static struct bilanx_error sample_with_python(const char *const *argv,
                                              const struct sampling_options *options,
                                              struct stacks *stacks, int *status)
{
    AUTO(memory) char *library = NULL;
    language_find_part(SAMPLE_BOARD_LIBRARY, NULL, NULL, &library);
    return sampling_command(&(struct sampling_command){.argv = argv, .library = library}, options,
                            stacks, status);
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
    struct bilanx_error error =
        collecting->counted ? counted_command(argv, collecting->hwcaps.hwcaps, stacks, &status)
                            : sample_with_python(argv, &collecting->sampling, stacks, &status);
    report_fate(status, failed);
    stacks_sum(stacks);
    if (error.status == BILANX_E_INTERRUPTED && stacks->nodes[0].total > 0)
        stacks_remark(stacks, "interrupted");
    if ((error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED) &&
        stacks->nodes[0].total > 0)
        *out = TAKE(stacks);
    return error;
}

// ---- Commands in turns

static void merge(struct stacks *into, const struct stacks *from)
{
    stacks_merge(into, 0, from, 1);
    stacks_sum(into);
    into->calls += from->calls;
    into->seconds += from->seconds;
    into->lost += from->lost;
}

static struct bilanx_error sample_command(const struct flame_collecting *collecting,
                                          struct flame_command *command)
{
    AUTO(stacks) struct stacks *one = NULL;
    uint64_t started_ns = monotonic_ns();
    bool failed = false;
    struct bilanx_error error = flame_collect_command(collecting, command->argv, &one, &failed);
    command->elapsed_s += (double)(monotonic_ns() - started_ns) / 1e9;
    command->failed |= failed;
    if (one && command->stacks)
        merge(command->stacks, one);
    else if (one)
        command->stacks = TAKE(one);
    return error;
}

static bool have_enough(const struct flame_command *commands, size_t count, double duration_s)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i].elapsed_s < duration_s && !commands[i].failed)
            return false;
    return true;
}

struct bilanx_error flame_collect_commands(const struct flame_collecting *collecting,
                                           struct flame_command *commands, size_t count)
{
    enum { ROUNDS = 8 };
    struct flame_collecting epoch = *collecting;
    double duration_s = collecting->sampling.duration_s;
    if (count == 1) {
        commands->error = sample_command(collecting, commands);
        return commands->error.status == BILANX_E_INTERRUPTED ? commands->error : BILANX_SUCCESS;
    }
    epoch.sampling.duration_s = duration_s / ROUNDS;
    epoch.sampling.whole_runs = true;
    // Finding names is part of the time, so a little more time is allowed.
    for (size_t round = 0; round < ROUNDS && !have_enough(commands, count, 2 * duration_s); round++)
        for (size_t i = 0; i < count; i++) {
            struct flame_command *one = &commands[round % 2 ? count - 1 - i : i];
            if (one->failed)
                continue;
            one->error = sample_command(&epoch, one);
            if (one->error.status == BILANX_E_INTERRUPTED)
                return one->error;
            one->failed |= one->error.status != BILANX_OK && !one->stacks;
        }
    return BILANX_SUCCESS;
}
