// stacks_record: stacks as a part of a record, and back.
#include "stacks_record.h"

#include <string.h>

#include "base/mem.h"

static void copy_frames(const struct stacks *stacks, struct bilanx_stacks *out)
{
    out->frames = mem_array(struct bilanx_stack_frame, stacks->frame_count);
    out->frame_count = stacks->frame_count;
    for (size_t i = 0; i < stacks->frame_count; i++) {
        const struct stack_frame *frame = &stacks->frames[i];
        out->frames[i] = (struct bilanx_stack_frame){
            .name = mem_text(frame->name),
            .file = mem_text(frame->file),
            .object = mem_text(frame->object),
            .kind = frame->kind == FRAME_NATIVE ? NULL : mem_text(frame_kind_names[frame->kind]),
        };
    }
}

static void copy_nodes(const struct stacks *stacks, struct bilanx_stacks *out)
{
    size_t count = stacks->node_count - 1;  // without the root
    out->node_frame_count = out->node_parent_count = out->node_weight_count = count;
    out->node_frames = mem_array(uint64_t, count);
    out->node_parents = mem_array(uint64_t, count);
    out->node_weights = mem_array(double, count);
    if (stacks->changes) {
        out->node_before = mem_array(double, count);
        out->node_before_count = count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct stack_node *node = &stacks->nodes[i + 1];
        out->node_frames[i] = node->frame;
        out->node_parents[i] = node->parent;
        out->node_weights[i] = node->self;
        if (!stacks->changes)
            continue;
        out->node_before[i] = stacks->changes[i + 1].self[0];
        out->node_weights[i] = stacks->changes[i + 1].self[1];
    }
}

static void copy_epochs(const struct stacks *stacks, struct bilanx_stacks *out)
{
    size_t count = stacks->epoch_count;
    if (!count)
        return;
    out->epoch_calls = mem_array(double, count);
    out->epoch_seconds = mem_array(double, count);
    out->epoch_call_count = out->epoch_second_count = count;
    for (size_t i = 0; i < count; i++) {
        out->epoch_calls[i] = stacks->epochs[i].calls;
        out->epoch_seconds[i] = stacks->epochs[i].seconds;
    }
}

struct bilanx_stacks *stacks_to_record(const struct stacks *stacks)
{
    struct bilanx_stacks *out = mem_new(struct bilanx_stacks);
    out->unit = mem_text(stacks->unit ? stacks->unit : "samples");
    out->title = mem_text(stacks->title);
    out->note = mem_text(stacks->note);
    out->calls = stacks->calls;
    out->seconds = stacks->seconds;
    out->lost = stacks->lost;
    out->overhead = stacks->overhead;
    out->time = stacks->timed_s;
    copy_epochs(stacks, out);
    copy_frames(stacks, out);
    copy_nodes(stacks, out);
    return out;
}

// A kind that a newer version may have is native to us.
static enum frame_kind kind_of(const char *name)
{
    for (int kind = 0; name && kind < FRAME_KINDS; kind++)
        if (strcmp(frame_kind_names[kind], name) == 0)
            return (enum frame_kind)kind;
    return FRAME_NATIVE;
}

static void add_nodes(const struct bilanx_stacks *from, const unsigned *frames,
                      struct stacks *stacks, unsigned *places)
{
    for (size_t i = 0; i < from->node_frame_count; i++) {
        unsigned node =
            stacks_child(stacks, places[from->node_parents[i]], frames[from->node_frames[i]]);
        stacks->nodes[node].self += from->node_weights[i];
        places[i + 1] = node;
    }
}

static void add_changes(const struct bilanx_stacks *from, struct stacks *stacks,
                        const unsigned *places)
{
    stacks->changes = mem_array(struct stack_change, stacks->node_count);
    for (size_t i = 0; i < from->node_frame_count; i++) {
        double *self = stacks->changes[places[i + 1]].self;
        self[0] += from->node_before[i];
        self[1] += from->node_weights[i];
    }
    for (size_t i = 0; i < stacks->node_count; i++) {
        const double *self = stacks->changes[i].self;
        stacks->nodes[i].self = self[0] > self[1] ? self[0] : self[1];
    }
}

struct stacks *stacks_of_record(const struct bilanx_stacks *from)
{
    struct stacks *stacks = stacks_new();
    stacks->unit = mem_text(from->unit);
    stacks->title = mem_text(from->title);
    stacks->note = mem_text(from->note);
    stacks->calls = from->calls;
    stacks->seconds = from->seconds;
    stacks->lost = from->lost;
    stacks->overhead = from->overhead;
    stacks->timed_s = from->time;
    for (size_t i = 0; i < from->epoch_call_count; i++)
        stacks_add_epoch(stacks,
                         (struct stack_epoch){from->epoch_calls[i], from->epoch_seconds[i]});
    AUTO(memory) unsigned *frames = mem_array(unsigned, from->frame_count);
    AUTO(memory) unsigned *places = mem_array(unsigned, from->node_frame_count + 1);
    for (size_t i = 0; i < from->frame_count; i++) {
        const struct bilanx_stack_frame *frame = &from->frames[i];
        frames[i] =
            stacks_frame(stacks, &(struct stack_frame){frame->name, frame->file, frame->object,
                                                       kind_of(frame->kind)});
    }
    add_nodes(from, frames, stacks, places);
    if (from->node_before)
        add_changes(from, stacks, places);
    stacks_sum(stacks);
    return stacks;
}
