// interrupt: ends a run cleanly on ^C, SIGTERM and SIGHUP.
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);    // starts catching signals; a second ^C ends the process at once
void interrupt_release(void);  // restores the default actions, in a child
bool interrupt_caught(void);
int interrupt_status(void);  // exit status after a signal: 129 for SIGHUP, else 130

#endif
