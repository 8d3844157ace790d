// side_cases: the sides of a comparison and their parallel lists of cases.
#ifndef AB_COMPARISON_SIDE_CASES_H
#define AB_COMPARISON_SIDE_CASES_H

#include "ab/comparison/comparison.h"
#include "base/list.h"
#include "sources/source/source.h"
#include "sources/statements/statements.h"

struct ab_side {
    struct side *side;
    const char *stmt;   // its own statement, if it has one; else NULL
    struct list words;  // used to open its source
    struct statement_options code;
    char *cflags;  // points into code
    struct source source;
    struct run_cases cases;  // owns the array; the contents belong to the source
};

struct ab_sides {
    struct ab_side *items;
    size_t count;
    bool borrowed;  // the sides are owned elsewhere
};
void ab_sides_done(struct ab_sides *sides);
SCOPE_VALUE(ab_sides, ab_sides_done)

// Opens every side in the options.
struct bilanx_error ab_open_sides(const struct ab_options *options,
                                  const struct ab_observer *observer, struct ab_sides *out);

// Refers to the same sides, with no cases yet.
void ab_borrow_sides(const struct ab_sides *from, struct ab_sides *out);

// Prepares the cases of every side, and aligns them.
struct bilanx_error ab_prepare(const struct ab_options *options, const struct ab_observer *observer,
                               enum source_purpose purpose, struct ab_sides *sides);

// Whether the side consists of stored records.
bool ab_is_stored(const struct ab_side *side);

// Arguments for interleaved_compare(), with some or all cases of a side.
struct interleaved_side ab_interleaved_side(const struct ab_side *side,
                                            const struct run_cases *cases);
struct interleaved_options ab_interleaved_options(const struct ab_options *options,
                                                  const struct ab_side *first,
                                                  const struct ab_side *other);

// prepare_cases.c: opens the source of a side and begins to prepare its cases. `first` is the first
// side that has cases; it decides which are compared here. Slow steps may still be running when it
// returns, for all sides at once.
struct bilanx_error ab_begin_cases(const struct ab_options *options, const struct tell *note,
                                   enum source_purpose purpose, const struct ab_side *first,
                                   struct ab_side *side);
struct bilanx_error ab_prepare_cases(struct ab_side *side);

#endif
