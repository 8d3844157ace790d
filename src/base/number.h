// number: converts numbers to text and back, the same way in every locale.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_SIZE = 32 };  // room for any number as text

// Writes the shortest decimal that reads back as exactly `value` (finite). Returns `out`.
const char *number_shortest(double value, char out[NUMBER_SIZE]);

// Each of these parses all of `text`, or returns false and leaves `*out` unchanged.
bool number_read(const char *text, double *out);  // must be finite
bool number_read_count(const char *text,
                       uint64_t *out);  // an integer >= 0; 64k, 1M, 2G use powers of 1024
bool number_read_seconds(const char *text, double *out);  // 1.5, 1.5s, 200ms, 50us, 10ns, 2min

#endif
