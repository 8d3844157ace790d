// counts: instructions by function, as values to compute with.
//
//     struct bilanx_functions before, after, change;
//     bilanx_functions_read("callgrind.out.1", false, &before);
//     bilanx_functions_read("callgrind.out.2", false, &after);
//     bilanx_functions_subtract(&after, &before, &change);
//     for (size_t i = 0; i < change.count; i++) ...
//
// No operation changes its operands: each gives a new value, which bilanx_functions_done() ends and
// which does not need the old ones. Functions with the same names are one; zeros are dropped; the
// order is by count and then by name, both descending.
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

// Reads a file of callgrind's: one for each part (dump), of which `counter`, `instructions`,
// `functions` and `events` are filled. The caller ends each and frees the array.
BILANX_API struct bilanx_error bilanx_counts_read(const char *path, struct bilanx_counts **parts,
                                                  size_t *count);
BILANX_API void bilanx_counts_done(struct bilanx_counts *counts);

struct bilanx_function_count {
    const char *file, *function, *object;  // NULL: not known
    double count;
};

struct bilanx_functions {
    struct bilanx_function_count *items;
    size_t count;
    bool inclusive;  // with what each calls; such counts do not add up to a whole
    void *names;     // what the texts belong to
};
BILANX_API void bilanx_functions_done(struct bilanx_functions *functions);

// From a file of callgrind's, its parts added up; from counts; from any array.
BILANX_API struct bilanx_error bilanx_functions_read(const char *path, bool inclusive,
                                                     struct bilanx_functions *out);
BILANX_API struct bilanx_functions bilanx_functions_of(const struct bilanx_counts *counts,
                                                       bool inclusive);
BILANX_API struct bilanx_functions bilanx_functions_make(const struct bilanx_function_count *items,
                                                         size_t count, bool inclusive);

// At most `count` of them from `first` on: the largest ten are slice(f, 0, 10).
BILANX_API struct bilanx_functions bilanx_functions_slice(const struct bilanx_functions *functions,
                                                          size_t first, size_t count);

// Both inclusive or neither.
BILANX_API struct bilanx_error bilanx_functions_add(const struct bilanx_functions *a,
                                                    const struct bilanx_functions *b,
                                                    struct bilanx_functions *out);
BILANX_API struct bilanx_error bilanx_functions_subtract(const struct bilanx_functions *a,
                                                         const struct bilanx_functions *b,
                                                         struct bilanx_functions *out);

BILANX_API struct bilanx_functions bilanx_functions_scale(const struct bilanx_functions *functions,
                                                          double factor);
BILANX_API double bilanx_functions_sum(const struct bilanx_functions *functions);

// Those for which `keep` says true.
BILANX_API struct bilanx_functions bilanx_functions_filter(
    const struct bilanx_functions *functions,
    bool (*keep)(void *context, const struct bilanx_function_count *function), void *context);

// Those whose name matches a POSIX extended regular expression, or with `without` all others. The
// name is "file:function [object]", as far as known.
BILANX_API struct bilanx_error bilanx_functions_match(const struct bilanx_functions *functions,
                                                      const char *regex, bool without,
                                                      struct bilanx_functions *out);
BILANX_API char *bilanx_function_name(const struct bilanx_function_count *function);  // free it

// Renames: `rename` may point the names of its copy elsewhere, to texts that live until its next
// call, or set them to NULL. Functions that then have the same names are added up.
BILANX_API struct bilanx_functions bilanx_functions_transform(
    const struct bilanx_functions *functions,
    void (*rename)(void *context, struct bilanx_function_count *function), void *context);

enum bilanx_function_part { BILANX_PART_FILE, BILANX_PART_FUNCTION, BILANX_PART_OBJECT };

// Renames by regular expression: in one of the names every match is replaced; \1 to \9 stand for
// the groups, \0 for the match, \\ for a backslash.
BILANX_API struct bilanx_error bilanx_functions_replace(const struct bilanx_functions *functions,
                                                        enum bilanx_function_part part,
                                                        const char *regex, const char *replacement,
                                                        struct bilanx_functions *out);

// Drops the functions whose counts are known to vary from run to run. From inclusive counts their
// rows go; what they took stays in their callers'.
BILANX_API struct bilanx_functions bilanx_functions_denoise(
    const struct bilanx_functions *functions);

// What is known to vary: shell patterns of names, NULL for any.
struct bilanx_noise {
    const char *function, *file, *object;
    const char *reason;
};
BILANX_API const struct bilanx_noise *bilanx_noise_list(size_t *count);

// Names that two builds have in common: files without folders, no objects, no addresses, no symbol
// versions, and without what compilers append to their copies of a function (.constprop.0) and
// callgrind to recursion ('2).
BILANX_API struct bilanx_functions bilanx_functions_standardized(
    const struct bilanx_functions *functions);

struct bilanx_function_change {
    const char *file, *function, *object;
    double before, after;  // 0: it is not there; it appeared, or vanished
};

struct bilanx_difference {
    struct bilanx_function_change *items;  // the largest change first, then by name
    size_t count;                          // of those that changed
    bool inclusive;
    void *names;
};
BILANX_API struct bilanx_error bilanx_functions_difference(const struct bilanx_functions *before,
                                                           const struct bilanx_functions *after,
                                                           struct bilanx_difference *out);
BILANX_API void bilanx_difference_done(struct bilanx_difference *difference);

struct bilanx_functions_options {  // every field may be left at zero
    bool inclusive;
    bool standardize;
    bool denoise;
    double minimum;  // smaller changes are summed up in one row
    enum bilanx_output_format format;
    bool color;     // of the table: fewer green, more red
    bool csv_safe;  // as of bilanx_compare_options
};

// Writes the differences by function between two files of callgrind's, or between the cases that
// two files of records have in common; `options` may be NULL.
BILANX_API struct bilanx_error bilanx_functions_compare(
    const char *path_a, const char *path_b, const struct bilanx_functions_options *options,
    FILE *out);

#ifdef __cplusplus
}
#endif

#endif
