// content_rules: which operators need which contents, in one table.
//
// An argument that no rule mentions gets numbers between -1 and 1, or integers from 1 to 100, which
// are valid divisors.
#include "content_rules.h"

#include <string.h>

#include "bilanx/elements.h"
#include "operator_names.h"

#define POSITIVE(stem, argument) {stem, argument, rule_within, 0.1, 2}
#define SHARES(stem, argument) {stem, argument, rule_within, 0.01, 0.99}
#define MODERATE(stem, argument) {stem, argument, rule_within, 0.5, 1.5}

static const struct rule rules[] = {
    {"_ctc_loss", 1, rule_below_size, 0, 2},
    {"_ctc_loss", 2, rule_size_of, 0, 0},
    {"_ctc_loss", 3, rule_share_of, 1, 0},
    {"_ctc_loss_backward", 2, rule_below_size, 1, 2},
    {"_ctc_loss_backward", 3, rule_size_of, 1, 0},
    {"_ctc_loss_backward", 4, rule_labels_of, 6, 0},
    {"_embedding_bag", 1, rule_below_size, 0, 0},
    {"_embedding_bag", 2, rule_ramp, 1, 0},
    {"_embedding_bag_backward", 1, rule_below_value, 6, 0},
    {"_embedding_bag_backward", 2, rule_ramp, 1, 0},
    {"_embedding_bag_backward", 3, rule_ramp, 0, 1},
    {"_embedding_bag_backward", 5, rule_below_value, 6, 0},
    {"_embedding_bag_dense_backward", 1, rule_below_value, 5, 0},
    {"_embedding_bag_dense_backward", 2, rule_ramp, 0, 1},
    {"_embedding_bag_dense_backward", 4, rule_below_value, 5, 0},
    {"_embedding_bag_sparse_backward", 1, rule_below_value, 5, 0},
    {"_embedding_bag_sparse_backward", 2, rule_ramp, 1, 0},
    {"_embedding_bag_sparse_backward", 3, rule_ramp, 0, 1},
    {"_embedding_bag_forward_only", 1, rule_below_size, 0, 0},
    {"_embedding_bag_forward_only", 2, rule_ramp, 1, 0},
    {"_embedding_bag_per_sample_weights_backward", 2, rule_below_size, 1, 0},
    {"_embedding_bag_per_sample_weights_backward", 3, rule_ramp, 2, 0},
    {"_embedding_bag_per_sample_weights_backward", 4, rule_ramp, 0, 1},
    {"_log_softmax_backward_data", 1, rule_log_softmax_result, 2, 0},
    {"_pack_padded_sequence", 1, rule_full_length, 0, 2},
    {"_pack_padded_sequence_backward", 2, rule_share_of, 0, 1},
    {"_pad_packed_sequence", 1, rule_share_of, 0, 1},
    {"_softmax_backward_data", 1, rule_softmax_result, 2, 0},
    {"acos", 0, rule_within, -0.9, 0.9},
    {"acosh", 0, rule_within, 1.1, 3},
    {"adaptive_max_pool2d_backward", 2, rule_below_product, 1, 2},
    {"adaptive_max_pool3d_backward", 2, rule_below_product, 1, 3},
    {"asin", 0, rule_within, -0.9, 0.9},
    {"atanh", 0, rule_within, -0.9, 0.9},
    SHARES("bernoulli", 0),
    SHARES("bernoulli", 1),
    SHARES("binary_cross_entropy", 0),
    SHARES("binary_cross_entropy", 1),
    SHARES("binary_cross_entropy_backward", 1),
    SHARES("binary_cross_entropy_backward", 2),
    SHARES("binary_cross_entropy_with_logits", 1),
    {"bitwise_left_shift", 1, rule_within, 0, 7},
    {"bitwise_right_shift", 1, rule_within, 0, 7},
    {"bucketize", 1, rule_sorted, -1, 1},
    {"cholesky", 0, rule_definite, 0, 0},
    {"cholesky_inverse", 0, rule_definite, 0, 0},
    {"cholesky_solve", 1, rule_definite, 0, 0},
    {"cross_entropy_loss", 1, rule_below_classes, 0, 0},
    MODERATE("cudnn_batch_norm", 4),
    MODERATE("cudnn_batch_norm_backward", 4),
    MODERATE("cudnn_batch_norm_backward", 6),
    {"embedding", 1, rule_below_size, 0, 0},
    {"embedding_backward", 1, rule_below_value, 2, 0},
    {"embedding_bag", 1, rule_below_size, 0, 0},
    {"embedding_bag", 2, rule_ramp, 1, 0},
    {"embedding_dense_backward", 1, rule_below_value, 2, 0},
    {"embedding_sparse_backward", 1, rule_below_value, 2, 0},
    {"embedding_renorm", 1, rule_below_size, 0, 0},
    {"erfinv", 0, rule_within, -0.9, 0.9},
    {"fractional_max_pool2d_backward", 4, rule_below_product, 1, 2},
    {"fractional_max_pool3d_backward", 4, rule_below_product, 1, 3},
    {"gather", 2, rule_below_dimension, 0, 1},
    {"histogram", 1, rule_sorted, -1, 1},
    POSITIVE("igamma", 0),
    POSITIVE("igamma", 1),
    POSITIVE("igammac", 0),
    POSITIVE("igammac", 1),
    {"index_add", 2, rule_below_dimension, 0, 1},
    {"index_copy", 2, rule_distinct_along, 0, 1},
    {"index_fill", 2, rule_below_dimension, 0, 1},
    {"index_reduce", 2, rule_below_dimension, 0, 1},
    {"index_select", 2, rule_below_dimension, 0, 1},
    {"index_select_backward", 3, rule_below_listed, 1, 2},
    {"inverse", 0, rule_definite, 0, 0},
    POSITIVE("kl_div", 1),
    POSITIVE("lgamma", 0),
    {"linalg_cholesky", 0, rule_definite, 0, 0},
    {"linalg_cholesky_ex", 0, rule_definite, 0, 0},
    {"linalg_eigh", 0, rule_definite, 0, 0},
    {"_linalg_eigh", 0, rule_definite, 0, 0},
    {"linalg_eigvalsh", 0, rule_definite, 0, 0},
    {"linalg_inv", 0, rule_definite, 0, 0},
    {"linalg_inv_ex", 0, rule_definite, 0, 0},
    {"_linalg_solve_ex", 0, rule_definite, 0, 0},
    {"linalg_ldl_solve", 1, rule_within, 1, 1},
    {"linalg_lu_solve", 1, rule_within, 1, 1},
    {"linalg_solve", 0, rule_definite, 0, 0},
    {"linalg_solve_triangular", 0, rule_definite, 0, 0},
    POSITIVE("log", 0),
    POSITIVE("log10", 0),
    {"log1p", 0, rule_within, -0.5, 2},
    POSITIVE("log2", 0),
    SHARES("logit", 0),
    SHARES("logit_backward", 1),
    {"lu_solve", 2, rule_within, 1, 1},
    {"lu_unpack", 1, rule_within, 1, 1},
    {"masked_fill", 1, rule_mask_in_numbers, 0, 0},
    {"masked_scatter", 1, rule_mask_for, 2, 0},
    {"masked_select", 1, rule_mask_in_numbers, 0, 0},
    {"max_pool2d_with_indices_backward", 7, rule_pooling_windows, 1, 2},
    {"max_pool3d_with_indices_backward", 7, rule_below_product, 1, 3},
    {"max_unpool2d", 1, rule_below_product, 0, 2},
    {"max_unpool3d", 1, rule_below_product, 0, 3},
    {"multi_margin_loss", 1, rule_below_classes, 0, 0},
    {"multi_margin_loss_backward", 2, rule_below_classes, 1, 0},
    {"multilabel_margin_loss_backward", 2, rule_below_classes, 1, 0},
    SHARES("multilabel_margin_loss_backward", 4),
    {"multilabel_margin_loss_forward", 1, rule_below_classes, 0, 0},
    {"multinomial", 0, rule_within, 0.1, 1},
    MODERATE("native_batch_norm", 4),
    MODERATE("native_batch_norm_backward", 4),
    MODERATE("native_batch_norm_backward", 6),
    MODERATE("_native_batch_norm_legit", 4),
    MODERATE("_native_batch_norm_legit_no_training", 4),
    MODERATE("_batch_norm_impl_index", 4),
    MODERATE("_batch_norm_with_update", 4),
    MODERATE("batch_norm", 4),
    MODERATE("batch_norm_backward", 4),
    MODERATE("batch_norm_backward", 6),
    MODERATE("native_group_norm_backward", 3),
    MODERATE("native_layer_norm_backward", 4),
    {"nll_loss", 1, rule_below_classes, 0, 0},
    {"nll_loss2d", 1, rule_below_classes, 0, 0},
    {"nll_loss2d_backward", 2, rule_below_classes, 1, 0},
    POSITIVE("nll_loss2d_backward", 3),
    POSITIVE("nll_loss2d_backward", 6),
    {"nll_loss2d_forward", 1, rule_below_classes, 0, 0},
    POSITIVE("nll_loss2d_forward", 2),
    {"nll_loss_backward", 2, rule_below_classes, 1, 0},
    POSITIVE("nll_loss_backward", 3),
    POSITIVE("nll_loss_backward", 6),
    {"nll_loss_forward", 1, rule_below_classes, 0, 0},
    POSITIVE("nll_loss_forward", 2),
    {"normal", 1, rule_within, 0.1, 1},
    {"one_hot", 0, rule_below_value, 1, 0},
    {"poisson", 0, rule_within, 0, 4},
    {"pow", 0, rule_base_of_power, 1, 0},
    {"put", 1, rule_below_product, 0, 0},
    {"repeat_interleave", 1, rule_within, 1, 3},
    POSITIVE("rsqrt", 0),
    {"scatter", 2, rule_distinct_along, 0, 1},
    {"scatter_add", 2, rule_below_dimension, 0, 1},
    {"scatter_reduce", 2, rule_below_dimension, 0, 1},
    {"searchsorted", 0, rule_sorted, -1, 1},
    SHARES("sigmoid_backward", 1),
    POSITIVE("special_bessel_y0", 0),
    POSITIVE("special_bessel_y1", 0),
    POSITIVE("special_entr", 0),
    POSITIVE("special_modified_bessel_k0", 0),
    POSITIVE("special_modified_bessel_k1", 0),
    SHARES("special_ndtri", 0),
    POSITIVE("special_scaled_modified_bessel_k0", 0),
    POSITIVE("special_scaled_modified_bessel_k1", 0),
    {"special_zeta", 0, rule_within, 1.1, 3},
    POSITIVE("special_zeta", 1),
    POSITIVE("sqrt", 0),
    {"take", 1, rule_below_product, 0, 0},
    {"triangular_solve", 1, rule_definite, 0, 0},
    {"value_selecting_reduction_backward", 2, rule_below_listed, 3, 1},
    POSITIVE("xlogy", 1),
};

