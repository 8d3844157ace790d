// shell: a text that the user's shell runs, as it is, with no terminal and nothing to read.
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capture.h"
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

// In a session of its own: what asks for a password at the terminal finds none, instead of waiting.
static struct bilanx_error start(const struct shell_job *job, int *from, pid_t *pid)
{
    const char *argv[] = {shell_name(), "-c", job->text, NULL};
    struct bilanx_error error = capture_start(&(struct capture_start){.argv = argv,
                                                                      .directory = job->directory,
                                                                      .variables = job->variables,
                                                                      .session = true},
                                              from, pid);
    if (error.status != BILANX_OK)
        return bilanx_error_make(error.status, "%s (the shell is '%s', by $SHELL)", error.text,
                                 shell_name());
    fcntl(*from, F_SETFL, O_NONBLOCK);
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
