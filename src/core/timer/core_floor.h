// core_floor: learns and stores how fast this processor is with a core to itself.
//
// The floor is the lowest ratio of the two kernels in pace.h: a constant of the processor. It is
// learned from the readings of every run, and kept per machine and processor in the file `cores` of
// the user's cache folder. So a run in an hour in which the neighbour never rests knows that its
// core is shared. A stored floor is never taken for granted: a lower one replaces it, and one that
// does not fit the readings of a run is doubted.
//
// With it goes the fastest pace of the chain: the frequency that times are stated for.
#ifndef TIMER_CORE_FLOOR_H
#define TIMER_CORE_FLOOR_H

#include <stdint.h>

#include "core/timer/pace.h"

// If the state of single batches is not known: from this share of the time on, the core counts as
// free for all of them.
#define CORE_MOSTLY_FREE .95

enum { CORE_FASTEST = 3 };

struct core_floor {
    double front;          // lowest pace_ratio(); 0: unknown
    double chain_ns;       // fastest pace of the chain, which times are stated for; 0: unknown
    uint64_t seen;         // epochs that had the core to themselves, ever
    char since[11];        // day on which the floor was learned: "2026-11-18"
    bool kept;             // known from an earlier run
    double kept_front;     // the value then
    double readings;       // of this run
    double free_readings;  // of these, with the core to itself
    double low, high;      // extremes of the ratio, of this run
    double fastest_ns[CORE_FASTEST];  // paces of the chain in this run, fastest first; 0: none
    double lowest;                    // lowest ratio that readings of this run agree on; 0: none
    bool confirmed;                   // several readings of an epoch agree with the stored floor
    bool doubtful;                    // the stored floor fits none of the readings
};

// Loads the stored floor. Without a file, nothing is known.
void core_floor_load(struct core_floor *floor);

// Learns from the readings of an epoch.
void core_floor_note(struct core_floor *floor, const struct pace_summary *core);

// Stores what was learned. Fails silently.
void core_floor_save(const struct core_floor *floor);

// The floor to use; 0: unknown. If the kept one is doubtful, it is the lowest seen in this run.
double core_floor_get(const struct core_floor *floor);

// Whether the kept floor fits nothing that this run has seen. Then either the core is shared all
// the time by the same work, or the floor is wrong.
bool core_floor_is_doubtful(const struct core_floor *floor);

// Whether this run has shown that the kept floor was too high.
bool core_floor_was_wrong(const struct core_floor *floor);

// The share of the readings that had the core to themselves; NaN: no readings.
double core_floor_free_share(const struct core_floor *floor);

// The file in which floors are kept. The caller frees it; NULL: nowhere.
char *core_floor_path(void);

#endif
