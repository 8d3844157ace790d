// perf_records: reads the records of perf events.
#ifndef SAMPLING_PERF_RECORDS_H
#define SAMPLING_PERF_RECORDS_H

#include <stddef.h>

#include "rings.h"

// Where the stack's size stands in a sample; 0: it has no stack, or is damaged.
size_t perf_record_stack_at(const unsigned char *record, size_t size);

#endif
