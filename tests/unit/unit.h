// unit: included by every unit test.
#ifndef UNIT_H
#define UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bilanx/error.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// A copy of the running group's tests, because a skipped one changes its name.
static struct CMUnitTest unit_tests[100];

static inline int unit_run(const char *group, const struct CMUnitTest *tests, size_t count,
                           CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (count > LENGTH(unit_tests))
        abort();
    memcpy(unit_tests, tests, count * sizeof *tests);
    return _cmocka_run_group_tests(group, unit_tests, count, setup, teardown);
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown) \
    unit_run(#tests, tests, LENGTH(tests), setup, teardown)
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    unit_run(name, tests, LENGTH(tests), setup, teardown)

// Makes cmocka print "ok 3 - NAME # SKIP REASON", which is how TAP reports a skipped test. Its own
// skip() prints "not ok", which Meson takes for a failure.
static inline void unit_skip(const char *test, const char *reason)
{
    static char name[300];
    for (size_t i = 0; i < LENGTH(unit_tests); i++)
        if (unit_tests[i].name && strcmp(unit_tests[i].name, test) == 0) {
            snprintf(name, sizeof name, "%s # SKIP %s", test, reason);
            unit_tests[i].name = name;
            return;
        }
    fail_msg("%s is no test, so it cannot be skipped", test);
}

// Ends a test that cannot be run here. Only for the body of a test, not for what it calls.
#undef skip
#define skip_because(reason)         \
    do {                             \
        unit_skip(__func__, reason); \
        return;                      \
    } while (0)

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