// The arguments of index, index_put and the like: list 1 indexes tensor 0. Each item belongs to the
// next dimension; a mask covers as many dimensions as it has.
static bool is_mask(const struct bilanx_value *value)
{
    return value->is_bool ||
           (value->tensor->dtype.code == kDLUInt && value->tensor->dtype.bits == 8);
}

// How many elements all masks of the list must select, because the other indices have that length.
static int64_t selected_by_masks(const struct bilanx_call *call, const struct bilanx_value *mask)
{
    const struct bilanx_value *indices = &call->arguments[1];
    int64_t all = bilanx_elements(mask->tensor);
    for (size_t i = 0; i < indices->count; i++) {
        const struct bilanx_value *other = &indices->items[i];
        if (other->kind == BILANX_TENSOR && !is_mask(other) && bilanx_elements(other->tensor) > 1)
            return bilanx_elements(other->tensor);
    }
    const DLTensor *values = rule_tensor(call, 2);
    if (values && values->ndim > 0) {
        int after = call->arguments[0].tensor->ndim - mask->tensor->ndim;
        int64_t count = values->ndim > after ? values->shape[values->ndim - 1 - after] : 1;
        if (count > 1)
            return count;
    }
    return (all + 1) / 2;
}

static bool index_content(const struct bilanx_call *call, const struct value_place *place,
                          const struct bilanx_value *value, bool writes, struct content *out)
{
    const DLTensor *indexed = rule_tensor(call, 0);
    const struct bilanx_value *indices = rule_argument(call, 1);
    if (!indexed || !indices || place->argument != 1 || place->item == SIZE_MAX)
        return false;
    int64_t dimension = 0;
    for (size_t i = 0; i < place->item && i < indices->count; i++) {
        const struct bilanx_value *before = &indices->items[i];
        dimension += before->kind == BILANX_TENSOR && is_mask(before) ? before->tensor->ndim : 1;
    }
    if (is_mask(value)) {
        out->kind = CONTENT_MASK;
        out->bound = selected_by_masks(call, value);
        return true;
    }
    rule_indices_below(rule_size_along(indexed, dimension), out);
    const struct bilanx_value *accumulate = rule_argument(call, 3);
    if (writes && !(accumulate && accumulate->integer)) {
        out->kind = CONTENT_DISTINCT;
        out->dimension = -1;
    }
    return true;
}

