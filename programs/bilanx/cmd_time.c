// cmd_time: measures whole commands.
#include "command.h"

#include "time_commands.h"

static int run(const struct command *command, int argc, char **argv)
{
    return time_commands(command, argc, argv);
}

const struct command cmd_time = {
    .name = "time",
    .usage = "[OPTION...] -- COMMAND [ARGUMENT...] [--and COMMAND [ARGUMENT...]]...",
    .summary = "measure whole commands",
    .options = time_commands_options,
    .examples = time_commands_examples,
    .details = time_commands_details,
    .run = run,
};
