// operator_costs: estimates how much a call computes and moves.
#include "operator_costs.h"

#include <string.h>

static double elements(const DLTensor *tensor)
{
    double count = 1;
    for (int d = 0; d < tensor->ndim; d++)
        count *= (double)tensor->shape[d];
    return count;
}

static const DLTensor *argument(const struct bilanx_call *call, size_t i)
{
    return i < call->argument_count && call->arguments[i].kind == BILANX_TENSOR &&
                   !call->arguments[i].sparse
               ? call->arguments[i].tensor
               : NULL;
}

static double result_elements(const struct kept_results *results)
{
    return results->count ? elements(&results->tensors[0].tensor) : 0;
}

// The operations of a matrix product with `left` as its first factor: two per element and term.
static double product(const DLTensor *left, const struct kept_results *results)
{
    return left && left->ndim > 0
               ? 2 * result_elements(results) * (double)left->shape[left->ndim - 1]
               : 0;
}

static double flops_mm(const struct bilanx_call *call, const struct kept_results *results)
{
    return product(argument(call, 0), results);
}

static double flops_addmm(const struct bilanx_call *call, const struct kept_results *results)
{
    return product(argument(call, 1), results);
}

// Each element of the result takes as many products as a filter has weights.
static double filter_products(const DLTensor *weight, double outputs)
{
    return weight && weight->ndim > 0 && weight->shape[0] > 0
               ? 2 * outputs * elements(weight) / (double)weight->shape[0]
               : 0;
}

static bool is_true(const struct bilanx_call *call, size_t i)
{
    return i < call->argument_count && call->arguments[i].kind == BILANX_TRUTH &&
           call->arguments[i].integer;
}

// In a transposed convolution, the input takes the place of the output.
static double flops_convolution(const struct bilanx_call *call, const struct kept_results *results)
{
    const DLTensor *input = argument(call, 0), *weight = argument(call, 1);
    bool transposed = is_true(call, 6);
    return filter_products(weight,
                           transposed && input ? elements(input) : result_elements(results));
}

// The gradients of input and weight are a convolution each.
static double flops_convolution_backward(const struct bilanx_call *call,
                                         const struct kept_results *results)
{
    (void)results;
    const DLTensor *gradient = argument(call, 0), *weight = argument(call, 2);
    const struct bilanx_value *mask =
        call->argument_count ? &call->arguments[call->argument_count - 1] : NULL;
    double wanted = 2;
    if (mask && mask->kind == BILANX_LIST && mask->count == 3)
        wanted = (double)(mask->items[0].integer != 0) + (double)(mask->items[1].integer != 0);
    return gradient ? wanted * filter_products(weight, elements(gradient)) : 0;
}

static const struct {
    const char *name;  // between "aten." and the overload
    double (*flops)(const struct bilanx_call *call, const struct kept_results *results);
} known[] = {
    {"mm", flops_mm},
    {"bmm", flops_mm},
    {"matmul", flops_mm},
    {"mv", flops_mm},
    {"dot", flops_mm},
    {"linear", flops_mm},
    {"addmm", flops_addmm},
    {"baddbmm", flops_addmm},
    {"addmv", flops_addmm},
    {"_addmm_activation", flops_addmm},
    {"convolution", flops_convolution},
    {"_convolution", flops_convolution},
    {"conv2d", flops_convolution},
    {"convolution_backward", flops_convolution_backward},
};

static bool is_named(const struct bilanx_call *call, const char *name)
{
    const char *start = strchr(call->name, '.');
    start = start ? start + 1 : call->name;
    return strcspn(start, ".") == strlen(name) && memcmp(start, name, strlen(name)) == 0;
}

// Operators that read only some elements of their first arguments, as many as they return.
static const struct {
    const char *name;
    size_t looked_up;  // arguments that are only read in part
    bool reads;        // as much as the result
} lookups[] = {
    {"embedding", 1, true},
    {"gather", 1, true},
    {"index", 1, true},
    {"index_select", 1, true},
    {"take", 1, true},
    {"nll_loss_forward", 1, true},
    {"nll_loss2d_forward", 1, true},
    {"nll_loss_backward", 2, false},
    {"nll_loss2d_backward", 2, false},
    {"select_backward", 0, false},
};

static bool is_lookup(const struct bilanx_call *call)
{
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++)
        if (is_named(call, lookups[i].name))
            return true;
    return false;
}

static double largest(const struct bilanx_call *call, const struct kept_results *results)
{
    double most = 0;
    for (size_t i = 0; i < results->count; i++) {
        double count = elements(&results->tensors[i].tensor);
        most = count > most ? count : most;
    }
    for (size_t i = 0; !is_lookup(call) && i < call->argument_count; i++) {
        const DLTensor *tensor = argument(call, i);
        double count = tensor ? elements(tensor) : 0;
        most = count > most ? count : most;
    }
    return most;
}

// Gaps between elements are not read, and an element that a stride of 0 repeats is read once.
static double touched_bytes(const DLTensor *tensor)
{
    double bytes = tensor->dtype.bits * tensor->dtype.lanes / 8.0;
    for (int d = 0; d < tensor->ndim; d++)
        bytes *= tensor->strides && tensor->strides[d] == 0 ? 1 : (double)tensor->shape[d];
    return bytes;
}

static double value_bytes(const struct bilanx_value *value)
{
    double bytes = 0;
    if (value->kind == BILANX_TENSOR && value->sparse)
        return touched_bytes(value->sparse->indices) + touched_bytes(value->sparse->values);
    if (value->kind == BILANX_TENSOR)
        return touched_bytes(value->tensor);
    for (size_t i = 0; i < value->count; i++)
        bytes += value_bytes(&value->items[i]);
    return bytes;
}

static double argument_bytes(const struct bilanx_call *call)
{
    double bytes = 0;
    for (size_t i = 0; i < call->argument_count; i++)
        bytes += value_bytes(&call->arguments[i]);
    for (size_t i = 0; i < call->keyword_count; i++)
        bytes += value_bytes(&call->keywords[i].value);
    return bytes;
}

double operator_traffic(const struct bilanx_call *call, const struct kept_results *results)
{
    double moved = argument_bytes(call), returned = (double)kept_results_bytes(results);
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        if (!is_named(call, lookups[i].name))
            continue;
        for (size_t k = 0; k < lookups[i].looked_up; k++) {
            const DLTensor *tensor = argument(call, k);
            moved -= tensor ? touched_bytes(tensor) : 0;
        }
        moved = (moved > 0 ? moved : 0) + (lookups[i].reads ? returned : 0);
        break;
    }
    return moved + returned;
}

double operator_flops(const struct bilanx_call *call, const struct kept_results *results)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_named(call, known[i].name))
            return known[i].flops(call, results);
    return largest(call, results);
}
