// layout: the shape of a tensor for given values of the parameters, and where its elements are.
#include "layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

static struct value value_of(const struct spec_term *term, const struct value *values)
{
    return term->parameter == SPEC_NONE ? term->literal : values[term->parameter];
}

// A size or step. In specifications with constraints it may be drawn as any value.
static struct bilanx_error take_term(const struct spec *spec, const struct spec_tensor *tensor,
                                     const struct spec_term *term, const struct value *values,
                                     int64_t low, int64_t high, int64_t *out)
{
    int64_t value = value_of(term, values).integer;
    if (value < low || value > high)
        return spec_error(spec, term->at,
                          "'%s' of tensor '%s' is %" PRId64 ", which must be at least %" PRId64
                          ": add a constraint, or change its bounds",
                          term->text, tensor->name, value, low);
    *out = value;
    return BILANX_SUCCESS;
}

// Cuts or pads with 1 to the number of dimensions.
static struct bilanx_error take_terms(const struct spec *spec, const struct spec_tensor *tensor,
                                      const struct spec_terms *terms, const struct value *values,
                                      int64_t low, int dimensions, int64_t *out)
{
    for (int i = 0; i < dimensions; i++) {
        out[i] = 1;
        if (i < terms->count)
            BILANX_TRY(take_term(spec, tensor, &terms->items[i], values, low, INT64_MAX, &out[i]));
    }
    return BILANX_SUCCESS;
}

