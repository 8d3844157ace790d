// batches: times the same work repeatedly, in short and in long batches.
//
// An epoch alternates between the two: a long batch, then as many short ones as take the same time,
// and so on. So both kinds see the same machine, and their estimates, which rest on the same total
// time, can be compared.
#ifndef DOCTOR_BATCHES_H
#define DOCTOR_BATCHES_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/doctor.h"
#include "core/clock/clock.h"

#define BATCH_SHORT_NS 50e3
enum {
    BATCH_RATIO = 20,       // short batches per long one: 1 ms
    BATCH_EPOCH_LONG = 25,  // long batches per epoch: 25 ms, as in a measurement
    BATCH_EPOCHS = 50,      // 1.25 s of each length
};

struct batches {
    double *short_ns, *long_ns;  // by epoch, in the order measured
    size_t epochs;               // measured so far, at most BATCH_EPOCHS
    uint64_t short_n;            // steps of work in a short batch
};

void batches_init(struct batches *batches, const struct clock *clock);
void batches_done(struct batches *batches);
SCOPE_VALUE(batches, batches_done)

void batches_measure_epoch(struct batches *batches, const struct clock *clock);

// Summarises `epochs` * `per_epoch` times, ordered by epoch. Both must be at least 1.
struct bilanx_doctor_batches batches_summarize(const double *times_ns, size_t epochs,
                                               size_t per_epoch, double target_ns);

#endif
