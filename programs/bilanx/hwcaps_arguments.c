// hwcaps_arguments: the option --hwcaps of commands that count.
#include "hwcaps_arguments.h"

const struct option hwcaps_options[] = {
    {"hwcaps", 0, OPTION_TEXT, offsetof(struct hwcaps_arguments, word), "LEVEL",
     .help = "count glibc's functions for x86-64-v2 (default, the\n"
             "same on every machine), x86-64-v3, or native:\n"
             "whatever glibc chooses here"},
    {0},
};

struct bilanx_error hwcaps_arguments_complete(struct hwcaps_arguments *arguments)
{
    return hwcaps_read(arguments->word, &arguments->hwcaps);
}
