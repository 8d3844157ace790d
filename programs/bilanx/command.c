// command: what all subcommands share: reading their line, failing, and help.
#include "command.h"

#include <stdio.h>
#include <string.h>

void command_tell(const char *message)
{
    AUTO(text) struct text line = {0};
    text_add_harmless(&line, message);
    fprintf(stderr, "bilanx: %s\n", text_get(&line));
}

int command_fail(struct bilanx_error error)
{
    if (error.status == BILANX_OK)
        return EXIT_DONE;
    command_tell(error.text);
    if (error.status == BILANX_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return error.status == BILANX_E_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int command_parse(const struct command *command, int argc, char **argv, void *target,
                  struct words *words)
{
    struct bilanx_error error = options_parse(command->options, argc, argv, target, words);
    if (error.status == BILANX_OK)
        return EXIT_DONE;
    int code = command_fail(error);
    fprintf(stderr, "bilanx: 'bilanx %s --help' shows what it takes\n", command->name);
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
    text_add(out, "      --help                  this text\n");
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
