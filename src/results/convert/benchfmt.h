// benchfmt: what reading and writing Go's benchmark format share.
#ifndef CONVERT_BENCHFMT_H
#define CONVERT_BENCHFMT_H

#include "format.h"

// Keys of configuration lines that describe the machine, and what a record calls them.
enum { BENCHFMT_MACHINE = 3 };
extern const char *const benchfmt_machine[BENCHFMT_MACHINE][2];

// Whether a line is "key: value"; the key is its first `*key_size` bytes.
bool benchfmt_is_config(const char *line, size_t *key_size);

// Units that are no counter.
bool benchfmt_is_unit(const char *unit);

void benchfmt_write(const struct bilanx_record *records, size_t count, FILE *out,
                    struct losses *losses);

#endif
