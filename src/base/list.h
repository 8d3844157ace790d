// list: texts that belong to the list.
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct list {
    char **items;  // ends in a NULL once there is an item, so that it can be an argv
    size_t count, room;
};
void list_done(struct list *list);
SCOPE_VALUE(list, list_done)

void list_add(struct list *list, const char *text);
void list_take(struct list *list, char *text);  // the text belongs to the list from here on
void list_add_all(struct list *list, const struct list *added);

// Adds the words of a line as a shell would see them: blanks separate, quotes and backslashes keep
// together, and nothing is expanded. An open quote is an error, and so are the characters of
// `refused` where they are not quoted. On an error nothing is added.
struct bilanx_error list_split(struct list *list, const char *line);
struct bilanx_error list_split_refusing(struct list *list, const char *line, const char *refused);

// Adds the lines of a text.
void list_split_lines(struct list *list, const char *text);

#endif
