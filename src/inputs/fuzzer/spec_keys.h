// spec_keys: the keys of a specification file. One table per mapping; a new key is one line.
#ifndef FUZZER_SPEC_KEYS_H
#define FUZZER_SPEC_KEYS_H

#include "support/yaml/keys.h"

struct spec_file {
    const char *name, *compat;
    const struct tree_node *seed, *parameters, *tensors, *constraints;
};
extern const struct tree_key spec_file_keys[];

struct parameter_file {
    const struct tree_node *uniform, *loguniform, *choices;
    bool strict;
};
extern const struct tree_key spec_parameter_keys[];

struct tensor_file {
    const struct tree_node *size, *steps, *torch_steps, *probability_contiguous;
    const struct tree_node *min_elements, *max_elements, *max_bytes;
    const struct tree_node *dim, *roll, *dtype, *sparse, *fill, *nan, *inf;
    bool empty;
};
extern const struct tree_key spec_tensor_keys[];

struct sparse_file {
    const struct tree_node *sparse_dim, *density, *nnz, *coalesced;
};
extern const struct tree_key spec_sparse_keys[];

struct fill_file {
    const struct tree_node *uniform, *normal, *indices;
};
extern const struct tree_key spec_fill_keys[];

#endif
