// expand: one entry to the cases that it stands for.
#ifndef SUITE_EXPAND_H
#define SUITE_EXPAND_H

#include "bilanx/suite.h"

enum {
    SUITE_MOST_CASES = 20000,
    SUITE_MOST_BYTES = 128 << 20,  // of all their code
    SUITE_LONGEST_TEXT = 1 << 20,  // after substitution
};

struct bilanx_suite {
    char *name, *language, *subject;
    struct bilanx_suite_code global_setup;  // ours
    char **required;
    struct bilanx_suite_case **cases;
    size_t count, room;
    size_t bytes;  // of their code
};

struct place {
    const char *file;
    unsigned line, column;  // column 0: not known
};

// Where an entry comes from.
struct origin {
    const struct bilanx_suite_traits *traits;
    const char *path;       // all its labels; NULL: its label and sub_label
    const char *directory;  // NULL: the current one
    struct place place;
    // Where a character of a text of the entry is; leaves the place alone when it does not know.
    void (*locate)(void *context, const char *text, size_t offset, struct place *place);
    void *context;  // of locate, which may be NULL
};

// Adds all cases of an entry, or none and an error with its place.
struct bilanx_error suite_expand(struct bilanx_suite *suite, const struct bilanx_suite_entry *entry,
                                 const struct origin *origin);

// Removes the cases from `count` on.
void suite_shorten(struct bilanx_suite *suite, size_t count);

// A copy of both lists and a last text, each of which may be NULL; NULL when there is nothing.
char **suite_join_lists(const char *const *list, const char *const *more, const char *last);
void suite_free_list(char **list);

// The error with the place of an entry before it; with a text of it, of that text.
struct bilanx_error origin_error(const struct origin *origin, const char *text, size_t offset,
                                 struct bilanx_error error);

#endif
