// shell_words: command lines as text, to words and back, without a shell.
#ifndef COMMANDS_SHELL_WORDS_H
#define COMMANDS_SHELL_WORDS_H

#include "base/text.h"
#include "bilanx/error.h"

struct arguments {  // words on the heap; once there is one, items[count] is NULL, as exec wants it
    char **items;
    size_t count, room;
};
void arguments_add(struct arguments *arguments, char *word);  // takes the word
void arguments_done(struct arguments *arguments);
SCOPE_VALUE(arguments, arguments_done)

// Adds the words of `text` as a shell reads them: quotes and backslashes, nothing expanded. What
// only a shell can do (pipes, redirection, variables) is refused, as is a quote left open.
struct bilanx_error shell_words_split(const char *text, struct arguments *out);

// Adds a word so that a shell would read it back as it is.
void shell_words_quote(const char *word, struct text *out);

#endif
