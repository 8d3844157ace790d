// children: processes that a process started or adopted, and that have not been reaped.
#include "children.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"

void children_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// Parses "12 345 6789 ". Returns false if the kernel was built without this file.
static bool add_of_thread(pid_t pid, const char *thread, struct children *out)
{
    char path[80], line[CHILDREN_MOST * 8];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, thread);
    if (!file_first_line(path, line, sizeof line))
        return access(path, F_OK) == 0;
    char *end = line;
    for (const char *at = line; out->count < CHILDREN_MOST; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at || *end != ' ')  // the last number was cut off
            break;
        out->pids[out->count++] = (pid_t)child;
    }
    return true;
}

void children_list(pid_t pid, struct children *out)
{
    char path[40];
    out->count = 0;
    out->known = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (const struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            out->known |= add_of_thread(pid, entry->d_name, out);
    if (threads)
        closedir(threads);
    out->known &= out->count < CHILDREN_MOST;
}

static bool has_none(void)
{
    siginfo_t any = {0};
    return waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD;
}

void children_note(struct children *out)
{
    out->count = 0;
    out->known = true;
    if (!has_none())
        children_list(getpid(), out);
}

static bool contains(const struct children *children, pid_t pid)
{
    size_t i = 0;
    while (i < children->count && children->pids[i] != pid)
        i++;
    return i < children->count;
}

bool children_came(const struct children *before)
{
    if (has_none() || !before->known)
        return false;
    if (before->count == 0)
        return true;
    struct children now;
    children_list(getpid(), &now);
    size_t i = 0;
    while (i < now.count && contains(before, now.pids[i]))
        i++;
    return i < now.count;
}

// Kills each child's group along with the child. When a child dies we adopt its children, so look
// again until there are none.
void children_end(const struct children *before)
{
    bool any = true;
    while (any && !has_none()) {
        struct children now;
        any = false;
        children_list(getpid(), &now);
        for (size_t i = 0; i < now.count; i++) {
            if (contains(before, now.pids[i]))
                continue;
            any = true;
            kill(-now.pids[i], SIGKILL);
            kill(now.pids[i], SIGKILL);
            while (waitpid(now.pids[i], NULL, __WALL) < 0 && errno == EINTR)
                continue;
        }
    }
}

static void visit_below(pid_t pid, unsigned depth, void (*visit)(pid_t child, void *context),
                        void *context)
{
    enum { DEEPEST = 64 };
    struct children children;
    if (depth > DEEPEST)
        return;
    children_list(pid, &children);
    for (size_t i = 0; i < children.count; i++) {
        visit_below(children.pids[i], depth + 1, visit, context);
        visit(children.pids[i], context);
    }
}

void children_each_below(pid_t pid, void (*visit)(pid_t child, void *context), void *context)
{
    visit_below(pid, 0, visit, context);
}
