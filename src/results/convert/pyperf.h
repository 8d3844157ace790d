// pyperf: shared by reading and writing pyperf's JSON.
#ifndef CONVERT_PYPERF_H
#define CONVERT_PYPERF_H

#include "format.h"

#define PYPERF_VERSION "1.0"

// Texts of a record without a counterpart in pyperf's own metadata, which accepts any keys; the
// label is first.
struct pyperf_key {
    const char *key;
    size_t offset;  // of the text in a record
};
extern const struct pyperf_key pyperf_keys[];  // ends in NULL
#define PYPERF_COUNTER "bilanx_counter_"

// Keys that describe the machine: pyperf's name and ours.
extern const char *const pyperf_machine[][2];  // ends in NULLs

void pyperf_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);

#endif
