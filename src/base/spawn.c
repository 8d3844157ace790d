// spawn: starts a process.
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "cpus.h"
#include "interrupt.h"
#include "lineage.h"
#include "mem.h"

extern char **environ;

// The data that a child starts with. The child may share our memory, so it makes system calls only.
struct birth {
    const struct spawn_options *options;
    char *const *candidates;  // possible paths of the program
    char *const *variables;
    pid_t parent;
    sigset_t mask;  // signal mask to restore
};

enum step { ENTER, CHANGE, EXECUTE };
struct fault {  // why a child could not execute its program
    volatile enum step step;
    volatile int error;  // 0: it could
};

static void redirect(int from, int to)
{
    if (from == to)
        fcntl(to, F_SETFD, 0);
    else
        dup2(from, to);
}

static void replace_streams(const struct spawn_streams *streams)
{
    const int from[] = {streams->in, streams->out, streams->err};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int to = STDIN_FILENO; to <= STDERR_FILENO; to++)
        redirect(from[to] > 0 ? from[to] : nothing, to);
    if (nothing > STDERR_FILENO)
        close(nothing);
}

static void settle(const struct birth *birth)
{
    const struct spawn_options *options = birth->options;
    if (options->session)
        setsid();
    else
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != birth->parent)  // the parent died before the line above
        _exit(127);
    if (options->adopts)
        children_adopt();
    if (options->lineage)
        lineage_begin(options->lineage);
    interrupt_release();
    signal(SIGPIPE, SIG_DFL);
    replace_streams(&options->streams);
    if (options->cpus)
        cpus_pin(options->cpus);
}

static bool enter(const struct birth *birth, struct fault *fault)
{
    const struct spawn_options *options = birth->options;
    fault->step = ENTER;
    if (!surroundings_apply(options->surroundings))
        return false;
    fault->step = CHANGE;
    return !options->directory || chdir(options->directory) == 0;
}

// Like execvp(), but uses the PATH of the surroundings. Returns the error.
static int execute(const struct birth *birth)
{
    char *const *argv = (char *const *)birth->options->argv;
    int error = ENOENT;
    for (char *const *path = birth->candidates; *path; path++) {
        if (birth->options->strict)
            execve(*path, argv, birth->variables);
        else
            execvpe(*path, argv, birth->variables);
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            return errno;
        error = error == EACCES ? error : errno;
    }
    return error;
}

__attribute__((noreturn)) static void become(const struct birth *birth, struct fault *fault)
{
    settle(birth);
    if (enter(birth, fault)) {
        draw_addresses(&birth->options->draw);
        for (size_t i = 0; i < 2; i++)
            if (birth->options->kept[i])
                fcntl(birth->options->kept[i], F_SETFD, 0);
        sigprocmask(SIG_SETMASK, &birth->mask, NULL);
        fault->step = EXECUTE;
        errno = execute(birth);
    }
    fault->error = errno;
    _exit(127);
}

__attribute__((noreturn)) static void run_body(const struct birth *birth)
{
    struct fault fault;
    settle(birth);
    if (!enter(birth, &fault))
        _exit(127);
    environ = (char **)birth->variables;
    sigprocmask(SIG_SETMASK, &birth->mask, NULL);
    int status = birth->options->body(birth->options->context);
    fflush(NULL);
    _exit(status);
}

// None of our handlers must run in the child, so all signals are blocked until it has reset them to
// their default actions.
__attribute__((noinline)) static pid_t start(struct birth *birth, struct fault *fault)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &birth->mask);
    pid_t pid = birth->options->argv ? vfork() : fork();
    if (pid == 0 && birth->options->argv)
        become(birth, fault);
    if (pid == 0)
        run_body(birth);
    int error = errno;
    sigprocmask(SIG_SETMASK, &birth->mask, NULL);
    errno = error;
    return pid;
}

static bool same_variable(const char *a, const char *b)
{
    size_t size = strcspn(a, "=");
    return strncmp(a, b, size) == 0 && b[size] == '=';
}

static bool is_replaced(const char *variable, char *const *by)
{
    while (*by && !same_variable(*by, variable))
        by++;
    return *by != NULL;
}

static size_t count_of(char *const *variables)
{
    size_t count = 0;
    while (variables[count])
        count++;
    return count;
}

// The caller frees the array.
static char **add_variables(char *const *variables, char *const *added)
{
    size_t count = count_of(added);
    char **all = mem_array(char *, count_of(variables) + count + 1), **end = all + count;
    memcpy(all, added, count * sizeof *all);
    for (; *variables; variables++)
        if (!is_replaced(*variables, added))
            *end++ = *variables;
    return all;
}

static void find_candidates(const struct spawn_options *options, struct list *out)
{
    const char *name = options->program ? options->program : options->argv[0];
    if (options->program || strchr(name, '/')) {
        list_add(out, name);
        return;
    }
    const char *path = surroundings_variable(options->surroundings, "PATH");
    for (path = path ? path : "/bin:/usr/bin";; path++) {
        size_t size = strcspn(path, ":");
        list_take(out, mem_format("%.*s/%s", size ? (int)size : 1, size ? path : ".", name));
        path += size;
        if (!*path)
            return;
    }
}

static bool is_folder(const struct spawn_options *options)
{
    struct stat status;
    const char *path = options->program ? options->program : options->argv[0];
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static struct bilanx_error explain(const struct spawn_options *options, const struct fault *fault)
{
    const char *text = strerror(fault->error);
    switch (fault->step) {
    case ENTER:
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot enter the working directory: %s", text);
    case CHANGE:
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot change to '%s': %s", options->directory,
                                 text);
    default:
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot run '%s': %s%s",
                                 options->program ? options->program : options->argv[0], text,
                                 fault->error == ENOEXEC
                                     ? " (a script needs a first line such as #!/bin/sh)"
                                 : is_folder(options) ? " (it is a folder)"
                                                      : "");
    }
}

struct bilanx_error spawn(const struct spawn_options *options, pid_t *out)
{
    AUTO(list) struct list candidates = {0};
    AUTO(memory) char **variables = NULL;
    struct birth birth = {.options = options,
                          .variables = surroundings_variables(options->surroundings),
                          .parent = getpid()};
    if (options->environment)
        birth.variables = variables = add_variables(birth.variables, options->environment);
    if (options->argv)
        find_candidates(options, &candidates);
    birth.candidates = candidates.items;
    fflush(NULL);  // else a fork would print our buffered output again
    struct fault fault = {0};
    pid_t pid = start(&birth, &fault);
    if (pid < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
    if (fault.error) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return explain(options, &fault);
    }
    if (!options->session)
        setpgid(pid, pid);  // a forked child may not have done so yet
    *out = pid;
    return BILANX_SUCCESS;
}

#ifndef SYS_pidfd_open
enum { SYS_pidfd_open = 434 };
#endif

int spawn_watch(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool spawn_has_ended(pid_t pid)
{
    siginfo_t ended = {0};
    if (pid <= 0)
        return true;
    int failed = waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT | WNOHANG);
    return failed ? errno == ECHILD : ended.si_pid != 0;
}
