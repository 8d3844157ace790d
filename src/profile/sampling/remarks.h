// remarks: says how samples were taken and what is missing, in the note of stacks.
#ifndef SAMPLING_REMARKS_H
#define SAMPLING_REMARKS_H

#include "assembly.h"
#include "gathering.h"

struct remarks_facts {
    double seconds;  // CPU time, or measured time
    double rate;
    const char *ticks;  // "cpu-clock", "cycles", "timer"
    bool by_signals;
    bool kernel;  // the kernel's frames are there
    bool own;     // but not where a process samples itself, which some do
    struct gathering_losses losses;
    double overhead;      // relative; NAN: unknown
    const char *why;      // why samples are not better; NULL: nothing to say
    const char *unknown;  // why frames of the language are missing; NULL: they are there
    const char *language;
};

// What sampling costs, from times with and without it, which it sorts. Compares their lower
// quartiles, because other programs make some of them longer. NAN: unknown, or shorter than
// `least`.
double remarks_overhead(double *with, size_t with_count, double *without, size_t without_count,
                        double least);

void remarks_add(struct stacks *stacks, const struct assembly *assembly,
                 const struct remarks_facts *facts);

#endif
