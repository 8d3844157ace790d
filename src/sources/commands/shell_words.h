// shell_words: splits a command line into words without a shell.
#ifndef COMMANDS_SHELL_WORDS_H
#define COMMANDS_SHELL_WORDS_H

#include "base/list.h"
#include "base/text.h"
#include "bilanx/error.h"

// Adds the words of `text`, handling quotes and backslashes as a shell does, but expanding nothing.
// Rejects what needs a shell (pipes, redirection, variables) and unterminated quotes.
struct bilanx_error shell_words_split(const char *text, struct list *out);

#endif
