// command: what a subcommand of bilanx is.
//
// Adding one: write cmd_<name>.c ending in a `const struct command cmd_<name>`, declare it below,
// list it in main.c and its file in meson.build. Help, parsing and messages read the struct.
#ifndef PROGRAMS_COMMAND_H
#define PROGRAMS_COMMAND_H

#include "base/options.h"
#include "base/text.h"
#include "bilanx/error.h"
#include "core/show/complain.h"

struct example {
    const char *line;  // what to type; NULL ends an array of them
    const char *purpose;
};

struct command {
    const char *name;
    const char *usage;  // what follows the name: "[OPTION...] PROGRAM..."
    const char *summary;
    const struct option *options;    // without --help, which every command has
    const struct example *examples;  // shown in its help; may be NULL
    const char *details;             // paragraphs at the end of its help; may be NULL
    bool only_prints;                // fails where stdout is closed
    const struct command *also;      // another way to call it, for the help; may be NULL
    int (*run)(const struct command *command, int argc, char **argv);  // argv[0] is its name
};

extern const struct command cmd_ab;
extern const struct command cmd_compare;
extern const struct command cmd_convert;
extern const struct command cmd_count;
extern const struct command cmd_doctor;
extern const struct command cmd_run;
extern const struct command cmd_time;

// Reads a command's line into `target`. On a mistake says so on stderr, and where help is, and
// returns EXIT_USAGE; otherwise EXIT_DONE.
int command_parse(const struct command *command, int argc, char **argv, void *target,
                  struct words *words);

// The whole help of one command.
void command_help(const struct command *command, struct text *out);

// Example lines in a column, what each is for beside it.
void examples_add(const struct example *examples, struct text *out);

#endif
