// shell: runs a text unchanged in the user's shell, without a terminal or input.
#ifndef AB_SIDES_SHELL_H
#define AB_SIDES_SHELL_H

#include <sys/types.h>

#include "base/surroundings.h"
#include "base/text.h"
#include "bilanx/error.h"

struct shell_job {
    const char *text;
    const char *directory;                    // NULL: that of the surroundings
    const struct surroundings *surroundings;  // where it starts; NULL: as this process
    double timeout_s;                         // 0: no limit
    int log;                                  // receives the output; 0: none
    // Called once, when `signal` becomes readable while the shell still runs. May be NULL.
    void (*look)(void *context, pid_t shell);
    void *context;
    int signal;
};

// $SHELL, or bash.
const char *shell_name(void);

// Runs it to completion. Appends the last part of its output to `output`. Sets *status to its exit
// status, or 128 plus the signal number. Returns an error if it could not be started, timed out or
// was interrupted. Background processes keep running.
struct bilanx_error shell_run(const struct shell_job *job, struct text *output, int *status);

// Appends the last lines of an output as one line for a message: ": first | second". Nothing if
// there are none.
void shell_add_last_lines(struct text *out, const struct text *output, size_t most_bytes);

#endif
