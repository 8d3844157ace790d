// command: describes a subcommand of bilanx.
//
// To add one, write cmd_<name>.c ending in a `const struct command cmd_<name>`, declare it below,
// list it in commands.c and add the file to meson.build. Help, parsing and messages all use the
// struct.
#ifndef PROGRAMS_COMMAND_H
#define PROGRAMS_COMMAND_H

#include "base/options.h"
#include "base/text.h"
#include "bilanx/error.h"
#include "core/show/complain.h"

struct example {
    const char *line;  // what to type; NULL ends an array
    const char *purpose;
};

struct command {
    const char *name;
    const char *usage;  // text after the name: "[OPTION...] PROGRAM..."
    const char *summary;
    const struct option *options;     // without --help, which every command has
    const struct option_rule *rules;  // which of them do not go together; may be NULL
    const struct example *examples;   // shown in the help; may be NULL
    const char *details;              // paragraphs at the end of the help; may be NULL
    bool only_prints;                 // fails if stdout is closed
    bool rewrites;                    // its output may be an input: replaced as a whole
    const struct command *also;       // another way to call it, shown in the help; may be NULL
    int (*run)(const struct command *command, int argc, char **argv);  // argv[0] is its name
};

extern const struct command *const all_commands[];  // ends in NULL
extern const struct command cmd_ab;
extern const struct command cmd_cluster;
extern const struct command cmd_compare;
extern const struct command cmd_convert;
extern const struct command cmd_count;
extern const struct command cmd_doctor;
extern const struct command cmd_trust;
extern const struct command cmd_flame;
extern const struct command cmd_fuzz;
extern const struct command cmd_merge;
extern const struct command cmd_ops;
extern const struct command cmd_run;
extern const struct command cmd_time;

// Parses a command line into `target`. On a mistake, prints a message that points to the help and
// returns EXIT_USAGE; otherwise returns EXIT_DONE.
int command_parse(const struct command *command, int argc, char **argv, void *target,
                  struct words *words);

// Adds the complete help of one command.
void command_help(const struct command *command, struct text *out);

// Adds example lines in one column and their purposes in the next.
void examples_add(const struct example *examples, struct text *out);

#endif
