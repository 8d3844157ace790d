// content_apply: applies the rules about contents to a call.
//
// Logs are untrusted data: if an argument that a rule refers to is missing or of another kind, the
// rule does not apply.
#include "bilanx/elements.h"
#include "content_rules.h"

const struct bilanx_value *rule_argument(const struct bilanx_call *call, double number)
{
    size_t i = (size_t)number;
    return i < call->argument_count ? &call->arguments[i] : NULL;
}

const DLTensor *rule_tensor(const struct bilanx_call *call, double number)
{
    const struct bilanx_value *value = rule_argument(call, number);
    return value && value->kind == BILANX_TENSOR ? value->tensor : NULL;
}

// The size of a tensor along a dimension, which may count from the end. 0: it has none.
int64_t rule_size_along(const DLTensor *tensor, int64_t dimension)
{
    if (tensor->ndim == 0)
        return 1;
    if (dimension < 0)
        dimension += tensor->ndim;
    return dimension >= 0 && dimension < tensor->ndim ? tensor->shape[dimension] : 0;
}

static int64_t product_of_last(const DLTensor *tensor, int dimensions)
{
    int64_t product = 1;
    for (int d = tensor->ndim - dimensions; d < tensor->ndim; d++)
        product *= d < 0 ? 1 : tensor->shape[d];
    return product;
}

bool rule_indices_below(int64_t bound, struct content *out)
{
    out->kind = CONTENT_INDICES;
    out->bound = bound > 0 ? bound : 1;
    return true;
}

// Real numbers from a to b.
bool rule_within(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    (void)call;
    out->kind = CONTENT_RANGE;
    out->low = rule->a;
    out->high = rule->b;
    return true;
}

// Valid along dimension b of tensor a.
bool rule_below_size(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    return tensor && rule_indices_below(rule_size_along(tensor, (int64_t)rule->b), out);
}

// Valid along the dimension of tensor a that argument b names.
bool rule_below_dimension(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    const struct bilanx_value *dimension = rule_argument(call, rule->b);
    return tensor && dimension && dimension->kind == BILANX_INTEGER &&
           rule_indices_below(rule_size_along(tensor, dimension->integer), out);
}

// The same, for an operator that writes there: which of two equal indices counts is undefined.
bool rule_distinct_along(const struct bilanx_call *call, const struct rule *rule,
                         struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->argument);
    if (!tensor || !rule_below_dimension(call, rule, out))
        return false;
    int64_t dimension = rule_argument(call, rule->b)->integer;
    out->kind = CONTENT_DISTINCT;
    out->dimension = (int)(dimension < 0 ? dimension + tensor->ndim : dimension);
    if (tensor->ndim == 1)
        out->dimension = 0;
    return true;
}

// Valid in the list of sizes a, at the place that argument b names.
bool rule_below_listed(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const struct bilanx_value *sizes = rule_argument(call, rule->a);
    const struct bilanx_value *at = rule_argument(call, rule->b);
    if (!sizes || !at || sizes->kind != BILANX_LIST || at->kind != BILANX_INTEGER)
        return false;
    int64_t place = at->integer < 0 ? at->integer + (int64_t)sizes->count : at->integer;
    return place >= 0 && place < (int64_t)sizes->count &&
           sizes->items[place].kind == BILANX_INTEGER &&
           rule_indices_below(sizes->items[place].integer, out);
}

// Below the number that is argument a.
bool rule_below_value(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const struct bilanx_value *bound = rule_argument(call, rule->a);
    return bound && bound->kind == BILANX_INTEGER && rule_indices_below(bound->integer, out);
}

// For all elements in the last b dimensions of tensor a; b = 0: in all.
bool rule_below_product(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    int dimensions = rule->b > 0 ? (int)rule->b : tensor ? tensor->ndim : 0;
    return tensor && rule_indices_below(product_of_last(tensor, dimensions), out);
}

bool rule_pooling_windows(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out)
{
    if (!rule_below_product(call, rule, out))
        return false;
    out->kind = CONTENT_WINDOWS;
    out->call = call;
    return true;
}

// Classes of a loss: dimension 1 of scores in tensor a, or their only one.
bool rule_below_classes(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out)
{
    const DLTensor *scores = rule_tensor(call, rule->a);
    return scores && rule_indices_below(rule_size_along(scores, scores->ndim > 1 ? 1 : 0), out);
}

// Rising: one step for every element, over the elements of tensor a (its rows if b is 1).
bool rule_ramp(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    if (!tensor)
        return false;
    rule_indices_below(rule->b > 0 ? rule_size_along(tensor, 0) : bilanx_elements(tensor), out);
    out->kind = CONTENT_RAMP;
    return true;
}

