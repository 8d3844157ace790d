// arguments_from: a command line that is too long for the kernel, or that others must not see.
#include "arguments_from.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

struct bilanx_error arguments_from(int *argc, char ***argv, struct list *words)
{
    static const char OPTION[] = "--arguments-from";
    AUTO(text) struct text text = {0};
    if (*argc < 2 || strcmp((*argv)[1], OPTION) != 0)
        return BILANX_SUCCESS;
    if (*argc != 3)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "option '%s' needs a FILE, which holds all other words", OPTION);
    const char *path = (*argv)[2];
    BILANX_TRY(strcmp(path, "-") == 0 ? file_read_fd(STDIN_FILENO, "stdin", &text)
                                      : file_read(path, &text));
    int fd;
    if (file_names_descriptor(path) && sscanf(strrchr(path, '/'), "/%d", &fd) == 1)
        close(fd);  // was passed to us, not to the processes we start
    if (text.size && text.data[text.size - 1] != '\0')
        return bilanx_error_make(BILANX_E_INPUT, "'%s': the last word does not end with a NUL",
                                 path);
    list_add(words, (*argv)[0]);
    for (size_t at = 0; at < text.size; at += strlen(text.data + at) + 1)
        list_add(words, text.data + at);
    *argc = (int)words->count;
    *argv = words->items;
    return BILANX_SUCCESS;
}
