// conventions: the meaning of common arguments of torch's operators.
#ifndef BACKENDS_COMMON_CONVENTIONS_H
#define BACKENDS_COMMON_CONVENTIONS_H

#include "backends/common/frame.h"

// Gets the strides that the argument memory_format asks for, in `strides`; NULL for contiguous.
const int64_t *format_strides(const struct frame *frame, const struct view *x, int64_t *strides);

// Whether an argument names dimensions of a view; absent: it does.
bool has_dimension(const struct frame *frame, const char *name, const struct view *view);

// Gets the set of dimensions in the argument dim, as bits: all, if none is named.
uint32_t reduced_dimensions(const struct frame *frame, const struct view *x);

// Returns why there is no result if the reduced dimensions of `x` are empty, or NULL: an empty
// slice has no largest element. Its norm is 0, but linalg_vector_norm is strict.
const char *check_elements(const struct frame *frame, const struct view *x, bool is_extreme);

enum reduced_type { TYPE_SAME, TYPE_SUMMED, TYPE_REAL, TYPE_TRUTH, TYPE_INDEX };

// The type of the result of a reduction of elements of type `own`.
const struct dtype *reduced_type(const struct frame *frame, enum reduced_type rule,
                                 const struct dtype *own);

// The argument tensors of cat and stack: a list that is not empty, of one type, as it is in our
// logs. Returns why it cannot be used, or NULL.
const char *check_list_of_tensors(struct frame *frame);
struct view list_view(const struct bilanx_value *list, size_t i);
bool counts_in_cat(const struct view *view);  // an empty vector fits anything, as in old torch

// A mode of rounding or an approximation has a number, too: none 0; tanh, trunc 1; floor 2.
double number_of_word(const char *word);

int64_t integer_of(double value);  // the closest that there is

#endif
