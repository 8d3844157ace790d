// complain: how a program reports on stderr what went wrong, and the status it exits with.
#ifndef SHOW_COMPLAIN_H
#define SHOW_COMPLAIN_H

#include "bilanx/error.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,  // something asked for failed
    EXIT_USAGE = 2,
    EXIT_REGRESSION = 3,  // where a gate was asked for
    EXIT_INTERRUPTED = 130,
};

// Prints "bilanx: text". Further lines of the text are indented; control characters are escaped, as
// the text may quote what a program printed.
void complain(const char *text);

// The same under another name, such as argv[0].
void complain_as(const char *program, const char *text);

// Prints an error and returns the exit code that it calls for; prints nothing for BILANX_OK.
int complain_error(struct bilanx_error error);

// For the end of main(): flushes stdout and complains if results were lost. Returns the status to
// exit with, which for EXIT_INTERRUPTED depends on the signal.
int complain_finish(int code);

#endif
