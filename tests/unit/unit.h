// unit: included by every unit test.
#ifndef UNIT_H
#define UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bilanx/error.h"

// Ends a test that cannot be run here. cmocka's own skip() prints "not ok", which Meson takes for a
// failure.
#undef skip
#define skip_because(reason)                      \
    do {                                          \
        print_message("# skipped: " reason "\n"); \
        return;                                   \
    } while (0)

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#define assert_ok(expression)                             \
    do {                                                  \
        struct bilanx_error error_ = (expression);        \
        if (error_.status != BILANX_OK)                   \
            fail_msg("%s: %s", #expression, error_.text); \
    } while (0)

// The expression's error has this status, and its text contains `part`.
#define assert_error(expression, expected, part)                                                   \
    do {                                                                                           \
        struct bilanx_error error_ = (expression);                                                 \
        if (error_.status != (expected) || !strstr(error_.text, part))                             \
            fail_msg("%s: status '%s', text '%s', not '%s', '%s'", #expression,                    \
                     bilanx_status_code(error_.status), error_.text, bilanx_status_code(expected), \
                     part);                                                                        \
    } while (0)

#define assert_near(actual, expected, tolerance)                             \
    do {                                                                     \
        double actual_ = (actual), expected_ = (expected);                   \
        if (!(fabs(actual_ - expected_) <= (tolerance)))                     \
            fail_msg("%s is %.17g, not %.17g", #actual, actual_, expected_); \
    } while (0)

#endif
