// shell_words: command lines as text, to words, without a shell.
#ifndef COMMANDS_SHELL_WORDS_H
#define COMMANDS_SHELL_WORDS_H

#include "base/list.h"
#include "base/text.h"
#include "bilanx/error.h"

// Adds the words of `text` as a shell reads them: quotes and backslashes, nothing expanded. What
// only a shell can do (pipes, redirection, variables) is refused, as is a quote left open.
struct bilanx_error shell_words_split(const char *text, struct list *out);

#endif