// All equal: the size of tensor a along dimension b.
bool rule_size_of(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    if (!tensor)
        return false;
    out->low = out->high = (double)rule_size_along(tensor, (int64_t)rule->b);
    return true;
}

// All equal: the longest sequence in tensor a, whose first dimension counts sequences if argument b
// is true, and otherwise their elements.
bool rule_full_length(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const struct bilanx_value *batch_first = rule_argument(call, rule->b);
    struct rule size = *rule;
    size.b = batch_first && batch_first->integer ? 1 : 0;
    return rule_size_of(call, &size, out);
}

// All equal: how many labels there are, with blanks around them, along the last dimension of tensor
// a.
bool rule_labels_of(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    if (!tensor)
        return false;
    int64_t states = rule_size_along(tensor, -1);
    out->low = out->high = states > 0 ? (double)((states - 1) / 2) : 0;
    return true;
}

// All equal: the share of each in tensor a, whose last dimension is such a share, or all shares. If
// b is 1, its rows are shared.
bool rule_share_of(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *tensor = rule_tensor(call, rule->a);
    const DLTensor *shares = rule_tensor(call, rule->argument);
    if (!tensor || !shares)
        return false;
    int64_t count = bilanx_elements(shares);
    int64_t all = rule->b > 0 ? rule_size_along(tensor, 0) : bilanx_elements(tensor);
    out->low = out->high = count > 0 ? (double)(all / count) : 0;
    return true;
}

// Selects no more elements of tensor 0 than tensor a has, even where the mask is expanded.
bool rule_mask_for(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    const DLTensor *whole = rule_tensor(call, 0), *source = rule_tensor(call, rule->a);
    const DLTensor *mask = rule_tensor(call, rule->argument);
    if (!whole || !source || !mask || bilanx_elements(mask) == 0)
        return false;
    int64_t repeats = bilanx_elements(whole) / bilanx_elements(mask);
    int64_t most = bilanx_elements(source) / (repeats > 0 ? repeats : 1);
    int64_t half = (bilanx_elements(mask) + 1) / 2;
    out->kind = CONTENT_MASK;
    out->bound = most < half ? most : half;
    return true;
}

// A mask of bytes, or of another type that older versions accept, has ones and zeros.
bool rule_mask_in_numbers(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out)
{
    const struct bilanx_value *mask = rule_argument(call, rule->argument);
    if (!mask || mask->kind != BILANX_TENSOR || mask->is_bool)
        return false;
    out->kind = CONTENT_MASK;
    out->bound = (bilanx_elements(mask->tensor) + 1) / 2;
    return true;
}

bool rule_sorted(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    rule_within(call, rule, out);
    out->kind = CONTENT_SORTED;
    return true;
}

bool rule_definite(const struct bilanx_call *call, const struct rule *rule, struct content *out)
{
    (void)call, (void)rule;
    out->kind = CONTENT_MATRIX;
    return true;
}

// The result of a softmax along the dimension that argument a names: rows that add up to about 1.
bool rule_softmax_result(const struct bilanx_call *call, const struct rule *rule,
                         struct content *out)
{
    const struct bilanx_value *dimension = rule_argument(call, rule->a);
    const DLTensor *tensor = rule_tensor(call, rule->argument);
    if (!dimension || dimension->kind != BILANX_INTEGER || !tensor)
        return false;
    int64_t size = rule_size_along(tensor, dimension->integer);
    out->low = 0;
    out->high = 2.0 / (double)(size > 0 ? size : 1);
    return true;
}

// The logarithm of such a result.
bool rule_log_softmax_result(const struct bilanx_call *call, const struct rule *rule,
                             struct content *out)
{
    if (!rule_softmax_result(call, rule, out))
        return false;
    double middle = 0;  // ln(1/size), to the next power of two
    for (double share = out->high / 2; share < 1; share *= 2)
        middle -= 0.6931471805599453;
    out->low = middle - 1;
    out->high = middle + 1;
    return true;
}

// A power that is only defined for positive numbers: argument a is not an integer >= 0.
bool rule_base_of_power(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out)
{
    const struct bilanx_value *power = rule_argument(call, rule->a);
    if (!power)
        return false;
    bool is_harmless = (power->kind == BILANX_INTEGER && power->integer >= 0) ||
                       (power->kind == BILANX_REAL && power->real >= 0 && power->real < 1e9 &&
                        power->real == (double)(int64_t)power->real);
    out->low = 0.1;
    out->high = 2;
    return !is_harmless;
}
