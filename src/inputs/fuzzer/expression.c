// expression: parses a condition on parameters, by recursive descent.
#include "expression_nodes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct parser {
    const char *text, *at;
    const char *const *names;
    size_t name_count;
    struct expression *expression;
    unsigned depth;
};

// The words and signs of one level of precedence.
struct sign {
    const char *text;  // NULL ends an array
    enum expression_operator operator;
};

static const struct sign or_signs[] = {{"or", EXPRESSION_OR}, {0}};
static const struct sign and_signs[] = {{"and", EXPRESSION_AND}, {0}};
static const struct sign comparison_signs[] = {
    // longer ones first
    {"<=", EXPRESSION_AT_MOST},
    {">=", EXPRESSION_AT_LEAST},
    {"==", EXPRESSION_EQUAL},
    {"!=", EXPRESSION_UNEQUAL},
    {"<", EXPRESSION_LESS},
    {">", EXPRESSION_GREATER},
    {0},
};
static const struct sign sum_signs[] = {{"+", EXPRESSION_ADD}, {"-", EXPRESSION_SUBTRACT}, {0}};
static const struct sign product_signs[] = {
    {"//", EXPRESSION_FLOOR_DIVIDE},
    {"/", EXPRESSION_DIVIDE},
    {"%", EXPRESSION_MODULO},
    {"*", EXPRESSION_MULTIPLY},
    {0},
};
static const struct sign power_signs[] = {{"**", EXPRESSION_POWER}, {0}};

void expression_done(struct expression *expression)
{
    free(expression->nodes);
    *expression = (struct expression){0};
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct parser *parser)
{
    while (*parser->at && strchr(" \t\r\n", *parser->at))
        parser->at++;
}

static bool starts_with(const char *at, const char *sign)
{
    size_t size = strlen(sign);
    if (strncmp(at, sign, size) != 0)
        return false;
    return !in_word(sign[0]) || !in_word(at[size]);
}

static bool take_sign(struct parser *parser, const struct sign *signs,
                      enum expression_operator *out)
{
    skip_blanks(parser);
    for (const struct sign *sign = signs; sign->text; sign++)
        if (starts_with(parser->at, sign->text)) {
            parser->at += strlen(sign->text);
            *out = sign->operator;
            return true;
        }
    return false;
}

static struct bilanx_error add_node(struct parser *parser, struct expression_node node, size_t *out)
{
    struct expression *expression = parser->expression;
    if (expression->count == EXPRESSION_NODES)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "the expression has over %d numbers, names and operators",
                                 EXPRESSION_NODES);
    mem_grow(expression->nodes, expression->count, &expression->room);
    node.chained = EXPRESSION_NONE;
    expression->nodes[expression->count] = node;
    *out = expression->count++;
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_or(struct parser *parser, size_t *out);
static struct bilanx_error parse_unary(struct parser *parser, size_t *out);

static struct bilanx_error deeper(struct parser *parser,
                                  struct bilanx_error (*parse)(struct parser *, size_t *),
                                  size_t *out)
{
    if (parser->depth == EXPRESSION_DEEPEST)
        return bilanx_error_make(BILANX_E_INPUT, "the expression is nested over %d deep",
                                 EXPRESSION_DEEPEST);
    parser->depth++;
    BILANX_TRY(parse(parser, out));
    parser->depth--;
    return BILANX_SUCCESS;
}

// A number extends to the next blank or operator; the sign of an exponent belongs to it.
static struct bilanx_error parse_number(struct parser *parser, size_t *out)
{
    const char *end = parser->at;
    while (in_word(*end) || *end == '.' ||
           ((*end == '+' || *end == '-') && end > parser->at && strchr("eE", end[-1])))
        end++;
    AUTO(memory) char *word = mem_text_n(parser->at, (size_t)(end - parser->at));
    struct expression_node node = {EXPRESSION_VALUE};
    if (!value_read(word, &node.literal))
        return bilanx_error_make(BILANX_E_INPUT, "'%.40s' is not a number (1e6, 0.5, 16, 64k)",
                                 word);
    parser->at = end;
    return add_node(parser, node, out);
}

static struct bilanx_error unknown_name(struct parser *parser, const char *name)
{
    const char *nearest = text_nearest(name, parser->names, parser->name_count);
    return bilanx_error_make(BILANX_E_INPUT, "there is no parameter '%.60s'%s%s%s", name,
                             nearest ? " (did you mean '" : "", nearest ? nearest : "",
                             nearest ? "'?)" : "");
}

static struct bilanx_error parse_name(struct parser *parser, size_t *out)
{
    const char *end = parser->at;
    while (in_word(*end))
        end++;
    AUTO(memory) char *word = mem_text_n(parser->at, (size_t)(end - parser->at));
    struct expression_node node = {EXPRESSION_VALUE};
    if (!value_read(word, &node.literal)) {  // true and false are values
        node.operator= EXPRESSION_NAME;
        while (node.left < parser->name_count && strcmp(parser->names[node.left], word) != 0)
            node.left++;
        if (node.left == parser->name_count)
            return unknown_name(parser, word);
    }
    parser->at = end;
    return add_node(parser, node, out);
}

static bool is_operator_word(const char *at)
{
    return starts_with(at, "and") || starts_with(at, "or") || starts_with(at, "not");
}

