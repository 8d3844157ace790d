// hyperfine: what reading and writing hyperfine's JSON share.
#ifndef CONVERT_HYPERFINE_H
#define CONVERT_HYPERFINE_H

#include "format.h"

// Parameters as a row is called by them: "n=4 file=a"; NULL without any. The caller frees it.
char *hyperfine_choice(const char *parameters_text);

void hyperfine_write(const struct bilanx_record *records, size_t count, FILE *out,
                     struct losses *losses);

#endif
