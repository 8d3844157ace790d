// promotion: the type in which operands of different types meet, by torch's rules.
#ifndef BACKENDS_COMMON_PROMOTION_H
#define BACKENDS_COMMON_PROMOTION_H

#include "backends/common/view.h"

// Tensors with dimensions decide; those without dimensions and plain numbers count only if they are
// of a higher category: boolean, integer, real.
struct promotion {
    const struct dtype *tensors, *scalars, *numbers;
};
void promotion_add(struct promotion *promotion, const struct view *operand, bool is_number);
const struct dtype *promotion_result(const struct promotion *promotion);  // NULL: no operands

#endif
