// threads: the threads of this process.
#include "threads.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

void threads_list(struct threads *out)
{
    AUTO(directory) DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread <= 0)
            continue;
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = thread;
    }
}

void threads_done(struct threads *threads)
{
    free(threads->items);
    *threads = (struct threads){0};
}

unsigned threads_count(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (unsigned)status.st_nlink - 2 : 1;
}
