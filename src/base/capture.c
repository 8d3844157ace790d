// capture: runs a program to completion and keeps its output.
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "monotonic.h"
#include "spawn.h"

enum {
    OUTPUT_LIMIT = 1 << 20,
    LAST_KEPT = 8192,
    LOG_LIMIT = 64 << 20,
    LOOK_AGAIN_MS = 100,        // a ^C may go unnoticed this long
    WITHOUT_DESCRIPTOR_MS = 1,  // poll interval if the kernel cannot report the end of a process
};

struct captured {
    const struct capture_options *options;
    struct text *output;
    pid_t pid;
    int from;      // -1: end of output
    int ended_fd;  // -1: it has ended, or the kernel does not support pidfds
    bool ended, looked;
    size_t logged;  // bytes
    uint64_t started_ns;
};

static void captured_done(struct captured *captured)
{
    if (captured->from >= 0)
        close(captured->from);
    if (captured->ended_fd >= 0)
        close(captured->ended_fd);
}
SCOPE_VALUE(captured, captured_done)

static struct bilanx_error start(struct captured *captured)
{
    const struct capture_options *options = captured->options;
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    captured->from = pipes[0];
    fcntl(captured->from, F_SETFL, O_NONBLOCK);
    struct bilanx_error error =
        spawn(&(struct spawn_options){.argv = options->argv,
                                      .surroundings = options->surroundings,
                                      .directory = options->directory,
                                      .environment = options->environment,
                                      .streams = {.out = pipes[1], .err = pipes[1]},
                                      .session = options->shell},
              &captured->pid);
    close(pipes[1]);
    if (error.status == BILANX_OK)
        captured->ended_fd = spawn_watch(captured->pid);
    captured->started_ns = monotonic_ns();
    return error;
}

static void log_chunk(struct captured *captured, const char *chunk, size_t size)
{
    if (captured->options->log <= 0 || captured->logged >= LOG_LIMIT)
        return;
    ssize_t written = write(captured->options->log, chunk, size);
    captured->logged += written > 0 ? (size_t)written : 0;
}

static void keep_chunk(struct captured *captured, const char *chunk, size_t size)
{
    struct text *output = captured->output;
    if (!captured->options->shell) {
        if (output->size < OUTPUT_LIMIT)
            text_add_n(output, chunk, size);
        return;
    }
    text_add_n(output, chunk, size);
    if (output->size > 2 * LAST_KEPT) {
        memmove(output->data, output->data + output->size - LAST_KEPT, LAST_KEPT + 1);
        output->size = LAST_KEPT;
    }
}

// Reads what is available.
static void listen_to(struct captured *captured)
{
    char chunk[1 << 14];
    ssize_t got = 0;
    while (captured->from >= 0 && (got = read(captured->from, chunk, sizeof chunk)) > 0) {
        log_chunk(captured, chunk, (size_t)got);
        keep_chunk(captured, chunk, (size_t)got);
        if ((size_t)got < sizeof chunk)  // or endless output would keep us here
            return;
    }
    if (got == 0 && captured->from >= 0) {
        close(captured->from);
        captured->from = -1;
    }
}

static void look_for_end(struct captured *captured)
{
    if (captured->ended || !spawn_has_ended(captured->pid))
        return;
    captured->ended = true;
    if (captured->ended_fd >= 0)
        close(captured->ended_fd);
    captured->ended_fd = -1;
    listen_to(captured);  // read what it printed just before it ended
}

// A program may close its output and keep running, so the end of the output is not enough.
// Background processes of a shell may hold the output open, so for a shell only its exit counts.
static bool is_done(const struct captured *captured)
{
    return captured->ended && (captured->options->shell || captured->from < 0);
}

static struct bilanx_error go_on(const struct captured *captured)
{
    double timeout_s = captured->options->timeout_s;
    if (interrupt_caught())
        return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
    if (timeout_s > 0 && (double)(monotonic_ns() - captured->started_ns) > timeout_s * 1e9)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "not done in %.3g s", timeout_s);
    return BILANX_SUCCESS;
}

static struct bilanx_error attend(struct captured *captured)
{
    const struct capture_options *options = captured->options;
    while (!is_done(captured)) {
        struct pollfd waiting[] = {
            {.fd = captured->from, .events = POLLIN},
            {.fd = captured->ended_fd, .events = POLLIN},
            {.fd = options->look && !captured->looked ? options->signal : -1, .events = POLLIN}};
        bool blind = !captured->ended && captured->ended_fd < 0;
        poll(waiting, 3, blind ? WITHOUT_DESCRIPTOR_MS : LOOK_AGAIN_MS);
        listen_to(captured);
        if (waiting[2].revents & POLLIN) {
            options->look(options->context, captured->pid);
            captured->looked = true;
        }
        look_for_end(captured);
        if (!is_done(captured))
            BILANX_TRY(go_on(captured));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error capture_run(const struct capture_options *options, struct text *output,
                                int *status)
{
    AUTO(captured) struct captured captured = {
        .options = options, .output = output, .from = -1, .ended_fd = -1};
    BILANX_TRY(start(&captured));
    struct bilanx_error error = attend(&captured);
    if (error.status != BILANX_OK)
        kill(-captured.pid, SIGKILL);  // before reaping, while its number cannot be reused
    int ended = 0;
    while (waitpid(captured.pid, &ended, 0) < 0 && errno == EINTR)
        continue;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return error;
}
