// sample: one set of inputs for a statement: values of parameters and descriptions of tensors,
// without data.
//
// A sample is small and travels as text from the controller to its workers. Each worker makes the
// tensors itself: their data depends only on the description, so every statement, language and side
// sees the same bytes, and nothing is copied between processes.
//
//     AUTO(sample) struct sample sample = {0};
//     BILANX_TRY(sample_read(text, &sample));       // "k0=16 x=f32:16,34:34,1:..."
//     AUTO(DLManagedTensor) DLManagedTensor *x = NULL;
//     BILANX_TRY(tensor_make(&sample.tensors[0], &x));
#ifndef TENSORS_SAMPLE_H
#define TENSORS_SAMPLE_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/scope.h"
#include "base/text.h"
#include "bilanx/error.h"

enum { TENSOR_DIMENSIONS = 16 };  // at most

struct sample_parameter {
    char *name;
    bool is_real;  // `number` only, which is finite; otherwise `integer`, and `number` equals it
    int64_t integer;
    double number;
};

// The distribution of the elements. Each element is a function of the seed and of its index.
enum tensor_fill {
    TENSOR_UNIFORM,      // reals in [low, high), integers in [low, high]
    TENSOR_NORMAL,       // mean `low`, standard deviation `high`
    TENSOR_PERMUTATION,  // integers: 0 .. n - 1 in random order
    TENSOR_INDICES,      // integers: in [0, high), valid as an index into a dimension of that size
};

struct tensor_description {
    char *name;
    DLDataType dtype;  // bool is an unsigned integer of 8 bits with is_bool
    bool is_bool;
    int dimensions;                    // 0: a scalar
    int64_t shape[TENSOR_DIMENSIONS];  // as the user sees it, after applying the steps
    int64_t strides[TENSOR_DIMENSIONS];
    int64_t steps[TENSOR_DIMENSIONS];  // every how many elements of the allocation, per dimension
    int order[TENSOR_DIMENSIONS];      // order of dimensions in memory, outermost first
    bool is_sparse;                    // COO; the rest applies to the dense shape
    int sparse_dimensions;
    int64_t nonzeros;
    bool is_coalesced;
    enum tensor_fill fill;
    double low, high;
    double nan_share, inf_share;  // shares of elements that are NaN or infinite
    uint64_t seed;                // of its data: unlike that of any other tensor of any sample
    unsigned
        shift;  // bytes of memory before the first element; not in its text, see sample_place()
    bool in_usual_pages;  // instead of huge ones; not in its text
};

struct sample {
    struct sample_parameter *parameters;
    size_t parameter_count;
    struct tensor_description *tensors;
    size_t tensor_count;
};
void sample_done(struct sample *sample);
SCOPE_VALUE(sample, sample_done)

// One line of text; reading it back gives an equal sample. Reading checks everything, since the
// text may come from anywhere.
void sample_write(const struct sample *sample, struct text *out);
struct bilanx_error sample_read(const char *text, struct sample *out);

// Draws the offset of each tensor in its page, in steps of 256 bytes. If all tensors began at the
// start of a page, they would alias in the caches in every process. With a seed of 0 they do begin
// there.
void sample_place(struct sample *sample, uint64_t seed);

const struct sample_parameter *sample_parameter(const struct sample *sample, const char *name);

#endif
