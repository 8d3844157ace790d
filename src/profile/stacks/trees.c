// trees: stacks merged, seen from one function, and without what is small. A parent's number is
// smaller than its children's, so every copy is one loop over the nodes, however deep they are.
#include "trees.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct stacks *stacks_like(const struct stacks *from)
{
    struct stacks *stacks = stacks_new();
    stacks->unit = mem_text(from->unit);
    stacks->title = mem_text(from->title);
    stacks->note = mem_text(from->note);
    stacks->calls = from->calls;
    stacks->seconds = from->seconds;
    stacks->lost = from->lost;
    stacks->overhead = from->overhead;
    stacks->timed_s = from->timed_s;
    for (size_t i = 0; i < from->epoch_count; i++)
        stacks_add_epoch(stacks, from->epochs[i]);
    return stacks;
}

// Copies frames as they are needed.
struct frame_map {
    const struct stacks *from;
    struct stacks *into;
    unsigned *numbers;  // plus one; 0: not copied yet
};

static struct frame_map frame_map_of(const struct stacks *from, struct stacks *into)
{
    return (struct frame_map){from, into, mem_array(unsigned, from->frame_count)};
}

static void frame_map_done(struct frame_map *map)
{
    free(map->numbers);
}
SCOPE_VALUE(frame_map, frame_map_done)

static unsigned frame_of(struct frame_map *map, unsigned node)
{
    unsigned frame = map->from->nodes[node].frame;
    if (!map->numbers[frame])
        map->numbers[frame] = stacks_frame(map->into, &map->from->frames[frame]) + 1;
    return map->numbers[frame] - 1;
}

void stacks_merge(struct stacks *into, unsigned at, const struct stacks *from, double factor)
{
    AUTO(frame_map) struct frame_map map = frame_map_of(from, into);
    AUTO(memory) unsigned *places = mem_array(unsigned, from->node_count);
    places[0] = at;
    for (unsigned i = 0; i < from->node_count; i++) {
        if (i)
            places[i] = stacks_child(into, places[from->nodes[i].parent], frame_of(&map, i));
        into->nodes[places[i]].self += from->nodes[i].self * factor;
    }
}

struct stacks *stacks_copy(const struct stacks *from)
{
    struct stacks *copy = stacks_like(from);
    stacks_merge(copy, 0, from, 1);
    stacks_sum(copy);
    return copy;
}

static void add_callers(struct frame_map *map, unsigned node)
{
    unsigned place = 0;
    for (unsigned at = node; at; at = map->from->nodes[at].parent)
        place = stacks_child(map->into, place, frame_of(map, at));
    map->into->nodes[place].self += map->from->nodes[node].total;
}

// Marks frames whose name matches as a whole or else, if none does, in part.
static bool match_frames(const struct stacks *stacks, const char *name, bool *matches)
{
    for (int in_part = 0; in_part < 2; in_part++) {
        bool found = false;
        for (size_t i = 0; i < stacks->frame_count; i++) {
            const char *there = stacks->frames[i].name;
            matches[i] = in_part ? strstr(there, name) != NULL : strcmp(there, name) == 0;
            found |= matches[i];
        }
        if (found)
            return true;
    }
    return false;
}

static struct bilanx_error no_such_function(const struct stacks *stacks, const char *name)
{
    enum { MOST = 10000 };  // for a suggestion, the frames met first are enough
    size_t count = stacks->frame_count < MOST ? stacks->frame_count : MOST;
    AUTO(memory) const char **names = mem_array(const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = stacks->frames[i].name;
    const char *nearest = text_nearest(name, names, count);
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "no stack has a function '%.100s' (did you mean '%.100s'?)", name,
                                 nearest);
    return bilanx_error_make(
        BILANX_E_USAGE, "no stack has a function '%.100s': --text lists the heaviest ones", name);
}

// Times are those of the part that is left. Epochs say nothing about it.
static void reduce_times(struct stacks *part, double whole)
{
    double share = whole > 0 ? part->nodes[0].total / whole : 1;
    part->seconds *= share;
    part->timed_s *= share;
    part->epoch_count = 0;
}

