// command: what subcommands share: parsing, errors and help.
#include "command.h"

#include <string.h>

#include "base/mem.h"

int command_parse(const struct command *command, int argc, char **argv, void *target,
                  struct words *words)
{
    struct bilanx_error error = options_parse(command->options, argc, argv, target, words);
    if (error.status == BILANX_OK)
        return EXIT_DONE;
    int code = complain_error(error);
    AUTO(memory) char *hint = mem_format("see 'bilanx %s --help'", command->name);
    complain(hint);
    return code;
}

void examples_add(const struct example *examples, struct text *out)
{
    size_t width = 0;
    for (const struct example *example = examples; example->line; example++)
        width = strlen(example->line) > width ? strlen(example->line) : width;
    for (const struct example *example = examples; example->line; example++)
        text_format(out, "  %-*s  %s\n", (int)width, example->line, example->purpose);
}

void command_help(const struct command *command, struct text *out)
{
    text_format(out, "Usage: bilanx %s%s%s\n%s\n", command->name, *command->usage ? " " : "",
                command->usage, command->summary);
    text_add(out, "\nOptions:\n");
    options_help(command->options, out);
    text_add(out, "      --help                  show this help\n");
    if (command->examples) {
        text_add(out, "\nExamples:\n");
        examples_add(command->examples, out);
    }
    if (command->details)
        text_format(out, "\n%s", command->details);
    if (command->also) {
        text_add(out, "\n");
        command_help(command->also, out);
    }
}
