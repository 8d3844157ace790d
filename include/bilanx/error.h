// error: how every function of the library that can fail says so.
//
// An error is a plain struct, returned by value: a status and one line of text for a person. There
// is nothing to free. Outputs come last in a parameter list and are written only on success.
#ifndef BILANX_ERROR_H
#define BILANX_ERROR_H

#include <stdarg.h>

#if defined(__GNUC__)
#define BILANX_API __attribute__((visibility("default")))
#define BILANX_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BILANX_API
#define BILANX_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum bilanx_status {
    BILANX_OK = 0,
    BILANX_E_USAGE,        // the caller asked for something that makes no sense
    BILANX_E_INPUT,        // a file, a line or a message does not say what it should
    BILANX_E_SYSTEM,       // the operating system refused
    BILANX_E_CRASHED,      // a measured process was killed by a signal
    BILANX_E_EXITED,       // a measured process ended when it should not have
    BILANX_E_TIMED_OUT,    // a measured process took longer than it may
    BILANX_E_COMPILE,      // a compiler refused the code to measure
    BILANX_E_MEMORY,       // a measured process took more memory than it may
    BILANX_E_FLOOD,        // a measured process printed without end
    BILANX_E_SWARM,        // a measured process started others without end
    BILANX_E_FAILED,       // a benchmark said itself that it failed
    BILANX_E_SKIPPED,      // a benchmark said itself that it cannot run here
    BILANX_E_INTERRUPTED,  // somebody pressed ^C
};

struct bilanx_error {
    enum bilanx_status status;
    char text[508];
};

#define BILANX_SUCCESS ((struct bilanx_error){.status = BILANX_OK})

// Leaves the calling function with the error of `expression`, if it has one.
#define BILANX_TRY(expression)                          \
    do {                                                \
        struct bilanx_error bilanx_try_ = (expression); \
        if (bilanx_try_.status != BILANX_OK)            \
            return bilanx_try_;                         \
    } while (0)

// Text that does not fit is cut at its end, on a character's boundary.
BILANX_API struct bilanx_error bilanx_error_make(enum bilanx_status status, const char *format, ...)
    BILANX_PRINTF(2, 3);

// The stable word for a status, as it stands in records: "crashed", "timed-out", ...
BILANX_API const char *bilanx_status_code(enum bilanx_status status);

#ifdef __cplusplus
}
#endif

#endif
