// schedule: turns a kernel into loops.
//
// Dimensions are ordered and merged first; shapes and strides then decide between these:
//
//     map       every point by itself, row by row of the result; one row if all is contiguous
//     tiles     the same, where an operand is transposed: N by N elements at a time
//     rows      slices whose elements are next to each other: lanes are parts of one slice
//     bands     the same, if rows are short: several slices at a time, whose rows are neighbours
//     columns   slices beside each other: each lane is a slice
//     windows   pooling
#ifndef BACKENDS_CODEGEN_SCHEDULE_H
#define BACKENDS_CODEGEN_SCHEDULE_H

#include "base/text.h"
#include "kernel.h"

struct tuning {
    unsigned vector_bytes;  // of a vector
    unsigned unroll;        // vectors per iteration of a loop
    unsigned block;         // vectors of a block of columns, or of the rows of a band
    bool stream;            // all stores bypass the caches
    uint64_t stream_least;  // ... or only those of results of at least this many bytes
    uint64_t stream_most;   // ... and at most this many; 0: none
    bool swap;              // tiles: swap the two outer loops
    int threads;
};

enum shape_kind { MAP, TILES, ROWS, BANDS, COLUMNS, WINDOWS };

struct schedule {
    struct kernel kernel;  // ordered and collapsed
    enum shape_kind kind;
    int inner;   // the dimension whose points are the lanes
    int across;  // tiles: the dimension along which the other operand is contiguous
    unsigned lanes;
    const struct tuning *tuning;
    bool in_place;  // an output is an input
    bool parallel;
    unsigned together;  // map: short rows per vector; 0: rows are not short
    bool is_row;        // visits a single index of dimension 0, a parameter of its function: i0
};

// With at most this many lanes.
void schedule_choose(const struct kernel *kernel, const struct tuning *tuning, unsigned most_lanes,
                     struct schedule *out);

// Lanes for all kernels of a call, which share their types of vectors.
unsigned schedule_lanes(const struct kernel *kernels, const struct tuning *tuning);

// Whether to run all kernels for one index of dimension 0 after the other, instead of one kernel
// after the other: all write to the same result, which may be larger than the caches.
bool schedules_share_rows(const struct schedule *schedules, int count);

// Writes a function with this name, preceded by the functions that it calls.
void schedule_write(const struct schedule *schedule, const char *name, struct text *out);

// ---- For the schedules

struct writer {
    struct text *out;
    const struct schedule *schedule;
    const struct kernel *kernel;
    int depth;
};
__attribute__((format(printf, 2, 3))) void write_line(struct writer *writer, const char *format,
                                                      ...);
void write_open(struct writer *writer, int dimension);  // a loop over a dimension
void write_close(struct writer *writer);
void write_parallel(struct writer *writer, int loops);

// The place of an operand: "x + i0 * 768 + (at)"; `at` stands for the inner dimension.
void write_place(struct writer *writer, const struct operand *operand, const char *name,
                 const char *at);

// A position along the inner dimension, and the number of lanes of a vector there.
struct spot {
    const char *at;
    unsigned count;
    bool is_shifted;  // not a multiple of the lanes from the start
    bool has_rows;    // the lanes hold several rows: schedule->together
};
bool is_full(const struct writer *writer, const struct spot *spot);

int kept_count(const struct kernel *kernel);  // dimensions that are not reduced: they come first
bool stage_reads(const struct stage *stage, const char *name);     // per point
bool kernel_needs(const struct kernel *kernel, const char *name);  // in any expression
bool is_per_slice(const struct kernel *kernel, const struct operand *input);

void write_input(struct writer *writer, const struct operand *input, const struct spot *spot);
void write_stored(struct writer *writer, const struct operand *output, const struct spot *spot,
                  const char *as);
// Loads everything that the stage reads per point and that is not loaded yet.
void write_loads(struct writer *writer, const struct stage *stage, const struct spot *spot,
                 bool hoisted);
void write_lets(struct writer *writer, const struct stage *stage);
// Prefetches inputs if results bypass the caches.
void write_ahead(struct writer *writer, const struct stage *stage, const struct spot *spot);
const char *fold_neutral(const struct kernel *kernel, enum folding folding);
void write_combined(struct writer *writer, enum folding folding, const char *total,
                    const char *value);
const char *fold_gathering(enum folding folding);

// Several slices at a time keep their values in arrays: mean_of[v]. `index` is "v".
bool concludes_with(const struct stage *stage, const char *name);  // defines, saves
void write_arrays(struct writer *writer, const struct stage *stage, const char *index,
                  const char *count, int64_t room);  // with folds at their start
void write_known(struct writer *writer, const struct stage *stage, bool per_slice,
                 const char *index);  // values of earlier stages that this one mentions
void write_concluding_inputs(struct writer *writer, const struct stage *stage,
                             const struct spot *spot);
void write_defined(struct writer *writer, const struct stage *stage, const struct spot *spot,
                   const char *index);  // and saved

// Parts of rows: a row is added to totals, of which there are several per fold: total0, total1.
unsigned row_turns(const struct writer *writer, const struct stage *stage);
void write_row_inputs(struct writer *writer, const struct stage *stage);  // the same for all parts
void write_row(struct writer *writer, const struct stage *stage);
void combine_turns(struct writer *writer, const struct stage *stage);  // into total0

int64_t band_slices(const struct schedule *schedule);  // 0: bands do not fit it

void write_map(struct writer *writer);
void write_tiles(struct writer *writer);
void write_rows(struct writer *writer);
void write_bands(struct writer *writer);
void write_columns(struct writer *writer);
void write_windows(struct writer *writer);

#endif
