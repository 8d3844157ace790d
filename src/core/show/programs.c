// programs: benchmark programs as subjects of a run.
#include "console.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/worker/server.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// With several programs each is an environment of its own, or equal cases would pass for
// replicates. Where two files have the same name, the whole path tells them apart.
static const char *env_of(const char *const *paths, size_t count, size_t index)
{
    if (count == 1)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (i != index && strcmp(last_part(paths[i]), last_part(paths[index])) == 0)
            return paths[index];
    return last_part(paths[index]);
}

int console_run_programs(const char *const *paths, size_t count,
                         const struct console_settings *settings)
{
    struct run_subject *subjects = mem_array(struct run_subject, count);
    const char *(*arguments)[2] = mem_zeroed(count, sizeof *arguments);
    for (size_t i = 0; i < count; i++) {
        arguments[i][0] = paths[i];
        subjects[i] =
            (struct run_subject){.name = paths[i],
                                 .env = env_of(paths, count, i),
                                 .barrier = " case=0 barrier=1",
                                 .launch = {.argv = arguments[i], .channel = WORKER_CHANNEL}};
    }
    int code = console_run(subjects, count, settings);
    free(arguments);
    free(subjects);
    return code;
}
