// pyperf: what reading and writing pyperf's JSON share.
#ifndef CONVERT_PYPERF_H
#define CONVERT_PYPERF_H

#include "format.h"

#define PYPERF_VERSION "1.0"

// Texts of a record that have no place in pyperf's own metadata, which may have keys of anybody;
// the label is the first.
struct pyperf_key {
    const char *key;
    size_t offset;  // of the text in a record
};
extern const struct pyperf_key pyperf_keys[];  // ends in a NULL
#define PYPERF_COUNTER "bilanx_counter_"

// What describes the machine: pyperf's name and ours.
extern const char *const pyperf_machine[][2];  // ends in NULLs

void pyperf_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);

#endif
