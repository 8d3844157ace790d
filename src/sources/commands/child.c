// child: one run of a command, timed from just before the spawn until the process exits.
//
// Waits on a pidfd, which allows a timeout and interruption by ^C without a race.
#include "child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/interrupt.h"
#include "base/lineage.h"
#include "base/monotonic.h"

// Output kept only for failures must not fill memory. The file is in append mode: after truncation
// the child continues at its start.
static void cut_output(int fd)
{
    enum { LARGE = 1 << 20 };
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > LARGE && ftruncate(fd, 0) != 0)
        return;  // stays large
}

// Waits in slices: a ^C just before a wait may go unnoticed for that long.
static struct bilanx_error await(pid_t pid, int pidfd, const struct child_options *options)
{
    enum { SLICE_MS = 100, SLICE_WITHOUT_PIDFD_MS = 1 };
    uint64_t deadline_ns = monotonic_ns() + options->timeout_ns;
    for (;;) {
        struct pollfd waiting = {.fd = pidfd, .events = POLLIN};
        if (poll(&waiting, 1, pidfd < 0 ? SLICE_WITHOUT_PIDFD_MS : SLICE_MS) > 0)
            return BILANX_SUCCESS;
        if (pidfd < 0 && spawn_has_ended(pid))
            return BILANX_SUCCESS;
        if (interrupt_caught() && !options->uninterrupted)
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (monotonic_ns() >= deadline_ns)
            return bilanx_error_make(BILANX_E_TIMED_OUT, "ran longer than %.4g s (--timeout)",
                                     (double)options->timeout_ns / 1e9);
        cut_output(options->watched);
    }
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

// Reads the CPU times and status of an exited child without reaping it.
static void read_usage(struct child *child)
{
    siginfo_t ended = {0};
    struct rusage usage = {0};
    // glibc's waitid() drops the usage that the kernel returns.
    syscall(SYS_waitid, P_PID, child->pid, &ended, WEXITED | WNOWAIT, &usage);
    child->status = ended.si_code == CLD_EXITED ? W_EXITCODE(ended.si_status, 0)
                                                : W_EXITCODE(0, ended.si_status);
    child->user = seconds(usage.ru_utime);
    child->system = seconds(usage.ru_stime);
    child->max_rss = (double)usage.ru_maxrss * 1024;
}

struct bilanx_error child_run(const struct child_options *options, const struct clock *clock,
                              struct child *out)
{
    *out = (struct child){0};
    lineage_guard();
    struct spawn_options start = {.argv = (const char *const *)options->argv,
                                  .program = options->program,
                                  .surroundings = options->surroundings,
                                  .streams = options->streams,
                                  .lineage = lineage_new(),
                                  .strict = true};
    uint64_t before = clock_read(clock);
    BILANX_TRY(spawn(&start, &out->pid));
    AUTO(fd) int pidfd = spawn_watch(out->pid);
    struct bilanx_error error = await(out->pid, pidfd, options);
    out->wall = clock_ns(clock, clock_read(clock) - before) / 1e9;
    if (error.status != BILANX_OK)
        return error;
    read_usage(out);
    return BILANX_SUCCESS;
}

void child_done(struct child *child)
{
    if (child->pid <= 0)
        return;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
}

// The meaning of these statuses in shells and wrappers such as env.
static const char *meaning_of(int status)
{
    return status == 127   ? ", which usually means: command not found"
           : status == 126 ? ", which usually means: permission denied"
                           : "";
}

struct bilanx_error child_fate(int status)
{
    if (WIFSIGNALED(status))
        return bilanx_error_make(BILANX_E_CRASHED, "killed by signal %d, %s", WTERMSIG(status),
                                 strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return bilanx_error_make(BILANX_E_EXITED, "exited with status %d%s", WEXITSTATUS(status),
                                 meaning_of(WEXITSTATUS(status)));
    return BILANX_SUCCESS;
}
