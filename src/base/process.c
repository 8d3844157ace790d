// process: a child process that is talked to by lines and never outlives its parent.
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "allowance.h"
#include "children.h"
#include "interrupt.h"
#include "lineage.h"
#include "mem.h"

enum {
    OUTPUT_KEPT = 4096,     // bytes of a child's output that are worth showing
    LINE_LIMIT = 64 << 20,  // a longer line is a child gone mad
};

uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int process_measuring_cpu(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET(cpu, &allowed))
            return cpu;
    return -1;
}

void process_pin(uint64_t count)
{
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_ZERO(&chosen);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && count; cpu--)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &chosen);
            count--;
        }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

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
    int to_child[2], from_child[2], output[2], exec_error[2];
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
        pipe2(pipes->output, O_CLOEXEC) == 0 && pipe2(pipes->exec_error, O_CLOEXEC) == 0)
        return BILANX_SUCCESS;
    struct bilanx_error error =
        bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    close_pipes(pipes);
    return error;
}

static void pin(const struct process_options *options)
{
    if (options->cpu < 0)
        return;
    if (options->cpus > 1) {
        process_pin(options->cpus);
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(options->cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void replace_standard_streams(int output)
{
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

struct birth {  // of a child
    struct pipes pipes;
    pid_t parent;
    uint64_t lineage;
};

static void prepare_child(const struct process_options *options, const struct birth *birth)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != birth->parent)  // it died before the line above
        _exit(1);
    children_adopt();
    lineage_begin(birth->lineage);
    interrupt_release();
    signal(SIGPIPE, SIG_DFL);
    replace_standard_streams(birth->pipes.output[1]);
    pin(options);
}

__attribute__((noreturn)) static void run_body(const struct process_options *options,
                                               const struct birth *birth)
{
    const struct pipes *pipes = &birth->pipes;
    prepare_child(options, birth);
    const int others[] = {pipes->to_child[1], pipes->from_child[0], pipes->output[0],
                          pipes->output[1],   pipes->exec_error[0], pipes->exec_error[1]};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        close(others[i]);
    int status = options->body(options->context, pipes->to_child[0], pipes->from_child[1]);
    fflush(NULL);
    _exit(status);
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

// What a program is told besides our variables; the caller frees them.
struct told {
    char *channel, *limit, *hash_seed;
};

static void told_done(struct told *told)
{
    free(told->channel);
    free(told->limit);
    free(told->hash_seed);
}
SCOPE_VALUE(told, told_done)

static struct told told_to(const struct process_options *options, const struct pipes *pipes)
{
    const struct draw *draw = &options->draw;
    uint64_t limit = draw_limit(draw);
    struct told told = {.channel = mem_format("%s=%d,%d", options->channel, pipes->to_child[0],
                                              pipes->from_child[1])};
    if (limit)
        told.limit = mem_format(DRAW_LIMIT "=%llu", (unsigned long long)limit);
    if (draw->seed && draw->hash_variable)  // 0 would be hashes that are not seeded at all
        told.hash_seed = mem_format("%s=%u", draw->hash_variable, (unsigned)(draw->seed >> 8) | 1);
    return told;
}

// Ours, with what the options add or replace, and the channel. A seed of hashes that is there
// stays. The caller frees the array.
static char **environment_of(const struct process_options *options, const struct told *told)
{
    size_t count = 0, added = 0;
    while (environ[count])
        count++;
    while (options->environment && options->environment[added])
        added++;
    char **all = mem_array(char *, count + added + 4);
    all[0] = told->channel;
    for (size_t i = 0; i < added; i++)
        all[i + 1] = options->environment[i];
    char **end = all + added + 1;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(environ[i], all))
            *end++ = environ[i];
    if (told->limit)
        *end++ = told->limit;
    if (told->hash_seed && !is_replaced(told->hash_seed, all))
        *end++ = told->hash_seed;
    return all;
}

// A vfork(): the memory is still the parent's, which waits. A fork() that copies its page tables
// only to drop them again costs half a millisecond, a tenth of a short measurement.
__attribute__((noinline)) static pid_t start_program(const struct process_options *options,
                                                     const struct birth *birth, char **environment)
{
    const struct pipes *pipes = &birth->pipes;
    pid_t pid = vfork();
    if (pid != 0)
        return pid;
    prepare_child(options, birth);
    draw_addresses(&options->draw);
    fcntl(pipes->to_child[0], F_SETFD, 0);
    fcntl(pipes->from_child[1], F_SETFD, 0);
    execvpe(options->argv[0], (char *const *)options->argv, environment);
    int error = errno;
    ssize_t written = write(pipes->exec_error[1], &error, sizeof error);
    _exit(written == sizeof error ? 127 : 126);
}

static pid_t start_child(const struct process_options *options, const struct birth *birth)
{
    if (options->argv) {
        AUTO(told) struct told told = told_to(options, &birth->pipes);
        AUTO(memory) char **environment = environment_of(options, &told);
        return start_program(options, birth, environment);
    }
    pid_t pid = fork();
    if (pid == 0)
        run_body(options, birth);
    return pid;
}

static struct bilanx_error check_exec(const struct process_options *options, int fd)
{
    int error = 0;
    ssize_t got;
    do
        got = read(fd, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot run '%s': %s", options->argv[0],
                             strerror(error));
}

#ifndef SYS_pidfd_open
enum { SYS_pidfd_open = 434 };
#endif

int process_watch(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

struct bilanx_error process_start(const struct process_options *options, struct process *out)
{
    struct birth birth = {.parent = getpid(), .lineage = lineage_new()};
    struct pipes *pipes = &birth.pipes;
    BILANX_TRY(open_pipes(pipes));
    fflush(NULL);  // or a forked child prints what waits in our buffers once more
    pid_t pid = start_child(options, &birth);
    if (pid < 0) {
        close_pipes(pipes);
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    setpgid(pid, pid);
    close(pipes->to_child[0]);
    close(pipes->from_child[1]);
    close(pipes->output[1]);
    close(pipes->exec_error[1]);
    struct process process = {.pid = pid,
                              .to = pipes->to_child[1],
                              .from = pipes->from_child[0],
                              .output_fd = pipes->output[0],
                              .ended_fd = process_watch(pid),
                              .lineage = birth.lineage,
                              .memory_limit_bytes = options->memory_limit_bytes,
                              .output_limit_bytes = options->output_limit_bytes};
    allowance_begin(&process);
    struct bilanx_error error =
        options->argv ? check_exec(options, pipes->exec_error[0]) : BILANX_SUCCESS;
    close(pipes->exec_error[0]);
    if (error.status != BILANX_OK) {
        process_done(&process);
        return error;
    }
    *out = process;
    return BILANX_SUCCESS;
}

static bool has_ended(const struct process *process)
{
    siginfo_t ended = {0};
    if (process->pid <= 0)
        return true;
    int failed = waitid(P_PID, (id_t)process->pid, &ended, WEXITED | WNOWAIT | WNOHANG);
    return failed ? errno == ECHILD : ended.si_pid != 0;
}

// Waits for its end, or with WNOHANG looks whether it came. What it left behind in its group dies
// then, before it is reaped: until there the group's number is nobody else's.
static void reap(struct process *process, int flags)
{
    siginfo_t ended = {0};
    int failed = waitid(P_PID, (id_t)process->pid, &ended, WEXITED | WNOWAIT | flags);
    if (failed ? errno != ECHILD : ended.si_pid == 0)
        return;
    kill(-process->pid, SIGKILL);
    // Where SIGCHLD is ignored, by whoever started us, the kernel has reaped it: no more is known.
    struct rusage usage = {0};
    wait4(process->pid, &process->status, 0, &usage);
    process->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    process->pid = 0;
    if (!process->childless)
        lineage_kill(process->lineage);
}

// While it waits or is halted: what it will leave behind is known then. What it has left behind
// already is not.
static void note_children(struct process *process)
{
    struct children children;
    children_list(process->pid, &children);
    process->childless = children.known && children.count == 0 && !has_ended(process);
}

// What forks in a loop is killed at once: by the time that its processes are counted, there are
// more.
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

// What is left of the output once the child is gone; a grandchild may still hold the pipe open.
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
        const char *hint = number == SIGKILL ? " (out of memory, perhaps)" : "";
        return bilanx_error_make(BILANX_E_CRASHED, "killed by signal %d, %s%s", number,
                                 strsignal(number), hint);
    }
    return bilanx_error_make(BILANX_E_EXITED, "exited with status %d before it was done",
                             WEXITSTATUS(status));
}

static struct bilanx_error fate(struct process *process)
{
    // It is most likely gone in a moment; who takes a second longer does not mean to end.
    for (unsigned pause_us = 20; process->pid > 0 && pause_us < 1000000; pause_us *= 2) {
        drain_output(process);  // it may be waiting for room to write its last words
        reap(process, WNOHANG);
        if (process->pid > 0)
            usleep(pause_us);
    }
    if (process->pid > 0)
        return bilanx_error_make(BILANX_E_EXITED, "it closed its channel and ran on");
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
    memmove(incoming->data, end + 1, incoming->size - size);  // with its NUL
    incoming->size -= size + 1;
    return true;
}

// Waits a moment for anything to happen. Returns false when no more will come: the channel is
// closed, or the child has ended and what it started holds the channel open.
static bool listen_once(struct process *process, uint64_t left_ns)
{
    enum { SLICE_MS = ALLOWANCE_EVERY_MS };  // and a ^C may go unseen for so long
    uint64_t left_ms = left_ns / 1000000 + 1;
    struct pollfd waiting[] = {{.fd = process->from, .events = POLLIN},
                               {.fd = process->output_fd, .events = POLLIN},
                               {.fd = process->ended_fd, .events = POLLIN}};
    poll(waiting, 3, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
    if (waiting[1].revents)
        collect_output(process);
    bool ended = process->ended_fd < 0 ? has_ended(process) : waiting[2].revents != 0;
    if (ended && !waiting[0].revents)
        poll(waiting, 1, 0);  // it may have answered just before its end
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
            return bilanx_error_make(BILANX_E_INPUT, "its answer has no end");
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
