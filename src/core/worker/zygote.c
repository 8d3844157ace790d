// zygote: a worker that forks for every case.
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/spawn.h"

struct zygote_page {
    atomic_bool asked;    // a request is waiting for its answer
    atomic_bool entered;  // the body has reached its loop
    atomic_bool over;     // the last answer has been sent: how the child ends does not matter
    atomic_ullong asked_ns, timeout_ns;
    atomic_size_t used;
};

enum { LONGEST_SLICE_MS = 100 };

void zygote_done(struct zygote *zygote)
{
    if (zygote->page)
        munmap(zygote->page, sizeof *zygote->page);
    *zygote = (struct zygote){0};
}

static bool opens_with(const char *line, size_t size, const char *word)
{
    static const char verb[] = "open ";
    if (size < sizeof verb - 1 || memcmp(line, verb, sizeof verb - 1) != 0)
        return false;
    const char *found = memmem(line, size, word, strlen(word));
    const char *after = found ? found + strlen(word) : NULL;
    return found && (after == line + size || *after == ' ');
}

bool zygote_wanted(const char *line, size_t size)
{
    return opens_with(line, size, " fork=1");
}

bool zygote_stays(const char *line, size_t size)
{
    return opens_with(line, size, " stay=1");
}

void zygote_inherit(struct zygote *zygote)
{
    close(zygote->alive[1]);
    munmap(zygote->page, sizeof *zygote->page);
    *zygote = (struct zygote){0};
}

void zygote_retire(pid_t heir)
{
    int status = 0;
    while (waitpid(heir, &status, 0) < 0 && errno == EINTR)
        continue;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void become_child(struct zygote *zygote, pid_t worker, size_t inherited)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != worker)  // the worker died before the line above
        _exit(1);
    children_adopt();
    close(zygote->alive[0]);
    zygote->child = true;
    zygote->inherited = inherited;
}

pid_t zygote_fork(struct zygote *zygote, size_t inherited)
{
    if (!zygote->page) {
        void *page = mmap(NULL, sizeof *zygote->page, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return -1;
        zygote->page = page;
    }
    children_adopt();  // so that we adopt what the child leaves behind
    children_note(&zygote->before);
    memset(zygote->page, 0, sizeof *zygote->page);
    zygote->page->asked = true;
    zygote->page->asked_ns = monotonic_ns();
    if (pipe2(zygote->alive, O_CLOEXEC) != 0)
        return -1;
    fflush(NULL);  // otherwise the child would print our buffered output again
    pid_t worker = getpid();
    pid_t child = fork();
    if (child == 0) {
        become_child(zygote, worker, inherited);
        return 0;
    }
    close(zygote->alive[1]);
    if (child < 0)
        close(zygote->alive[0]);
    else
        setpgid(child, child);
    return child;
}

static bool overdue(const struct zygote_page *page)
{
    return page->timeout_ns && page->asked && monotonic_ns() - page->asked_ns > page->timeout_ns;
}

static int slice_ms(const struct zygote_page *page)
{
    unsigned long long quarter_ms = page->timeout_ns / 4000000;
    if (page->timeout_ns == 0 || quarter_ms > LONGEST_SLICE_MS)
        return LONGEST_SLICE_MS;
    return quarter_ms ? (int)quarter_ms : 1;
}

static bool ended(pid_t child)
{
    siginfo_t info = {0};
    int failed = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | WNOHANG);
    return failed ? errno == ECHILD : info.si_pid != 0;
}

// Kills the child's group before reaping the child: until then, the group's number cannot be
// reused. Then kills everything else it left behind.
static int reap_all(pid_t child, const struct children *before)
{
    kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    children_end(before);
    return status;
}

struct bilanx_error zygote_wait(struct zygote *zygote, pid_t child, bool *asked, bool *entered)
{
    struct zygote_page *page = zygote->page;
    AUTO(fd) int ended_fd = spawn_watch(child);  // grandchildren may hold the pipe open
    struct pollfd waiting[] = {{.fd = zygote->alive[0], .events = POLLIN},
                               {.fd = ended_fd, .events = POLLIN}};
    bool killed = false;
    while (!ended(child)) {
        if (overdue(page) && !killed) {
            killed = true;
            kill(child, SIGKILL);
        }
        if (poll(waiting, 2, slice_ms(page)) > 0)  // the pipe is closed, so it is about to end
            usleep(20);
    }
    close(zygote->alive[0]);
    int status = reap_all(child, &zygote->before);
    *asked = page->asked;
    *entered = page->entered;
    if (page->over)
        return BILANX_SUCCESS;
    if (killed)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "no answer in %.3g s",
                                 (double)page->timeout_ns / 1e9);
    return process_fate(status);
}

size_t zygote_used(const struct zygote *zygote)
{
    return zygote->page->used;
}

void zygote_set_timeout(struct zygote *zygote, uint64_t timeout_ns)
{
    if (zygote->child)
        zygote->page->timeout_ns = timeout_ns;
}

void zygote_asked(struct zygote *zygote, size_t size)
{
    if (!zygote->child)
        return;
    size_t used = size < zygote->inherited ? size : zygote->inherited;
    zygote->inherited -= used;
    zygote->page->used += used;
    zygote->page->asked_ns = monotonic_ns();
    zygote->page->asked = true;
}

void zygote_entered(struct zygote *zygote)
{
    if (zygote->child)
        zygote->page->entered = true;
}

// Called before writing the answer. A child that dies while writing counts as having answered: half
// a line followed by another line would be worse than half a line.
void zygote_answering(struct zygote *zygote, bool last)
{
    if (!zygote->child)
        return;
    if (last)
        zygote->page->over = true;
    zygote->page->asked = false;
}
