// functions: builds function counts.
#ifndef COUNTS_FUNCTIONS_H
#define COUNTS_FUNCTIONS_H

#include "bilanx/counts.h"
#include "names.h"

SCOPE_VALUE(bilanx_functions, bilanx_functions_done)
SCOPE_VALUE(bilanx_difference, bilanx_difference_done)

// Function counts being built: counts by name, with equal names merged.
struct tally {
    struct name_pool *names;
    struct function_index index;
    double *counts;  // by index
    size_t room;
};

void tally_start(struct tally *tally);

// The count for a function, initially 0; valid until the next call.
double *tally_count(struct tally *tally, const char *file, const char *function,
                    const char *object);

// Drops zeros, sorts, and releases the tally.
struct bilanx_functions tally_finish(struct tally *tally, bool inclusive);

// The same as bilanx_functions_standardized(), but keeps the names of objects, without directories.
struct bilanx_functions functions_standardized_in_objects(const struct bilanx_functions *functions);

// Frees a heap-allocated pool of names, as used for `names` of a value.
void names_release(void *names);

#endif
