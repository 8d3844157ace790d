// expression: evaluates the expressions of unwinding rules.
//
// Has the operations that compilers and hand-written assembly use there: those of a stack machine
// without jumps.
#include "expression.h"

#include <dwarf.h>

enum { DEPTH = 32 };

struct evaluation {
    const struct expression_input *input;
    uint64_t stack[DEPTH];
    size_t depth;
    bool is_value;     // the result is the value itself, not its address
    bool is_register;  // the result is a register's number
};

static bool push(struct evaluation *evaluation, uint64_t value)
{
    if (evaluation->depth == DEPTH)
        return false;
    evaluation->stack[evaluation->depth++] = value;
    return true;
}

static bool push_register(struct evaluation *evaluation, uint64_t number, uint64_t offset)
{
    const struct expression_input *input = evaluation->input;
    return number < REGISTERS && input->known[number] &&
           push(evaluation, input->values[number] + offset);
}

static bool compute(uint8_t operation, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t left = (int64_t)a, right = (int64_t)b;
    switch (operation) {
    case DW_OP_plus:
        *out = a + b;
        return true;
    case DW_OP_minus:
        *out = a - b;
        return true;
    case DW_OP_mul:
        *out = a * b;
        return true;
    case DW_OP_and:
        *out = a & b;
        return true;
    case DW_OP_or:
        *out = a | b;
        return true;
    case DW_OP_xor:
        *out = a ^ b;
        return true;
    case DW_OP_shl:
        *out = b < 64 ? a << b : 0;
        return true;
    case DW_OP_shr:
        *out = b < 64 ? a >> b : 0;
        return true;
    case DW_OP_shra:
        *out = (uint64_t)(left >> (b < 64 ? b : 63));
        return true;
    case DW_OP_eq:
        *out = left == right;
        return true;
    case DW_OP_ne:
        *out = left != right;
        return true;
    case DW_OP_ge:
        *out = left >= right;
        return true;
    case DW_OP_gt:
        *out = left > right;
        return true;
    case DW_OP_le:
        *out = left <= right;
        return true;
    case DW_OP_lt:
        *out = left < right;
        return true;
    default:
        return false;
    }
}

// Operations that change the top of the stack.
static bool apply(struct evaluation *evaluation, const Dwarf_Op *operation)
{
    if (evaluation->depth == 0)
        return false;
    uint64_t *top = &evaluation->stack[evaluation->depth - 1];
    switch (operation->atom) {
    case DW_OP_deref:
        return evaluation->input->read(evaluation->input->context, *top, top);
    case DW_OP_plus_uconst:
        *top += operation->number;
        return true;
    case DW_OP_neg:
        *top = -*top;
        return true;
    case DW_OP_not:
        *top = ~*top;
        return true;
    case DW_OP_dup:
        return push(evaluation, *top);
    case DW_OP_drop:
        evaluation->depth--;
        return true;
    case DW_OP_stack_value:
        evaluation->is_value = true;
        return true;
    default:
        break;
    }
    if (evaluation->depth < 2)
        return false;
    if (operation->atom == DW_OP_over)
        return push(evaluation, top[-1]);
    if (operation->atom == DW_OP_swap) {
        uint64_t below = top[-1];
        top[-1] = *top;
        *top = below;
        return true;
    }
    evaluation->depth--;
    return compute(operation->atom, top[-1], *top, &top[-1]);
}

static bool perform(struct evaluation *evaluation, const Dwarf_Op *operation)
{
    uint8_t atom = operation->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return push(evaluation, atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        return push_register(evaluation, atom - DW_OP_breg0, operation->number);
    if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx) {
        evaluation->is_register = true;
        return push(evaluation,
                    atom == DW_OP_regx ? operation->number : (uint64_t)(atom - DW_OP_reg0));
    }
    switch (atom) {
    case DW_OP_bregx:
        return push_register(evaluation, operation->number, operation->number2);
    case DW_OP_call_frame_cfa:
        return push(evaluation, evaluation->input->cfa);
    case DW_OP_addr:
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(evaluation, operation->number);
    case DW_OP_nop:
        return true;
    default:
        return apply(evaluation, operation);
    }
}

static bool evaluate(struct evaluation *evaluation, const Dwarf_Op *operations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!perform(evaluation, &operations[i]))
            return false;
    return evaluation->depth > 0;
}

bool expression_value(const struct expression_input *input, const Dwarf_Op *operations,
                      size_t count, uint64_t *out)
{
    struct evaluation evaluation = {.input = input};
    if (!evaluate(&evaluation, operations, count) || evaluation.is_register)
        return false;
    *out = evaluation.stack[evaluation.depth - 1];
    return true;
}

// At its end, a function pops what it has saved, but the rules still name the place, which is then
// below the stack: the register has its value again.
bool expression_register(const struct expression_input *input, int number,
                         const Dwarf_Op *operations, size_t count, uint64_t *out)
{
    struct evaluation evaluation = {.input = input};
    if (!evaluate(&evaluation, operations, count))
        return false;
    uint64_t result = evaluation.stack[evaluation.depth - 1];
    if (evaluation.is_register) {
        if (result >= REGISTERS || !input->known[result])
            return false;
        *out = input->values[result];
        return true;
    }
    if (evaluation.is_value) {
        *out = result;
        return true;
    }
    if (result < input->values[REGISTER_STACK] && number != REGISTER_PC) {
        *out = input->values[number];
        return input->known[number];
    }
    return input->read(input->context, result, out);
}
