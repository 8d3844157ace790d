// carry: hides our environment variables from a program, and adds them again for those it starts.
//
// So a program sees the environment that it was given, and `env` prints the same as without us,
// but a shell passes the library on. The functions of libc that execute programs call each other
// internally, so each of them has a version here.
#include "carry.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/preloadable.h"
#include "core/worker/sample_board.h"

#define PUBLIC __attribute__((visibility("default")))

static const char preload[] = "LD_PRELOAD=", board[] = SAMPLE_BOARD_VARIABLE "=";
static char library[PATH_MAX];   // our path
static char variable[PATH_MAX];  // the other variable, with its name; empty: nothing is carried

typedef int execute(const char *, char *const[], char *const[]);
typedef int start(pid_t *, const char *, const posix_spawn_file_actions_t *,
                  const posix_spawnattr_t *, char *const[], char *const[]);
static struct {
    execute *execve, *execvpe;
    int (*fexecve)(int, char *const[], char *const[]);
    start *posix_spawn, *posix_spawnp;
    int (*system)(const char *);
    FILE *(*popen)(const char *, const char *);
} real;

static bool begins(const char *text, const char *with)
{
    return text && strncmp(text, with, strlen(with)) == 0;
}

static char **find(char *const *variables, const char *name)
{
    for (char *const *at = variables; at && *at; at++)
        if (begins(*at, name))
            return (char **)at;
    return NULL;
}

static void take_out(const char *name)
{
    for (char **at = find(environ, name); at && *at; at++)
        at[0] = at[1];
}

// Others that were to be preloaded stand behind ours.
static void take_out_library(void)
{
    char **at = find(environ, preload);
    char *ours = at ? strstr(*at, SAMPLE_BOARD_LIBRARY) : NULL;
    if (!ours)
        return;
    char *rest = ours + strlen(SAMPLE_BOARD_LIBRARY), *value = *at + strlen(preload);
    snprintf(library, sizeof library, "%.*s", (int)(rest - value), value);
    if (*rest == ':')
        memmove(value, rest + 1, strlen(rest));
    else
        take_out(preload);
}

// Also called by what runs before our constructor.
static void find_real(void)
{
    const struct {
        const char *name;
        void *function;
    } wanted[] = {
        {"execve", &real.execve},
        {"execvpe", &real.execvpe},
        {"fexecve", &real.fexecve},
        {"posix_spawn", &real.posix_spawn},
        {"posix_spawnp", &real.posix_spawnp},
        {"system", &real.system},
        {"popen", &real.popen},
    };
    for (size_t i = 0; !real.popen && i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(RTLD_NEXT, wanted[i].name);
        memcpy(wanted[i].function, &found, sizeof found);
    }
}

const char *carry_hide(void)
{
    find_real();
    const char *path = getenv(SAMPLE_BOARD_VARIABLE);
    if (!path)
        return NULL;
    take_out_library();
    snprintf(variable, sizeof variable, "%s%s", board, path);
    take_out(board);
    return variable + strlen(board);
}

// ---- What is carried

struct carried {
    char *preload;     // room for the variable
    char **variables;  // room for all
};

static size_t count_of(char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

static size_t size_of_preload(char *const *variables)
{
    char **theirs = find(variables, preload);
    return sizeof preload + sizeof library + (theirs ? strlen(*theirs) : 0);
}

static char *const *fill(const struct carried *room, char *const *variables)
{
    char **theirs = find(variables, preload);
    const char *others = theirs ? *theirs + strlen(preload) : "";
    size_t count = 0;
    sprintf(room->preload, "%s%s%s%s", preload, library, *others ? ":" : "", others);
    for (size_t i = 0; variables && variables[i]; i++)
        if (!begins(variables[i], preload) && !begins(variables[i], board))
            room->variables[count++] = variables[i];
    room->variables[count++] = room->preload;
    room->variables[count++] = variable;
    room->variables[count] = NULL;
    return room->variables;
}

// On the stack, because the caller may be the child of a vfork().
#define CARRIED(path, given)                                                       \
    (!variable[0] || !preloadable(path)                                            \
         ? (given)                                                                 \
         : fill(&(struct carried){alloca(size_of_preload(given)),                  \
                                  alloca((count_of(given) + 3) * sizeof(char *))}, \
                given))

// Where a program is that is looked up on the PATH.
static const char *look_up(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");
    if (strchr(name, '/'))
        return name;
    for (path = path ? path : "/bin:/usr/bin"; *path;) {
        size_t size = strcspn(path, ":");
        snprintf(out, PATH_MAX, "%.*s/%s", (int)size, size ? path : ".", name);
        if (access(out, X_OK) == 0)
            return out;
        path += size + (path[size] == ':');
    }
    return name;
}

// ---- In the place of libc's functions

PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
    find_real();
    return real.execve(path, argv, CARRIED(path, envp));
}

