// counts: instruction counts per function, and arithmetic on them.
//
//     struct bilanx_functions before, after, change;
//     BILANX_TRY(bilanx_functions_read("callgrind.out.1", false, &before));
//     BILANX_TRY(bilanx_functions_read("callgrind.out.2", false, &after));
//     BILANX_TRY(bilanx_functions_subtract(&after, &before, &change));
//     for (size_t i = 0; i < change.count; i++)
//         printf("%+g %s\n", change.items[i].count, change.items[i].function);
//
// No operation changes its operands. Each returns a new, independent value that the caller frees
// with bilanx_functions_done(). Functions with equal names are merged, zero counts are dropped, and
// the result is sorted by count and then by name, both descending.
#ifndef BILANX_COUNTS_H
#define BILANX_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bilanx/error.h"
#include "bilanx/output_format.h"
#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads a callgrind file: one element per part (dump), with `counter`, `instructions`, `functions`
// and `events` filled in. The caller calls bilanx_counts_done() on each and frees the array.
BILANX_API struct bilanx_error bilanx_counts_read(const char *path, struct bilanx_counts **parts,
                                                  size_t *count);
BILANX_API void bilanx_counts_done(struct bilanx_counts *counts);

struct bilanx_function_count {
    const char *file, *function, *object;  // NULL: unknown
    double count;
};

struct bilanx_functions {
    struct bilanx_function_count *items;
    size_t count;
    bool inclusive;  // includes callees; such counts do not add up to the total
    void *names;     // owns the strings
};
BILANX_API void bilanx_functions_done(struct bilanx_functions *functions);

// Builds function counts from a callgrind file (all parts added up), from counts, or from an array.
BILANX_API struct bilanx_error bilanx_functions_read(const char *path, bool inclusive,
                                                     struct bilanx_functions *out);
BILANX_API struct bilanx_functions bilanx_functions_of(const struct bilanx_counts *counts,
                                                       bool inclusive);
BILANX_API struct bilanx_functions bilanx_functions_make(const struct bilanx_function_count *items,
                                                         size_t count, bool inclusive);

// Returns at most `count` functions, starting at `first`: slice(f, 0, 10) is the ten largest.
BILANX_API struct bilanx_functions bilanx_functions_slice(const struct bilanx_functions *functions,
                                                          size_t first, size_t count);

// Either both operands are inclusive or neither is.
BILANX_API struct bilanx_error bilanx_functions_add(const struct bilanx_functions *a,
                                                    const struct bilanx_functions *b,
                                                    struct bilanx_functions *out);
BILANX_API struct bilanx_error bilanx_functions_subtract(const struct bilanx_functions *a,
                                                         const struct bilanx_functions *b,
                                                         struct bilanx_functions *out);

BILANX_API struct bilanx_functions bilanx_functions_scale(const struct bilanx_functions *functions,
                                                          double factor);
BILANX_API double bilanx_functions_sum(const struct bilanx_functions *functions);

// Returns the functions for which `keep` returns true.
BILANX_API struct bilanx_functions bilanx_functions_filter(
    const struct bilanx_functions *functions,
    bool (*keep)(void *context, const struct bilanx_function_count *function), void *context);

// Returns the functions whose name matches a POSIX extended regular expression or, with `without`,
// those whose name does not. The name is "file:function [object]", as far as known.
BILANX_API struct bilanx_error bilanx_functions_match(const struct bilanx_functions *functions,
                                                      const char *regex, bool without,
                                                      struct bilanx_functions *out);
BILANX_API char *bilanx_function_name(const struct bilanx_function_count *function);  // free it

// Renames functions. `rename` gets a copy and may point its names to other strings, which must stay
// valid until the next call, or set them to NULL. Functions that end up with equal names are
// merged.
BILANX_API struct bilanx_functions bilanx_functions_transform(
    const struct bilanx_functions *functions,
    void (*rename)(void *context, struct bilanx_function_count *function), void *context);

enum bilanx_function_part { BILANX_PART_FILE, BILANX_PART_FUNCTION, BILANX_PART_OBJECT };

// Renames functions by regular expression: replaces every match in one of the names. In the
// replacement, \1 to \9 are the groups, \0 is the whole match, and \\ is a backslash.
BILANX_API struct bilanx_error bilanx_functions_replace(const struct bilanx_functions *functions,
                                                        enum bilanx_function_part part,
                                                        const char *regex, const char *replacement,
                                                        struct bilanx_functions *out);

// Drops functions whose counts are known to vary from run to run. In inclusive counts, only their
// rows are dropped; their callers still include them.
BILANX_API struct bilanx_functions bilanx_functions_denoise(
    const struct bilanx_functions *functions);

// A function that is known to vary. The names are shell patterns; NULL matches anything.
struct bilanx_noise {
    const char *function, *file, *object;
    const char *reason;
};
BILANX_API const struct bilanx_noise *bilanx_noise_list(size_t *count);

// Reduces names to what two builds have in common: drops directories, objects, addresses, symbol
// versions, the suffixes that compilers add to cloned functions (.constprop.0), and those that
// callgrind adds to recursive ones ('2).
BILANX_API struct bilanx_functions bilanx_functions_standardized(
    const struct bilanx_functions *functions);

struct bilanx_function_change {
    const char *file, *function, *object;
    double before, after;  // 0: not present, so it appeared or vanished
};

struct bilanx_difference {
    struct bilanx_function_change *items;  // largest change first, then by name
    size_t count;                          // functions that changed
    bool inclusive;
    void *names;
};
BILANX_API struct bilanx_error bilanx_functions_difference(const struct bilanx_functions *before,
                                                           const struct bilanx_functions *after,
                                                           struct bilanx_difference *out);
BILANX_API void bilanx_difference_done(struct bilanx_difference *difference);

struct bilanx_functions_options {  // zero selects the default for every field
    bool inclusive;
    bool standardize;
    bool denoise;
    double minimum;  // combine smaller changes into one row
    enum bilanx_output_format format;
    bool color;     // table: fewer is green, more is red
    bool csv_safe;  // see bilanx_compare_options
};

// Writes the differences per function between two callgrind files, or between the cases that two
// files of records have in common. Tables name functions as people do, "crc32 (checksum.c)".
// `options` may be NULL.
BILANX_API struct bilanx_error bilanx_functions_compare(
    const char *path_a, const char *path_b, const struct bilanx_functions_options *options,
    FILE *out);

#ifdef __cplusplus
}
#endif

#endif
