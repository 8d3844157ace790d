// pace: how fast the core ran while batches were timed, and whether it had the core to itself.
#include "pace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/stats.h"

// Of 70,701 batches on a Zen 4 guest, 84 had readings of 1.06 to 1.2 times the floor.
static const double FREE_TOLERANCE = 0.08;
static const double CLUSTER = 0.03;  // readings of one state; the clock's steps are .8 % of one
static const double CHAIN_SANE = 0.05;
enum { AGREEING = 4 };  // readings that make a floor

const char *const core_words[] = {
    [CORE_UNKNOWN] = "unknown", [CORE_FREE] = "free", [CORE_SHARED] = "shared"};

double pace_ratio(struct pace reading)
{
    return reading.chain_ns > 0 && reading.front_ns > 0 ? reading.front_ns / reading.chain_ns : 0;
}

// Returns the middle of the range where sorted values are densest.
static double densest(const double *sorted, size_t count, double width)
{
    size_t best = 0, most = 0;
    for (size_t first = 0, end = 0; first < count; first++) {
        while (end < count && sorted[end] <= sorted[first] * (1 + width))
            end++;
        if (end - first > most) {
            best = first;
            most = end - first;
        }
    }
    return most ? stats_quantile(sorted + best, most, 0.5) : 0;
}

// Returns the lowest value that has enough others just above it.
static double lowest_agreed(const double *sorted, size_t count)
{
    for (size_t i = 0; i + AGREEING <= count; i++)
        if (sorted[i + AGREEING - 1] <= sorted[i] * (1 + CLUSTER)) {
            size_t end = i;
            while (end < count && sorted[end] <= sorted[i] * (1 + CLUSTER))
                end++;
            return stats_quantile(sorted + i, end - i, 0.5);
        }
    return 0;
}

// Stores the ratios of readings whose chain was not interrupted, sorted. Returns how many.
static size_t sane_ratios(const struct pace *readings, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = readings[i].chain_ns;
    stats_sort(out, count);
    double usual_ns = densest(out, count, CLUSTER);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (pace_ratio(readings[i]) > 0 && readings[i].chain_ns < usual_ns * (1 + CHAIN_SANE))
            out[known++] = pace_ratio(readings[i]);
    stats_sort(out, known);
    return known;
}

double pace_lowest(const struct pace *readings, size_t count)
{
    AUTO(memory) double *ratios = mem_array(double, count + 1);
    return lowest_agreed(ratios, sane_ratios(readings, count, ratios));
}

double pace_lower_floor(double known, double seen)
{
    return !(known > 0) || (seen > 0 && seen < known / (1 + FREE_TOLERANCE)) ? seen : known;
}

bool pace_is_at_floor(double ratio, double floor)
{
    return ratio > 0 && ratio <= floor * (1 + FREE_TOLERANCE) &&
           ratio >= floor / (1 + FREE_TOLERANCE);
}

static bool is_free(struct pace reading, double floor)
{
    return pace_is_at_floor(pace_ratio(reading), floor);
}

enum core_state pace_state(struct pace before, struct pace after, double floor)
{
    if (!(floor > 0) || !(pace_ratio(before) > 0) || !(pace_ratio(after) > 0))
        return CORE_UNKNOWN;
    bool first = is_free(before, floor), last = is_free(after, floor);
    return first && last ? CORE_FREE : first || last ? CORE_UNKNOWN : CORE_SHARED;
}

void pace_log_add(struct pace_log *log, struct pace reading, size_t batches)
{
    mem_grow(log->readings, log->count, &log->room);
    mem_grow(log->batches, log->count, &log->batches_room);
    log->readings[log->count] = reading;
    log->batches[log->count++] = batches;
}

void pace_log_done(struct pace_log *log)
{
    free(log->readings);
    free(log->batches);
    *log = (struct pace_log){0};
}

size_t pace_log_mark(const struct pace_log *log, double floor, enum core_state state, bool *marked,
                     double *chain_ns)
{
    size_t count = 0, readings = 0;
    AUTO(memory) double *chains = mem_array(double, log->count + 1);
    for (size_t i = 1; i < log->count; i++) {
        struct pace before = log->readings[i - 1], after = log->readings[i];
        bool wanted = state == CORE_UNKNOWN || pace_state(before, after, floor) == state;
        for (size_t k = log->batches[i - 1]; k < log->batches[i]; k++) {
            marked[k] = wanted;
            count += wanted;
        }
        if (wanted)
            chains[readings++] = (before.chain_ns + after.chain_ns) / 2;
    }
    stats_sort(chains, readings);
    *chain_ns = readings ? stats_midmean(chains, readings) : 0;
    return count;
}

struct pace_summary pace_summarize(const struct pace *readings, size_t count, double floor)
{
    AUTO(memory) double *ratios = mem_array(double, count + 1);
    size_t known = sane_ratios(readings, count, ratios), free = 0;
    struct pace_summary out = {.readings = known};
    if (known == 0 || !(floor > 0))
        return (struct pace_summary){0};
    out.lowest = lowest_agreed(ratios, known);
    out.low = stats_quantile(ratios, known, 0.1);
    out.high = stats_quantile(ratios, known, 0.9);
    // Free stretches are longer than the time between readings. A single reading in the range may
    // be one whose chain was interrupted.
    for (size_t i = 0; i < count; i++) {
        bool before = i > 0 && is_free(readings[i - 1], floor);
        bool after = i + 1 < count && is_free(readings[i + 1], floor);
        if (is_free(readings[i], floor) && (before || after))
            ratios[free++] = readings[i].chain_ns;
    }
    out.free = (double)free / (double)count;
    stats_sort(ratios, free);
    out.chain_ns = free ? stats_midmean(ratios, free) : 0;
    return out;
}
