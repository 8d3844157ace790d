// error: how functions of the library report failure.
//
// An error is a plain struct, returned by value: a status and one line of text for the user. There
// is nothing to free. Output parameters come last. They are written only on success, except by
// functions that measure: those always set them, to what was measured before the error, if
// anything.
//
//     struct bilanx_record *records;
//     size_t count;
//     struct bilanx_error error = bilanx_record_read_file("runs.jsonl", &records, &count);
//     if (error.status != BILANX_OK)
//         fprintf(stderr, "%s\n", error.text);  // runs.jsonl:12: ...
//
// A function that returns errors itself passes them on:
//
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_record_read_file("runs.jsonl", &records, &count));
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
    BILANX_E_USAGE,        // the caller's request makes no sense
    BILANX_E_INPUT,        // a file, line or message is malformed
    BILANX_E_SYSTEM,       // the operating system refused
    BILANX_E_CRASHED,      // a measured process was killed by a signal
    BILANX_E_EXITED,       // a measured process exited unexpectedly
    BILANX_E_TIMED_OUT,    // a measured process took too long
    BILANX_E_COMPILE,      // the compiler rejected the code to measure
    BILANX_E_MEMORY,       // a measured process used too much memory
    BILANX_E_FLOOD,        // a measured process printed too much
    BILANX_E_SWARM,        // a measured process started too many others
    BILANX_E_FAILED,       // a benchmark reported that it failed
    BILANX_E_SKIPPED,      // a benchmark reported that it cannot run here
    BILANX_E_INTERRUPTED,  // the user pressed ^C
};

struct bilanx_error {
    enum bilanx_status status;
    char text[508];
};

#ifdef __cplusplus
#define BILANX_SUCCESS (bilanx_error())
#else
#define BILANX_SUCCESS ((struct bilanx_error){.status = BILANX_OK})
#endif

// Returns the error of `expression` from the calling function, if there is one.
#define BILANX_TRY(expression)                          \
    do {                                                \
        struct bilanx_error bilanx_try_ = (expression); \
        if (bilanx_try_.status != BILANX_OK)            \
            return bilanx_try_;                         \
    } while (0)

// Truncates text that does not fit, at a character boundary.
BILANX_API struct bilanx_error bilanx_error_make(enum bilanx_status status, const char *format, ...)
    BILANX_PRINTF(2, 3);

// Returns the stable name of a status, as used in records: "crashed", "timed-out", ...
BILANX_API const char *bilanx_status_code(enum bilanx_status status);

#ifdef __cplusplus
}
#endif

#endif
