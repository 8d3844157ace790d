// benchfmt: shared by reading and writing Go's benchmark format.
#ifndef CONVERT_BENCHFMT_H
#define CONVERT_BENCHFMT_H

#include "format.h"

// Configuration keys that describe the machine, and their names in records.
enum { BENCHFMT_MACHINE = 3 };
extern const char *const benchfmt_machine[BENCHFMT_MACHINE][2];

// Whether a line is "key: value"; the key is its first `*key_size` bytes.
bool benchfmt_is_config(const char *line, size_t *key_size);

// Whether a unit is not a counter.
bool benchfmt_is_unit(const char *unit);

void benchfmt_write(const struct bilanx_record *records, size_t count, FILE *out,
                    struct losses *losses);

#endif
