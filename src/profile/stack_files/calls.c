// calls: reads callgrind's files, which say what each function cost and which calls which.
//
// They do not say which stacks there were. What a function cost is divided among its callers in
// proportion to the costs of their calls, and so on outwards: the usual estimate. It is exact where
// a function costs the same per call whoever calls it.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "count/counts/callgrind.h"
#include "stack_files.h"

// Costs below this share of the whole are not divided further, and neither is what is deeper than
// any reader follows. Both bound the size of the tree.
static const double least_share = 2e-5;
enum { DEEPEST = 200 };

// The functions of one part. Code inlined from another file belongs to its function here, because
// calls from that code are calls by the function.
struct call_graph {
    struct function_index functions;  // without files
    const char **files;
    double *self, *in, *out;
    size_t room;
    struct graph_call {
        size_t caller, callee;
        double cost;
    } *calls;  // by caller
    size_t call_count;
    size_t *first;  // by function: its first call; one more at the end
};

static void call_graph_done(struct call_graph *graph)
{
    function_index_done(&graph->functions);
    free(graph->files);
    free(graph->self);
    free(graph->in);
    free(graph->out);
    free(graph->calls);
    free(graph->first);
}
SCOPE_VALUE(call_graph, call_graph_done)

static int by_caller(const void *a, const void *b)
{
    const struct graph_call *left = a, *right = b;
    if (left->caller != right->caller)
        return left->caller < right->caller ? -1 : 1;
    return (left->callee > right->callee) - (left->callee < right->callee);
}

static void add_functions(struct call_graph *graph, const struct profile_part *part, size_t event,
                          size_t *groups)
{
    size_t count = part->functions.count;
    graph->files = mem_array(const char *, count);
    graph->self = mem_array(double, count);
    graph->in = mem_array(double, count);
    graph->out = mem_array(double, count);
    for (size_t i = 0; i < count; i++) {
        const struct function_name *name = &part->functions.names[i];
        struct function_name bare = {.function = name->function, .object = name->object};
        groups[i] = function_index_add(&graph->functions, &bare);
        if (!graph->files[groups[i]])
            graph->files[groups[i]] = name->file;
        double self = (double)profile_self(part, i, event);
        graph->self[groups[i]] += self;
        graph->out[groups[i]] += self;
    }
}

static void add_calls(struct call_graph *graph, const struct profile_part *part, size_t event,
                      const size_t *groups)
{
    graph->calls = mem_array(struct graph_call, part->call_count);
    for (size_t i = 0; i < part->call_count; i++) {
        size_t caller = groups[part->calls[i].caller], callee = groups[part->calls[i].callee];
        double cost = (double)profile_call_cost(part, i, event);
        if (caller == callee || cost == 0)
            continue;
        graph->calls[graph->call_count++] = (struct graph_call){caller, callee, cost};
        graph->in[callee] += cost;
        graph->out[caller] += cost;
    }
    qsort(graph->calls, graph->call_count, sizeof *graph->calls, by_caller);
    size_t functions = graph->functions.count;
    graph->first = mem_array(size_t, functions + 1);
    for (size_t i = 0; i < graph->call_count; i++)
        graph->first[graph->calls[i].caller + 1]++;
    for (size_t i = 0; i < functions; i++)
        graph->first[i + 1] += graph->first[i];
}

struct call_task {
    size_t function;
    unsigned node, depth;
    double weight;
};

struct call_tree {
    const struct call_graph *graph;
    struct stacks *stacks;
    unsigned *frames;  // by function
    double least;
    struct call_task *tasks;
    size_t count, room;
};

static void add_task(struct call_tree *tree, struct call_task task)
{
    mem_grow(tree->tasks, tree->count, &tree->room);
    tree->tasks[tree->count++] = task;
}

static bool is_above(const struct stacks *stacks, unsigned node, unsigned frame)
{
    for (; node; node = stacks->nodes[node].parent)
        if (stacks->nodes[node].frame == frame)
            return true;
    return false;
}

