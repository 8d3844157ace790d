// measure_overheads: measures the pairs that `overhead_of` asks for, before the cases themselves.
#ifndef PROGRAMS_MEASURE_OVERHEADS_H
#define PROGRAMS_MEASURE_OVERHEADS_H

#include "ab/verdict/overhead.h"
#include "core/show/display.h"
#include "sources/source/source.h"

struct overheads {
    struct overhead_result *results;  // by place in the source; NULL: none were asked for
    size_t count;
};
void overheads_done(struct overheads *overheads);

// Measures the overhead of each case in `places`, the places of `count` cases in a prepared source,
// that refers to another. Only ^C is an error.
struct bilanx_error overheads_measure(const struct source *source, const size_t *places,
                                      size_t count, struct display *display, struct overheads *out);

// Moves the overhead of the case at a place into its record, or a note why there is none.
void overheads_add(struct overheads *overheads, size_t place, struct bilanx_record *record);

#endif
