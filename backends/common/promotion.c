// promotion: finds the common type of two types.
#include "promotion.h"

static int category(const struct dtype *type)
{
    return type->is_bool ? 0 : type->kind == DTYPE_INTEGER ? 1 : 2;
}

static const struct dtype *wider(const struct dtype *one, const struct dtype *other)
{
    if (!one || !other || one == other)
        return one ? one : other;
    if (category(one) != category(other))
        return category(one) > category(other) ? one : other;
    if (one->size != other->size) {
        const struct dtype *larger = one->size > other->size ? one : other;
        return larger;
    }
    // Two types of one size: f16 and bf16, or i8 and u8.
    return dtype_find(category(one) == 2 ? "f32" : "i16");
}

void promotion_add(struct promotion *promotion, const struct view *operand, bool is_number)
{
    const struct dtype **group = is_number            ? &promotion->numbers
                                 : operand->ndim == 0 ? &promotion->scalars
                                                      : &promotion->tensors;
    // A real number without a type of its own has the default type.
    *group = wider(*group, is_number && operand->type->kind == DTYPE_REAL ? dtype_find("f32")
                                                                          : operand->type);
}

static const struct dtype *combine(const struct dtype *higher, const struct dtype *lower)
{
    if (!higher || !lower)
        return higher ? higher : lower;
    return category(higher) >= category(lower) ? higher : wider(higher, lower);
}

const struct dtype *promotion_result(const struct promotion *promotion)
{
    return combine(combine(promotion->tensors, promotion->scalars), promotion->numbers);
}
