// capture: runs a program to its end and keeps what it printed.
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "process.h"

enum { OUTPUT_LIMIT = 1 << 20 };

__attribute__((noreturn)) static void become(const char *const *argv, const char *directory,
                                             int output, int failure)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_release();
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (!directory || chdir(directory) == 0)
        execvp(argv[0], (char *const *)argv);
    int error = errno;
    ssize_t written = write(failure, &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
}

static struct bilanx_error listen_to(int fd, double timeout_s, struct text *output)
{
    uint64_t deadline = monotonic_ns() + (uint64_t)(timeout_s * 1e9);
    for (;;) {
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        poll(&waiting, 1, 100);
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (monotonic_ns() > deadline)
            return bilanx_error_make(BILANX_E_TIMED_OUT, "not done in %.3g s", timeout_s);
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

struct bilanx_error capture_run(const char *const *argv, const char *directory, double timeout_s,
                                struct text *output, int *status)
{
    int pipes[2], failure[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    AUTO(fd) int from = pipes[0];
    if (pipe2(failure, O_CLOEXEC) != 0) {
        close(pipes[1]);
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    }
    AUTO(fd) int failed = failure[0];
    pid_t pid = fork();
    if (pid == 0)
        become(argv, directory, pipes[1], failure[1]);
    close(pipes[1]);
    close(failure[1]);
    if (pid < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
    int reason = 0;
    bool started = read(failed, &reason, sizeof reason) != sizeof reason;
    struct bilanx_error error = started ? listen_to(from, timeout_s, output) : BILANX_SUCCESS;
    if (error.status != BILANX_OK)
        kill(-pid, SIGKILL);
    int ended = 0;
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!started)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot run '%s': %s", argv[0], strerror(reason));
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return error;
}
