// complain: reports errors on stderr, and picks the exit status.
#ifndef SHOW_COMPLAIN_H
#define SHOW_COMPLAIN_H

#include "base/tell.h"
#include "bilanx/error.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,  // something requested failed
    EXIT_USAGE = 2,
    EXIT_REGRESSION = 3,  // only if a gate was requested
    EXIT_INTERRUPTED = 130,
};

// Prints "bilanx: text". Indents further lines of the text. Escapes control characters, because the
// text may quote a program's output.
void complain(const char *text);

// Like complain(), for a struct tell; and one that calls it.
void complain_line(void *context, const char *text);
extern const struct tell complain_tell;

// Like complain(), but with another program name, such as argv[0].
void complain_as(const char *program, const char *text);

// Prints an error and returns its exit code. Prints nothing for BILANX_OK.
int complain_error(struct bilanx_error error);

// Call this at the end of main(). Flushes stdout and reports an error if results were lost. Returns
// the exit status, which for EXIT_INTERRUPTED depends on the signal.
int complain_finish(int code);

#endif
