// lineage: finds all descendants of our processes, wherever they have moved.
#include "lineage.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "monotonic.h"

enum { COUNTER_BITS = 24 };  // the higher bits are common to all lineages of a controller

// A process id has up to 22 bits. The time distinguishes it from earlier processes with this id.
// All threads of a process agree on the same bits; a fork gets its own.
static uint64_t common_bits(void)
{
    static _Atomic uint64_t common;
    enum { TIME_BITS = 16 };
    uint64_t known = common, own = (uint64_t)getpid();
    if (known >> TIME_BITS == own)
        return known;
    uint64_t fresh = own << TIME_BITS | (monotonic_ns() >> 20 & 0xFFFF);
    return atomic_compare_exchange_strong(&common, &known, fresh) ? fresh : known;
}

uint64_t lineage_new(void)
{
    static _Atomic uint64_t counter;
    return common_bits() << COUNTER_BITS | (++counter & ((1u << COUNTER_BITS) - 1));
}

void lineage_begin(uint64_t lineage)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_LOCKS, &limit) != 0 || limit.rlim_max < lineage)
        return;
    limit.rlim_cur = lineage;
    setrlimit(RLIMIT_LOCKS, &limit);
}

// Parses "12 (name) S 1 ..."; the name may contain anything.
static bool runs(pid_t pid)
{
    char path[40], line[200];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file_first_line(path, line, sizeof line);
    const char *name_end = strrchr(line, ')');
    return name_end && name_end[1] && !strchr("ZX", name_end[2]);
}

struct search {
    uint64_t wanted;
    unsigned ignored_bits;  // the lowest ones
    bool kills;
    size_t enough;
};

static bool has_lineage(const struct search *search, pid_t pid)
{
    struct rlimit limit;
    return prlimit(pid, RLIMIT_LOCKS, NULL, &limit) == 0 &&
           limit.rlim_cur >> search->ignored_bits == search->wanted;
}

// Kills the whole group at once, because a fork loop outruns a search for its processes one by one.
// Spares groups that are not ours.
static void kill_with_group(const struct search *search, pid_t pid)
{
    pid_t group = getpgid(pid);
    kill(pid, SIGKILL);
    if (group > 1 && group != getpgrp() && (kill(group, 0) != 0 || has_lineage(search, group)))
        kill(-group, SIGKILL);
}

static size_t find(const struct search *search)
{
    size_t count = 0;
    DIR *processes = opendir("/proc");
    while (processes && count < search->enough) {
        const struct dirent *entry = readdir(processes);
        if (!entry)
            break;
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid <= 0 || pid == getpid() || !has_lineage(search, pid) || !runs(pid))
            continue;
        count++;
        if (search->kills)
            kill_with_group(search, pid);
    }
    if (processes)
        closedir(processes);
    return count;
}

size_t lineage_count(uint64_t lineage, size_t enough)
{
    return find(&(struct search){.wanted = lineage, .enough = enough});
}

// Gives up on processes that cannot be killed because they run as another user or wait for a disk.
static void kill_all(uint64_t wanted, unsigned ignored_bits)
{
    static const uint64_t PATIENCE_NS = 2000000000;
    struct search search = {wanted, ignored_bits, .kills = true, .enough = SIZE_MAX};
    uint64_t deadline = monotonic_ns() + PATIENCE_NS;
    for (unsigned pause_us = 100; find(&search) > 0 && monotonic_ns() < deadline; pause_us *= 2)
        usleep(pause_us);  // give them time to end
}

void lineage_kill(uint64_t lineage)
{
    kill_all(lineage, 0);
}

static void close_everything(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 0, ~0u, 0) == 0)
        return;
#endif
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}

// Starts its own session, so that signals to its parent's group do not reach it. Closes all
// descriptors, so that readers of our pipes see the end of file.
__attribute__((noreturn)) static void guard(pid_t parent, uint64_t common)
{
    sigset_t every, ended;
    int number;
    sigfillset(&every);
    sigprocmask(SIG_SETMASK, &every, NULL);
    sigemptyset(&ended);
    sigaddset(&ended, SIGTERM);
    setsid();
    lineage_begin(common << COUNTER_BITS);  // not one that the guard of our parent's parent kills
    prctl(PR_SET_NAME, "bilanx-guard");
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // also sent when only the thread that started it ends
    close_everything();
    while (getppid() == parent)
        sigwait(&ended, &number);
    kill_all(common, COUNTER_BITS);
    _exit(0);
}

static struct {
    pid_t pid, parent;
} guardian;

void lineage_unguard(void)
{
    if (guardian.parent != getpid())
        return;
    kill(guardian.pid, SIGKILL);
    while (waitpid(guardian.pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    guardian.parent = 0;
}

bool lineage_guard(void)
{
    static bool ends_with_us;
    pid_t parent = getpid();
    if (guardian.parent == parent)
        return false;
    uint64_t common = common_bits();
    pid_t pid = fork();
    if (pid == 0)
        guard(parent, common);
    if (pid < 0)  // do without a guard
        return false;
    guardian.pid = pid;
    guardian.parent = parent;
    if (!ends_with_us)
        atexit(lineage_unguard);
    return ends_with_us = true;
}
