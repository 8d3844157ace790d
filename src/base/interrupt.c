// interrupt: ends a run cleanly on ^C, SIGTERM and SIGHUP.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
    signal(number, SIG_DFL);
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void interrupt_catch(void)
{
    caught = 0;
    struct sigaction action = {.sa_handler = on_signal};  // no SA_RESTART: it interrupts waits
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] != SIGHUP || !is_ignored(SIGHUP))  // respect nohup
            sigaction(signals[i], &action, NULL);
}

void interrupt_release(void)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] != SIGHUP || !is_ignored(SIGHUP))
            signal(signals[i], SIG_DFL);
}

bool interrupt_caught(void)
{
    return caught != 0;
}

int interrupt_status(void)
{
    return caught == SIGHUP ? 128 + SIGHUP : 128 + SIGINT;
}
