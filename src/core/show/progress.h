// progress: shows how far a run is, on stderr: a progress bar on a terminal, plain lines otherwise.
// Failures are printed as lines on both, as they occur.
#ifndef SHOW_PROGRESS_H
#define SHOW_PROGRESS_H

#include "core/run/run.h"

// How far a run is. Neither figure jumps back: the share never falls, and the time left grows only
// gradually, as cases turn out to cost more than those before them.
struct progress_estimate {
    double share;         // 0 to 1
    double left;          // seconds; negative: not known yet
    double estimated_at;  // seconds since the start
};
void progress_estimate(struct progress_estimate *estimate, double share, double spent);

struct progress_bar {
    size_t total, done, failed, skipped;
    bool terminal, quiet;
    uint64_t started_ns, drawn_ns;
    struct progress_estimate estimate;
    bool drawn;  // a line is on the screen
};

void progress_bar_init(struct progress_bar *bar, size_t total, bool quiet);

// `ahead` is how much of all unfinished cases is done, in units of cases.
void progress_bar_working(struct progress_bar *bar, const struct run_case *measured, double ahead);
void progress_bar_finished(struct progress_bar *bar, const struct run_case *measured,
                           const struct bilanx_record *record);
void progress_bar_clear(struct progress_bar *bar);

#endif
