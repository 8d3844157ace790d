// flame_layout: places the nodes with a stack of its own, because trees may be very deep.
#include "flame_layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void flame_layout_done(struct flame_layout *layout)
{
    free(layout->order);
    free(layout->start);
    free(layout->depth);
    *layout = (struct flame_layout){0};
}

struct waiting {
    unsigned *nodes;
    size_t count, room;
};

static int by_weight(const void *a, const void *b, void *context)
{
    const struct stacks *stacks = context;
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    const struct stack_node *one = &stacks->nodes[left], *other = &stacks->nodes[right];
    const struct stack_frame *frame = &stacks->frames[one->frame];
    const struct stack_frame *other_frame = &stacks->frames[other->frame];
    // What stands for many small frames comes last, however many there are.
    bool small = frame->kind == FRAME_SMALL, other_small = other_frame->kind == FRAME_SMALL;
    if (small != other_small)
        return small ? 1 : -1;
    if (one->total != other->total)
        return one->total < other->total ? 1 : -1;
    int order = strcmp(frame->name, other_frame->name);
    return order ? order : (left > right) - (left < right);
}

// Adds the children of a node, the first on top, and places them.
static void push_children(const struct stacks *stacks, unsigned node, struct waiting *waiting,
                          struct flame_layout *layout)
{
    size_t first = waiting->count;
    for (unsigned child = stacks->nodes[node].child; child; child = stacks->nodes[child].sibling) {
        mem_grow(waiting->nodes, waiting->count, &waiting->room);
        waiting->nodes[waiting->count++] = child;
    }
    size_t count = waiting->count - first;
    if (count > 1)
        qsort_r(waiting->nodes + first, count, sizeof *waiting->nodes, by_weight, (void *)stacks);
    double at = layout->start[node];
    for (size_t i = first; i < waiting->count; i++) {
        unsigned child = waiting->nodes[i];
        layout->start[child] = at;
        layout->depth[child] = layout->depth[node] + 1;
        at += stacks->nodes[child].total;
    }
    for (size_t i = first, j = waiting->count; i + 1 < j; i++) {
        unsigned other = waiting->nodes[--j];
        waiting->nodes[j] = waiting->nodes[i];
        waiting->nodes[i] = other;
    }
}

void flame_layout_make(const struct stacks *stacks, struct flame_layout *out)
{
    *out = (struct flame_layout){
        .order = mem_array(unsigned, stacks->node_count),
        .start = mem_array(double, stacks->node_count),
        .depth = mem_array(unsigned, stacks->node_count),
    };
    struct waiting waiting = {0};
    push_children(stacks, 0, &waiting, out);
    while (waiting.count) {
        unsigned node = waiting.nodes[--waiting.count];
        out->order[out->count++] = node;
        out->deepest = out->depth[node] > out->deepest ? out->depth[node] : out->deepest;
        push_children(stacks, node, &waiting, out);
    }
    free(waiting.nodes);
}
