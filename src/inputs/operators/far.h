// far: extreme data, on which accuracy is checked as well.
//
// Numbers between -1 and 1 do not reveal overflow, underflow, and the handling of NaN and
// infinities. A draw changes arguments with such numbers; arguments that must suit an operator,
// such as indices and probabilities, stay as they are.
#ifndef OPERATORS_FAR_H
#define OPERATORS_FAR_H

#include "content.h"
#include "inputs/tensors/dtype.h"
#include "operators.h"

// Whether elements with this content change in a draw.
bool far_changes(const struct bilanx_call *call, const struct content *content,
                 const struct dtype *dtype, enum operator_draw draw);

// Changes `count` elements, which have their usual content.
void far_apply(const struct bilanx_call *call, const struct dtype *dtype, enum operator_draw draw,
               void *elements, uint64_t count);

#endif