// Moves the last `by` items to the front.
static void roll(int64_t *items, int count, int64_t by)
{
    int64_t rolled[TENSOR_DIMENSIONS];
    int64_t shift = ((by % count) + count) % count;
    for (int i = 0; i < count; i++)
        rolled[(i + shift) % count] = items[i];
    memcpy(items, rolled, (size_t)count * sizeof *items);
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// A factor of 0 makes any product 0, even one that would overflow.
static uint64_t product(const int64_t *factors, int count, uint64_t base)
{
    for (int i = 0; i < count; i++)
        if (factors[i] == 0)
            return 0;
    for (int i = 0; i < count; i++)
        base = times(base, (uint64_t)factors[i]);
    return base;
}

// torch applies the density to the sum of all sizes, although it should be the product of the
// sparse ones.
static double stored_elements(const struct spec *spec, const struct spec_tensor *tensor,
                              const struct layout *layout, const struct value *values,
                              uint64_t places)
{
    if (tensor->nonzeros.text)
        return (double)value_of(&tensor->nonzeros, values).integer;
    double density = value_of(&tensor->density, values).number, total = (double)places;
    if (spec->compat == FUZZER_TORCH) {
        total = 0;
        for (int i = 0; i < layout->dimensions; i++)
            total += (double)layout->shape[i];
    }
    return ceil(total * density);
}

// Never more elements than there are places. torch stores each twice if it is not coalesced.
static struct bilanx_error measure_sparse(const struct spec *spec, const struct spec_tensor *tensor,
                                          const struct value *values, struct layout *layout)
{
    int64_t sparse = layout->dimensions;
    if (tensor->sparse_dim.text)
        BILANX_TRY(take_term(spec, tensor, &tensor->sparse_dim, values, 1, INT64_MAX, &sparse));
    layout->sparse_dimensions = sparse < layout->dimensions ? (int)sparse : layout->dimensions;
    uint64_t places = product(layout->shape, layout->sparse_dimensions, 1);
    double stored = fmax(stored_elements(spec, tensor, layout, values, places), 0);
    layout->nonzeros = stored < (double)places ? (int64_t)stored
                                               : (int64_t)(places > INT64_MAX ? INT64_MAX : places);
    layout->is_coalesced =
        !tensor->coalesced.text || value_is_true(value_of(&tensor->coalesced, values));
    if (!layout->is_coalesced && spec->compat == FUZZER_TORCH)
        layout->nonzeros = layout->nonzeros > INT64_MAX / 2 ? INT64_MAX : 2 * layout->nonzeros;
    uint64_t dense = product(layout->shape + layout->sparse_dimensions,
                             layout->dimensions - layout->sparse_dimensions, tensor->dtype->size);
    uint64_t index = (uint64_t)layout->sparse_dimensions * sizeof(int64_t);
    layout->bytes =
        dense > UINT64_MAX - index ? UINT64_MAX : times(dense + index, (uint64_t)layout->nonzeros);
    return BILANX_SUCCESS;
}

struct bilanx_error layout_measure(const struct spec *spec, const struct spec_tensor *tensor,
                                   const struct value *values, struct layout *out)
{
    struct layout layout = {0};
    int64_t dimensions = tensor->size.count;
    if (tensor->dim.text)
        BILANX_TRY(
            take_term(spec, tensor, &tensor->dim, values, 1, TENSOR_DIMENSIONS, &dimensions));
    bool as_torch = spec->compat == FUZZER_TORCH && tensor->torch_steps.given;
    layout.dimensions = (int)dimensions;
    BILANX_TRY(take_terms(spec, tensor, &tensor->size, values, !tensor->may_be_empty,
                          layout.dimensions, layout.shape));
    BILANX_TRY(take_terms(spec, tensor, as_torch ? &tensor->torch_steps : &tensor->steps, values, 1,
                          layout.dimensions, layout.steps));
    if (tensor->roll.text && spec->compat == FUZZER_FIXED) {  // torch ignores it
        int64_t by = value_of(&tensor->roll, values).integer;
        roll(layout.shape, layout.dimensions, by);
        roll(layout.steps, layout.dimensions, by);
    }
    layout.elements = product(layout.shape, layout.dimensions, 1);
    layout.bytes = times(product(layout.shape, layout.dimensions, tensor->dtype->size),
                         product(layout.steps, layout.dimensions, 1));
    if (tensor->is_sparse)
        BILANX_TRY(measure_sparse(spec, tensor, values, &layout));
    *out = layout;
    return BILANX_SUCCESS;
}

// torch counts complex numbers with the size of their real part.
static uint64_t counted_bytes(const struct spec *spec, const struct spec_tensor *tensor,
                              const struct layout *layout)
{
    bool halves = spec->compat == FUZZER_TORCH && layout->bytes != UINT64_MAX;
    return halves ? layout->bytes / tensor->dtype->parts : layout->bytes;
}

enum spec_limit layout_exceeds(const struct spec *spec, const struct spec_tensor *tensor,
                               const struct layout *layout)
{
    const uint64_t *limits = tensor->limits;
    if (limits[SPEC_MAX_ELEMENTS] && layout->elements > limits[SPEC_MAX_ELEMENTS])
        return SPEC_MAX_ELEMENTS;
    if (layout->elements < limits[SPEC_MIN_ELEMENTS])
        return SPEC_MIN_ELEMENTS;
    if (limits[SPEC_MAX_BYTES] && counted_bytes(spec, tensor, layout) > limits[SPEC_MAX_BYTES])
        return SPEC_MAX_BYTES;
    return SPEC_LIMITS;
}

static bool is_identity(const int *order, int count)
{
    for (int i = 0; i < count; i++)
        if (order[i] != i)
            return false;
    return true;
}

void layout_draw_order(const struct spec_tensor *tensor, struct mersenne *random,
                       struct layout *layout)
{
    for (int i = 0; i < layout->dimensions; i++)
        layout->order[i] = i;
    if (tensor->is_sparse || !(mersenne_unit(random) > tensor->probability_contiguous))
        return;
    while (layout->dimensions > 1 && is_identity(layout->order, layout->dimensions))
        mersenne_permute(random, layout->order, layout->dimensions);
}

// Only tensors without elements can have strides that overflow, which then do not matter.
static int64_t stretch(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// The strides of an allocation whose dimensions are in memory in this order.
static void stride(const int64_t *sizes, const int *order, int count, int64_t *out)
{
    int64_t next = 1;
    for (int i = count - 1; i >= 0; i--) {
        out[order[i]] = next;
        next = stretch(next, sizes[order[i]] > 1 ? sizes[order[i]] : 1);
    }
}

// Whether moving dimensions into this order moves no elements, because all dimensions that change
// places have size 1.
static bool keeps_elements(const int64_t *sizes, const int *order, int count)
{
    int last = -1;
    if (product(sizes, count, 1) == 0)
        return true;
    for (int i = 0; i < count; i++) {
        if (sizes[order[i]] == 1)
            continue;
        if (order[i] < last)
            return false;
        last = order[i];
    }
    return true;
}

// torch copies a permuted tensor only if that moves elements. Otherwise dimensions of size 1 keep
// the strides that they had.
static void set_strides(const struct layout *layout, int64_t *out)
{
    static const int identity[TENSOR_DIMENSIONS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                    8, 9, 10, 11, 12, 13, 14, 15};
    int64_t sizes[TENSOR_DIMENSIONS];
    for (int i = 0; i < layout->dimensions; i++)
        sizes[i] = stretch(layout->shape[i], layout->steps[i]);
    bool kept = keeps_elements(sizes, layout->order, layout->dimensions);
    stride(sizes, kept ? identity : layout->order, layout->dimensions, out);
    for (int i = 0; i < layout->dimensions; i++)
        out[i] = stretch(out[i], layout->steps[i]);
}

static struct bilanx_error check_size(const struct spec *spec, const struct spec_tensor *tensor,
                                      const struct layout *layout)
{
    bool elements = layout->elements > INT64_MAX;
    if (!elements && layout->bytes <= INT64_MAX)
        return BILANX_SUCCESS;
    AUTO(text) struct text shape = {0};
    for (int i = 0; i < layout->dimensions; i++) {
        text_format(&shape, "%s%" PRId64, i ? "x" : "", layout->shape[i]);
        if (layout->steps[i] > 1)
            text_format(&shape, " (every %" PRId64 ")", layout->steps[i]);
    }
    return spec_error(spec, tensor->size.at,
                      "tensor '%s' of %.160s would have 2^63 %s or more: set '%s', or lower its "
                      "sizes",
                      tensor->name, text_get(&shape), elements ? "elements" : "bytes",
                      spec_limit_words[elements ? SPEC_MAX_ELEMENTS : SPEC_MAX_BYTES]);
}

struct bilanx_error layout_describe(const struct spec *spec, const struct spec_tensor *tensor,
                                    const struct layout *layout, struct tensor_description *out)
{
    BILANX_TRY(check_size(spec, tensor, layout));
    *out = (struct tensor_description){
        .name = mem_text(tensor->name),
        .dtype = tensor->dtype->type,
        .is_bool = tensor->dtype->is_bool,
        .dimensions = layout->dimensions,
        .is_sparse = tensor->is_sparse,
        .sparse_dimensions = layout->sparse_dimensions,
        .nonzeros = layout->nonzeros,
        .is_coalesced = layout->is_coalesced,
        .fill = tensor->fill,
        .low = tensor->low,
        .high = tensor->high,
        .nan_share = tensor->nan_share,
        .inf_share = tensor->inf_share,
    };
    memcpy(out->shape, layout->shape, sizeof out->shape);
    memcpy(out->steps, layout->steps, sizeof out->steps);
    memcpy(out->order, layout->order, sizeof out->order);
    set_strides(layout, out->strides);
    return BILANX_SUCCESS;
}
