// compare_functions: shows differences by function between two files of counts.
#include "compare_functions.h"

#include <stdio.h>
#include <unistd.h>

#include "base/terminal.h"
#include "bilanx/counts.h"
#include "command.h"
#include "results/read/reader.h"

int compare_functions(const struct compare_functions_arguments *arguments,
                      const struct words *files)
{
    if (files->count != 2)
        return complain_error(bilanx_error_make(
            BILANX_E_USAGE, "--functions needs two files, before and after, not %zu",
            files->count));
    for (size_t i = 0; i < files->count; i++)
        reader_tell_cut(files->items[i], &complain_tell);
    return complain_error(
        bilanx_functions_compare(files->items[0], files->items[1],
                                 &(struct bilanx_functions_options){
                                     .inclusive = arguments->inclusive,
                                     .standardize = arguments->standardize,
                                     .denoise = arguments->denoise,
                                     .csv_safe = arguments->csv_safe,
                                     .minimum = (double)arguments->minimum,
                                     .format = arguments->format,
                                     .color = terminal_color(arguments->color, STDOUT_FILENO),
                                 },
                                 stdout));
}
