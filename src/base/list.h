// list: a list of strings that it owns.
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct list {
    char **items;  // ends with NULL unless empty, so that it can be an argv
    size_t count, room;
};
void list_done(struct list *list);
SCOPE_VALUE(list, list_done)

void list_add(struct list *list, const char *text);
void list_take(struct list *list, char *text);  // the list takes ownership
void list_add_all(struct list *list, const struct list *added);

// Splits a line into words as a shell would, and adds them: blanks separate words, quotes and
// backslashes work, nothing is expanded. An open quote is an error, and so is any unquoted
// character of `refused`. On error, nothing is added.
struct bilanx_error list_split(struct list *list, const char *line);
struct bilanx_error list_split_refusing(struct list *list, const char *line, const char *refused);

// Adds each line of a text.
void list_split_lines(struct list *list, const char *text);

#endif
