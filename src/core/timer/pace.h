// pace: how fast the core ran while batches were timed, and whether it had the core to itself.
//
// A core changes its frequency, or shares its units with another hardware thread, for milliseconds
// to seconds at a time. A guest sees neither. Two small kernels (reference.h), timed between
// batches, detect both: a chain of multiplications measures the frequency, and a loop of
// instructions that do nothing takes longer as soon as the other thread of the core runs. The ratio
// of the two does not depend on the frequency. Its smallest value, the floor, is a constant of the
// processor.
//
// Hardly anything lies between the states: alone, the ratio repeats within 3 % (the resolution of
// the clock); beside a neighbour it is 20 to 120 % higher. See bench/pace.
//
// Pure functions. Ownership: the caller frees a log with pace_log_done().
#ifndef TIMER_PACE_H
#define TIMER_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct pace {         // one reading; 0: unknown
    double chain_ns;  // dependent multiplications: measures the core's frequency
    double front_ns;  // saturates the front end: slower if another thread shares the core
};

enum core_state { CORE_UNKNOWN, CORE_FREE, CORE_SHARED };
extern const char *const core_words[];  // indexed by enum core_state

// Returns the ratio that shows how much of the core we have; 0: unknown.
double pace_ratio(struct pace reading);

// Returns the lowest ratio that several readings agree on; 0: none. Readings at an unusual
// frequency do not count: an interruption of the chain would look like a low ratio.
double pace_lowest(const struct pace *readings, size_t count);

// Whether a ratio is that of a core without a neighbour.
bool pace_is_at_floor(double ratio, double floor);

// Returns the lower of two floors, unless the difference is within the error of a reading: then the
// one known before.
double pace_lower_floor(double known, double seen);

// Returns the state of the core between two readings; unknown if they differ.
enum core_state pace_state(struct pace before, struct pace after, double floor);

// Readings taken between batches, in order.
struct pace_log {
    struct pace *readings;
    size_t *batches;  // number of batches before each reading
    size_t count, room, batches_room;
};

void pace_log_add(struct pace_log *log, struct pace reading, size_t batches);
void pace_log_done(struct pace_log *log);
SCOPE_VALUE(pace_log, pace_log_done)

// Marks the batches that ran in this state, judging from the readings before and after them.
// Returns how many there are. CORE_UNKNOWN marks all batches between two readings. `chain_ns` is
// the midmean pace of the marked ones; 0: unknown.
size_t pace_log_mark(const struct pace_log *log, double floor, enum core_state state, bool *marked,
                     double *chain_ns);

// A summary of an epoch's readings of the core.
struct pace_summary {
    double lowest;      // as pace_lowest()
    double low, high;   // the 10 % and 90 % quantiles of the ratio
    double free;        // share of the readings, next to another one, with the core to itself
    double chain_ns;    // their usual pace; 0: there are none
    uint64_t readings;  // 0: nothing is known
};
struct pace_summary pace_summarize(const struct pace *readings, size_t count, double floor);

#endif
