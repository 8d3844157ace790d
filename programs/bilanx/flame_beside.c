// flame_beside: the option --flame of commands that measure: a graph of what they measured.
#include "flame_beside.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "flame_collect.h"
#include "flame_output.h"
#include "profile/stacks/agreement.h"
#include "profile/stacks/trees.h"

static const double DURATION_S = 2;  // of each case: there may be many

const struct option flame_beside_options[] = {
    {"flame", 0, OPTION_TEXT, 0, "FILE.svg", .writes = "a graph",
     .help = "also sample the cases, and draw where their time\n"
             "goes ('bilanx help flame')"},
    {0},
};

static struct flame_outputs outputs_for(const char *path)
{
    struct flame_outputs outputs = {0};
    const struct {
        const char *suffix;
        const char **path;
    } kinds[] = {
        {".folded", &outputs.folded}, {".json", &outputs.speedscope}, {".jsonl", &outputs.record}};
    const char **chosen = &outputs.svg;
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot, kinds[i].suffix) == 0)
            chosen = kinds[i].path;
    *chosen = path;
    return outputs;
}

struct bilanx_error flame_beside_check(const struct flame_beside *flame)
{
    if (!flame->path)
        return BILANX_SUCCESS;
    if (strcmp(flame->path, "-") == 0)
        return bilanx_error_make(BILANX_E_USAGE, "--flame needs a file: stdout has the results");
    struct flame_outputs outputs = outputs_for(flame->path);
    return flame_output_check(&outputs);
}

static struct flame_collecting collecting_for(const struct flame_beside *flame)
{
    return (struct flame_collecting){.counted = flame->counted,
                                     .hwcaps = {.hwcaps = flame->hwcaps},
                                     .sampling = {.duration_s = flame->counted ? 0 : DURATION_S,
                                                  .timeout_s = flame->settings->timeout,
                                                  .max_memory = flame->settings->max_memory}};
}

static struct bilanx_error write_file(const struct flame_beside *flame, const char *path,
                                      const struct stacks *stacks)
{
    struct flame_outputs outputs = outputs_for(path);
    BILANX_TRY(flame_output(&outputs, stacks));
    if (!flame->settings->quiet)
        flame_collect_report(path, stacks);
    return BILANX_SUCCESS;
}

static int worse(int code, int other)
{
    return other > code ? other : code;
}

// Draws the samples so far, even after an interruption.
static int conclude(const struct flame_beside *flame, const struct stacks *stacks,
                    struct bilanx_error error, bool failed)
{
    int code = failed ? EXIT_FAILED : EXIT_DONE;
    if (stacks)
        code = worse(code, complain_error(write_file(flame, flame->path, stacks)));
    return worse(code, complain_error(error));
}

// ---- Cases of a source

void flame_run_done(struct flame_run *run)
{
    for (size_t i = 0; run->stacks && i < run->cases.cases.count; i++)
        stacks_free(run->stacks[i]);
    free(run->stacks);
    free(run->sampled);
    source_done(&run->cases);
}

struct bilanx_error flame_run_prepare(struct flame_run *run, const struct source *source)
{
    const struct flame_beside *flame = &run->flame;
    if (!flame->path || run->stacks)
        return BILANX_SUCCESS;
    source_done(&run->cases);  // of an attempt that failed
    run->cases = (struct source){0};
    BILANX_TRY(source_duplicate(source, flame->counted ? SOURCE_FOR_VALGRIND : SOURCE_TO_SAMPLE,
                                &run->cases));
    BILANX_TRY(source_prepare(&run->cases));
    run->stacks = mem_array(struct stacks *, run->cases.cases.count);
    run->sampled = mem_array(bool, run->cases.cases.count);
    return BILANX_SUCCESS;
}

// The error of the measurement, relative to its time: its interval, and the possible difference of
// the single sampled layout of the code from the others.
static double doubt_of(const struct bilanx_stats *stats)
{
    static const double TIMES = 2.576;  // of a standard deviation, at 99 %
    double interval = (stats->ci95[1] - stats->ci95[0]) / 2 / stats->estimate;
    double layout = stats->layout > 0 ? TIMES * stats->layout : 0;
    return hypot(interval > 0 ? interval : 0, layout);
}

// A graph of several cases is not scaled: those that take longest would hide the others.
static void scale(struct stacks *stacks, const struct bilanx_stats *stats, bool only)
{
    stacks->timed_s = stats->estimate;
    struct agreement agreement = agreement_of_time(stacks, doubt_of(stats));
    AUTO(memory) char *sentence = agreement_of_time_text(&agreement, "the measurement", only);
    if (sentence)
        stacks_remark(stacks, sentence);
}

void flame_run_measured(struct flame_run *run, size_t at, const struct bilanx_record *record)
{
    if (!run->stacks || run->flame.counted || at >= run->cases.cases.count || run->sampled[at] ||
        interrupt_caught())
        return;
    struct flame_collecting collecting = collecting_for(&run->flame);
    const struct run_case *item = &run->cases.cases.items[at];
    collecting.sampling.epochs = SAMPLING_EPOCHS;
    run->sampled[at] = true;
    struct bilanx_error error =
        flame_collect_each(&collecting, item, 1, &run->stacks[at], &run->failed);
    if (error.status != BILANX_OK && error.status != BILANX_E_INTERRUPTED)
        complain_error(error);  // the run notices ^C itself
    if (run->stacks[at] && record->stats.estimate > 0)
        scale(run->stacks[at], &record->stats, run->cases.cases.count == 1);
}

