// opened: makes fuzzers from specifications, and gives access to their parts.
#ifndef FUZZER_OPENED_H
#define FUZZER_OPENED_H

#include "spec.h"

struct fuzzer *fuzzer_of(struct spec *spec);  // checked; takes its content
const struct spec *fuzzer_spec(const struct fuzzer *fuzzer);

#endif
