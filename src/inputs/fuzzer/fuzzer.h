// fuzzer: draws samples from a specification: values of parameters and descriptions of tensors.
//
// A specification comes from a YAML file (docs/formats/fuzzer.md), from text, or from C
// (<bilanx/fuzzer.h>). The same specification and seed give the same samples, in any order. Nothing
// here makes data; inputs/tensors does, from the descriptions.
//
//     AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
//     BILANX_TRY(fuzzer_open("unary", &fuzzer));
//     for (size_t i = 0; i < 10; i++) {
//         AUTO(sample) struct sample sample = {0};
//         BILANX_TRY(fuzzer_sample(fuzzer, i, &sample));
//         ...
//     }
//
// Ownership: the caller frees the fuzzer, and every sample with sample_done(). Threads: one fuzzer,
// one thread.
#ifndef FUZZER_FUZZER_H
#define FUZZER_FUZZER_H

#include <stddef.h>
#include <stdint.h>

#include "inputs/tensors/sample.h"

struct fuzzer;
void fuzzer_free(struct fuzzer *fuzzer);
SCOPE_POINTER(fuzzer, fuzzer_free)

// Opens the specification `spec`: the name of a shipped one, such as "unary", or the path of a file
// ("-" is stdin). A word that is neither is an error that lists the names. To open a file in the
// current directory with the name of a shipped one, write "./unary".
struct bilanx_error fuzzer_open(const char *spec, struct fuzzer **out);

// `name` is the file's name in messages. Errors have file, line, column, cause and fix.
struct bilanx_error fuzzer_read_text(const char *text, size_t size, const char *name,
                                     struct fuzzer **out);

// These override the specification. Each starts again with sample 0.
struct bilanx_error fuzzer_set_seed(struct fuzzer *fuzzer, uint64_t seed);  // below 2^32
enum fuzzer_compat {
    FUZZER_TORCH,  // as torch.utils.benchmark draws, including its defects
    FUZZER_FIXED,  // `compat: none`: without them
};
void fuzzer_set_compat(struct fuzzer *fuzzer, enum fuzzer_compat compat);
// Sets the type of all tensors; limits in bytes then allow other shapes.
struct bilanx_error fuzzer_set_dtype(struct fuzzer *fuzzer, const char *dtype);

// Draws sample number `index`, from 0. The next one costs the same whatever its number; an earlier
// one starts again. Fails if 1,000 attempts were rejected, and names the limit that rejected most.
struct bilanx_error fuzzer_sample(struct fuzzer *fuzzer, size_t index, struct sample *out);

// The number of attempts that were rejected before the last sample was found.
uint64_t fuzzer_rejected(const struct fuzzer *fuzzer);

// The share of all attempts since sample 0 that were rejected.
double fuzzer_rejection_rate(const struct fuzzer *fuzzer);

const char *fuzzer_name(const struct fuzzer *fuzzer);  // "unary"; never NULL
uint64_t fuzzer_seed(const struct fuzzer *fuzzer);

// The names in a sample, known before it is drawn, for checking references to them.
size_t fuzzer_parameter_count(const struct fuzzer *fuzzer);
const char *fuzzer_parameter_name(const struct fuzzer *fuzzer, size_t i);
bool fuzzer_parameter_is_helper(const struct fuzzer *fuzzer,
                                size_t i);  // only others use its value
size_t fuzzer_tensor_count(const struct fuzzer *fuzzer);
const char *fuzzer_tensor_name(const struct fuzzer *fuzzer, size_t i);

// Prefixes an error about a tensor of a sample with the position of its specification.
struct bilanx_error fuzzer_blame(const struct fuzzer *fuzzer, size_t tensor,
                                 struct bilanx_error error);

// The shipped specifications. Their text is part of the program.
struct fuzzer_shipped {
    const char *name;  // NULL ends the array
    const char *summary;
    const char *text;
    size_t size;
};
extern const struct fuzzer_shipped fuzzer_shipped[];

#endif
