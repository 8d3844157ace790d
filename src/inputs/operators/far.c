#include "far.h"

#include <math.h>
#include <string.h>

#include "operator_names.h"

// The kinds of elements that a draw must leave out for an operator.
enum omission {
    NO_EQUAL = 1,     // the choice among equal elements is undefined
    NO_NAN = 2,       // the result depends on how the formula is written, or on zeros in padding
    NO_INFINITY = 4,  // the same
    NO_SPECIAL = NO_NAN | NO_INFINITY,
};

struct far_rule {
    const char *word;  // the stem of an operator; with a *, a part of it
    int digits;        // elements of f32 are up to 1e<digits>; 0: the usual data
    unsigned omission;
};

enum { USUAL_DIGITS = 20, PRODUCT_DIGITS = 9 };  // their squares overflow; products of four do not

// The first that matches counts.
static const struct far_rule rules[] = {
    {"*prod", 0, 0},     // overflows in any order
    {"pow", 0, 0},       // so do powers
    {"chain", 0, 0},     // may contain any operator
    {"_to_copy", 0, 0},  // no integer is that large
    {"copy", 0, 0},
    {"sin", 0, 0},  // no digit of a large argument's sine is certain
    {"cos", 0, 0},
    {"tan", 0, 0},
    {"*grid_sampler", 0, 0},   // coordinates
    {"*cross_entropy", 0, 0},  // probabilities
    {"*lstm", 0, 0},
    {"*gru", 0, 0},
    {"*rnn", 0, 0},
    {"renorm", 0, 0},
    {"*quantize", 0, 0},
    {"*hist", 0, 0},
    {"*linalg", 0, 0},  // matrices; the norm of a vector is like the others, but rarely alone
    {"*backward", PRODUCT_DIGITS, NO_SPECIAL | NO_EQUAL},
    {"*loss", PRODUCT_DIGITS, NO_SPECIAL},
    {"*conv", PRODUCT_DIGITS, NO_SPECIAL},
    {"*attention", PRODUCT_DIGITS, NO_SPECIAL},
    {"*upsample", PRODUCT_DIGITS, NO_SPECIAL},
    {"*fft", PRODUCT_DIGITS, NO_SPECIAL},
    {"*mm", PRODUCT_DIGITS, NO_INFINITY},
    {"*mv", PRODUCT_DIGITS, NO_INFINITY},
    {"*dot", PRODUCT_DIGITS, NO_INFINITY},
    {"*linear", PRODUCT_DIGITS, NO_INFINITY},
    {"*einsum", PRODUCT_DIGITS, NO_INFINITY},
    {"*dist", PRODUCT_DIGITS, NO_SPECIAL},
    {"addcmul", PRODUCT_DIGITS, 0},
    {"lerp", PRODUCT_DIGITS, NO_SPECIAL},
    {"remainder", PRODUCT_DIGITS, NO_SPECIAL},
    {"fmod", PRODUCT_DIGITS, NO_SPECIAL},
    {"floor_divide", PRODUCT_DIGITS, NO_SPECIAL},
    {"gelu", USUAL_DIGITS, NO_SPECIAL},  // torch's own vectors and scalars differ
    {"mish", USUAL_DIGITS, NO_SPECIAL},
    {"hardswish", USUAL_DIGITS, NO_SPECIAL},
    {"silu", USUAL_DIGITS, NO_SPECIAL},
    {"*norm", USUAL_DIGITS, NO_INFINITY | NO_EQUAL},  // x - mean of equal ones is a rounding error
    {"*var", USUAL_DIGITS, NO_INFINITY},
    {"*std", USUAL_DIGITS, NO_INFINITY},
    {"*arg", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"max", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"min", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"*pool", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"*sort", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"*unique", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"topk", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"median", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"mode", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"kthvalue", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"*cum", USUAL_DIGITS, NO_EQUAL | NO_SPECIAL},
    {"*", USUAL_DIGITS, 0},
};

static const struct far_rule *rule_of(const struct bilanx_call *call)
{
    struct operator_name name = operator_name_split(call->name);
    const struct far_rule *rule = rules;
    while (rule->word[0] == '*' ? !strstr(name.stem, rule->word + 1)
                                : strcmp(name.stem, rule->word) != 0)
        rule++;
    return rule;
}

static bool is_usual(const struct content *content)
{
    return content->kind == CONTENT_RANGE && content->low == -1 && content->high == 1;
}

bool far_changes(const struct bilanx_call *call, const struct content *content,
                 const struct dtype *dtype, enum operator_draw draw)
{
    const struct far_rule *rule = rule_of(call);
    bool is_special = draw == DRAW_SPECIAL;
    return dtype->kind == DTYPE_REAL && is_usual(content) && draw != DRAW_USUAL && rule->digits &&
           !(is_special && (rule->omission & NO_SPECIAL) == NO_SPECIAL);
}

// In f64 squares must not overflow, because there is no wider type to decide who is right.
static double reach_of(const struct far_rule *rule, const struct dtype *dtype)
{
    bool is_wide = dtype->precision > 24, is_short = dtype->largest < 1e6;
    int digits = is_wide ? 4 * rule->digits : is_short ? (rule->digits + 5) / 10 : rule->digits;
    double reach = 1;
    while (digits-- > 0)
        reach *= 10;
    return reach;
}

// A few, and all of them far apart, so that most slices have none.
static double special(const struct far_rule *rule, uint64_t index, double usual)
{
    enum { APART = 97 };
    if (index % APART != APART / 2)
        return usual;
    bool has_nan = !(rule->omission & NO_NAN), has_infinity = !(rule->omission & NO_INFINITY);
    switch (index / APART % 5) {
    case 0:
        return has_nan ? NAN : usual;
    case 1:
        return has_infinity ? INFINITY : usual;
    case 2:
        return has_infinity ? -INFINITY : usual;
    case 3:
        return 0.0;
    default:
        return -0.0;
    }
}

static double changed(const struct far_rule *rule, enum operator_draw draw, double reach,
                      uint64_t index, double usual)
{
    enum { BLOCK = 64, EVERY = 4 };  // one in this many blocks has equal elements
    if (draw == DRAW_SPECIAL)
        return special(rule, index, usual);
    bool is_equal = !(rule->omission & NO_EQUAL) && index / BLOCK % EVERY == EVERY - 1;
    double number = is_equal ? 0.7 : usual;
    return draw == DRAW_LARGE ? number * reach : number / reach;
}

void far_apply(const struct bilanx_call *call, const struct dtype *dtype, enum operator_draw draw,
               void *elements, uint64_t count)
{
    enum { PIECE = 256 };
    const struct far_rule *rule = rule_of(call);
    double numbers[PIECE], reach = reach_of(rule, dtype);
    uint64_t parts = count * dtype->parts;
    size_t size = dtype->size / dtype->parts;
    for (uint64_t i = 0; i < parts; i += PIECE) {
        size_t n = parts - i < PIECE ? (size_t)(parts - i) : PIECE;
        char *at = (char *)elements + i * size;
        dtype->widen(at, n, numbers);
        for (size_t k = 0; k < n; k++)
            numbers[k] = changed(rule, draw, reach, i + k, numbers[k]);
        dtype->narrow(numbers, n, at);
    }
}