static struct bilanx_error parse_atom(struct parser *parser, size_t *out)
{
    skip_blanks(parser);
    char first = *parser->at;
    if (isdigit((unsigned char)first) || first == '.')
        return parse_number(parser, out);
    if (in_word(first) && !is_operator_word(parser->at))
        return parse_name(parser, out);
    if (first != '(')
        return bilanx_error_make(BILANX_E_INPUT, "a number, a parameter or '(' is missing");
    parser->at++;
    BILANX_TRY(deeper(parser, parse_or, out));
    skip_blanks(parser);
    if (*parser->at != ')')
        return bilanx_error_make(BILANX_E_INPUT, "')' is missing");
    parser->at++;
    return BILANX_SUCCESS;
}

// -2 ** 2 is -(2 ** 2), and 2 ** -1 is 0.5.
static struct bilanx_error parse_power(struct parser *parser, size_t *out)
{
    struct expression_node node = {0};
    BILANX_TRY(parse_atom(parser, &node.left));
    *out = node.left;
    if (!take_sign(parser, power_signs, &node.operator))
        return BILANX_SUCCESS;
    BILANX_TRY(deeper(parser, parse_unary, &node.right));
    return add_node(parser, node, out);
}

static struct bilanx_error parse_unary(struct parser *parser, size_t *out)
{
    enum expression_operator sign;
    if (!take_sign(parser, sum_signs, &sign))
        return parse_power(parser, out);
    struct expression_node node = {EXPRESSION_NEGATE};
    BILANX_TRY(deeper(parser, parse_unary, &node.left));
    *out = node.left;
    return sign == EXPRESSION_SUBTRACT ? add_node(parser, node, out) : BILANX_SUCCESS;
}

// Operators of equal precedence, from left to right.
static struct bilanx_error parse_series(struct parser *parser, const struct sign *signs,
                                        struct bilanx_error (*parse)(struct parser *, size_t *),
                                        size_t *out)
{
    struct expression_node node = {0};
    BILANX_TRY(parse(parser, out));
    while (take_sign(parser, signs, &node.operator)) {
        node.left = *out;
        BILANX_TRY(parse(parser, &node.right));
        BILANX_TRY(add_node(parser, node, out));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_product(struct parser *parser, size_t *out)
{
    return parse_series(parser, product_signs, parse_unary, out);
}

static struct bilanx_error parse_sum(struct parser *parser, size_t *out)
{
    return parse_series(parser, sum_signs, parse_product, out);
}

static struct bilanx_error parse_comparison(struct parser *parser, size_t *out)
{
    size_t last = EXPRESSION_NONE, operand;
    BILANX_TRY(parse_sum(parser, &operand));
    *out = operand;
    struct expression_node node = {0};
    while (take_sign(parser, comparison_signs, &node.operator)) {
        size_t added = 0;
        node.left = operand;
        BILANX_TRY(parse_sum(parser, &operand));
        node.right = operand;
        BILANX_TRY(add_node(parser, node, &added));
        if (last == EXPRESSION_NONE)
            *out = added;
        else
            parser->expression->nodes[last].chained = added;
        last = added;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_not(struct parser *parser, size_t *out)
{
    static const struct sign not_signs[] = {{"not", EXPRESSION_NOT}, {0}};
    struct expression_node node = {0};
    if (!take_sign(parser, not_signs, &node.operator))
        return parse_comparison(parser, out);
    BILANX_TRY(deeper(parser, parse_not, &node.left));
    return add_node(parser, node, out);
}

static struct bilanx_error parse_and(struct parser *parser, size_t *out)
{
    return parse_series(parser, and_signs, parse_not, out);
}

static struct bilanx_error parse_or(struct parser *parser, size_t *out)
{
    return parse_series(parser, or_signs, parse_and, out);
}

// Reports text after a complete expression, with a hint for operators of other languages.
static struct bilanx_error unexpected(const char *at)
{
    static const struct {
        const char *sign, *use;
    } hints[] = {{"=", "=="}, {"&", "and"}, {"|", "or"}, {"!", "not"}, {"^", "**"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (text_starts(at, hints[i].sign))
            return bilanx_error_make(BILANX_E_INPUT, "unexpected '%s' (use '%s')", hints[i].sign,
                                     hints[i].use);
    return bilanx_error_make(BILANX_E_INPUT, "unexpected '%.20s': an operator is missing", at);
}

struct bilanx_error expression_parse(const char *text, const char *const *names, size_t name_count,
                                     struct expression *out, size_t *fault)
{
    AUTO(expression) struct expression expression = {0};
    struct parser parser = {text, text, names, name_count, &expression, 0};
    *fault = 0;
    if (strlen(text) > EXPRESSION_LONGEST)
        return bilanx_error_make(BILANX_E_INPUT, "the expression has over %d characters",
                                 EXPRESSION_LONGEST);
    struct bilanx_error error = parse_or(&parser, &expression.root);
    skip_blanks(&parser);
    if (error.status == BILANX_OK && *parser.at)
        error = unexpected(parser.at);
    *fault = (size_t)(parser.at - text);
    if (error.status != BILANX_OK)
        return error;
    *out = expression;
    expression = (struct expression){0};
    return BILANX_SUCCESS;
}
