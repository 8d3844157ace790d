// expand: expands an entry into its cases.
#ifndef SUITE_EXPAND_H
#define SUITE_EXPAND_H

#include "bilanx/suite.h"

enum {
    SUITE_MOST_CASES = 20000,
    SUITE_MOST_BYTES = 128 << 20,  // total code size
    SUITE_LONGEST_TEXT = 1 << 20,  // after substitution
};

struct bilanx_suite {
    char *name, *language, *subject;
    struct bilanx_suite_code global_setup;  // owned
    char **required;
    struct bilanx_suite_case **cases;
    size_t count, room;
    size_t bytes;  // total code size
};

struct place {
    const char *file;
    unsigned line, column;  // column 0: unknown
};

// Where an entry comes from.
struct origin {
    const struct bilanx_suite_traits *traits;
    const char *path;       // all labels; NULL: label and sub_label
    const char *directory;  // NULL: the current one
    struct place place;
    // Finds the location of a character in a text of the entry; leaves `place` unchanged if
    // unknown.
    void (*locate)(void *context, const char *text, size_t offset, struct place *place);
    void *context;  // for locate, which may be NULL
};

// Adds all cases of an entry, or none and returns an error with its location.
struct bilanx_error suite_expand(struct bilanx_suite *suite, const struct bilanx_suite_entry *entry,
                                 const struct origin *origin);

// Removes all cases from index `count` on.
void suite_shorten(struct bilanx_suite *suite, size_t count);

// Copies both lists and appends `last`. Each may be NULL; returns NULL if there is nothing.
char **suite_join_lists(const char *const *list, const char *const *more, const char *last);
void suite_free_list(char **list);

// Prefixes the error with the location of the entry, or of a text in it.
struct bilanx_error origin_error(const struct origin *origin, const char *text, size_t offset,
                                 struct bilanx_error error);

#endif