// Samples or counts the cases that were not yet.
static struct bilanx_error collect_rest(struct flame_run *run)
{
    struct flame_collecting collecting = collecting_for(&run->flame);
    const struct run_cases *all = &run->cases.cases;
    AUTO(memory) struct run_case *items = mem_array(struct run_case, all->count);
    AUTO(memory) struct stacks **stacks = mem_array(struct stacks *, all->count);
    AUTO(memory) size_t *places = mem_array(size_t, all->count);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (run->sampled[i])
            continue;
        places[count] = i;
        items[count++] = all->items[i];
    }
    struct bilanx_error error = flame_collect_each(&collecting, items, count, stacks, &run->failed);
    for (size_t i = 0; i < count; i++)
        run->stacks[places[i]] = stacks[i];
    return error;
}

int flame_run_finish(struct flame_run *run, const struct source *source, int code)
{
    AUTO(stacks) struct stacks *stacks = NULL;
    bool interrupted = code == EXIT_INTERRUPTED || interrupt_caught();
    struct bilanx_error error = BILANX_SUCCESS;
    if (!run->flame.path || code == EXIT_USAGE)
        return code;
    if (!interrupted)
        error = flame_run_prepare(run, source);
    if (!interrupted && error.status == BILANX_OK)
        error = collect_rest(run);
    if (run->stacks)
        stacks = flame_collect_join(run->stacks, run->cases.cases.count, source->request.words[0]);
    if (stacks && (interrupted || error.status == BILANX_E_INTERRUPTED))
        stacks_remark(stacks, "interrupted");
    return worse(code, conclude(&run->flame, stacks, error, run->failed));
}

// ---- Commands

static void add_command(struct stacks *all, const struct stacks *one, const char *name, bool only)
{
    unsigned frame = stacks_frame(all, &(struct stack_frame){.name = name});
    stacks_merge(all, stacks_child(all, 0, frame), one, 1);
    stacks_set_unit(all, one->unit);
    all->seconds += one->seconds;
    all->lost += one->lost;
    all->calls = only ? one->calls : 0;
    AUTO(memory) char *remark = mem_format("%.60s: %s", name, one->note);
    stacks_remark(all, only ? one->note : remark);
}

static struct bilanx_error collect_commands(const struct flame_beside *flame,
                                            const struct commands *commands, struct stacks *all,
                                            bool *failed)
{
    struct flame_collecting collecting = collecting_for(flame);
    AUTO(memory) struct flame_command *turns = mem_array(struct flame_command, commands->count);
    for (size_t i = 0; i < commands->count; i++)
        turns[i].argv = (const char *const *)commands->items[i].argv.items;
    struct bilanx_error error = flame_collect_commands(&collecting, turns, commands->count);
    for (size_t i = 0; i < commands->count; i++) {
        AUTO(stacks) struct stacks *one = turns[i].stacks;
        *failed |= turns[i].failed;
        if (one)
            add_command(all, one, commands->items[i].measured.name, commands->count == 1);
        else if (error.status == BILANX_OK) {
            *failed = true;
            complain_error(turns[i].error);
        }
    }
    return error;
}

static struct bilanx_error check_hooks(const struct commands *commands)
{
    for (size_t i = 0; i < commands->count; i++) {
        const struct commands_item *item = &commands->items[i];
        if (item->setup.text || item->prepare.text || item->cleanup.text)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "--flame does not run --setup, --prepare and --cleanup: use "
                                     "'bilanx flame -- COMMAND'");
    }
    return BILANX_SUCCESS;
}

int flame_beside_commands(const struct flame_beside *flame, const struct commands *commands,
                          int code)
{
    AUTO(stacks) struct stacks *all = stacks_new();
    bool failed = false;
    if (!flame->path || code == EXIT_INTERRUPTED || interrupt_caught())
        return code;
    struct bilanx_error error = check_hooks(commands);
    if (error.status == BILANX_OK)
        error = collect_commands(flame, commands, all, &failed);
    all->title = mem_text(commands->count ? commands->items[0].measured.name : "commands");
    stacks_sum(all);
    return worse(code, conclude(flame, all->nodes[0].total > 0 ? all : NULL, error, failed));
}

// ---- Differences

// out.svg and B: out.B.svg.
static char *inserted_path(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    AUTO(memory) char *safe = mem_text(name);
    for (char *at = safe; *at; at++)
        if (*at == '/')
            *at = '-';
    return mem_format("%.*s.%s%s", (int)stem, path, safe, path + stem);
}

struct bilanx_error flame_beside_write(const struct flame_beside *flame,
                                       const struct stacks *stacks, const char *inserted)
{
    AUTO(memory) char *path =
        inserted ? inserted_path(flame->path, inserted) : mem_text(flame->path);
    return write_file(flame, path, stacks);
}
