// expression: a condition on parameters: `k0 * k1 <= 1e6 and k0 % 8 == 0`.
//
// Reads and computes as Python does: + - * / // % **, comparisons, which may be chained (16 <= k0 <
// 64), and, or, not, parentheses, numbers in the form that value_read() accepts, names. Integers
// that leave 64 bits become real. Division by zero is an error.
#ifndef FUZZER_EXPRESSION_H
#define FUZZER_EXPRESSION_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"
#include "value.h"

enum {
    EXPRESSION_LONGEST = 4096,  // characters
    EXPRESSION_NODES = 1000,
    EXPRESSION_DEEPEST = 100,  // parentheses and signs
};

struct expression {
    struct expression_node *nodes;
    size_t count, room;
    size_t root;
};
void expression_done(struct expression *expression);
SCOPE_VALUE(expression, expression_done)

// On an error, `*fault` is its offset in the text; the error does not include a position.
struct bilanx_error expression_parse(const char *text, const char *const *names, size_t name_count,
                                     struct expression *out, size_t *fault);

// `values` are those of `names`, in the same order.
struct bilanx_error expression_evaluate(const struct expression *expression,
                                        const struct value *values, struct value *out);

bool value_is_true(struct value value);  // anything but 0

#endif
