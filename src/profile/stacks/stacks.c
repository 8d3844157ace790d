// stacks: two hash tables with open addressing, at most half full: frames by their strings, and
// nodes by parent and frame.
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/name_pool.h"

enum { FIRST_SLOTS = 64 };

struct stacks_index {
    struct name_pool names;
    unsigned *frame_slots, *node_slots;  // numbers plus one; 0: free
    size_t frame_slot_count, node_slot_count;
    size_t frame_room, node_room, epoch_room;
};

const char *const frame_kind_names[FRAME_KINDS + 1] = {
    [FRAME_NATIVE] = "native", [FRAME_INLINED] = "inlined", [FRAME_PYTHON] = "python",
    [FRAME_KERNEL] = "kernel", [FRAME_THREAD] = "thread",   [FRAME_JIT] = "jit",
    [FRAME_CUT] = "cut",       [FRAME_SMALL] = "small",
};

struct stacks *stacks_new(void)
{
    struct stacks *stacks = mem_new(struct stacks);
    struct stacks_index *index = mem_new(struct stacks_index);
    stacks->index = index;
    index->frame_slot_count = index->node_slot_count = FIRST_SLOTS;
    index->frame_slots = mem_array(unsigned, FIRST_SLOTS);
    index->node_slots = mem_array(unsigned, FIRST_SLOTS);
    mem_grow(stacks->nodes, 0, &index->node_room);
    stacks->nodes[stacks->node_count++] = (struct stack_node){0};
    return stacks;
}

void stacks_free(struct stacks *stacks)
{
    if (!stacks)
        return;
    struct stacks_index *index = stacks->index;
    name_pool_done(&index->names);
    free(index->frame_slots);
    free(index->node_slots);
    free(index);
    free(stacks->unit);
    free(stacks->title);
    free(stacks->note);
    free(stacks->frames);
    free(stacks->nodes);
    free(stacks->changes);
    free(stacks->epochs);
    free(stacks);
}

// Names are interned, so pointers identify them.
static size_t frame_slot(const struct stacks *stacks, const struct stack_frame *frame)
{
    const struct stacks_index *index = stacks->index;
    uintptr_t words[] = {(uintptr_t)frame->name, (uintptr_t)frame->file, (uintptr_t)frame->object,
                         (uintptr_t)frame->kind};
    struct hash hash = hash_start();
    hash_add(&hash, words, sizeof words);
    size_t slot = hash.a & (index->frame_slot_count - 1);
    for (; index->frame_slots[slot]; slot = (slot + 1) & (index->frame_slot_count - 1)) {
        const struct stack_frame *there = &stacks->frames[index->frame_slots[slot] - 1];
        if (there->name == frame->name && there->file == frame->file &&
            there->object == frame->object && there->kind == frame->kind)
            break;
    }
    return slot;
}

static size_t node_slot(const struct stacks *stacks, unsigned parent, unsigned frame)
{
    const struct stacks_index *index = stacks->index;
    uint64_t key = ((uint64_t)parent << 32 | frame) * 0x9E3779B97F4A7C15u;
    size_t slot = (key ^ key >> 32) & (index->node_slot_count - 1);
    for (; index->node_slots[slot]; slot = (slot + 1) & (index->node_slot_count - 1)) {
        const struct stack_node *there = &stacks->nodes[index->node_slots[slot] - 1];
        if (there->parent == parent && there->frame == frame)
            break;
    }
    return slot;
}

static void spread_frames(struct stacks *stacks)
{
    struct stacks_index *index = stacks->index;
    if (index->frame_slot_count > 2 * stacks->frame_count)
        return;
    free(index->frame_slots);
    index->frame_slot_count *= 2;
    index->frame_slots = mem_array(unsigned, index->frame_slot_count);
    for (size_t i = 0; i < stacks->frame_count; i++)
        index->frame_slots[frame_slot(stacks, &stacks->frames[i])] = (unsigned)i + 1;
}

static void spread_nodes(struct stacks *stacks)
{
    struct stacks_index *index = stacks->index;
    if (index->node_slot_count > 2 * stacks->node_count)
        return;
    free(index->node_slots);
    index->node_slot_count *= 2;
    index->node_slots = mem_array(unsigned, index->node_slot_count);
    for (size_t i = 1; i < stacks->node_count; i++) {
        const struct stack_node *node = &stacks->nodes[i];
        index->node_slots[node_slot(stacks, node->parent, node->frame)] = (unsigned)i + 1;
    }
}

