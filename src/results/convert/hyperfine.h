// hyperfine: shared by reading and writing hyperfine's JSON.
#ifndef CONVERT_HYPERFINE_H
#define CONVERT_HYPERFINE_H

#include "format.h"

// Parameters formatted as a row name: "n=4 file=a"; NULL: none. The caller frees it.
char *hyperfine_choice(const char *parameters_text);

void hyperfine_write(const struct bilanx_record *records, size_t count, FILE *out,
                     struct losses *losses);

#endif
