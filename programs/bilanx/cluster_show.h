// cluster_show: the output of a run on a cluster: progress, tables, failures of machines.
#ifndef PROGRAMS_CLUSTER_SHOW_H
#define PROGRAMS_CLUSTER_SHOW_H

#include "cluster/driving/drive.h"
#include "core/show/progress.h"
#include "core/show/show_run.h"

struct cluster_display {
    const struct show_settings *settings;
    struct progress_estimate estimate;
    bool drawn;
    size_t shown_done;  // cases, when a line was last printed
    uint64_t shown_ns;
};

// For struct drive_observer; the context is a struct cluster_display.
void cluster_show_note(void *context, const char *text);
void cluster_show_progress(void *context, const struct drive *drive);
void cluster_show_clear(struct cluster_display *display);

// Prints the tables of merged records, and how much machines differ.
struct bilanx_error cluster_show_tables(const struct show_settings *settings, const char *path,
                                        bool counted, uint64_t replicas);

// Prints the number of cases measured by each machine, and the failures.
void cluster_show_summary(const struct drive *drive);

// Prints the state of a run on stdout.
void cluster_show_status(const struct drive *drive);

#endif
