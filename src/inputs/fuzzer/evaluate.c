// evaluate: computes the value of an expression as Python would.
#include "expression_nodes.h"

#include <assert.h>
#include <math.h>

bool value_is_true(struct value value)
{
    return value.is_real ? value.number != 0 : value.integer != 0;
}

static struct bilanx_error by_zero(void)
{
    return bilanx_error_make(BILANX_E_INPUT, "division by zero");
}

static struct value add(struct value a, struct value b)
{
    int64_t sum;
    if (a.is_real || b.is_real || __builtin_add_overflow(a.integer, b.integer, &sum))
        return value_real(a.number + b.number);
    return value_integer(sum);
}

static struct value subtract(struct value a, struct value b)
{
    int64_t difference;
    if (a.is_real || b.is_real || __builtin_sub_overflow(a.integer, b.integer, &difference))
        return value_real(a.number - b.number);
    return value_integer(difference);
}

static struct value multiply(struct value a, struct value b)
{
    int64_t product;
    if (a.is_real || b.is_real || __builtin_mul_overflow(a.integer, b.integer, &product))
        return value_real(a.number * b.number);
    return value_integer(product);
}

// Rounds down, so that the remainder has the sign of the divisor.
static struct value floor_divide(struct value a, struct value b)
{
    if (a.is_real || b.is_real || (a.integer == INT64_MIN && b.integer == -1))
        return value_real(floor(a.number / b.number));
    int64_t quotient = a.integer / b.integer;
    return value_integer(quotient -
                         (a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0)));
}

static struct value modulo(struct value a, struct value b)
{
    if (a.is_real || b.is_real) {
        double rest = fmod(a.number, b.number);
        return value_real(rest != 0 && (rest < 0) != (b.number < 0) ? rest + b.number : rest);
    }
    if (b.integer == -1)
        return value_integer(0);  // INT64_MIN % -1 traps
    int64_t rest = a.integer % b.integer;
    return value_integer(rest != 0 && (rest < 0) != (b.integer < 0) ? rest + b.integer : rest);
}

static struct bilanx_error power(struct value base, struct value exponent, struct value *out)
{
    if (base.number == 0 && exponent.number < 0)
        return by_zero();
    if (base.is_real || exponent.is_real || exponent.integer < 0) {
        *out = value_real(pow(base.number, exponent.number));
        return BILANX_SUCCESS;
    }
    struct value product = value_integer(1), square = base;
    for (uint64_t left = (uint64_t)exponent.integer; left; left >>= 1) {
        if (left & 1)
            product = multiply(product, square);
        square = multiply(square, square);
    }
    *out = product;
    return BILANX_SUCCESS;
}

static struct bilanx_error combine(enum expression_operator operator, struct value a,
                                   struct value b, struct value *out)
{
    switch (operator) {
    case EXPRESSION_ADD:
        *out = add(a, b);
        return BILANX_SUCCESS;
    case EXPRESSION_SUBTRACT:
        *out = subtract(a, b);
        return BILANX_SUCCESS;
    case EXPRESSION_MULTIPLY:
        *out = multiply(a, b);
        return BILANX_SUCCESS;
    case EXPRESSION_POWER:
        return power(a, b, out);
    default:
        break;
    }
    if (b.number == 0)
        return by_zero();
    if (operator== EXPRESSION_DIVIDE)
        *out = value_real(a.number / b.number);
    else
        *out = operator== EXPRESSION_MODULO ? modulo(a, b) : floor_divide(a, b);
    return BILANX_SUCCESS;
}

static bool holds(enum expression_operator operator, struct value a, struct value b)
{
    bool real = a.is_real || b.is_real;
    bool less = real ? a.number < b.number : a.integer < b.integer;
    bool equal = real ? a.number == b.number : a.integer == b.integer;
    bool greater = real ? a.number > b.number : a.integer > b.integer;
    switch (operator) {
    case EXPRESSION_LESS:
        return less;
    case EXPRESSION_AT_MOST:
        return less || equal;
    case EXPRESSION_GREATER:
        return greater;
    case EXPRESSION_AT_LEAST:
        return greater || equal;
    case EXPRESSION_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

struct evaluation {
    const struct expression_node *nodes;
    const struct value *values;
};

static struct bilanx_error evaluate(const struct evaluation *in, size_t place, struct value *out);

static struct bilanx_error compare(const struct evaluation *in, const struct expression_node *node,
                                   struct value *out)
{
    struct value left, right;
    BILANX_TRY(evaluate(in, node->left, &left));
    for (;; node = &in->nodes[node->chained]) {
        BILANX_TRY(evaluate(in, node->right, &right));
        *out = value_integer(holds(node->operator, left, right));
        if (!out->integer || node->chained == EXPRESSION_NONE)
            return BILANX_SUCCESS;
        left = right;
    }
}

static struct bilanx_error evaluate(const struct evaluation *in, size_t place, struct value *out)
{
    const struct expression_node *node = &in->nodes[place];
    if (node->operator== EXPRESSION_VALUE) {
        *out = node->literal;
        return BILANX_SUCCESS;
    }
    if (node->operator== EXPRESSION_NAME) {
        *out = in->values[node->left];
        return BILANX_SUCCESS;
    }
    if (node->operator>= EXPRESSION_LESS)
        return compare(in, node, out);
    struct value left, right;
    BILANX_TRY(evaluate(in, node->left, &left));
    if (node->operator== EXPRESSION_NOT)
        *out = value_integer(!value_is_true(left));
    else if (node->operator== EXPRESSION_NEGATE)
        *out = subtract(value_integer(0), left);
    else if (node->operator== EXPRESSION_AND || node->operator== EXPRESSION_OR) {
        if (value_is_true(left) == (node->operator== EXPRESSION_AND))
            return evaluate(in, node->right, out);
        *out = left;
    } else {
        BILANX_TRY(evaluate(in, node->right, &right));
        return combine(node->operator, left, right, out);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error expression_evaluate(const struct expression *expression,
                                        const struct value *values, struct value *out)
{
    assert(expression->count > 0);
    const struct evaluation in = {expression->nodes, values};
    struct value result;
    BILANX_TRY(evaluate(&in, expression->root, &result));
    *out = result;
    return BILANX_SUCCESS;
}
