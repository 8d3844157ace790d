// time_commands: the half of `bilanx time` that measures whole commands.
#ifndef PROGRAMS_TIME_COMMANDS_H
#define PROGRAMS_TIME_COMMANDS_H

#include "command.h"

// argv[0] is "time"; options, then "--", then commands with "--and" between them.
int time_commands(const struct command *command, int argc, char **argv);

// For its help.
extern const struct option time_commands_options[];
extern const struct option_rule time_commands_rules[];
extern const struct example time_commands_examples[];
extern const char time_commands_details[];

#endif
