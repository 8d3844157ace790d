// expression_nodes: the nodes that expression_parse() makes and expression_evaluate() reads.
#ifndef FUZZER_EXPRESSION_NODES_H
#define FUZZER_EXPRESSION_NODES_H

#include "expression.h"

enum expression_operator {
    EXPRESSION_VALUE,  // literal
    EXPRESSION_NAME,   // names[left]
    EXPRESSION_NEGATE,
    EXPRESSION_NOT,
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_FLOOR_DIVIDE,
    EXPRESSION_MODULO,
    EXPRESSION_POWER,
    // Comparisons. `chained` is the next one, whose left side is the right side of this one.
    EXPRESSION_LESS,
    EXPRESSION_AT_MOST,
    EXPRESSION_GREATER,
    EXPRESSION_AT_LEAST,
    EXPRESSION_EQUAL,
    EXPRESSION_UNEQUAL,
};

#define EXPRESSION_NONE SIZE_MAX

struct expression_node {
    enum expression_operator operator;
    size_t left, right;  // operands
    size_t chained;      // EXPRESSION_NONE: none
    struct value literal;
};

#endif
