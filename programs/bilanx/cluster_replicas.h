// cluster_replicas: how much of the spread of a case comes from the machine it is measured on.
#ifndef PROGRAMS_CLUSTER_REPLICAS_H
#define PROGRAMS_CLUSTER_REPLICAS_H

#include "base/text.h"
#include "bilanx/record.h"

// Adds a table: the spread within processes, between processes, and between machines, of each case
// that several machines measured. Adds nothing if there is none.
void cluster_replicas_show(const struct bilanx_record *records, size_t count, struct text *out);

#endif
