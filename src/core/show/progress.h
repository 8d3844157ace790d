// progress: how far a run is, on stderr: one bar that changes on a terminal, plain lines otherwise;
// failures are lines on both, as they come.
#ifndef CONSOLE_PROGRESS_H
#define CONSOLE_PROGRESS_H

#include "core/run/run.h"

struct progress_bar {
    size_t total, done, failed, skipped;
    double ahead;  // what is done of those under way, in cases
    bool terminal, quiet;
    uint64_t started_ns, drawn_ns;
    bool drawn;  // a line is on the screen
};

void progress_bar_init(struct progress_bar *bar, size_t total, bool quiet);
void progress_bar_working(struct progress_bar *bar, const struct run_case *measured);
void progress_bar_finished(struct progress_bar *bar, const struct run_case *measured,
                           const struct bilanx_record *record);
void progress_bar_clear(struct progress_bar *bar);

#endif