static bool apply_rules(const char *stem, const struct bilanx_call *call,
                        const struct value_place *place, struct content *out)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].argument == place->argument && strcmp(rules[i].stem, stem) == 0 &&
            rules[i].apply(call, &rules[i], out))
            return true;
    return false;
}

static bool is_whole(double value)
{
    return value == (double)(int64_t)value;
}

struct content content_of(const struct bilanx_call *call, const struct value_place *place,
                          const struct bilanx_value *value)
{
    const struct content usual_reals = {.kind = CONTENT_RANGE, .low = -1, .high = 1};
    const struct content usual_integers = {.kind = CONTENT_RANGE, .low = 1, .high = 100};
    const struct content usual_truths = {.kind = CONTENT_RANGE, .low = 0, .high = 1};
    struct operator_name name = operator_name_split(call->name);
    bool is_real = value->tensor->dtype.code != kDLInt && value->tensor->dtype.code != kDLUInt;
    const struct content usual = is_real          ? usual_reals
                                 : value->is_bool ? usual_truths
                                                  : usual_integers;
    struct content content = usual;
    bool puts = strstr(name.stem, "index_put") != NULL;
    if (puts || strcmp(name.stem, "index") == 0 || strcmp(name.stem, "_unsafe_index") == 0)
        return index_content(call, place, value, puts, &content) ? content : usual;
    if (!apply_rules(name.stem, call, place, &content))
        return usual;
    bool has_indices = content.kind != CONTENT_RANGE && content.kind != CONTENT_SORTED &&
                       content.kind != CONTENT_MATRIX && content.kind != CONTENT_MASK;
    if (has_indices && is_real)  // the rule is about another overload
        return usual;
    if (!is_real && content.kind == CONTENT_MATRIX)
        return usual;
    if (!is_real && content.kind == CONTENT_RANGE &&
        (value->is_bool || !is_whole(content.low) || !is_whole(content.high)))
        return usual;
    return content;
}
