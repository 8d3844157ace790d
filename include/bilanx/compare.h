// compare: measurements side by side.
//
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_record_read_file("before.jsonl", &records, &count));
//     struct bilanx_compare *compare = bilanx_compare_new();
//     for (size_t i = 0; i < count; i++)
//         bilanx_compare_add(compare, &records[i], "before.jsonl");
//     bilanx_compare_print(compare, &(struct bilanx_compare_options){.summary = true}, stdout);
//     bilanx_compare_free(compare);
//
// There is one table per label, one row per thread count, env and sub_label, and one column per
// description.
#ifndef BILANX_COMPARE_H
#define BILANX_COMPARE_H

#include <stdio.h>

#include "bilanx/output_format.h"
#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_compare;

enum bilanx_compare_style {
    BILANX_COMPARE_OWN,
    BILANX_COMPARE_TORCH,  // like torch.utils.benchmark.Compare: medians, tables only
};

enum bilanx_compare_colorize {  // torch style: colour cells by their ratio to the best
    BILANX_COMPARE_UNCOLORED,
    BILANX_COMPARE_BY_COLUMN,
    BILANX_COMPARE_BY_ROW,
};

struct bilanx_compare_options {  // zero selects the default for every field
    enum bilanx_output_format format;
    enum bilanx_compare_style style;
    bool trim;                              // torch style: round to significant figures
    enum bilanx_compare_colorize colorize;  // torch style
    bool highlight_warnings;                // torch style
    // Metrics to show beside each value. Default: "overhead" and "expected" beside times, where
    // records have them. Ends with NULL.
    const char *const *columns;
    const char *metric;  // "time" (NULL), "cpu", "instructions", "bytes-per-second", ..., a counter
    const char *ratio;   // divide each cell by this column, env, row or side; NULL: do not
    bool transpose;
    bool best_of_row;  // with `transpose`: mark the best of each row instead of each column
    bool envs;         // also make a column per env, and sizes rows; the best is marked per row
    const char *sort;  // "defined" (NULL), "name", "value", or a column heading
    bool summary;      // add a geometric mean for each column
    bool color;        // our style: use terminal escape sequences
    bool csv_safe;     // CSV: put a ' before text that a spreadsheet would read as a formula
    size_t width;      // terminal width in columns; 0: unlimited, without bars
    bool digits_explained;  // leave out the line below that explains 1.23(4)
};

BILANX_API struct bilanx_compare *bilanx_compare_new(void);
BILANX_API void bilanx_compare_free(struct bilanx_compare *compare);

// Takes over the contents of `record` and leaves it empty. Replicates are merged, unless they come
// from different sources: a task found in several sources gets a column for each. `source` may be
// NULL.
BILANX_API void bilanx_compare_add(struct bilanx_compare *compare, struct bilanx_record *record,
                                   const char *source);

// Prints everything added so far. You can add more and print again. `options` may be NULL.
BILANX_API struct bilanx_error bilanx_compare_print(struct bilanx_compare *compare,
                                                    const struct bilanx_compare_options *options,
                                                    FILE *out);

#ifdef __cplusplus
}
#endif

#endif
