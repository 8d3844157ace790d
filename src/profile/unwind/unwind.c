// unwind: from the registers and the stack of a thread to the calls that led there.
//
// libdw has an unwinder of its own, for a process or a core file. It reads rules anew for every
// frame and images anew for every process, which takes milliseconds per sample.
#include "unwind.h"

#include <string.h>

#include "expression.h"

struct machine {
    struct expression_input input;  // of the current frame
    uint64_t low, size;             // of the stack
    const unsigned char *stack;
};

static bool read_stack(void *context, uint64_t address, uint64_t *out)
{
    const struct machine *machine = context;
    if (address < machine->low || address - machine->low > machine->size ||
        machine->size - (address - machine->low) < sizeof *out)
        return false;
    memcpy(out, machine->stack + (address - machine->low), sizeof *out);
    return true;
}

enum outcome { CALLER, NO_CALLER, FAILED };

// Finds the caller's registers by the rules for this place.
static enum outcome step_by_rules(struct machine *machine, Dwarf_Frame *frame, bool *exact)
{
    Dwarf_Op *operations;
    size_t count;
    struct expression_input *now = &machine->input, next = *now;
    bool signal = false;
    int return_register = dwarf_frame_info(frame, NULL, NULL, &signal);
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || return_register < 0 ||
        return_register >= REGISTERS || !expression_value(now, operations, count, &now->cfa))
        return FAILED;
    for (int i = 0; i < REGISTERS; i++) {
        Dwarf_Op memory[3];
        if (i == REGISTER_PC && i != return_register)
            continue;
        if (dwarf_frame_register(frame, i, memory, &operations, &count) != 0)
            return FAILED;
        bool same = count == 0 && !operations;  // otherwise 0 means that it is lost
        if (i == return_register && count == 0 && !same)
            return NO_CALLER;
        if (!same)
            next.known[i] =
                count && expression_register(now, i, operations, count, &next.values[i]);
    }
    if (!next.known[return_register])
        return FAILED;
    next.values[REGISTER_PC] = next.values[return_register];
    if (!next.known[REGISTER_STACK] || !signal) {
        next.values[REGISTER_STACK] = now->cfa;
        next.known[REGISTER_STACK] = true;
    }
    *exact = signal;  // it was interrupted there, not calling
    *now = next;
    return CALLER;
}

// In code without rules: most of it, such as that of just-in-time compilers, keeps frame pointers.
static enum outcome step_by_frame_pointer(struct machine *machine)
{
    struct expression_input *now = &machine->input;
    uint64_t pointer = now->values[REGISTER_FRAME], caller, back;
    if (!now->known[REGISTER_FRAME] || pointer % 8 || pointer < now->values[REGISTER_STACK] ||
        !read_stack(machine, pointer, &caller) || !read_stack(machine, pointer + 8, &back))
        return FAILED;
    now->values[REGISTER_FRAME] = caller;
    now->values[REGISTER_STACK] = pointer + 16;
    now->values[REGISTER_PC] = back;
    return back ? CALLER : NO_CALLER;
}

static enum outcome step(const struct space *space, struct machine *machine, uint64_t address,
                         bool *exact)
{
    uint64_t in_file;
    struct image *image = space_image(space, address, &in_file);
    Dwarf_Frame *frame = image ? image_frame(image, in_file) : NULL;
    uint64_t before = machine->input.values[REGISTER_STACK];
    *exact = false;
    enum outcome outcome =
        frame ? step_by_rules(machine, frame, exact) : step_by_frame_pointer(machine);
    if (outcome == FAILED && image && image_is_entry(image, in_file))
        return NO_CALLER;
    if (outcome != CALLER)
        return outcome;
    if (machine->input.values[REGISTER_PC] == 0)
        return NO_CALLER;
    // A caller's stack is above; leaf functions of some processors have none of their own.
    return machine->input.values[REGISTER_STACK] >= before ? CALLER : FAILED;
}

size_t unwind(const struct space *space, const struct unwind_state *state,
              struct unwind_step *steps, size_t room, bool *complete)
{
    struct machine machine = {
        .low = state->registers[REGISTER_STACK], .size = state->stack_bytes, .stack = state->stack};
    machine.input.read = read_stack;
    machine.input.context = &machine;
    memcpy(machine.input.values, state->registers, sizeof state->registers);
    memset(machine.input.known, true, sizeof machine.input.known);
    bool exact = true;
    size_t count = 0;
    enum outcome outcome = CALLER;
    while (count < room && outcome == CALLER) {
        uint64_t address = machine.input.values[REGISTER_PC] - !exact;
        steps[count++] = (struct unwind_step){address, machine.input.values[REGISTER_STACK]};
        outcome = step(space, &machine, address, &exact);
    }
    *complete = outcome == NO_CALLER;
    return count;
}
