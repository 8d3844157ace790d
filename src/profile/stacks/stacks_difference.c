// stacks_difference: two trees of stacks over each other.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "trees.h"

bool stacks_are_times(const struct stacks *stacks)
{
    return stacks->unit && text_starts(stacks->unit, "nanoseconds");
}

static bool are_samples(const struct stacks *stacks)
{
    return !stacks->unit || strcmp(stacks->unit, "samples") == 0;
}

static bool are_timed(const struct stacks *stacks)
{
    return are_samples(stacks) && stacks->timed_s > 0;
}

bool stacks_have_calls(const struct stacks *stacks)
{
    if (are_timed(stacks))
        return stacks->nodes[0].total > 0;
    return stacks->calls > 0 && stacks->nodes[0].total > 0 &&
           (!are_samples(stacks) || stacks->seconds > 0);
}

// Multiplied by this, weights are per call. Samples are shares of the time of a call if that was
// measured, otherwise of their own time.
static double per_call(const struct stacks *stacks)
{
    if (are_timed(stacks))
        return stacks->timed_s * 1e9 / stacks->nodes[0].total;
    double seconds_per_weight = stacks->seconds / stacks->nodes[0].total;
    return (are_samples(stacks) ? seconds_per_weight * 1e9 : 1) / stacks->calls;
}

static char *unit_of(const struct stacks *stacks, enum stacks_scale scale)
{
    const char *unit = stacks->unit ? stacks->unit : "samples";
    if (scale != STACKS_PER_CALL)
        return mem_text(unit);
    return mem_format("%s per call", are_samples(stacks) ? "nanoseconds" : unit);
}

bool stacks_are_timed(const struct stacks *stacks)
{
    return are_timed(stacks) && stacks->nodes[0].total > 0 && !stacks->changes;
}

struct stacks *stacks_per_call(const struct stacks *stacks)
{
    struct stacks *into = stacks_like(stacks);
    AUTO(memory) char *unit = unit_of(stacks, STACKS_PER_CALL);
    stacks_set_unit(into, unit);
    into->calls = into->seconds = into->timed_s = 0;  // they are in the weights now
    into->epoch_count = 0;
    stacks_merge(into, 0, stacks, per_call(stacks));
    stacks_sum(into);
    return into;
}

struct factors {
    double of[2];
    char *unit;
};

static struct bilanx_error find_factors(const struct stacks *a, const struct stacks *b,
                                        enum stacks_scale scale, struct factors *out)
{
    AUTO(memory) char *unit_a = unit_of(a, scale);
    AUTO(memory) char *unit_b = unit_of(b, scale);
    *out = (struct factors){.of = {1, 1}};
    if (scale == STACKS_NORMALIZED) {
        double whole = a->nodes[0].total;
        out->of[0] = whole > 0 ? b->nodes[0].total / whole : 1;
    } else if (strcmp(unit_a, unit_b) != 0) {
        return bilanx_error_make(
            BILANX_E_USAGE,
            "A counts %.100s and B counts %.100s: use --normalize to compare their shares", unit_a,
            unit_b);
    } else if (scale == STACKS_PER_CALL) {
        out->of[0] = per_call(a);
        out->of[1] = per_call(b);
    }
    out->unit = TAKE(unit_b);
    return BILANX_SUCCESS;
}

// Without the mark of its kind: "read_[k]" is "read".
static char *name_without_mark(const char *name)
{
    size_t size = strlen(name);
    bool marked = size > 4 && name[size - 1] == ']' && strncmp(name + size - 4, "_[", 2) == 0;
    return mem_text_n(name, marked ? size - 4 : size);
}

// Without directories and line: "/home/me/model.py:12" is "model.py".
static char *file_without_place(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    return mem_text_n(base, strcspn(base, ":"));
}

// Two builds differ in directories, objects, lines and in what is inlined. What identifies a
// function in both is its name; in Python, also its file's.
static unsigned frame_in_both(struct stacks *into, const struct stack_frame *frame)
{
    bool with_file = frame->kind == FRAME_PYTHON && frame->file;
    AUTO(memory) char *name = name_without_mark(frame->name);
    AUTO(memory) char *file = with_file ? file_without_place(frame->file) : NULL;
    enum frame_kind kind = frame->kind == FRAME_INLINED ? FRAME_NATIVE : frame->kind;
    return stacks_frame(into, &(struct stack_frame){.name = name, .file = file, .kind = kind});
}

static unsigned *place_nodes(struct stacks *into, const struct stacks *from)
{
    AUTO(memory) unsigned *frames = mem_array(unsigned, from->frame_count);
    for (size_t i = 0; i < from->frame_count; i++)
        frames[i] = frame_in_both(into, &from->frames[i]);
    unsigned *places = mem_array(unsigned, from->node_count);
    for (unsigned i = 1; i < from->node_count; i++) {
        const struct stack_node *node = &from->nodes[i];
        places[i] = stacks_child(into, places[node->parent], frames[node->frame]);
    }
    return places;
}

static void add_side(struct stacks *into, const struct stacks *from, const unsigned *places,
                     int side, double factor)
{
    for (unsigned i = 0; i < from->node_count; i++)
        into->changes[places[i]].self[side] += from->nodes[i].self * factor;
}

static void weigh(struct stacks *into)
{
    for (size_t i = 0; i < into->node_count; i++) {
        const double *self = into->changes[i].self;
        into->nodes[i].self = self[0] > self[1] ? self[0] : self[1];
    }
    stacks_sum(into);
}

struct bilanx_error stacks_difference(const struct stacks *a, const struct stacks *b,
                                      enum stacks_scale scale, struct stacks **out)
{
    struct factors factors;
    BILANX_TRY(find_factors(a, b, scale, &factors));
    struct stacks *into = stacks_new();
    into->unit = factors.unit;
    into->lost = a->lost + b->lost;
    AUTO(memory) unsigned *in_a = place_nodes(into, a);
    AUTO(memory) unsigned *in_b = place_nodes(into, b);
    into->changes = mem_array(struct stack_change, into->node_count);
    add_side(into, a, in_a, 0, factors.of[0]);
    add_side(into, b, in_b, 1, factors.of[1]);
    weigh(into);
    *out = into;
    return BILANX_SUCCESS;
}
