// engines: takes the place of whatever measures, so that a command line can be tried in a
// millisecond.
//
// The linker redirects the functions that measure to these (--wrap, see meson.build). Each writes
// the options that it is called with to the log, and returns fixed results.
#ifndef TEST_OPTIONS_ENGINES_H
#define TEST_OPTIONS_ENGINES_H

#include <stdio.h>

extern FILE *engine_log;

#endif
