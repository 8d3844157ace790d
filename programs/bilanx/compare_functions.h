// compare_functions: 'bilanx compare A B --functions'.
#ifndef PROGRAMS_COMPARE_FUNCTIONS_H
#define PROGRAMS_COMPARE_FUNCTIONS_H

#include "base/options.h"
#include "bilanx/output_format.h"

struct compare_functions_arguments {
    bool inclusive, standardize, denoise, csv_safe;
    uint64_t minimum;  // --min
    enum bilanx_output_format format;
    int color;  // as for terminal_color()
};

// Prints the differences by function between two files; returns the exit code.
int compare_functions(const struct compare_functions_arguments *arguments,
                      const struct words *files);

#endif
