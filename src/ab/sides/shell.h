// shell: a text that the user's shell runs, as it is, with no terminal and nothing to read.
#ifndef AB_SIDES_SHELL_H
#define AB_SIDES_SHELL_H

#include <sys/types.h>

#include "base/surroundings.h"
#include "base/text.h"
#include "bilanx/error.h"

struct shell_job {
    const char *text;
    const char *directory;                    // NULL: that of the surroundings
    const struct surroundings *surroundings;  // where it starts; NULL: where this process is
    double timeout_s;                         // 0: as long as it takes
    int log;                                  // gets what it prints; 0: nobody does
    // Called once, when `signal` can be read and the shell still runs. May be NULL.
    void (*look)(void *context, pid_t shell);
    void *context;
    int signal;
};

// $SHELL, or bash.
const char *shell_name(void);

// To its end. The last of what it printed is appended to `output`; *status is its exit status, 128
// and the signal's number when it was killed. An error means that it could not be started, took too
// long, or that somebody pressed ^C. What it leaves running in the background stays.
struct bilanx_error shell_run(const struct shell_job *job, struct text *output, int *status);

// The last lines of an output as one, for a message: ": first | second". Nothing when there are
// none.
void shell_add_last_lines(struct text *out, const struct text *output, size_t most_bytes);

#endif