// What a function does in one context: its own part, and a task per callee. A recursive call is a
// part of what is already above it.
static void divide(struct call_tree *tree, struct call_task task)
{
    const struct call_graph *graph = tree->graph;
    struct stacks *stacks = tree->stacks;
    size_t first = graph->first[task.function], end = graph->first[task.function + 1];
    double whole = graph->self[task.function];
    AUTO(memory) bool *follow = mem_array(bool, end - first);
    bool deeper = task.weight >= tree->least && task.depth < DEEPEST;
    for (size_t i = first; deeper && i < end; i++) {
        follow[i - first] = !is_above(stacks, task.node, tree->frames[graph->calls[i].callee]);
        whole += follow[i - first] ? graph->calls[i].cost : 0;
    }
    if (!deeper || whole == 0) {
        stacks->nodes[task.node].self += task.weight;
        return;
    }
    stacks->nodes[task.node].self += task.weight * (graph->self[task.function] / whole);
    for (size_t i = first; i < end; i++) {
        if (!follow[i - first])
            continue;
        size_t callee = graph->calls[i].callee;
        unsigned node = stacks_child(stacks, task.node, tree->frames[callee]);
        double weight = task.weight * (graph->calls[i].cost / whole);
        add_task(tree, (struct call_task){callee, node, task.depth + 1, weight});
    }
}

static unsigned *make_frames(const struct call_graph *graph, struct stacks *stacks)
{
    unsigned *frames = mem_array(unsigned, graph->functions.count);
    for (size_t i = 0; i < graph->functions.count; i++) {
        const struct function_name *name = &graph->functions.names[i];
        frames[i] = stacks_frame(stacks, &(struct stack_frame){.name = name->function,
                                                               .file = graph->files[i],
                                                               .object = name->object});
    }
    return frames;
}

// What no call accounts for started outside: these are the roots. Around recursions the costs of
// calls overlap, so the roots are scaled to what was really spent.
static void grow_tree(const struct call_graph *graph, struct stacks *stacks)
{
    double whole = 0, roots = 0;
    for (size_t i = 0; i < graph->functions.count; i++) {
        whole += graph->self[i];
        roots += graph->out[i] > graph->in[i] ? graph->out[i] - graph->in[i] : 0;
    }
    AUTO(memory) unsigned *frames = make_frames(graph, stacks);
    struct call_tree tree = {graph, stacks, frames, .least = whole * least_share};
    for (size_t i = 0; i < graph->functions.count; i++) {
        double weight = graph->out[i] - graph->in[i];
        if (weight > 0 && whole > 0)
            add_task(&tree, (struct call_task){i, stacks_child(stacks, 0, frames[i]), 1,
                                               weight * (whole / roots)});
        while (tree.count)
            divide(&tree, tree.tasks[--tree.count]);
    }
    free(tree.tasks);
}

static struct bilanx_error find_event(const struct stack_reading *reading,
                                      const struct profile_part *part, size_t *out)
{
    const char *wanted = reading->options->event;
    *out = profile_event(part, wanted ? wanted : "Ir");
    if (*out < part->events.count)
        return BILANX_SUCCESS;
    if (wanted)
        return bilanx_error_make(BILANX_E_INPUT, "%s: has no event '%.60s'. The first is '%.60s'",
                                 reading->lines->name, wanted, part->events.items[0]);
    *out = 0;
    return BILANX_SUCCESS;
}

static struct bilanx_error add_part(struct stack_reading *reading, const struct profile_part *part)
{
    size_t event;
    BILANX_TRY(find_event(reading, part, &event));
    const char *name = part->events.items[event];
    stacks_set_unit(reading->stacks, strcmp(name, "Ir") == 0 ? "instructions" : name);
    AUTO(memory) size_t *groups = mem_array(size_t, part->functions.count);
    AUTO(call_graph) struct call_graph graph = {0};
    add_functions(&graph, part, event, groups);
    add_calls(&graph, part, event, groups);
    grow_tree(&graph, reading->stacks);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_callgrind(struct stack_reading *reading)
{
    AUTO(profile) struct profile profile = {0};
    BILANX_TRY(callgrind_read_calls(reading->lines, &profile));
    for (size_t i = 0; i < profile.count; i++)
        BILANX_TRY(add_part(reading, &profile.parts[i]));
    static const char remark[] = "approximate: callgrind counts calls, not stacks";
    stacks_remark(reading->stacks, remark);
    AUTO(memory) char *line = mem_format("%s: %s", reading->lines->name, remark);
    list_add(reading->remarks, line);
    return BILANX_SUCCESS;
}

static bool recognises_callgrind(const char *bytes, size_t size)
{
    const char *events = memmem(bytes, size, "events:", 7);
    return text_starts(bytes, "# callgrind format") ||
           (events && (events == bytes || events[-1] == '\n') && memmem(bytes, size, "fn=", 3));
}

const struct stacks_format stacks_format_callgrind = {
    .name = "callgrind",
    .summary = "callgrind's output: functions and calls",
    .recognises = recognises_callgrind,
    .read = read_callgrind,
};
