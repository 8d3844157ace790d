// commands: all subcommands, in the order of the help.
#include "command.h"

const struct command *const all_commands[] = {
    &cmd_time,  &cmd_run,  &cmd_ab,  &cmd_count,   &cmd_flame,  &cmd_compare, &cmd_convert,
    &cmd_merge, &cmd_fuzz, &cmd_ops, &cmd_cluster, &cmd_doctor, &cmd_trust,   NULL,
};
