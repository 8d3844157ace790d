// stack_functions: walks the tree once and counts, for each frame, how often it is on the path.
#include "stack_functions.h"

#include <math.h>
#include <stdbool.h>
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

static int by_cost(const struct stacks *stacks, const struct stack_function *left,
                   const struct stack_function *right)
{
    int order = compare_numbers(fabs(left->after[0] - left->before[0]),
                                fabs(right->after[0] - right->before[0]));
    order = order ? order : compare_numbers(left->self, right->self);
    order = order ? order : compare_numbers(left->total, right->total);
    return order ? order
                 : strcmp(stacks->frames[left->frame].name, stacks->frames[right->frame].name);
}

static bool is_of_interest(const struct stacks *stacks, const struct stack_function *function)
{
    bool changed =
        function->before[0] != function->after[0] || function->before[1] != function->after[1];
    return function->total > 0 && stacks->frames[function->frame].kind != FRAME_SMALL &&
           (changed || !stacks->changes);
}

// Moves the first of all functions to the front, in order: sorting a million of them to show twenty
// would take longer than anything else.
static size_t select_first(const struct stacks *stacks, struct stack_function *functions,
                           size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < stacks->frame_count; i++) {
        struct stack_function function = functions[i];
        if (!is_of_interest(stacks, &function))
            continue;
        size_t at = count;
        while (at > 0 && by_cost(stacks, &function, &functions[at - 1]) < 0)
            at--;
        if (at == most)
            continue;
        count += count < most;
        memmove(&functions[at + 1], &functions[at], (count - at - 1) * sizeof *functions);
        functions[at] = function;
    }
    return count;
}

struct stack_function *stack_functions(const struct stacks *stacks, size_t most, size_t *count)
{
    struct stack_function *functions = mem_array(struct stack_function, stacks->frame_count);
    AUTO(memory) unsigned *on_path = mem_array(unsigned, stacks->frame_count);
    for (size_t i = 0; i < stacks->frame_count; i++)
        functions[i].frame = (unsigned)i;
    walk_all(&(struct function_walk){stacks, functions, on_path});
    *count = select_first(stacks, functions, most);
    return functions;
}
