// file_lock: lets only one process at a time use a file.
#include "file_lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "file.h"

// Finds the lock's owner in the kernel's list: "1: FLOCK ADVISORY WRITE PID 08:01:INODE".
static int holder(int fd)
{
    struct stat facts;
    AUTO(text) struct text locks = {0};
    if (fstat(fd, &facts) != 0 || file_read("/proc/locks", &locks).status != BILANX_OK)
        return 0;
    for (const char *line = text_get(&locks); line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int pid;
        unsigned long long inode;
        if (sscanf(line, "%*s FLOCK %*s WRITE %d %*x:%*x:%llu", &pid, &inode) == 2 &&
            inode == facts.st_ino)
            return pid;
    }
    return 0;
}

struct bilanx_error file_lock(int fd, const char *cannot, const char *does)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return BILANX_SUCCESS;
    int pid = holder(fd);
    if (pid <= 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "%s: another process %s", cannot, does);
    char command[120] = "", where[40];
    snprintf(where, sizeof where, "/proc/%d/comm", pid);
    file_first_line(where, command, sizeof command);
    return bilanx_error_make(BILANX_E_SYSTEM, "%s: process %d%s%s%s %s", cannot, pid,
                             *command ? " (" : "", command, *command ? ")" : "", does);
}

bool file_lock_is_at(int fd, const char *path)
{
    struct stat held, there;
    return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}
