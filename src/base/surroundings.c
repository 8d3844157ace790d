// surroundings: the variables, the working directory and the limits that a process starts with.
//
// setenv() grows the last array of variables that it made itself, whichever is in use. So what is
// not in use must not be that array: it is copied when it goes out of use.
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "text.h"

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

// The array in use that was made here, for as long as it is: it outlives who made it.
static void keep_in_use(char **variables)
{
    static char **in_use;
    free(in_use);
    in_use = variables;
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

static const int resources[SURROUNDINGS_LIMITS] = {RLIMIT_STACK, RLIMIT_CORE, RLIMIT_MEMLOCK,
                                                   RLIMIT_NOFILE};
static const rlim_t LEAST_FILES = 256;  // that whoever enters can live with

static void read_limits(pid_t pid, rlim_t limits[SURROUNDINGS_LIMITS])
{
    for (size_t i = 0; i < SURROUNDINGS_LIMITS; i++) {
        struct rlimit limit = {0};
        prlimit(pid, resources[i], NULL, &limit);
        bool too_low = resources[i] == RLIMIT_NOFILE && limit.rlim_cur < LEAST_FILES;
        limits[i] = too_low ? LEAST_FILES : limit.rlim_cur;
    }
}

// A hard limit that was lowered could not be raised again: what is allowed at most stays.
static void set_limits(const rlim_t limits[SURROUNDINGS_LIMITS])
{
    for (size_t i = 0; i < SURROUNDINGS_LIMITS; i++) {
        struct rlimit limit;
        if (getrlimit(resources[i], &limit) != 0)
            continue;
        limit.rlim_cur = limits[i] < limit.rlim_max ? limits[i] : limit.rlim_max;
        setrlimit(resources[i], &limit);
    }
}

void surroundings_take_limits(struct surroundings *surroundings, pid_t pid)
{
    AUTO(memory) char *path = mem_format("/proc/%d/status", (int)pid);
    AUTO(text) struct text status = {0};
    unsigned mask = 0;
    struct bilanx_error error = file_read(path, &status);
    const char *line = error.status == BILANX_OK ? strstr(text_get(&status), "\nUmask:") : NULL;
    if (!line || sscanf(line, "\nUmask: %o", &mask) != 1)
        return;
    surroundings->umask = (mode_t)mask;
    read_limits(pid, surroundings->limits);
    surroundings->limited = true;
}

void surroundings_done(struct surroundings *surroundings)
{
    if (surroundings->directory)
        close(surroundings->directory);
    free(surroundings->variables);
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
        surroundings->outside = copy_variables(environ);
        environ = surroundings->variables;
        keep_in_use(NULL);
    }
    if (surroundings->limited) {
        surroundings->umask_outside = umask(surroundings->umask);
        read_limits(getpid(), surroundings->limits_outside);
        set_limits(surroundings->limits);
    }
    return BILANX_SUCCESS;
}

void surroundings_leave(struct surroundings *surroundings)
{
    if (!surroundings)
        return;
    if (surroundings->limited) {
        umask(surroundings->umask_outside);
        set_limits(surroundings->limits_outside);
    }
    if (surroundings->variables) {
        if (environ != surroundings->variables) {
            free(surroundings->variables);
            surroundings->variables = copy_variables(environ);
        }
        environ = surroundings->outside;
        keep_in_use(TAKE(surroundings->outside));
    }
    if (surroundings->directory) {
        if (fchdir(surroundings->came_from) != 0) {
            // The directory we came from is gone; what is relative to it is gone, too.
        }
        close(surroundings->came_from);
    }
}
