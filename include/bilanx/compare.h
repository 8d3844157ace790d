// compare: measurements side by side.
//
//     struct bilanx_compare *compare = bilanx_compare_new();
//     bilanx_compare_add(compare, &record, "before.jsonl");
//     bilanx_compare_print(compare, &(struct bilanx_compare_options){.summary = true}, stdout);
//     bilanx_compare_free(compare);
//
// One table per label; a row per number of threads, env and sub_label; a column per description.
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
    BILANX_COMPARE_TORCH,  // as torch.utils.benchmark.Compare prints; its medians, tables only
};

enum bilanx_compare_colorize {  // of the torch style: by the ratio to the best
    BILANX_COMPARE_UNCOLORED,
    BILANX_COMPARE_BY_COLUMN,
    BILANX_COMPARE_BY_ROW,
};

struct bilanx_compare_options {  // zeroes are the defaults
    enum bilanx_output_format format;
    enum bilanx_compare_style style;
    bool trim;                              // torch: to significant figures
    enum bilanx_compare_colorize colorize;  // torch
    bool highlight_warnings;                // torch
    const char *metric;  // "time" (NULL), "cpu", "instructions", "bytes-per-second", ... or a
                         // counter's name
    const char *ratio;   // show each cell over that of this column, env, row or side; NULL: values
    bool transpose;
    bool envs;         // columns by env, too; the best is that of a row then
    const char *sort;  // "defined" (NULL), "name", "value", or the heading of a column
    bool summary;      // a geometric mean for each column
    bool color;        // own style: escape sequences for a terminal
    bool csv_safe;     // CSV: text that a spreadsheet would take for a formula starts with a '
    size_t width;      // of the terminal, in columns; 0: as wide as need be, without bars
};

BILANX_API struct bilanx_compare *bilanx_compare_new(void);
BILANX_API void bilanx_compare_free(struct bilanx_compare *compare);

// Takes what is in the record, which is empty then. Replicates become one, unless they come from
// different sources: what several have in common gets a column for each. NULL: no source.
BILANX_API void bilanx_compare_add(struct bilanx_compare *compare, struct bilanx_record *record,
                                   const char *source);

// Prints everything that was added. More can be added, and printed again.
BILANX_API struct bilanx_error bilanx_compare_print(struct bilanx_compare *compare,
                                                    const struct bilanx_compare_options *options,
                                                    FILE *out);

#ifdef __cplusplus
}
#endif

#endif
