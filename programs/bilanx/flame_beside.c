// flame_beside: the option --flame of commands that measure: a graph of what they measured.
#include "flame_beside.h"

#include <fcntl.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "flame_collect.h"
#include "flame_output.h"
#include "profile/stacks/trees.h"

static const double DURATION_S = 2;  // of each case: there may be many

const struct option flame_beside_options[] = {
    {"flame", 0, OPTION_TEXT, 0, "FILE.svg",
     .help = "then sample the cases, and draw where their time\n"
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
    if (flame->settings->json && output_is_same(flame->path, flame->settings->json))
        return bilanx_error_make(BILANX_E_USAGE, "--flame and -o name the same file");
    struct flame_outputs outputs = outputs_for(flame->path);
    return flame_output_check(&outputs, NULL);
}

static struct flame_collecting collecting_for(const struct flame_beside *flame)
{
    return (struct flame_collecting){.counted = flame->counted,
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

// Draws what there is, even if it was interrupted.
static int conclude(const struct flame_beside *flame, const struct stacks *stacks,
                    struct bilanx_error error, bool failed)
{
    int code = failed ? EXIT_FAILED : EXIT_DONE;
    if (stacks)
        code = worse(code, complain_error(write_file(flame, flame->path, stacks)));
    return worse(code, complain_error(error));
}

static struct bilanx_error collect(const struct flame_beside *flame, const struct source *source,
                                   struct stacks **out, bool *failed)
{
    AUTO(source) struct source again = {0};
    struct flame_collecting collecting = collecting_for(flame);
    BILANX_TRY(
        source_duplicate(source, flame->counted ? SOURCE_FOR_VALGRIND : SOURCE_TO_SAMPLE, &again));
    BILANX_TRY(source_prepare(&again));
    struct flame_cases cases = {.cases = &again.cases, .title = source->request.words[0]};
    return flame_collect_cases(&collecting, &cases, out, failed);
}

int flame_beside_source(const struct flame_beside *flame, const struct source *source, int code)
{
    AUTO(stacks) struct stacks *stacks = NULL;
    bool failed = false;
    if (!flame->path || code == EXIT_INTERRUPTED || code == EXIT_USAGE || interrupt_caught())
        return code;
    struct bilanx_error error = collect(flame, source, &stacks, &failed);
    return worse(code, conclude(flame, stacks, error, failed));
}

// ---- Commands

static struct bilanx_error collect_commands(const struct flame_beside *flame,
                                            const struct commands *commands, struct stacks *all,
                                            bool *failed)
{
    struct flame_collecting collecting = collecting_for(flame);
    for (size_t i = 0; i < commands->count; i++) {
        const struct commands_item *item = &commands->items[i];
        AUTO(stacks) struct stacks *one = NULL;
        bool badly = false;
        struct bilanx_error error =
            flame_collect_command(&collecting, (const char *const *)item->argv.items, &one, &badly);
        *failed |= badly;
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK || !one) {
            *failed = true;
            complain_error(error);
            continue;
        }
        unsigned frame = stacks_frame(all, &(struct stack_frame){.name = item->measured.name});
        stacks_merge(all, stacks_child(all, 0, frame), one, 1);
        stacks_set_unit(all, one->unit);
        all->seconds += one->seconds;
        all->lost += one->lost;
        all->calls = commands->count == 1 ? one->calls : 0;
        AUTO(memory) char *remark = mem_format("%.60s: %s", item->measured.name, one->note);
        stacks_remark(all, commands->count == 1 ? one->note : remark);
    }
    return BILANX_SUCCESS;
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

// ---- Sides

struct bilanx_error flame_beside_side(const struct flame_beside *flame,
                                      const struct run_cases *cases, struct stacks **out)
{
    struct flame_collecting collecting = collecting_for(flame);
    bool failed = false;
    for (size_t i = 0; i < cases->count; i++)
        if (!cases->items[i].failure && !cases->items[i].open)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "--flame cannot draw sides that are commands or files: use "
                                     "'bilanx flame -- COMMAND' for each");
    struct flame_cases all = {.cases = cases, .title = "cases", .per_call = true};
    return flame_collect_cases(&collecting, &all, out, &failed);
}

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

struct bilanx_error flame_beside_difference(const struct flame_beside *flame,
                                            const struct stacks *a, const struct stacks *b,
                                            const char *inserted)
{
    AUTO(stacks) struct stacks *difference = NULL;
    AUTO(memory) char *path =
        inserted ? inserted_path(flame->path, inserted) : mem_text(flame->path);
    BILANX_TRY(stacks_difference(
        a, b, stacks_have_calls(a) && stacks_have_calls(b) ? STACKS_PER_CALL : STACKS_AS_THEY_ARE,
        &difference));
    if (!difference->title)
        difference->title = mem_text(a->title ? a->title : "difference");
    return write_file(flame, path, difference);
}
