// fuzz_report: the output of `bilanx fuzz` about samples.
#ifndef PROGRAMS_FUZZ_REPORT_H
#define PROGRAMS_FUZZ_REPORT_H

#include "base/table.h"
#include "inputs/fuzzer/fuzzer.h"

// Statistics of the data of one tensor, or of one part of a sparse one.
struct fuzz_data {
    uint64_t elements;
    double min, max, mean;  // of numbers that are finite; complex ones count as two
    uint64_t nans, infinities;
    uint64_t checksum;
};

// The data of all tensors of a sample: two each, of which a dense tensor has the first. A sparse
// one has indices and values.
enum { FUZZ_PARTS = 2 };
extern const char *const fuzz_part_names[FUZZ_PARTS];

// Makes every tensor of a sample, one after the other, to summarise it in `data` and to save it in
// the directory `save`; each may be NULL. `data` has room for FUZZ_PARTS per tensor.
struct bilanx_error fuzz_make_data(const struct fuzzer *fuzzer, const struct sample *sample,
                                   size_t index, const char *save, struct fuzz_data *data);

// Adds one line of JSON. `data` may be NULL.
void fuzz_add_json(const struct sample *sample, uint64_t rejected, const struct fuzz_data *data,
                   struct text *out);

// The table of samples, and for each of them its row.
struct fuzz_columns {
    bool all;    // also parameters that only others are drawn from
    bool plain;  // one value per cell, with every digit, for programs
};
void fuzz_add_columns(struct table *table, const struct fuzzer *fuzzer, struct fuzz_columns which);
void fuzz_add_row(struct table *table, const struct fuzzer *fuzzer, struct fuzz_columns which,
                  size_t index, const struct sample *sample);

// The table of their data.
void fuzz_add_data_columns(struct table *table);
void fuzz_add_data_rows(struct table *table, size_t index, const struct sample *sample,
                        const struct fuzz_data *data);

#endif
