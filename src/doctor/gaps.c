// gaps: detects interruptions of a core.
#include "gaps.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/stats/stats.h"

void gaps_init(struct gaps *gaps, size_t room)
{
    *gaps = (struct gaps){.lengths_ns = mem_array(double, room), .room = room};
    for (size_t i = 0; i < room; i++)
        gaps->lengths_ns[i] = 1;
}

void gaps_done(struct gaps *gaps)
{
    free(gaps->lengths_ns);
    *gaps = (struct gaps){0};
}

void gaps_watch(struct gaps *gaps, const struct clock *clock, double duration_ns)
{
    uint64_t threshold = (uint64_t)(GAP_THRESHOLD_NS / clock->ns_per_tick);
    uint64_t duration = (uint64_t)(duration_ns / clock->ns_per_tick);
    uint64_t first = clock_read(clock), last = first;
    while (last - first < duration && gaps->count < gaps->room) {
        uint64_t now = clock_read(clock);
        if (now - last >= threshold)
            gaps->lengths_ns[gaps->count++] = clock_ns(clock, now - last);
        last = now;
    }
    gaps->watched_ns += clock_ns(clock, last - first);
}

struct bilanx_doctor_gaps gaps_summarize(struct gaps *gaps)
{
    struct bilanx_doctor_gaps out = {
        .watched_ns = gaps->watched_ns,
        .threshold_ns = GAP_THRESHOLD_NS,
        .count = gaps->count,
    };
    if (gaps->count == 0 || !(gaps->watched_ns > 0))
        return out;
    stats_sort(gaps->lengths_ns, gaps->count);
    out.per_second = (double)gaps->count / gaps->watched_ns * 1e9;
    out.median_ns = stats_quantile(gaps->lengths_ns, gaps->count, 0.5);
    out.max_ns = gaps->lengths_ns[gaps->count - 1];
    out.share = stats_mean(gaps->lengths_ns, gaps->count) * (double)gaps->count / gaps->watched_ns;
    return out;
}
