// shell_words: splits a command line into words without a shell.
#include "shell_words.h"

struct bilanx_error shell_words_split(const char *text, struct list *out)
{
    return list_split_refusing(out, text, "|&;<>$`");
}
