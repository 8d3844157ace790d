// tensor: makes tensors with repeatable data, compares them and saves them.
//
//     DLManagedTensor *x, *y;
//     struct bilanx_tensor_options options = {.dimensions = 2, .shape = {64, 473}, .seed = 1};
//     BILANX_TRY(bilanx_tensor_make(&options, &x));         // float32 in [0, 1), C order
//     options.order[0] = 1, options.order[1] = 0;           // the same shape, column by column
//     BILANX_TRY(bilanx_tensor_make(&options, &y));
//     BILANX_AT(float, &y->dl_tensor, 3, 5) = 7;            // see elements.h
//
//     struct bilanx_tensor_difference difference;
//     BILANX_TRY(bilanx_tensor_compare(&x->dl_tensor, &y->dl_tensor, NULL, &difference));
//     if (!difference.is_close)
//         printf("off by up to %g\n", difference.max_absolute);
//     BILANX_TRY(bilanx_tensor_save(&x->dl_tensor, "x.npy"));
//     bilanx_tensor_free(x);
//     bilanx_tensor_free(y);
//
// Tensors are those of DLPack, so PyTorch, numpy and others take them as they are. The same options
// give the same bytes on every machine, in any number of threads: an element depends only on the
// seed and on its position in memory. Ownership: whoever has a DLManagedTensor frees it, once, from
// any thread; a consumer of DLPack does so itself.
#ifndef BILANX_TENSOR_H
#define BILANX_TENSOR_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "bilanx/elements.h"
#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BILANX_DIMENSIONS = 16 };  // at most

enum bilanx_fill {
    BILANX_TENSOR_UNIFORM,      // reals in [low, high), integers in [low, high]
    BILANX_TENSOR_NORMAL,       // reals: mean `low`, standard deviation `high`
    BILANX_TENSOR_PERMUTATION,  // integers: 0 .. n - 1 in random order
    BILANX_TENSOR_INDICES,      // integers in [0, high): indices into a dimension of that size
};

struct bilanx_tensor_options {  // every field may be left at zero, which means its default
    const char *dtype;          // f16 bf16 f32 f64 c64 c128 i8 i16 i32 i64 u8 bool; default f32
    int dimensions;             // 0: a scalar
    int64_t shape[BILANX_DIMENSIONS];
    int64_t steps[BILANX_DIMENSIONS];  // use every n-th element along a dimension; default 1
    int order[BILANX_DIMENSIONS];      // of dimensions in memory, outermost first; default 0, 1, 2
    enum bilanx_fill fill;
    double low, high;  // both 0: 0 and 1 for reals, 1 and 126 for integers, false and true
    double nan_share, inf_share;  // of the elements, on average; infinities have either sign
    uint64_t seed;
};

// Fails if there is not enough memory, or if options contradict each other.
BILANX_API struct bilanx_error bilanx_tensor_make(const struct bilanx_tensor_options *options,
                                                  DLManagedTensor **out);
BILANX_API void bilanx_tensor_free(DLManagedTensor *tensor);  // NULL is fine

// Overwrites the elements of any tensor, and nothing between them. Type and layout are its own;
// only the options fill, low, high, the shares and the seed are used.
BILANX_API struct bilanx_error bilanx_tensor_fill(const struct bilanx_tensor_options *options,
                                                  DLTensor *tensor);

struct bilanx_tolerance {  // zeros: the tolerances of PyTorch's assert_close for the types
    double relative, absolute;
    bool exact;      // tolerate nothing
    bool equal_nan;  // NaN equals NaN
};

struct bilanx_tensor_difference {
    uint64_t elements, unequal;  // `unequal`: those that are not close
    bool is_close;               // |actual - expected| <= absolute + relative * |expected|, for all
    double max_absolute;         // infinite if NaN or infinity meets anything else
    double max_relative;         // |actual - expected| / |expected|
    double cosine;               // similarity of the finite elements, as vectors: 1 if they agree
    uint64_t worst;              // index of the largest absolute error, in C order
};

// Compares elements at equal indices. Shapes must be equal; layouts and types may differ. Without a
// tolerance, the defaults of the coarser type apply.
BILANX_API struct bilanx_error bilanx_tensor_compare(const DLTensor *actual,
                                                     const DLTensor *expected,
                                                     const struct bilanx_tolerance *tolerance,
                                                     struct bilanx_tensor_difference *out);

// A digest over the elements in C order: equal for equal elements in any layout.
BILANX_API struct bilanx_error bilanx_tensor_checksum(const DLTensor *tensor, uint64_t *out);

// Writes a file that numpy.load() opens. bf16, which numpy does not have, becomes float32.
BILANX_API struct bilanx_error bilanx_tensor_save(const DLTensor *tensor, const char *path);

#ifdef __cplusplus
}
#endif

#endif
