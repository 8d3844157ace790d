// interrupt: ^C and SIGTERM end a run in good order.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = 1;
    signal(number, SIG_DFL);
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal};  // no SA_RESTART: waits are cut short
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

bool interrupt_caught(void)
{
    return caught != 0;
}
