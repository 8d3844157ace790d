// turn: a few batches of something that is timed elsewhere, with the core to themselves if
// possible.
#include "turn.h"

#include <assert.h>

#include "core/stats/stats.h"
#include "core/timer/core_floor.h"
#include "core/timer/reference.h"

static const double LONGEST_NS = 500e3;  // the core changes hands within a millisecond
enum { PATIENCE = 8 };

static struct pace read_pace(const struct turn_options *options)
{
    return options->pace_unread ? (struct pace){0} : reference_pace(options->clock);
}

static double middle(double *times_ns, size_t count)
{
    stats_sort(times_ns, count);
    return stats_quantile(times_ns, count, 0.5);
}

struct bilanx_error turn_take(const struct turn_options *options,
                              struct bilanx_error (*run)(void *context, double *ns), void *context,
                              struct turn *out)
{
    double all_ns[TURN_MOST_BATCHES], free_ns[TURN_MOST_BATCHES];
    struct pace readings[TURN_MOST_BATCHES + 1] = {read_pace(options)};
    size_t enough = (options->batches + 1) / 2, most = PATIENCE * options->batches;
    size_t count = 0, free = 0;
    assert(options->batches > 0 && options->batches <= TURN_MOST_BATCHES);
    most = most < TURN_MOST_BATCHES ? most : TURN_MOST_BATCHES;
    bool waits = true;
    while (count < options->batches || (waits && free < enough && count < most)) {
        BILANX_TRY(run(context, &all_ns[count]));
        waits = options->floor > 0 && all_ns[count] < LONGEST_NS;
        readings[++count] = read_pace(options);
        if (pace_state(readings[count - 1], readings[count], options->floor) == CORE_FREE)
            free_ns[free++] = all_ns[count - 1];
    }
    *out = (struct turn){.core = pace_summarize(readings, count + 1, options->floor)};
    bool is_free = waits ? free >= enough : out->core.free >= CORE_MOSTLY_FREE;
    out->ns = waits && is_free ? middle(free_ns, free) : middle(all_ns, count);
    out->state = !(options->floor > 0) || options->pace_unread ? CORE_UNKNOWN
                 : is_free                                     ? CORE_FREE
                                                               : CORE_SHARED;
    return BILANX_SUCCESS;
}
