// interrupt: ^C, SIGTERM and SIGHUP end a run in good order.
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);    // from now on; a second ^C ends the process at once
void interrupt_release(void);  // back to the system's own way, in a child
bool interrupt_caught(void);
int interrupt_status(void);  // what the process exits with then: 129 for SIGHUP, or 130

#endif
