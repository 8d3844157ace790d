// shell: a text that the user's shell runs, as it is, with no terminal and nothing to read.
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/process.h"

enum {
    OUTPUT_KEPT = 8192,
    LOG_LIMIT = 64 << 20,
    LOOK_AGAIN_MS = 10,  // a shell may end while what it started keeps its output open
};

const char *shell_name(void)
{
    const char *shell = getenv("SHELL");
    return shell && *shell ? shell : "bash";
}

struct fault {  // why a child did not become a shell
    int error;
    bool directory;
};

// A session of its own: what asks for a password at the terminal finds none, instead of waiting.
__attribute__((noreturn)) static void become(const struct shell_job *job, int output, int failure)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_release();
    signal(SIGPIPE, SIG_DFL);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    const char *shell = shell_name();
    struct fault fault = {.directory = job->directory && chdir(job->directory) != 0};
    if (!fault.directory && job->variables)
        environ = (char **)job->variables;
    if (!fault.directory)
        execlp(shell, shell, "-c", job->text, (char *)NULL);
    fault.error = errno;
    ssize_t written = write(failure, &fault, sizeof fault);
    _exit(written == sizeof fault ? 127 : 126);
}

static struct bilanx_error start(const struct shell_job *job, int *from, pid_t *pid)
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
        become(job, pipes[1], failure[1]);
    close(pipes[1]);
    close(failure[1]);
    if (*pid < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
    struct fault fault;
    if (read(failed, &fault, sizeof fault) == sizeof fault) {
        waitpid(*pid, NULL, 0);
        if (fault.directory)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot enter '%s': %s", job->directory,
                                     strerror(fault.error));
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot run the shell '%s' ($SHELL): %s",
                                 shell_name(), strerror(fault.error));
    }
    fcntl(output, F_SETFL, O_NONBLOCK);
    *from = output;
    output = -1;
    return BILANX_SUCCESS;
}

struct listening {
    const struct shell_job *job;
    int from;       // -1: it has ended
    size_t logged;  // bytes
    struct text *output;
};

// Takes in what is there, and keeps the end of it.
static void listen_to(struct listening *listening)
{
    char chunk[1 << 14];
    ssize_t got = 0;
    while (listening->from >= 0 && (got = read(listening->from, chunk, sizeof chunk)) > 0) {
        if (listening->job->log > 0 && listening->logged < LOG_LIMIT) {
            ssize_t written = write(listening->job->log, chunk, (size_t)got);
            listening->logged += written > 0 ? (size_t)written : 0;
        }
        struct text *output = listening->output;
        text_add_n(output, chunk, (size_t)got);
        if (output->size > 2 * OUTPUT_KEPT) {
            memmove(output->data, output->data + output->size - OUTPUT_KEPT, OUTPUT_KEPT + 1);
            output->size = OUTPUT_KEPT;
        }
        if ((size_t)got < sizeof chunk)  // or one that never stops printing keeps us here
            return;
    }
    if (got == 0 && listening->from >= 0) {
        close(listening->from);
        listening->from = -1;
    }
}

static struct bilanx_error go_on(const struct shell_job *job, uint64_t started_ns)
{
    if (interrupt_caught())
        return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
    if (job->timeout_s > 0 && (double)(monotonic_ns() - started_ns) > job->timeout_s * 1e9)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "not done in %.3g s", job->timeout_s);
    return BILANX_SUCCESS;
}

static struct bilanx_error attend(struct listening *listening, pid_t pid, int *ended)
{
    const struct shell_job *job = listening->job;
    uint64_t started_ns = monotonic_ns();
    for (bool looked = !job->look;;) {
        struct pollfd waiting[] = {{.fd = listening->from, .events = POLLIN},
                                   {.fd = looked ? -1 : job->signal, .events = POLLIN}};
        poll(waiting, 2, LOOK_AGAIN_MS);
        listen_to(listening);
        if (waiting[1].revents & POLLIN) {
            job->look(job->context, pid);
            looked = true;
        }
        if (waitpid(pid, ended, WNOHANG) != 0) {
            listen_to(listening);
            return BILANX_SUCCESS;
        }
        BILANX_TRY(go_on(job, started_ns));
    }
}

struct bilanx_error shell_run(const struct shell_job *job, struct text *output, int *status)
{
    struct listening listening = {.job = job, .from = -1, .output = output};
    pid_t pid = 0;
    BILANX_TRY(start(job, &listening.from, &pid));
    int ended = 0;
    struct bilanx_error error = attend(&listening, pid, &ended);
    if (error.status != BILANX_OK) {
        kill(-pid, SIGKILL);
        waitpid(pid, &ended, 0);
    }
    if (listening.from >= 0)
        close(listening.from);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return error;
}

void shell_add_last_lines(struct text *out, const struct text *output, size_t most_bytes)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(output));
    size_t first = lines.count, size = 0;
    while (first > 0 && (size == 0 || size + strlen(lines.items[first - 1]) + 3 <= most_bytes))
        size += strlen(lines.items[--first]) + 3;
    const char *separator = ": ";
    for (; first < lines.count; first++) {
        const char *line = lines.items[first] + strspn(lines.items[first], " \t\r");
        size_t length = strlen(line);
        if (length == 0)
            continue;
        AUTO(memory) char *start = mem_text_n(line, length < most_bytes ? length : most_bytes);
        text_add(out, separator);
        text_add_harmless(out, start);
        separator = " | ";
    }
}
