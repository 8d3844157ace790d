// value: a number that is an integer or real, as a specification distinguishes them.
#ifndef FUZZER_VALUE_H
#define FUZZER_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct value {
    bool is_real;     // `number` only; otherwise `integer`, and `number` is nearest to it
    int64_t integer;  // 0 if it is real
    double number;
};

struct value value_integer(int64_t integer);
struct value value_real(double number);

// Reads 16, -3, 64k (powers of 1024), 0.5, 1e6, true or false. Integers beyond 64 bits are not
// read.
bool value_read(const char *text, struct value *out);

// Adds the text that reads back as the value. An integral real has a point: 2.0.
void value_add(struct text *out, struct value value);

#endif
