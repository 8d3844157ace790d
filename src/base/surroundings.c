// surroundings: the variables and the working directory that a process starts with.
//
// setenv() grows the last array of variables that it made itself, whichever is in use. So what is
// not in use must not be that array: it is copied when it goes out of use.
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

extern char **environ;

static char **copy_variables(char **variables)
{
    size_t count = 0;
    while (variables[count])
        count++;
    char **copy = mem_array(char *, count + 1);
    memcpy(copy, variables, count * sizeof *copy);
    return copy;
}

struct bilanx_error surroundings_init(struct surroundings *surroundings,
                                      const struct list *variables, const char *directory)
{
    struct surroundings made = {0};
    if (directory) {
        made.directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (made.directory < 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot enter '%s': %s", directory,
                                     strerror(errno));
    }
    list_add_all(&made.own, variables);
    if (made.own.count)
        made.variables = copy_variables(made.own.items);
    *surroundings = made;
    return BILANX_SUCCESS;
}

void surroundings_done(struct surroundings *surroundings)
{
    if (surroundings->directory)
        close(surroundings->directory);
    free(surroundings->variables);
    if (surroundings->outside != environ)
        free(surroundings->outside);
    list_done(&surroundings->own);
    *surroundings = (struct surroundings){0};
}

struct bilanx_error surroundings_enter(struct surroundings *surroundings)
{
    if (!surroundings)
        return BILANX_SUCCESS;
    if (surroundings->directory) {
        surroundings->came_from = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (surroundings->came_from < 0 || fchdir(surroundings->directory) != 0) {
            int error = errno;
            if (surroundings->came_from >= 0)
                close(surroundings->came_from);
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot enter the side's directory: %s",
                                     strerror(error));
        }
    }
    if (surroundings->variables) {
        if (surroundings->outside != environ) {
            free(surroundings->outside);
            surroundings->outside = copy_variables(environ);
        }
        environ = surroundings->variables;
    }
    return BILANX_SUCCESS;
}

void surroundings_leave(struct surroundings *surroundings)
{
    if (!surroundings)
        return;
    if (surroundings->variables) {
        if (environ != surroundings->variables) {
            free(surroundings->variables);
            surroundings->variables = copy_variables(environ);
        }
        environ = surroundings->outside;
    }
    if (surroundings->directory) {
        if (fchdir(surroundings->came_from) != 0) {
            // The directory we came from is gone; what is relative to it is gone, too.
        }
        close(surroundings->came_from);
    }
}
