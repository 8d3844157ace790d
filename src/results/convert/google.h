// google: what reading and writing Google Benchmark's JSON share.
#ifndef CONVERT_GOOGLE_H
#define CONVERT_GOOGLE_H

#include "format.h"

// Keys of an entry that are no counter.
bool google_is_key(const char *key);

// Whether rates are per second of the clock on the wall, by the modifiers in a benchmark's name.
bool google_uses_real_time(const char *name);

void google_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);

#endif
