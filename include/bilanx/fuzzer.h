// fuzzer: repeatable random inputs: parameters, and tensors whose shapes depend on them.
//
//     struct bilanx_fuzzer *fuzzer;
//     const struct bilanx_sample *sample;
//     BILANX_TRY(bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){
//         .parameters = (struct bilanx_fuzzer_parameter[]){
//             {"k0", .distribution = BILANX_DRAW_LOGUNIFORM, .min = {16}, .max = {16384}},
//             {"k1", .choices = (struct bilanx_fuzzer_choice[]){{0.8, .alias = "k0"},
//                                                               {0.2, .value = {1}}, {0}}},
//             {0}},
//         .tensors = (struct bilanx_fuzzer_tensor[]){
//             {"x", .size = {"k0", "64"}, .max_bytes = 1 << 20},
//             {"y", .size = {"k1", "64"}, .steps = {"1", "2"}, .dtype = "f64"},
//             {0}},
//         .constraints = (struct bilanx_fuzzer_constraint[]){{.expression = "k0 % 8 == 0"}, {0}},
//         .seed = 7}, &fuzzer));
//     for (size_t i = 0; i < 10; i++) {
//         BILANX_TRY(bilanx_fuzzer_sample(fuzzer, i, &sample));
//         printf("%ld: x has %lu elements\n", (long)bilanx_sample_integer(sample, "k0"),
//                (unsigned long)sample->tensors[0].elements);
//     }
//     bilanx_fuzzer_free(fuzzer);
//
// The same specification and seed give the same samples, whatever order they are asked for in. With
// `compat` left at BILANX_FUZZER_TORCH, they are those of torch.utils.benchmark.Fuzzer: the same
// parameters, shapes, strides and steps. Drawing a sample allocates no tensors;
// bilanx_fuzzer_make() does.
//
// The members match the YAML keys, which docs/formats/fuzzer.md explains with examples. Arrays end
// with a zeroed struct. Everything given to bilanx_fuzzer_new() is copied, except the contexts of
// constraints. Ownership: the caller frees the fuzzer, which owns its samples. Threads: one fuzzer,
// one thread.
#ifndef BILANX_FUZZER_H
#define BILANX_FUZZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;  // of <dlpack/dlpack.h>
struct bilanx_fuzzer;
struct bilanx_sample;

enum { BILANX_FUZZER_DIMENSIONS = 16 };  // at most

struct bilanx_fuzzer_number {  // {16} is an integer; {.real = 0.5} is real
    int64_t integer;
    double real;  // unless 0, this is the number
};

struct bilanx_fuzzer_choice {
    double probability;
    struct bilanx_fuzzer_number value;
    const char *alias;  // instead of `value`: another parameter, whose value it takes
};

enum bilanx_fuzzer_distribution {
    BILANX_DRAW_UNIFORM,     // integers in [min, max]; reals in [min, max) if either is real
    BILANX_DRAW_LOGUNIFORM,  // integers in [min, max] whose logarithms are equally likely
};

struct bilanx_fuzzer_parameter {
    const char *name;  // a valid name in C
    enum bilanx_fuzzer_distribution distribution;
    struct bilanx_fuzzer_number min, max;
    const struct bilanx_fuzzer_choice *choices;  // instead of the above; probabilities sum to 1
    bool strict;  // drawn once per sample, not again for each attempt
};

enum bilanx_fuzzer_fill {
    BILANX_FILL_USUAL,        // uniform: reals in [0, 1), integers in [1, 126]
    BILANX_FILL_UNIFORM,      // reals in [low, high), integers in [low, high]
    BILANX_FILL_NORMAL,       // mean `low`, standard deviation `high`
    BILANX_FILL_PERMUTATION,  // integers: 0 .. n - 1 in random order
    BILANX_FILL_INDICES,      // integers: valid indices into `indices_of`
};

struct bilanx_fuzzer_tensor {
    const char *name;
    // Per dimension: the name of a parameter, or a number. The first NULL ends them.
    const char *size[BILANX_FUZZER_DIMENSIONS];
    const char *steps[BILANX_FUZZER_DIMENSIONS];  // takes every n-th element of a larger allocation
    const char *torch_steps[BILANX_FUZZER_DIMENSIONS];  // instead of `steps` where torch differs
    double probability_contiguous;                      // default: 0.5; BILANX_FUZZER_NEVER: 0
    uint64_t min_elements, max_elements, max_bytes;     // others reject the sample; 0: no limit
    const char *dim;    // the parameter with the number of dimensions; default: as many as `size`
    const char *roll;   // the parameter that sizes and steps are rotated by, unless as torch
    const char *dtype;  // f16 bf16 f32 (default) f64 c64 c128 i8 i16 i32 i64 u8 bool
    bool empty;         // sizes may be 0
    // A sparse tensor in coordinate form: set `density` or `nnz`. Names of parameters, or numbers.
    const char *sparse_dim;     // default: all dimensions
    const char *density, *nnz;  // share or number of the elements that are stored
    const char *coalesced;      // default: true
    enum bilanx_fuzzer_fill fill;
    double low, high;
    const char *indices_of;  // "x.0": dimension 0 of tensor x; or a parameter, or a number
    double nan, inf;         // shares of the elements
};
#define BILANX_FUZZER_NEVER (-1.0)

