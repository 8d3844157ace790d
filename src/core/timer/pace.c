// pace: how fast the core ran while batches were timed, and which batches to keep.
#include "pace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/stats.h"

// Frequencies change in steps of 100 MHz, 3 % of 3 GHz; a reading repeats within .2 %. Another
// thread on the same core slows the wide kernel by 10 to 80 %; undisturbed it repeats within 1 %.
static const double CHAIN_TOLERANCE = 0.01;
static const double WIDE_TOLERANCE = 0.03;
enum { ENOUGH = 4 };  // one batch in this many at a pace is enough to keep only those

static bool is_near(double a, double b, double tolerance)
{
    double ratio = a / b;
    return !(a > 0) || !(b > 0) || (ratio < 1 + tolerance && ratio > 1 / (1 + tolerance));
}

bool pace_same(struct pace a, struct pace b)
{
    return is_near(a.chain_ns, b.chain_ns, CHAIN_TOLERANCE) &&
           is_near(a.wide_ns, b.wide_ns, WIDE_TOLERANCE);
}

// Returns the middle of the range where values are densest. Sorts them.
static double densest(double *values, size_t count, double tolerance)
{
    stats_sort(values, count);
    size_t best = 0, most = 0;
    for (size_t first = 0, end = 0; first < count; first++) {
        while (end < count && values[end] <= values[first] * (1 + tolerance))
            end++;
        if (end - first > most) {
            best = first;
            most = end - first;
        }
    }
    return most ? stats_quantile(values + best, most, 0.5) : 0;
}

struct pace pace_usual(const struct pace *readings, size_t count)
{
    double *values = mem_array(double, count);
    struct pace usual = {0};
    for (size_t i = 0; i < count; i++)
        values[i] = readings[i].chain_ns;
    usual.chain_ns = densest(values, count, CHAIN_TOLERANCE);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (readings[i].wide_ns > 0 && pace_same(usual, readings[i]))
            values[known++] = readings[i].wide_ns;
    usual.wide_ns = densest(values, known, WIDE_TOLERANCE);
    free(values);
    return usual;
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

// Returns whether the batches between readings i - 1 and i ran at this pace.
static bool ran_at(const struct pace_log *log, size_t i, struct pace pace)
{
    return pace_same(log->readings[i - 1], pace) && pace_same(log->readings[i], pace);
}

static bool has_enough(const struct pace_log *log, struct pace pace)
{
    size_t at_it = 0;
    for (size_t i = 1; i < log->count; i++)
        if (ran_at(log, i, pace))
            at_it += log->batches[i] - log->batches[i - 1];
    return log->count && at_it && ENOUGH * at_it >= log->batches[log->count - 1];
}

struct pace pace_log_choose(const struct pace_log *log, struct pace wanted)
{
    if (wanted.chain_ns > 0 && has_enough(log, wanted))
        return wanted;
    struct pace usual = pace_usual(log->readings, log->count);
    return has_enough(log, usual) ? usual : (struct pace){0};
}

size_t pace_log_keep(const struct pace_log *log, struct pace pace, double *times)
{
    size_t kept = 0;
    for (size_t i = 1; i < log->count; i++)
        for (size_t k = log->batches[i - 1]; k < log->batches[i] && ran_at(log, i, pace); k++)
            times[kept++] = times[k];
    return kept;
}

void pace_tracker_add(struct pace_tracker *tracker, struct pace pace)
{
    enum { WINDOW = sizeof tracker->recent / sizeof *tracker->recent };
    if (!(pace.chain_ns > 0))
        return;
    tracker->recent[tracker->seen++ % WINDOW] = pace;
    size_t count = tracker->seen < WINDOW ? tracker->seen : WINDOW, at_it = 0;
    for (size_t i = 0; i < count; i++)
        at_it += pace_same(tracker->recent[i], tracker->wanted);
    if (tracker->seen == 1 || 2 * at_it < count)
        tracker->wanted = pace_usual(tracker->recent, count);
    else if (tracker->wanted.wide_ns == 0 && pace_same(pace, tracker->wanted))
        tracker->wanted.wide_ns = pace.wide_ns;
}
