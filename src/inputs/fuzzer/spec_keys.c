// spec_keys: the keys of a specification; docs/formats/fuzzer.md has an example for each.
#include "spec_keys.h"

#define FILE_AT(member) offsetof(struct spec_file, member)
const struct tree_key spec_file_keys[] = {
    {"fuzzer", YAML_AS_TEXT, FILE_AT(name), .help = "its name"},
    {"compat", YAML_AS_TEXT, FILE_AT(compat), .help = "torch (default) or none"},
    {"seed", YAML_AS_NODE, FILE_AT(seed), .help = "of the samples, below 2^32"},
    {"parameters", YAML_AS_NODE, FILE_AT(parameters), .help = "names and how they are drawn"},
    {"tensors", YAML_AS_NODE, FILE_AT(tensors), .help = "names and what they are"},
    {"constraints", YAML_AS_NODE, FILE_AT(constraints), .help = "what samples must satisfy"},
    {0},
};

#define PARAMETER(member) offsetof(struct parameter_file, member)
const struct tree_key spec_parameter_keys[] = {
    {"uniform", YAML_AS_NODE, PARAMETER(uniform), .help = "[least, most], all equally likely"},
    {"loguniform", YAML_AS_NODE, PARAMETER(loguniform), .help = "the same for their logarithm"},
    {"choices", YAML_AS_NODE, PARAMETER(choices), .help = "values and their probabilities"},
    {"strict", YAML_AS_BOOL, PARAMETER(strict), .help = "drawn once per sample"},
    {0},
};

#define TENSOR(member) offsetof(struct tensor_file, member)
const struct tree_key spec_tensor_keys[] = {
    {"size", YAML_AS_NODE, TENSOR(size), .needed = true, .help = "of each dimension"},
    {"steps", YAML_AS_NODE, TENSOR(steps), .help = "every how many elements, per dimension"},
    {"torch_steps", YAML_AS_NODE, TENSOR(torch_steps), .help = "the same with compat: torch"},
    {"probability_contiguous", YAML_AS_NODE, TENSOR(probability_contiguous),
     .help = "of dimensions that are in memory in their order"},
    {"min_elements", YAML_AS_NODE, TENSOR(min_elements), .help = "fewer reject the sample"},
    {"max_elements", YAML_AS_NODE, TENSOR(max_elements), .help = "more reject the sample"},
    {"max_bytes", YAML_AS_NODE, TENSOR(max_bytes), .help = "more memory rejects the sample"},
    {"dim", YAML_AS_NODE, TENSOR(dim), .help = "how many dimensions there are"},
    {"roll", YAML_AS_NODE, TENSOR(roll), .help = "how far dimensions are rotated"},
    {"dtype", YAML_AS_NODE, TENSOR(dtype), .help = "type of the elements"},
    {"sparse", YAML_AS_NODE, TENSOR(sparse), .help = "how sparse it is"},
    {"fill", YAML_AS_NODE, TENSOR(fill), .help = "what the elements are"},
    {"nan", YAML_AS_NODE, TENSOR(nan), .help = "share of elements that are NaN"},
    {"inf", YAML_AS_NODE, TENSOR(inf), .help = "share of elements that are infinite"},
    {"empty", YAML_AS_BOOL, TENSOR(empty), .help = "sizes may be 0"},
    {0},
};

#define SPARSE(member) offsetof(struct sparse_file, member)
const struct tree_key spec_sparse_keys[] = {
    {"sparse_dim", YAML_AS_NODE, SPARSE(sparse_dim), .help = "how many dimensions are sparse"},
    {"density", YAML_AS_NODE, SPARSE(density), .help = "share of elements that are stored"},
    {"nnz", YAML_AS_NODE, SPARSE(nnz), .help = "number of elements that are stored"},
    {"coalesced", YAML_AS_NODE, SPARSE(coalesced), .help = "indices are sorted and unique"},
    {0},
};

#define FILL(member) offsetof(struct fill_file, member)
const struct tree_key spec_fill_keys[] = {
    {"uniform", YAML_AS_NODE, FILL(uniform), .help = "[least, most]"},
    {"normal", YAML_AS_NODE, FILL(normal), .help = "[mean, standard deviation]"},
    {"indices", YAML_AS_NODE, FILL(indices), .help = "into a dimension: x.0, a parameter, 100"},
    {0},
};
