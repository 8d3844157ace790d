// registers: the registers of a sampled thread, as needed to unwind its stack.
//
// They are numbered as in DWARF, and the program counter comes last. A processor that is not listed
// has no registers here and cannot be sampled.
#ifndef WORKER_REGISTERS_H
#define WORKER_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
enum { REGISTERS = 17, REGISTER_FRAME = 6, REGISTER_STACK = 7, REGISTER_RETURN = 16 };

static inline void registers_of(const ucontext_t *context, uint64_t out[REGISTERS])
{
    static const int places[REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                          REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                          REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (int i = 0; i < REGISTERS; i++)
        out[i] = (uint64_t)context->uc_mcontext.gregs[places[i]];
}
#elif defined(__aarch64__)
enum { REGISTERS = 33, REGISTER_FRAME = 29, REGISTER_STACK = 31, REGISTER_RETURN = 30 };

static inline void registers_of(const ucontext_t *context, uint64_t out[REGISTERS])
{
    for (int i = 0; i < 31; i++)
        out[i] = context->uc_mcontext.regs[i];
    out[REGISTER_STACK] = context->uc_mcontext.sp;
    out[REGISTERS - 1] = context->uc_mcontext.pc;
}
#else
enum { REGISTERS = 1, REGISTER_FRAME = 0, REGISTER_STACK = 0, REGISTER_RETURN = 0 };

static inline void registers_of(const ucontext_t *context, uint64_t out[REGISTERS])
{
    (void)context;
    out[0] = 0;
}
#endif

enum { REGISTER_PC = REGISTERS - 1, REGISTERS_KNOWN = REGISTERS > 1 };

#endif
