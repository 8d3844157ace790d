// stack_functions: walks the tree once and counts, for each frame, how often it is on the path.
#include "stack_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct function_walk {
    const struct stacks *stacks;
    struct stack_function *functions;
    unsigned *on_path;  // by frame
};

static void enter(struct function_walk *walk, unsigned node)
{
    const struct stacks *stacks = walk->stacks;
    const struct stack_node *here = &stacks->nodes[node];
    struct stack_function *function = &walk->functions[here->frame];
    bool outermost = walk->on_path[here->frame]++ == 0;
    function->self += here->self;
    function->total += outermost ? here->total : 0;
    if (!stacks->changes)
        return;
    const struct stack_change *change = &stacks->changes[node];
    function->before[0] += change->self[0];
    function->after[0] += change->self[1];
    function->before[1] += outermost ? change->total[0] : 0;
    function->after[1] += outermost ? change->total[1] : 0;
}

static void leave(struct function_walk *walk, unsigned node)
{
    walk->on_path[walk->stacks->nodes[node].frame]--;
}

static void walk_all(struct function_walk *walk)
{
    const struct stack_node *nodes = walk->stacks->nodes;
    for (unsigned node = nodes[0].child; node;) {
        enter(walk, node);
        if (nodes[node].child) {
            node = nodes[node].child;
            continue;
        }
        leave(walk, node);
        while (node && !nodes[node].sibling) {
            node = nodes[node].parent;
            if (node)
                leave(walk, node);
        }
        node = nodes[node].sibling;
    }
}

static int compare_numbers(double a, double b)
{
    return a == b ? 0 : a < b ? 1 : -1;
}

static int by_cost(const void *a, const void *b, void *context)
{
    const struct stacks *stacks = context;
    const struct stack_function *left = a, *right = b;
    int order = compare_numbers(fabs(left->after[0] - left->before[0]),
                                fabs(right->after[0] - right->before[0]));
    order = order ? order : compare_numbers(left->self, right->self);
    order = order ? order : compare_numbers(left->total, right->total);
    return order ? order
                 : strcmp(stacks->frames[left->frame].name, stacks->frames[right->frame].name);
}

struct stack_function *stack_functions(const struct stacks *stacks, size_t *count)
{
    struct stack_function *functions = mem_array(struct stack_function, stacks->frame_count);
    AUTO(memory) unsigned *on_path = mem_array(unsigned, stacks->frame_count);
    for (size_t i = 0; i < stacks->frame_count; i++)
        functions[i].frame = (unsigned)i;
    walk_all(&(struct function_walk){stacks, functions, on_path});
    if (stacks->frame_count)
        qsort_r(functions, stacks->frame_count, sizeof *functions, by_cost, (void *)stacks);
    *count = stacks->frame_count;
    return functions;
}
