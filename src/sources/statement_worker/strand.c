// strand: a function on its own stack that runs when switched to.
#include "strand.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 8 << 20, GUARD_BYTES = 65536 };  // the usual size for a process

static struct strand *entered;  // because makecontext() cannot pass pointers

static void begin(void)
{
    struct strand *strand = entered;
    strand->function(strand->argument);
    strand->ended = true;
    strand_switch(strand, strand->after);
}

struct bilanx_error strand_init(struct strand *strand, void (*function)(void *argument),
                                void *argument, struct strand *after)
{
    *strand = (struct strand){.function = function, .argument = argument, .after = after};
    if (!function)
        return BILANX_SUCCESS;
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot allocate a stack: %s", strerror(errno));
    strand->stack = stack;
    getcontext(&strand->context);
    strand->context.uc_stack.ss_sp = stack;
    strand->context.uc_stack.ss_size = STACK_BYTES;
    strand->context.uc_link = NULL;
    makecontext(&strand->context, begin, 0);
    return BILANX_SUCCESS;
}

void strand_done(struct strand *strand)
{
    if (strand->stack)
        munmap(strand->stack, STACK_BYTES);
    strand->stack = NULL;
}

void strand_switch(struct strand *from, struct strand *to)
{
    entered = to;
    swapcontext(&from->context, &to->context);
}
