// process: a child process that we talk to in lines, and that never outlives its parent.
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allowance.h"
#include "children.h"
#include "interrupt.h"
#include "lineage.h"
#include "mem.h"
#include "spawn.h"

enum {
    OUTPUT_KEPT = 4096,     // bytes of a child's output worth showing
    LINE_LIMIT = 64 << 20,  // a longer line means that the child is out of control
};

void process_find_channel(const char *variable, int *in, int *out)
{
    const char *value = getenv(variable);
    if (value && sscanf(value, "%d,%d", in, out) == 2) {
        fcntl(*in, F_SETFD, FD_CLOEXEC);
        fcntl(*out, F_SETFD, FD_CLOEXEC);
    } else {
        *in = *out = -1;
    }
    unsetenv(variable);
    const char *limit = getenv(DRAW_LIMIT);
    draw_undo(limit ? strtoull(limit, NULL, 10) : 0);
    unsetenv(DRAW_LIMIT);
}

struct pipes {
    int to_child[2], from_child[2], output[2];
};

static void close_pipes(struct pipes *pipes)
{
    int *fds = (int *)pipes;
    for (size_t i = 0; i < sizeof *pipes / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static struct bilanx_error open_pipes(struct pipes *pipes)
{
    memset(pipes, 0xFF, sizeof *pipes);
    if (pipe2(pipes->to_child, O_CLOEXEC) == 0 && pipe2(pipes->from_child, O_CLOEXEC) == 0 &&
        pipe2(pipes->output, O_CLOEXEC) == 0)
        return BILANX_SUCCESS;
    struct bilanx_error error =
        bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    close_pipes(pipes);
    return error;
}

struct fork {  // context of a fork of this process
    const struct process_options *options;
    const struct pipes *pipes;
};

static int run_body(void *context)
{
    const struct fork *fork = context;
    const struct pipes *pipes = fork->pipes;
    const int others[] = {pipes->to_child[1], pipes->from_child[0], pipes->output[0],
                          pipes->output[1]};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        close(others[i]);
    return fork->options->body(fork->options->context, pipes->to_child[0], pipes->from_child[1]);
}

static bool is_set(const struct process_options *options, const char *name)
{
    size_t size = strlen(name);
    for (char *const *word = options->environment; word && *word; word++)
        if (strncmp(*word, name, size) == 0 && (*word)[size] == '=')
            return true;
    return surroundings_variable(options->surroundings, name) != NULL;
}

// Adds our own variables to the program's environment. Keeps a hash seed that is already set.
static void add_told(const struct process_options *options, const struct pipes *pipes,
                     struct list *out)
{
    const struct draw *draw = &options->draw;
    struct rlimit stack;
    uint64_t limit =
        surroundings_stack_limit(options->surroundings, &stack) ? draw_limit(draw, &stack) : 0;
    list_take(out,
              mem_format("%s=%d,%d", options->channel, pipes->to_child[0], pipes->from_child[1]));
    if (limit)
        list_take(out, mem_format(DRAW_LIMIT "=%llu", (unsigned long long)limit));
    if (draw->seed && draw->hash_variable &&
        !is_set(options, draw->hash_variable))  // never 0, which would disable hash seeding
        list_take(out, mem_format("%s=%u", draw->hash_variable, (unsigned)(draw->seed >> 8) | 1));
    for (char *const *word = options->environment; word && *word; word++)
        list_add(out, *word);
}

static struct bilanx_error start_child(const struct process_options *options,
                                       const struct pipes *pipes, uint64_t lineage, pid_t *out)
{
    AUTO(list) struct list told = {0};
    struct fork fork = {options, pipes};
    if (options->argv)
        add_told(options, pipes, &told);
    int output = pipes->output[1];
    return spawn(&(struct spawn_options){.argv = options->argv,
                                         .body = run_body,
                                         .context = &fork,
                                         .surroundings = options->surroundings,
                                         .environment = told.items,
                                         .streams = {.out = output, .err = output},
                                         .kept = {pipes->to_child[0], pipes->from_child[1]},
                                         .lineage = lineage,
                                         .cpus = options->cpus,
                                         .draw = options->draw,
                                         .adopts = true},
                 out);
}

struct bilanx_error process_start(const struct process_options *options, struct process *out)
{
    uint64_t lineage = lineage_new();
    struct pipes pipes;
    pid_t pid = 0;
    BILANX_TRY(open_pipes(&pipes));
    struct bilanx_error error = start_child(options, &pipes, lineage, &pid);
    if (error.status != BILANX_OK) {
        close_pipes(&pipes);
        return error;
    }
    close(pipes.to_child[0]);
    close(pipes.from_child[1]);
    close(pipes.output[1]);
    *out = (struct process){.pid = pid,
                            .to = pipes.to_child[1],
                            .from = pipes.from_child[0],
                            .output_fd = pipes.output[0],
                            .ended_fd = spawn_watch(pid),
                            .lineage = lineage,
                            .memory_limit_bytes = options->memory_limit_bytes,
                            .output_limit_bytes = options->output_limit_bytes};
    allowance_begin(out);
    return BILANX_SUCCESS;
}

// Waits for its end or, with WNOHANG, checks for it. Kills what is left of its group before reaping
// it: until then, the group's number cannot be reused.
static void reap(struct process *process, int flags)
{
    siginfo_t ended = {0};
    int failed = waitid(P_PID, (id_t)process->pid, &ended, WEXITED | WNOWAIT | flags);
    if (failed ? errno != ECHILD : ended.si_pid == 0)
        return;
    kill(-process->pid, SIGKILL);
    // If we inherited an ignored SIGCHLD, the kernel has reaped it, and we know no more.
    struct rusage usage = {0};
    wait4(process->pid, &process->status, 0, &usage);
    process->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    process->pid = 0;
    if (!process->childless)
        lineage_kill(process->lineage);
}

// Call while it waits or is stopped: only then do we know whether it will leave children behind.
// Does not cover those it has left behind already.
static void note_children(struct process *process)
{
    struct children children;
    children_list(process->pid, &children);
    process->childless = children.known && children.count == 0 && !spawn_has_ended(process->pid);
}

// Kills a fork loop at once: counting its processes would give it time to start more.
static void kill_group(struct process *process)
{
    if (process->pid > 0) {
        kill(process->pid, SIGSTOP);
        note_children(process);
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
    }
    while (process->pid > 0)
        reap(process, 0);
}

static void collect_output(struct process *process)
{
    char chunk[4096];
    ssize_t got = read(process->output_fd, chunk, sizeof chunk);
    if (got <= 0) {
        if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(process->output_fd);
            process->output_fd = -1;
        }
        return;
    }
    struct text *output = &process->output;
    process->output_bytes += (uint64_t)got;
    text_add_n(output, chunk, (size_t)got);
    if (output->size > OUTPUT_KEPT) {
        size_t extra = output->size - OUTPUT_KEPT;
        memmove(output->data, output->data + extra, OUTPUT_KEPT + 1);
        output->size = OUTPUT_KEPT;
    }
}

// Reads what is left of the output after the child has ended. A grandchild may hold the pipe open.
static void drain_output(struct process *process)
{
    struct pollfd waiting = {.fd = process->output_fd, .events = POLLIN};
    for (int reads = 0; process->output_fd >= 0 && reads < 64; reads++) {
        if (poll(&waiting, 1, 0) <= 0)
            return;
        collect_output(process);
    }
}

void process_done(struct process *process)
{
    kill_group(process);
    int *fds[] = {&process->to, &process->from, &process->output_fd, &process->ended_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (*fds[i] > 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
    text_done(&process->incoming);
    text_done(&process->output);
}

struct bilanx_error process_fate(int status)
{
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        const char *hint = number == SIGKILL ? " (possibly out of memory)" : "";
        return bilanx_error_make(BILANX_E_CRASHED, "killed by signal %d, %s%s", number,
                                 strsignal(number), hint);
    }
    return bilanx_error_make(BILANX_E_EXITED, "exited with status %d before it was done",
                             WEXITSTATUS(status));
}

static void await_output_or_end(const struct process *process)
{
    enum { SLICE_MS = 100, SLICE_WITHOUT_PIDFD_MS = 1 };
    struct pollfd waiting[] = {{.fd = process->output_fd, .events = POLLIN},
                               {.fd = process->ended_fd, .events = POLLIN}};
    poll(waiting, 2, process->ended_fd < 0 ? SLICE_WITHOUT_PIDFD_MS : SLICE_MS);
}

static struct bilanx_error fate(struct process *process)
{
    // It has most likely ended, or will in a moment. Keep listening to its last words, which may be
    // waiting for room in the pipe. Give up on a child that is silent for a second, or that never
    // stops printing.
    static const uint64_t SILENCE_NS = 1000000000, LONGEST_NS = 10000000000;
    uint64_t started_ns = monotonic_ns(), heard_ns = started_ns, now_ns = started_ns;
    while (process->pid > 0 && now_ns - heard_ns < SILENCE_NS && now_ns - started_ns < LONGEST_NS) {
        uint64_t before_bytes = process->output_bytes;
        await_output_or_end(process);
        drain_output(process);
        reap(process, WNOHANG);
        now_ns = monotonic_ns();
        if (process->output_bytes != before_bytes)
            heard_ns = now_ns;
    }
    if (process->pid > 0)
        return bilanx_error_make(BILANX_E_EXITED, "it closed its channel but kept running");
    drain_output(process);
    return process_fate(process->status);
}

void process_ask_to_end(struct process *process)
{
    if (process->pid <= 0)
        return;
    kill(process->pid, SIGTERM);
    for (unsigned pause_us = 100; process->pid > 0 && pause_us < 200000; pause_us *= 2) {
        reap(process, WNOHANG);
        if (process->pid > 0)
            usleep(pause_us);
    }
}

struct bilanx_error process_send(struct process *process, const char *line, size_t size)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    struct bilanx_error error = BILANX_SUCCESS;
    while (size > 0 && error.status == BILANX_OK) {
        ssize_t written = write(process->to, line, size);
        if (written > 0) {
            line += written;
            size -= (size_t)written;
        } else if (written < 0 && errno != EINTR) {
            error = errno == EPIPE
                        ? fate(process)
                        : bilanx_error_make(BILANX_E_SYSTEM, "cannot write: %s", strerror(errno));
        }
    }
    sigaction(SIGPIPE, &before, NULL);
    return error;
}

static bool take_line(struct process *process, struct text *line)
{
    struct text *incoming = &process->incoming;
    const char *end = incoming->size ? memchr(incoming->data, '\n', incoming->size) : NULL;
    if (!end)
        return false;
    size_t size = (size_t)(end - incoming->data);
    text_clear(line);
    text_add_n(line, incoming->data, size);
    memmove(incoming->data, end + 1, incoming->size - size);  // including its NUL
    incoming->size -= size + 1;
    return true;
}

// Waits briefly for something to happen. Returns false when nothing more will come: the channel is
// closed, or the child has ended while its descendants hold the channel open.
static bool listen_once(struct process *process, uint64_t left_ns)
{
    enum { SLICE_MS = ALLOWANCE_EVERY_MS };  // a ^C may also go unnoticed this long
    uint64_t left_ms = left_ns / 1000000 + 1;
    struct pollfd waiting[] = {{.fd = process->from, .events = POLLIN},
                               {.fd = process->output_fd, .events = POLLIN},
                               {.fd = process->ended_fd, .events = POLLIN}};
    poll(waiting, 3, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
    if (waiting[1].revents)
        collect_output(process);
    bool ended = process->ended_fd < 0 ? spawn_has_ended(process->pid) : waiting[2].revents != 0;
    if (ended && !waiting[0].revents)
        poll(waiting, 1, 0);  // it may have answered just before it ended
    if (!waiting[0].revents)
        return !ended;
    char chunk[1 << 14];
    ssize_t got = read(process->from, chunk, sizeof chunk);
    if (got > 0)
        text_add_n(&process->incoming, chunk, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

void process_listen(struct process *process)
{
    drain_output(process);
}

struct bilanx_error process_receive(struct process *process, uint64_t deadline_ns,
                                    struct text *line)
{
    for (;;) {
        BILANX_TRY(allowance_check(process));
        if (take_line(process, line))
            return BILANX_SUCCESS;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        uint64_t now = monotonic_ns();
        if (now >= deadline_ns)
            return bilanx_error_make(BILANX_E_TIMED_OUT, "no answer in time");
        if (process->incoming.size > LINE_LIMIT)
            return bilanx_error_make(BILANX_E_INPUT, "its answer is too long");
        if (!listen_once(process, deadline_ns - now))
            return fate(process);
    }
}

struct bilanx_error process_finish(struct process *process, uint64_t deadline_ns)
{
    note_children(process);
    close(process->to);
    process->to = -1;
    AUTO(text) struct text line = {0};
    struct bilanx_error error;
    do
        error = process_receive(process, deadline_ns, &line);
    while (error.status == BILANX_OK);
    bool ended_well = error.status == BILANX_E_EXITED && process->pid == 0 &&
                      WIFEXITED(process->status) && WEXITSTATUS(process->status) == 0;
    kill_group(process);
    return ended_well ? BILANX_SUCCESS : error;
}
