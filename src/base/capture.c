// capture: runs a program to its end and keeps what it printed.
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "process.h"

extern char **environ;

enum { OUTPUT_LIMIT = 1 << 20 };

struct fault {  // why a child did not become a program
    int error;
    bool directory;
};

__attribute__((noreturn)) static void become(const struct capture_start *start, int output,
                                             int failure)
{
    if (start->session)
        setsid();
    else
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_release();
    signal(SIGPIPE, SIG_DFL);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    struct fault fault = {.directory = start->directory && chdir(start->directory) != 0};
    if (!fault.directory && start->variables)
        environ = (char **)start->variables;
    if (!fault.directory)
        execvp(start->argv[0], (char *const *)start->argv);
    fault.error = errno;
    ssize_t written = write(failure, &fault, sizeof fault);
    _exit(written == sizeof fault ? 127 : 126);
}

struct bilanx_error capture_start(const struct capture_start *start, int *from, pid_t *pid)
{
    int pipes[2], failure[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    AUTO(fd) int output = pipes[0];
    if (pipe2(failure, O_CLOEXEC) != 0) {
        close(pipes[1]);
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    }
    AUTO(fd) int failed = failure[0];
    fflush(NULL);
    *pid = fork();
    if (*pid == 0)
        become(start, pipes[1], failure[1]);
    close(pipes[1]);
    close(failure[1]);
    if (*pid < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
    struct fault fault;
    if (read(failed, &fault, sizeof fault) == sizeof fault) {
        waitpid(*pid, NULL, 0);
        return bilanx_error_make(
            BILANX_E_SYSTEM, "cannot %s '%s': %s", fault.directory ? "change to" : "run",
            fault.directory ? start->directory : start->argv[0], strerror(fault.error));
    }
    *from = output;
    output = -1;
    return BILANX_SUCCESS;
}

struct patience {
    double timeout_s;
    uint64_t deadline_ns;
};

static struct bilanx_error go_on(const struct patience *patience)
{
    if (interrupt_caught())
        return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
    if (monotonic_ns() > patience->deadline_ns)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "not done in %.3g s", patience->timeout_s);
    return BILANX_SUCCESS;
}

static struct bilanx_error listen_to(int fd, const struct patience *patience, struct text *output)
{
    for (;;) {
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        poll(&waiting, 1, 100);
        BILANX_TRY(go_on(patience));
        if (!waiting.revents)
            continue;
        char chunk[1 << 14];
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got == 0)
            return BILANX_SUCCESS;
        if (got > 0 && output->size < OUTPUT_LIMIT)
            text_add_n(output, chunk, (size_t)got);
    }
}

// A program may close its output and run on.
static struct bilanx_error await_end(pid_t pid, const struct patience *patience, int *ended)
{
    for (unsigned pause_us = 20;; pause_us *= pause_us < 20000 ? 2 : 1) {
        if (waitpid(pid, ended, WNOHANG) != 0)
            return BILANX_SUCCESS;
        BILANX_TRY(go_on(patience));
        usleep(pause_us);
    }
}

struct bilanx_error capture_run(const char *const *argv, const char *directory, double timeout_s,
                                struct text *output, int *status)
{
    return capture_run_as(&(struct capture_start){.argv = argv, .directory = directory}, timeout_s,
                          output, status);
}

struct bilanx_error capture_run_as(const struct capture_start *start, double timeout_s,
                                   struct text *output, int *status)
{
    AUTO(fd) int from = -1;
    pid_t pid;
    BILANX_TRY(capture_start(start, &from, &pid));
    struct patience patience = {timeout_s, monotonic_ns() + (uint64_t)(timeout_s * 1e9)};
    int ended = 0;
    struct bilanx_error error = listen_to(from, &patience, output);
    if (error.status == BILANX_OK)
        error = await_end(pid, &patience, &ended);
    if (error.status != BILANX_OK) {
        kill(-pid, SIGKILL);
        waitpid(pid, &ended, 0);
    }
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return error;
}
