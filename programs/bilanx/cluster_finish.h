// cluster_finish: the end of a run on a cluster: records, tables, summary, exit code.
#ifndef PROGRAMS_CLUSTER_FINISH_H
#define PROGRAMS_CLUSTER_FINISH_H

#include "cluster_show.h"

// `error` is the reason why the run ended; after ^C the jobs are cancelled. If everything was
// measured and the records are written elsewhere, the run's folder is removed. Returns the exit
// code.
int cluster_finish(struct drive *drive, struct cluster_display *display, struct bilanx_error error);

#endif
