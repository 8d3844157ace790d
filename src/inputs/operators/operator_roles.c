// operator_roles: what the name of an operator says about it.
#include <string.h>

#include "base/text.h"
#include "operator_names.h"
#include "operators.h"

static const char *const views[] = {
    "_conj",
    "_fw_primal",
    "_indices",
    "_neg_view",
    "_reshape_alias",
    "_unsafe_view",
    "_values",
    "adjoint",
    "alias",
    "as_strided",
    "as_strided_",
    "ccol_indices",
    "chunk",
    "col_indices",
    "conj",
    "crow_indices",
    "detach",
    "detach_",
    "diagonal",
    "dsplit",
    "expand",
    "expand_as",
    "flatten",
    "hsplit",
    "imag",
    "indices",
    "lift",
    "lift_fresh",
    "linalg_diagonal",
    "mH",
    "mT",
    "matrix_H",
    "moveaxis",
    "movedim",
    "narrow",
    "numpy_T",
    "permute",
    "positive",
    "ravel",
    "real",
    "reshape",
    "reshape_as",
    "resolve_conj",
    "resolve_neg",
    "row_indices",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "squeeze_",
    "swapaxes",
    "swapaxes_",
    "swapdims",
    "swapdims_",
    "t",
    "t_",
    "tensor_split",
    "transpose",
    "transpose_",
    "unbind",
    "unflatten",
    "unfold",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_",
    "values",
    "view",
    "view_as",
    "view_as_complex",
    "view_as_real",
    "vsplit",
};

static const char *const constructors[] = {
    "_efficientzerotensor",
    "arange",
    "bartlett_window",
    "blackman_window",
    "empty",
    "empty_permuted",
    "empty_quantized",
    "empty_strided",
    "eye",
    "from_file",
    "full",
    "full_like",
    "empty_like",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "linspace",
    "logspace",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "scalar_tensor",
    "sparse_coo_tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
};

static const char *const undefined[] = {
    "empty",     "empty_like",        "empty_permuted", "empty_quantized", "empty_strided",
    "new_empty", "new_empty_strided", "resize",         "resize_as",
};

static const char *const random_names[] = {
    "_fused_dropout",
    "_sample_dirichlet",
    "_standard_gamma",
    "alpha_dropout",
    "bernoulli",
    "binomial",
    "cauchy",
    "dropout",
    "exponential",
    "feature_alpha_dropout",
    "feature_dropout",
    "geometric",
    "log_normal",
    "multinomial",
    "native_dropout",
    "normal",
    "normal_functional",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random",
    "randperm",
    "rrelu",
    "rrelu_with_noise",
    "uniform",
};

// They update running statistics, arguments 3 and 4, if they train.
static const struct {
    const char *name;
    size_t training;  // the argument that says so
} norms[] = {
    {"_batch_norm_impl_index", 5},   {"_batch_norm_with_update", SIZE_MAX},
    {"_native_batch_norm_legit", 5}, {"batch_norm", 5},
    {"cudnn_batch_norm", 5},         {"instance_norm", 5},
    {"miopen_batch_norm", 5},        {"native_batch_norm", 5},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

struct operator_name operator_name_split(const char *name)
{
    struct operator_name out = {0};
    const char *first = strchr(name, '.'), *base = first ? first + 1 : name;
    const char *second = strchr(base, '.');
    size_t size = second ? (size_t)(second - base) : strlen(base);
    size = size < sizeof out.base ? size : sizeof out.base - 1;
    memcpy(out.base, base, size);
    memcpy(out.stem, base, size);
    out.overload = second ? second + 1 : "";
    // "__iand__" works in place, "__and__" does not.
    if (size > 4 && text_starts(base, "__"))
        out.is_in_place = base[2] == 'i' && !text_starts(base, "__index");
    else if (size > 1 && base[size - 1] == '_') {
        out.is_in_place = true;
        out.stem[size - 1] = '\0';
    }
    return out;
}

enum operator_role operator_role(const char *name)
{
    struct operator_name parts = operator_name_split(name);
    if (is_listed(parts.base, views, COUNT(views)))
        return OPERATOR_VIEWS;
    if (is_listed(parts.base, constructors, COUNT(constructors)))
        return OPERATOR_CONSTRUCTS;
    return OPERATOR_COMPUTES;
}

static bool updates_statistics(const char *base, const struct bilanx_call *call)
{
    for (size_t i = 0; i < COUNT(norms); i++) {
        size_t training = norms[i].training;
        if (strcmp(base, norms[i].name) == 0 && call->argument_count > 3 &&
            call->arguments[3].kind == BILANX_TENSOR)
            return training >= call->argument_count || call->arguments[training].integer;
    }
    return false;
}

bool operator_writes_arguments(const struct bilanx_call *call)
{
    struct operator_name name = operator_name_split(call->name);
    for (size_t i = 0; i < call->keyword_count; i++)
        if (strcmp(call->keywords[i].name, "out") == 0)
            return true;
    return name.is_in_place || strcmp(name.stem, "rrelu_with_noise") == 0 ||
           strcmp(name.overload, "out") == 0 || strcmp(name.overload, "grad_input") == 0 ||
           strstr(name.overload, "_out") || updates_statistics(name.base, call);
}

bool operator_result_is_undefined(const char *name)
{
    struct operator_name parts = operator_name_split(name);
    return is_listed(parts.stem, undefined, COUNT(undefined));
}

bool operator_result_is_random(const char *name)
{
    struct operator_name parts = operator_name_split(name);
    return is_listed(parts.stem, random_names, COUNT(random_names));
}
