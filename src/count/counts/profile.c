// profile: sums costs by part and function.
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void part_done(struct profile_part *part)
{
    list_done(&part->events);
    function_index_done(&part->functions);
    free(part->costs);
    free(part->called);
    free(part->sums);
    free(part->calls);
    free(part->call_costs);
    index_done(&part->call_index);
}

void profile_done(struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        part_done(&profile->parts[i]);
    free(profile->parts);
    name_pool_done(&profile->names);
    *profile = (struct profile){0};
}

struct profile_part *profile_add_part(struct profile *profile)
{
    mem_grow(profile->parts, profile->count, &profile->room);
    struct profile_part *part = &profile->parts[profile->count++];
    *part = (struct profile_part){.keeps_calls = profile->keep_calls};
    return part;
}

static uint64_t *costs_of(const struct profile_part *part, size_t function, int kind)
{
    return part->costs + (function * PROFILE_KINDS + (size_t)kind) * part->events.count;
}

// The function's index; its costs start at zero.
static size_t find_function(struct profile_part *part, const struct function_name *name)
{
    size_t before = part->functions.count;
    size_t number = function_index_add(&part->functions, name);
    if (number < before)
        return number;
    size_t stride = PROFILE_KINDS * part->events.count;
    if (number >= part->cost_room) {
        part->cost_room = part->cost_room ? 2 * part->cost_room : 64;
        part->costs = mem_resized(part->costs, part->cost_room * stride * sizeof *part->costs);
    }
    memset(part->costs + number * stride, 0, stride * sizeof *part->costs);
    mem_grow(part->called, number, &part->called_room);
    part->called[number] = false;
    return number;
}

static bool add_all(uint64_t *sums, const uint64_t *costs, size_t count)
{
    bool fits = true;
    for (size_t i = 0; i < count; i++)
        fits &= !__builtin_add_overflow(sums[i], costs[i], &sums[i]);
    return fits;
}

static bool keep_call(struct profile_part *part, size_t caller, size_t callee,
                      const uint64_t *costs)
{
    size_t events = part->events.count;
    struct profile_call call = {caller, callee};
    struct hash hash = hash_start();
    hash_add(&hash, &call, sizeof call);
    bool added;
    size_t place = index_find_or_add(&part->call_index, hash, part->call_count, &added);
    if (added) {
        mem_grow(part->calls, part->call_count, &part->call_room);
        part->calls[part->call_count++] = call;
        if (part->call_count > part->call_cost_room) {
            part->call_cost_room = part->call_room;
            part->call_costs = mem_resized(part->call_costs, part->call_cost_room * events *
                                                                 sizeof *part->call_costs);
        }
        memset(part->call_costs + place * events, 0, events * sizeof *part->call_costs);
    }
    return add_all(part->call_costs + place * events, costs, events);
}

uint64_t profile_call_cost(const struct profile_part *part, size_t call, size_t event)
{
    return part->call_costs[call * part->events.count + event];
}

bool profile_add(struct profile_part *part, const struct function_name *caller,
                 const struct function_name *function, const uint64_t *costs)
{
    size_t events = part->events.count;
    size_t callee = find_function(part, function);
    if (!caller) {
        if (!part->sums)
            part->sums = mem_array(uint64_t, events);
        return add_all(costs_of(part, callee, PROFILE_SELF), costs, events) &&
               add_all(part->sums, costs, events);
    }
    size_t from = find_function(part, caller);
    if (from == callee)
        return true;
    part->called[callee] = true;
    if (part->keeps_calls && !keep_call(part, from, callee, costs))
        return false;
    return add_all(costs_of(part, callee, PROFILE_CALLED), costs, events) &&
           add_all(costs_of(part, from, PROFILE_CALLS), costs, events);
}

size_t profile_event(const struct profile_part *part, const char *name)
{
    size_t event = 0;
    while (event < part->events.count && strcmp(part->events.items[event], name) != 0)
        event++;
    return event;
}

uint64_t profile_self(const struct profile_part *part, size_t function, size_t event)
{
    return costs_of(part, function, PROFILE_SELF)[event];
}

uint64_t profile_inclusive(const struct profile_part *part, size_t function, size_t event)
{
    uint64_t whole = part->sums ? part->sums[event] : 0, cost;
    if (part->called[function])
        cost = costs_of(part, function, PROFILE_CALLED)[event];
    else if (__builtin_add_overflow(profile_self(part, function, event),
                                    costs_of(part, function, PROFILE_CALLS)[event], &cost))
        cost = whole;
    return cost < whole ? cost : whole;
}
