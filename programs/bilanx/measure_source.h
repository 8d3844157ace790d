// measure_source: times or counts the cases of a source and shows the results.
#ifndef PROGRAMS_MEASURE_SOURCE_H
#define PROGRAMS_MEASURE_SOURCE_H

#include "core/show/show_run.h"
#include "count/counting/collect.h"
#include "flame_beside.h"
#include "sources/source/source.h"

struct measuring_options {
    struct show_settings settings;
    bool count;                       // also count instructions
    bool no_time;                     // count only; the source was opened for counting
    struct collect_options counting;  // options for counting
    const char *resume;               // file of records whose cases need not be measured again
    uint64_t retries;                 // for cases that crashed or timed out
    bool shuffled;
    bool compared;            // show results as `bilanx compare` does, with totals
    bool tabulated;           // the same without totals: statements by inputs
    bool alternatives;        // as in struct display
    bool fit;                 // also show how time grows with the elements of the inputs
    const char *code;         // to print above the tables; NULL: nothing
    struct flame_run *flame;  // to draw the cases as well; NULL: not
};

// Measures all cases of a source. Returns the exit code.
int measure_source(struct source *source, const struct measuring_options *options);

// Prints the names of the cases on stdout.
int list_source(const struct source *source);

#endif
