// options: describes a command line by a table, used for both parsing and help.
//
// Each option is stored in the caller's struct at `offset`. Options not given leave their member
// unchanged, so the caller's initial values are the defaults. Strings point into argv.
//
// Options that several commands share form a group: another table, with offsets into another
// struct. A command includes a group with one row:
//
//     {.group = show_showing, .offset = offsetof(struct time_arguments, settings)},
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stddef.h>

#include "base/list.h"
#include "base/output.h"
#include "base/range.h"
#include "base/text.h"
#include "bilanx/error.h"

enum option_kind {
    OPTION_FLAG,     // bool: no value
    OPTION_SWITCH,   // bool: no value, or an attached one: =true or =false
    OPTION_TEXT,     // const char *
    OPTION_COUNT,    // uint64_t: an integer >= 0
    OPTION_SECONDS,  // double: >= 0, with or without a unit
    OPTION_NUMBER,   // double: >= 0
    OPTION_CHOICE,   // int or an enum: index of a word in `choices`
    OPTION_LIST,     // struct words: collects all occurrences, `values` words each
    OPTION_PERHAPS,  // const char *: the attached value, or the next word unless it starts with
                     // '-', or else ""
};

struct option {
    const char *name;  // without dashes; a row with neither name nor group ends the table
    char letter;       // or 0
    enum option_kind kind;
    size_t offset;
    const char *value;           // placeholder for the value in the help: "FILE"
    const char *const *choices;  // ends with NULL; OPTION_TEXT: words that do not name a file
    const char *help;            // NULL: accepted, but hidden
    int values;                  // OPTION_LIST: words per occurrence; 0 means 1
    const char *writes;          // it names an output file of this kind: "records" (output.h)
    bool reads;                  // it names a file that is read
    const struct option *group;  // another table to include; `offset` is where its struct starts
    const struct range *range;   // of numbers; NULL: any that its kind allows
};

// Which options do not go together, or need another. A term is the name of an option, or
// "format=csv": the option with this value.
enum option_rule_kind {
    RULE_EXCLUDES,  // none of `others` may be given
    RULE_NEEDS,     // at least one of `others` must be given
    RULE_ALLOWS,    // no option but `others` may be given
};

struct option_rule {      // a row with neither options nor group ends the table
    const char *options;  // terms, separated by blanks: the rule holds for each of them
    enum option_rule_kind kind;
    const char *others;  // terms; one that ends in '-' stands for all names that begin like that
    const char *why;     // ends the message; NULL: nothing to add
    const char *unless;  // RULE_EXCLUDES: terms that make the rule void; NULL: none
    const struct option_rule *group;  // another table to include
};

// Options that do not apply to what a command is given, such as a file instead of a program.
struct option_scope {
    const char *options;  // names, separated by blanks
    const char *says;     // "only applies to suites"
};

struct words {  // arguments that are not options; point into argv
    const char **items;
    size_t count;
    size_t room;
    struct list kept;  // words that do not
};
void words_done(struct words *words);
SCOPE_VALUE(words, words_done)

// Parses argv[1..]. "--" ends the options. Errors are BILANX_E_USAGE.
struct bilanx_error options_parse(const struct option *options, int argc, char **argv, void *target,
                                  struct words *words);

// Checks a command line that options_parse() accepted: errors name both options. `rules` may be
// NULL. Hidden options obey no rules.
struct bilanx_error options_agree(const struct option *options, const struct option_rule *rules,
                                  int argc, char **argv);
struct bilanx_error options_apply(const struct option *options, struct option_scope scope, int argc,
                                  char **argv);

// Adds the files that parsed options name.
void options_files(const struct option *options, const void *target, struct output_uses *out);

// Checks the numbers that the rows point to, which a program has stored instead of a user. A zero
// stands for the default. Messages use the names in the rows.
struct bilanx_error options_check(const struct option *options, const void *target);

// Whether a word of a command line is one of the options, with or without an attached value.
bool options_know(const struct option *options, const char *word);

// Adds a parsed command line to `out` without the options named in `dropped`, which ends with NULL,
// and their values.
void options_without(const struct option *options, int argc, char **argv,
                     const char *const *dropped, struct list *out);

void options_help(const struct option *options, struct text *out);

#endif