unsigned stacks_frame(struct stacks *stacks, const struct stack_frame *frame)
{
    struct stacks_index *index = stacks->index;
    struct stack_frame kept = {
        .name = name_pool_add(&index->names, frame->name),
        .file = name_pool_add(&index->names, frame->file),
        .object = name_pool_add(&index->names, frame->object),
        .kind = frame->kind,
    };
    size_t slot = frame_slot(stacks, &kept);
    if (index->frame_slots[slot])
        return index->frame_slots[slot] - 1;
    mem_grow(stacks->frames, stacks->frame_count, &index->frame_room);
    stacks->frames[stacks->frame_count++] = kept;
    index->frame_slots[slot] = (unsigned)stacks->frame_count;
    spread_frames(stacks);
    return (unsigned)stacks->frame_count - 1;
}

unsigned stacks_child(struct stacks *stacks, unsigned parent, unsigned frame)
{
    struct stacks_index *index = stacks->index;
    size_t slot = node_slot(stacks, parent, frame);
    if (index->node_slots[slot])
        return index->node_slots[slot] - 1;
    mem_grow(stacks->nodes, stacks->node_count, &index->node_room);
    unsigned number = (unsigned)stacks->node_count++;
    struct stack_node *nodes = stacks->nodes;
    nodes[number] =
        (struct stack_node){.frame = frame, .parent = parent, .sibling = nodes[parent].child};
    nodes[parent].child = number;
    index->node_slots[slot] = number + 1;
    spread_nodes(stacks);
    return number;
}

// Weight at the root would have no frame to be seen in.
static unsigned without_stack(struct stacks *stacks)
{
    struct stack_frame frame = {.name = "(no stack)", .kind = FRAME_CUT};
    return stacks_child(stacks, 0, stacks_frame(stacks, &frame));
}

unsigned stacks_path(struct stacks *stacks, const unsigned *frames, size_t depth)
{
    unsigned node = depth ? 0 : without_stack(stacks);
    for (size_t i = 0; i < depth; i++)
        node = stacks_child(stacks, node, frames[i]);
    return node;
}

void stacks_add(struct stacks *stacks, const unsigned *frames, size_t depth, double weight)
{
    unsigned node = stacks_path(stacks, frames, depth);
    stacks->nodes[node].self += weight;
}

static void sum_changes(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->node_count; i++)
        memcpy(stacks->changes[i].total, stacks->changes[i].self, sizeof stacks->changes[i].total);
    for (size_t i = stacks->node_count; i-- > 1;)
        for (int side = 0; side < 2; side++)
            stacks->changes[stacks->nodes[i].parent].total[side] += stacks->changes[i].total[side];
}

void stacks_sum(struct stacks *stacks)
{
    struct stack_node *nodes = stacks->nodes;
    for (size_t i = 0; i < stacks->node_count; i++)
        nodes[i].total = nodes[i].self;
    for (size_t i = stacks->node_count; i-- > 1;)
        nodes[nodes[i].parent].total += nodes[i].total;
    if (stacks->changes)
        sum_changes(stacks);
}

void stacks_add_epoch(struct stacks *stacks, struct stack_epoch epoch)
{
    struct stacks_index *index = stacks->index;
    mem_grow(stacks->epochs, stacks->epoch_count, &index->epoch_room);
    stacks->epochs[stacks->epoch_count++] = epoch;
}

unsigned stacks_next(const struct stacks *stacks, unsigned node)
{
    const struct stack_node *nodes = stacks->nodes;
    if (nodes[node].child)
        return nodes[node].child;
    while (node && !nodes[node].sibling)
        node = nodes[node].parent;
    return nodes[node].sibling;
}

void stacks_set_unit(struct stacks *stacks, const char *unit)
{
    char *copy = mem_text(unit);
    free(stacks->unit);
    stacks->unit = copy;
}

void stacks_remark(struct stacks *stacks, const char *remark)
{
    char *note = stacks->note ? mem_format("%s; %s", stacks->note, remark) : mem_text(remark);
    free(stacks->note);
    stacks->note = note;
}
