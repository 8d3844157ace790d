// check_record: checks the properties that the rest of the library relies on, beyond the types of
// keys.
#include "check_record.h"

#include <string.h>

static struct bilanx_error check_times(const double *times, size_t count, const char *key,
                                       const char *where)
{
    for (size_t i = 0; i < count; i++)
        if (times[i] < 0)
            return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' has a negative time, %g", where, key,
                                     times[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_node(const struct bilanx_stacks *stacks, size_t i,
                                      const char *where)
{
    double before = stacks->node_before ? stacks->node_before[i] : 0;
    if (stacks->node_frames[i] >= stacks->frame_count)
        return bilanx_error_make(BILANX_E_INPUT, "%s: 'stacks.node_frames[%zu]' names no frame",
                                 where, i);
    if (stacks->node_parents[i] > i)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: 'stacks.node_parents[%zu]' must be a node before it, or 0",
                                 where, i);
    if (!(stacks->node_weights[i] >= 0 && before >= 0))
        return bilanx_error_make(BILANX_E_INPUT, "%s: 'stacks' has a negative weight, in node %zu",
                                 where, i + 1);
    return BILANX_SUCCESS;
}

// Parents come first, so no stack can be a circle.
static struct bilanx_error check_stacks(const struct bilanx_stacks *stacks, const char *where)
{
    size_t count = stacks->node_frame_count;
    if (stacks->node_parent_count != count || stacks->node_weight_count != count ||
        (stacks->node_before && stacks->node_before_count != count))
        return bilanx_error_make(
            BILANX_E_INPUT,
            "%s: the arrays of 'stacks' differ in length: 'node_frames' has %zu elements, "
            "'node_parents' %zu, 'node_weights' %zu",
            where, count, stacks->node_parent_count, stacks->node_weight_count);
    if (stacks->epoch_call_count != stacks->epoch_second_count)
        return bilanx_error_make(
            BILANX_E_INPUT,
            "%s: 'stacks.epoch_calls' has %zu elements, but 'stacks.epoch_seconds' has %zu", where,
            stacks->epoch_call_count, stacks->epoch_second_count);
    for (size_t i = 0; i < stacks->frame_count; i++)
        if (!stacks->frames[i].name)
            return bilanx_error_make(BILANX_E_INPUT, "%s: 'stacks.frames[%zu]' has no name", where,
                                     i);
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(check_node(stacks, i, where));
    return BILANX_SUCCESS;
}

// Checks the properties that the rest of the library relies on.
struct bilanx_error check_record(const struct bilanx_record *record, const char *where)
{
    const struct bilanx_timing *timing = &record->timing;
    if (!record->kind)
        return bilanx_error_make(BILANX_E_INPUT, "%s: the record has no 'kind'", where);
    const struct bilanx_failure *error = record->error;
    bool says_why =
        error && (error->code || error->phase || error->text || error->output || error->extra);
    if (strcmp(record->kind, "failure") == 0 && !says_why)
        return bilanx_error_make(BILANX_E_INPUT, "%s: a failure without an 'error'", where);
    if (strcmp(record->kind, "verdict") == 0 && (!record->verdict || !record->verdict->verdict))
        return bilanx_error_make(BILANX_E_INPUT, "%s: the record has no 'verdict'", where);
    if (record->stacks)
        BILANX_TRY(check_stacks(record->stacks, where));
    if (strcmp(record->kind, "stacks") == 0 && !record->stacks)
        return bilanx_error_make(BILANX_E_INPUT, "%s: the record has no 'stacks'", where);
    if (strcmp(record->kind, "measurement") != 0)
        return BILANX_SUCCESS;
    if (timing->raw_count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "%s: a measurement without 'raw_times'", where);
    if (timing->number_per_run == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: a measurement needs a 'number_per_run' of at least 1", where);
    BILANX_TRY(check_times(timing->raw_times, timing->raw_count, "raw_times", where));
    return check_times(timing->raw_cpu_times, timing->raw_cpu_count, "raw_cpu_times", where);
}