struct bilanx_fuzzer_constraint {  // set one of them; a sample that does not satisfy it is rejected
    const char *expression;        // "k0 * k1 <= 1e6 and k0 % 8 == 0"
    // The sample has parameters, but no tensors yet.
    bool (*holds)(void *context, const struct bilanx_sample *sample);
    void *context;
};

enum bilanx_fuzzer_compat {
    BILANX_FUZZER_TORCH,  // draw exactly as torch does, including its defects
    BILANX_FUZZER_FIXED,  // without them: docs/formats/fuzzer.md lists them
};

struct bilanx_fuzzer_spec {
    const char *name;
    enum bilanx_fuzzer_compat compat;
    uint64_t seed;  // below 2^32
    const struct bilanx_fuzzer_parameter *parameters;
    const struct bilanx_fuzzer_tensor *tensors;
    const struct bilanx_fuzzer_constraint *constraints;
};

// Checks the specification. Errors name the parameter or tensor, the cause and the fix.
BILANX_API struct bilanx_error bilanx_fuzzer_new(const struct bilanx_fuzzer_spec *spec,
                                                 struct bilanx_fuzzer **out);

// Opens a YAML file ("-": stdin), or by its name a specification that ships with bilanx: unary,
// binary, spectral, sparse_unary, sparse_binary. Errors have file, line and column.
BILANX_API struct bilanx_error bilanx_fuzzer_open(const char *spec, struct bilanx_fuzzer **out);
BILANX_API struct bilanx_error bilanx_fuzzer_read_text(const char *text, size_t size,
                                                       const char *name,
                                                       struct bilanx_fuzzer **out);
BILANX_API void bilanx_fuzzer_free(struct bilanx_fuzzer *fuzzer);  // NULL is fine
BILANX_API struct bilanx_error bilanx_fuzzer_set_seed(struct bilanx_fuzzer *fuzzer, uint64_t seed);

// Of all tensors. On an error, the fuzzer can only be freed.
BILANX_API struct bilanx_error bilanx_fuzzer_set_dtype(struct bilanx_fuzzer *fuzzer,
                                                       const char *dtype);

struct bilanx_sample_parameter {
    const char *name;
    bool is_real;
    int64_t integer;  // 0 if it is real
    double number;    // its value in any case
};

struct bilanx_sample_tensor {
    const char *name;
    const char *dtype;  // "f32"
    int dimensions;
    int64_t shape[BILANX_FUZZER_DIMENSIONS];
    int64_t strides[BILANX_FUZZER_DIMENSIONS];  // in elements
    int64_t steps[BILANX_FUZZER_DIMENSIONS];
    int order[BILANX_FUZZER_DIMENSIONS];  // of dimensions in memory, outermost first
    uint64_t elements;
    uint64_t bytes;  // of memory, gaps included
    bool is_contiguous;
    bool is_sparse;
    int sparse_dim;
    int64_t nnz;  // elements that are stored
    bool is_coalesced;
};

struct bilanx_sample {
    size_t index;
    const struct bilanx_sample_parameter *parameters;
    size_t parameter_count;
    const struct bilanx_sample_tensor *tensors;
    size_t tensor_count;
    uint64_t rejected;  // attempts before it was found
};

// Draws sample number `index`, from 0. It is valid until the next call with this fuzzer. Samples in
// ascending order cost the same whatever their number. Fails after 1,000 rejected attempts.
BILANX_API struct bilanx_error bilanx_fuzzer_sample(struct bilanx_fuzzer *fuzzer, size_t index,
                                                    const struct bilanx_sample **out);

// The share of all attempts since sample 0 that were rejected.
BILANX_API double bilanx_fuzzer_rejection_rate(const struct bilanx_fuzzer *fuzzer);

// The value of a parameter; 0 if there is none of this name. A real is rounded towards 0.
BILANX_API int64_t bilanx_sample_integer(const struct bilanx_sample *sample, const char *name);
BILANX_API double bilanx_sample_number(const struct bilanx_sample *sample, const char *name);

// Makes a dense tensor of the fuzzer's last sample, with its data. Give it to any consumer of
// DLPack, or call its deleter.
BILANX_API struct bilanx_error bilanx_fuzzer_make(const struct bilanx_fuzzer *fuzzer,
                                                  const char *tensor, struct DLManagedTensor **out);

// Makes the two parts of a sparse one: int64 indices of shape (sparse_dim, nnz), and values.
BILANX_API struct bilanx_error bilanx_fuzzer_make_sparse(const struct bilanx_fuzzer *fuzzer,
                                                         const char *tensor,
                                                         struct DLManagedTensor **indices,
                                                         struct DLManagedTensor **values);

#ifdef __cplusplus
}
#endif

#endif
