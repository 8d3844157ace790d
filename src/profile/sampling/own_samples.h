// own_samples: samples that a process has taken of itself.
#ifndef SAMPLING_OWN_SAMPLES_H
#define SAMPLING_OWN_SAMPLES_H

#include <linux/perf_event.h>

#include "core/worker/sample_memory.h"
#include "rings.h"

// The type of a record in a pile that contains one of them. The kernel has no such type.
enum { OWN_SAMPLE = 0x62696c78 };

// The most bytes of a stack that fit in such a record.
enum { OWN_SAMPLE_STACK_MOST = 56 << 10 };

// Delivers a record of `size` bytes, which anybody may have written. `process` 0: that of the case.
void own_sample_deliver(const struct sample_head *record, size_t size, uint32_t process,
                        const struct sample_events *events);

// Adds a record to a pile of the kernel's records, so that it is delivered in order of time.
void own_sample_add(struct pile *pile, const struct sample_head *record, size_t size,
                    uint32_t process);
void own_sample_unwrap(const struct perf_event_header *header, const struct sample_events *events);

#endif