PUBLIC int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
    char found[PATH_MAX];
    find_real();
    return real.execvpe(file, argv, CARRIED(look_up(file, found), envp));
}

PUBLIC int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

PUBLIC int fexecve(int fd, char *const argv[], char *const envp[])
{
    char path[40];
    find_real();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return real.fexecve(fd, argv, CARRIED(path, envp));
}

// The arguments after the first, up to a NULL, which an environment may follow.
static size_t count_arguments(const char *first, va_list list)
{
    size_t count = 0;
    for (const char *argument = first; argument; argument = va_arg(list, const char *))
        count++;
    return count;
}

static char *const *read_arguments(char **out, const char *first, va_list list)
{
    size_t count = 0;
    for (char *argument = (char *)(uintptr_t)first; argument; argument = va_arg(list, char *))
        out[count++] = argument;
    out[count] = NULL;
    return out;
}

#define ARGUMENTS(first, list)                                               \
    va_list list;                                                            \
    va_start(list, first);                                                   \
    char **room = alloca((count_arguments(first, list) + 1) * sizeof *room); \
    va_end(list);                                                            \
    va_start(list, first);                                                   \
    char *const *argv = read_arguments(room, first, list)

PUBLIC int execl(const char *path, const char *first, ...)
{
    ARGUMENTS(first, list);
    va_end(list);
    return execve(path, argv, environ);
}

PUBLIC int execlp(const char *file, const char *first, ...)
{
    ARGUMENTS(first, list);
    va_end(list);
    return execvpe(file, argv, environ);
}

PUBLIC int execle(const char *path, const char *first, ...)
{
    ARGUMENTS(first, list);
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}

PUBLIC int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    find_real();
    return real.posix_spawn(pid, path, actions, attributes, argv, CARRIED(path, envp));
}

PUBLIC int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    char found[PATH_MAX];
    find_real();
    return real.posix_spawnp(pid, file, actions, attributes, argv,
                             CARRIED(look_up(file, found), envp));
}

// These start a shell with the environment as it is, so the variables are there meanwhile.
static pthread_mutex_t showing = PTHREAD_MUTEX_INITIALIZER;
static unsigned shown;  // calls that need them now
static char *before;    // what was to be preloaded; NULL: nothing

static void show(void)
{
    pthread_mutex_lock(&showing);
    if (variable[0] && shown++ == 0) {
        const char *theirs = getenv("LD_PRELOAD");
        char *ours = malloc(size_of_preload(environ));
        before = theirs ? strdup(theirs) : NULL;
        if (ours) {
            sprintf(ours, "%s%s%s", library, before ? ":" : "", before ? before : "");
            setenv("LD_PRELOAD", ours, 1);
            setenv(SAMPLE_BOARD_VARIABLE, variable + strlen(board), 1);
        }
        free(ours);
    }
    pthread_mutex_unlock(&showing);
}

static void hide(void)
{
    int saved = errno;
    pthread_mutex_lock(&showing);
    if (variable[0] && --shown == 0) {
        unsetenv(SAMPLE_BOARD_VARIABLE);
        if (before)
            setenv("LD_PRELOAD", before, 1);
        else
            unsetenv("LD_PRELOAD");
        free(before);
        before = NULL;
    }
    pthread_mutex_unlock(&showing);
    errno = saved;
}

PUBLIC int system(const char *command)
{
    find_real();
    show();
    int status = real.system(command);
    hide();
    return status;
}

PUBLIC FILE *popen(const char *command, const char *mode)
{
    find_real();
    show();
    FILE *file = real.popen(command, mode);
    hide();
    return file;
}