struct bilanx_error stacks_focus(const struct stacks *stacks, const char *name,
                                 enum stacks_view view, struct stacks **out)
{
    AUTO(memory) bool *matches = mem_array(bool, stacks->frame_count);
    if (!match_frames(stacks, name, matches))
        return no_such_function(stacks, name);
    struct stacks *into = stacks_like(stacks);
    AUTO(frame_map) struct frame_map map = frame_map_of(stacks, into);
    AUTO(memory) unsigned *places = mem_array(unsigned, stacks->node_count);  // 0: not below it
    for (unsigned i = 1; i < stacks->node_count; i++) {
        unsigned above = places[stacks->nodes[i].parent];
        bool here = !above && matches[stacks->nodes[i].frame];
        if (!above && !here)
            continue;
        places[i] = 1;
        if (view == STACKS_CALLERS) {
            if (here)
                add_callers(&map, i);
            continue;
        }
        places[i] = stacks_child(into, here ? 0 : above, frame_of(&map, i));
        into->nodes[places[i]].self += stacks->nodes[i].self;
    }
    stacks_sum(into);
    reduce_times(into, stacks->nodes[0].total);
    *out = into;
    return BILANX_SUCCESS;
}

struct weighed {
    double total;
    unsigned node;
};

// Heaviest first. A parent is never lighter than its children and has a smaller number, so it comes
// before them.
static int by_weight(const void *a, const void *b)
{
    const struct weighed *left = a, *right = b;
    if (left->total != right->total)
        return left->total < right->total ? 1 : -1;
    return (left->node > right->node) - (left->node < right->node);
}

// Chooses which nodes to keep.
static bool *choose(const struct stacks *stacks, double least, size_t most)
{
    bool *kept = mem_array(bool, stacks->node_count);
    AUTO(memory) struct weighed *order = mem_array(struct weighed, stacks->node_count);
    size_t count = 0;
    for (unsigned i = 1; i < stacks->node_count; i++)
        if (stacks->nodes[i].total >= least && stacks->nodes[i].total > 0)
            order[count++] = (struct weighed){stacks->nodes[i].total, i};
    if (count > most) {
        qsort(order, count, sizeof *order, by_weight);
        count = most;
    }
    kept[0] = true;
    for (size_t i = 0; i < count; i++)
        kept[order[i].node] = true;
    return kept;
}

static void add_change(struct stack_change *into, const double added[2])
{
    for (int side = 0; side < 2; side++)
        into->self[side] += added[side];
}

static void copy_changes(const struct stacks *from, const unsigned *places, const bool *kept,
                         struct stacks *into)
{
    into->changes = mem_array(struct stack_change, into->node_count);
    for (unsigned i = 0; i < from->node_count; i++)
        if (kept[i])
            add_change(&into->changes[places[i]], from->changes[i].self);
        else if (kept[from->nodes[i].parent])
            add_change(&into->changes[places[i]], from->changes[i].total);
}

struct stacks *stacks_cut(const struct stacks *stacks, double least, size_t most)
{
    AUTO(memory) bool *kept = choose(stacks, least, most);
    struct stacks *into = stacks_like(stacks);
    AUTO(frame_map) struct frame_map map = frame_map_of(stacks, into);
    AUTO(memory) unsigned *places = mem_array(unsigned, stacks->node_count);
    into->nodes[0].self = stacks->nodes[0].self;
    for (unsigned i = 1; i < stacks->node_count; i++) {
        const struct stack_node *node = &stacks->nodes[i];
        if (!kept[node->parent] || node->total <= 0)
            continue;
        struct stack_frame small = {.name = "(small frames)", .kind = FRAME_SMALL};
        unsigned frame = kept[i] ? frame_of(&map, i) : stacks_frame(into, &small);
        places[i] = stacks_child(into, places[node->parent], frame);
        into->nodes[places[i]].self += kept[i] ? node->self : node->total;
    }
    if (stacks->changes)
        copy_changes(stacks, places, kept, into);
    stacks_sum(into);
    return into;
}
