#include "backends/common/conventions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t *format_strides(const struct frame *frame, const struct view *x, int64_t *strides)
{
    const char *name = argument_text(frame, "memory_format", "torch.preserve_format");
    if (strcmp(name, "torch.contiguous_format") == 0)
        return NULL;
    struct view like = *x;
    if (strcmp(name, "torch.channels_last") == 0 && x->ndim == 4) {
        like.strides[1] = 1;
        like.strides[3] = x->shape[1];
        like.strides[2] = like.strides[3] * x->shape[3];
        like.strides[0] = like.strides[2] * x->shape[2];
    }
    view_strides_like(&like, strides);
    return strides;
}

bool has_dimension(const struct frame *frame, const char *name, const struct view *view)
{
    int64_t dims[BILANX_MAX_DIMENSIONS];
    int count = argument_integers(frame, name, dims), ndim = view->ndim ? view->ndim : 1;
    for (int i = 0; i < count; i++)
        if (dims[i] < -ndim || dims[i] >= ndim)
            return false;
    return true;
}

uint32_t reduced_dimensions(const struct frame *frame, const struct view *x)
{
    int64_t dims[BILANX_MAX_DIMENSIONS];
    int count = argument_integers(frame, "dim", dims);
    uint32_t set = count ? 0 : (1u << x->ndim) - 1;
    for (int i = 0; i < count && x->ndim > 0; i++)
        set |= 1u << view_dimension(x, dims[i]);
    return set;
}

const char *check_elements(const struct frame *frame, const struct view *x, bool is_extreme)
{
    double order = argument_real(frame, "ord", 2);
    bool is_strict = strcmp(frame->routine->base, "linalg_vector_norm") == 0;
    if (!is_extreme && !(is_strict && (order < 0 || isinf(order))))
        return NULL;
    uint32_t set = reduced_dimensions(frame, x);
    for (int d = 0; d < x->ndim; d++)
        if (set >> d & 1 && x->shape[d] == 0)
            return "an empty slice has no largest or smallest element";
    return NULL;
}

const struct dtype *reduced_type(const struct frame *frame, enum reduced_type rule,
                                 const struct dtype *own)
{
    const struct dtype *asked = argument_type(frame, "dtype", NULL);
    switch (rule) {
    case TYPE_SUMMED:
        return asked ? asked : own->kind == DTYPE_INTEGER ? dtype_find("i64") : own;
    case TYPE_REAL:
        return asked ? asked : own;
    case TYPE_TRUTH:
        return own->type.code == kDLUInt && !own->is_bool ? own : dtype_find("bool");
    case TYPE_INDEX:
        return dtype_find("i64");
    default:
        return own;
    }
}

struct view list_view(const struct bilanx_value *list, size_t i)
{
    return view_of(list->items[i].tensor, list->items[i].is_bool);
}

bool counts_in_cat(const struct view *view)
{
    return view->ndim != 1 || view->shape[0] != 0;
}

const char *check_list_of_tensors(struct frame *frame)
{
    const struct bilanx_value *list = argument(frame, "tensors");
    if (!list || list->count == 0)
        return "needs tensors";
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != BILANX_TENSOR)
            return "needs tensors";
        if (list_view(list, i).type != list_view(list, 0).type)
            return "tensors of different types";
    }
    return NULL;
}

double number_of_word(const char *word)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"none", 0},  {"tanh", 1},       {"trunc", 1},
                 {"floor", 2}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].value;
    return strtod(word, NULL);
}

int64_t integer_of(double value)
{
    return value >= 0x1p63 ? INT64_MAX : value >= -0x1p63 ? (int64_t)value : INT64_MIN;
}
