// measure_source: the cases of a source, timed or counted, and shown.
#ifndef PROGRAMS_MEASURE_SOURCE_H
#define PROGRAMS_MEASURE_SOURCE_H

#include "core/show/console.h"
#include "count/counting/collect.h"
#include "sources/source/source.h"

struct measuring_options {
    struct console_settings settings;
    bool count;                       // instructions of what was timed, too
    bool no_time;                     // the source was opened to be counted, not timed
    struct collect_options counting;  // how
    const char *resume;               // a file with records of what need not be measured again
    uint64_t retries;                 // for what crashed or took too long
    bool shuffled;
    bool compared;  // results are shown as `bilanx compare` does, with totals
};

// Measures all cases of a source. Returns the exit code.
int measure_source(struct source *source, const struct measuring_options *options);

// Names the cases on stdout.
int list_source(const struct source *source);

#endif
