// side_cases: the sides of a comparison with their cases, in step with each other.
#ifndef AB_COMPARISON_SIDE_CASES_H
#define AB_COMPARISON_SIDE_CASES_H

#include "ab/comparison/comparison.h"
#include "base/list.h"
#include "sources/source/source.h"
#include "sources/statements/statements.h"

struct ab_side {
    struct side *side;
    const char *stmt;   // what it executes, if it has its own statement; else NULL
    struct list words;  // that its source was opened with
    struct statement_options code;
    char *cflags;  // of that
    struct source source;
    struct run_cases cases;  // owns the array; its content belongs to the source
};

struct ab_sides {
    struct ab_side *items;
    size_t count;
    bool borrowed;  // the sides themselves belong to somebody else
};
void ab_sides_done(struct ab_sides *sides);
SCOPE_VALUE(ab_sides, ab_sides_done)

// Opens every side of the options.
struct bilanx_error ab_open_sides(const struct ab_options *options,
                                  const struct ab_observer *observer, struct ab_sides *out);

// The same sides, without cases yet.
void ab_borrow_sides(const struct ab_sides *from, struct ab_sides *out);

// Makes the cases of every side ready, for counting or for timing, and aligns them.
struct bilanx_error ab_prepare(const struct ab_options *options, const struct ab_observer *observer,
                               bool counting, struct ab_sides *sides);

// Whether its records were measured before.
bool ab_is_stored(const struct ab_side *side);

// As interleaved_compare() takes them.
struct interleaved_side ab_interleaved_side(struct ab_side *side);
struct interleaved_options ab_interleaved_options(const struct ab_options *options,
                                                  const struct ab_side *first,
                                                  const struct ab_side *other);

// prepare_cases.c: the cases of one side.
struct bilanx_error ab_prepare_cases(const struct ab_options *options, const struct tell *note,
                                     bool counting, struct ab_side *side);

#endif
