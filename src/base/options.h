// options: a command line, described by a table that help and parsing both read.
//
// An option writes into the caller's struct at `offset`; what is not given is left as it was, so
// the caller's initial values are the defaults. Texts point into argv.
//
// Options that several commands share are a table too, a group, with offsets in a struct of their
// own. A command includes them with one row:
//
//     {.group = console_showing, .offset = offsetof(struct time_arguments, settings)},
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stddef.h>

#include "base/text.h"
#include "bilanx/error.h"

enum option_kind {
    OPTION_FLAG,     // bool: no value
    OPTION_TEXT,     // const char *
    OPTION_COUNT,    // uint64_t: a whole number, 0 and up
    OPTION_SECONDS,  // double: 0 and up, with or without a unit
    OPTION_NUMBER,   // double: 0 and up
    OPTION_CHOICE,   // int or an enum: the index of a word in `choices`
    OPTION_LIST,     // struct words: what every occurrence brings is added, `values` words each
    OPTION_PERHAPS,  // const char *: attached, or the next word unless that starts with '-'; else
                     // ""
};

struct option {
    const char *name;  // without its dashes; without a name or a group, a row ends its table
    char letter;       // or 0
    enum option_kind kind;
    size_t offset;
    const char *value;           // what stands for the value in the help: "FILE"
    const char *const *choices;  // ends in NULL
    const char *help;            // NULL: understood, not shown
    int values;                  // OPTION_LIST: how many one occurrence takes; 0 means 1
    const struct option *group;  // a table to read here; `offset` is where its struct is
};

struct words {  // what is not an option; points into argv
    const char **items;
    size_t count;
    size_t room;
};
void words_done(struct words *words);
SCOPE_VALUE(words, words_done)

// Reads argv[1..]. "--" ends the options. Errors are BILANX_E_USAGE.
struct bilanx_error options_parse(const struct option *options, int argc, char **argv, void *target,
                                  struct words *words);

void options_help(const struct option *options, struct text *out);

#endif
