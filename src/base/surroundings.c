// surroundings: the variables, working directory, umask and limits that a process starts with.
#include "surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "text.h"

extern char **environ;

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
    list_add_all(&made.variables, variables);
    *surroundings = made;
    return BILANX_SUCCESS;
}

static const int resources[SURROUNDINGS_LIMITS] = {RLIMIT_STACK, RLIMIT_CORE, RLIMIT_MEMLOCK,
                                                   RLIMIT_NOFILE};
static const rlim_t LEAST_FILES = 256;  // with fewer, a worker could not do its job

static void read_limits(pid_t pid, rlim_t limits[SURROUNDINGS_LIMITS])
{
    for (size_t i = 0; i < SURROUNDINGS_LIMITS; i++) {
        struct rlimit limit = {0};
        prlimit(pid, resources[i], NULL, &limit);
        bool too_low = resources[i] == RLIMIT_NOFILE && limit.rlim_cur < LEAST_FILES;
        limits[i] = too_low ? LEAST_FILES : limit.rlim_cur;
    }
}

struct bilanx_error surroundings_take_limits(struct surroundings *surroundings, pid_t pid)
{
    AUTO(memory) char *path = mem_format("/proc/%d/status", (int)pid);
    AUTO(text) struct text status = {0};
    unsigned mask = 0;
    BILANX_TRY(file_read(path, &status));
    const char *line = strstr(text_get(&status), "\nUmask:");
    if (!line || sscanf(line, "\nUmask: %o", &mask) != 1)
        return bilanx_error_make(BILANX_E_SYSTEM, "'%s' has no umask: has the process ended?",
                                 path);
    surroundings->umask = (mode_t)mask;
    read_limits(pid, surroundings->limits);
    surroundings->limited = true;
    return BILANX_SUCCESS;
}

void surroundings_done(struct surroundings *surroundings)
{
    if (surroundings->directory)
        close(surroundings->directory);
    list_done(&surroundings->variables);
    *surroundings = (struct surroundings){0};
}

static bool has_variables(const struct surroundings *surroundings)
{
    return surroundings && surroundings->variables.count;
}

static bool has_directory(const struct surroundings *surroundings)
{
    return surroundings && surroundings->directory;
}

char *const *surroundings_variables(const struct surroundings *surroundings)
{
    return has_variables(surroundings) ? surroundings->variables.items : environ;
}

const char *surroundings_variable(const struct surroundings *surroundings, const char *name)
{
    if (!has_variables(surroundings))
        return getenv(name);
    size_t size = strlen(name);
    for (char *const *variable = surroundings->variables.items; *variable; variable++)
        if (strncmp(*variable, name, size) == 0 && (*variable)[size] == '=')
            return *variable + size + 1;
    return NULL;
}

char *surroundings_path(const struct surroundings *surroundings, const char *path)
{
    char link[40], directory[PATH_MAX];
    if (path[0] == '/' || !has_directory(surroundings))
        return mem_text(path);
    snprintf(link, sizeof link, "/proc/self/fd/%d", surroundings->directory);
    ssize_t size = readlink(link, directory, sizeof directory);
    if (size <= 0 || size == sizeof directory)  // no /proc, or too long: use the link itself
        return mem_format("%s/%s", link, path);
    return mem_format("%.*s/%s", (int)size, directory, path);
}

char *surroundings_find_program(const struct surroundings *surroundings, const char *name)
{
    return file_find_program_at(has_directory(surroundings) ? surroundings->directory : AT_FDCWD,
                                surroundings_variable(surroundings, "PATH"), name);
}

char *surroundings_temporary(const struct surroundings *surroundings)
{
    const char *folder = surroundings_variable(surroundings, "TMPDIR");
    return surroundings_path(surroundings, folder && *folder ? folder : "/tmp");
}

// Keeps hard limits: a child gets no more than this process may have.
static bool limit_of(const struct surroundings *surroundings, size_t i, struct rlimit *out)
{
    if (getrlimit(resources[i], out) != 0)
        return false;
    if (surroundings && surroundings->limited)
        out->rlim_cur =
            surroundings->limits[i] < out->rlim_max ? surroundings->limits[i] : out->rlim_max;
    return true;
}

bool surroundings_stack_limit(const struct surroundings *surroundings, struct rlimit *out)
{
    return limit_of(surroundings, 0, out);
}

bool surroundings_apply(const struct surroundings *surroundings)
{
    if (has_directory(surroundings) && fchdir(surroundings->directory) != 0)
        return false;
    if (!surroundings || !surroundings->limited)
        return true;
    umask(surroundings->umask);
    for (size_t i = 0; i < SURROUNDINGS_LIMITS; i++) {
        struct rlimit limit;
        if (limit_of(surroundings, i, &limit))
            setrlimit(resources[i], &limit);
    }
    return true;
}
