// google: shared by reading and writing Google Benchmark's JSON.
#ifndef CONVERT_GOOGLE_H
#define CONVERT_GOOGLE_H

#include "format.h"

// Whether a key of an entry is not a counter.
bool google_is_key(const char *key);

// Whether rates are per second of wall-clock time, judging by the modifiers in a benchmark's name.
bool google_uses_real_time(const char *name);

void google_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);

#endif
