// launcher: how tasks are started on other machines: a table of functions per scheduler.
//
// To add a scheduler, write a file that ends in a `const struct launcher` and list it in
// launchers.c. Nothing else knows which scheduler it is.
//
// A function that cannot reach the scheduler returns BILANX_E_TIMED_OUT; callers try again later,
// while tasks continue. Every other error is final.
#ifndef LAUNCHING_LAUNCHER_H
#define LAUNCHING_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "bilanx/error.h"

struct launch_site {             // where tasks run
    const char *partition;       // NULL: the scheduler's default
    const struct list *options;  // more words for its submit command; may be NULL
};

struct launch_facts {
    uint64_t machines;    // that tasks may run on
    uint64_t most_tasks;  // of an array
    bool accounts;        // the scheduler keeps records of ended tasks
};

struct launch_array {
    const char *name;      // unique to this array; letters, digits, dots and dashes
    const char *script;    // path of the program of each task, whose number is in the environment
    const char *log;       // path of its output, where "%a" is the number of the task
    uint64_t tasks;        // numbered from 1
    uint64_t at_once;      // run at most this many at a time; 0: no limit
    uint64_t machines;     // per task, used exclusively; 0: 1
    const char *excluded;  // machines to avoid, separated by commas; NULL: none
};

enum launch_state {
    LAUNCH_WAITING,
    LAUNCH_HELD,  // until somebody releases it
    LAUNCH_RUNNING,
    LAUNCH_ENDED,   // by itself
    LAUNCH_KILLED,  // by node failure, a limit or the administrator
};

struct launch_task {
    char array[64];  // name of its array
    char job[24];    // identifies it
    uint64_t number;
    enum launch_state state;
    char word[32];    // the scheduler's word for its state: "TIMEOUT"
    char node[200];   // where it runs or ran; "": nowhere yet
    char reason[64];  // why it waits
};

struct launch_tasks {
    struct launch_task *items;
    size_t count, room;
};
void launch_tasks_done(struct launch_tasks *tasks);
SCOPE_VALUE(launch_tasks, launch_tasks_done)

struct launcher {
    const char *name;
    struct bilanx_error (*survey)(const struct launch_site *site, struct launch_facts *out);
    // `*job` identifies the array for the user and for the functions below; the caller frees it.
    struct bilanx_error (*submit)(const struct launch_site *site, const struct launch_array *array,
                                  char **job);
    // Whether a word from a file can identify an array, and is not an option of a command.
    bool (*is_job)(const char *word);
    // All tasks of arrays with these names, separated by commas, that the scheduler still
    // remembers.
    struct bilanx_error (*look)(const char *names, struct launch_tasks *out);
    // Tasks that look() has forgotten, where the scheduler keeps accounts; may be NULL.
    struct bilanx_error (*recall)(const char *names, struct launch_tasks *out);
    struct bilanx_error (*cancel)(const char *job);
    // Keeps waiting tasks of an array away from machines.
    struct bilanx_error (*avoid)(const char *job, const char *machines);
    // Words that start a command on one machine and forward its output, ended by NULL.
    void (*attach)(const struct launch_site *site, uint64_t machines, const char *excluded,
                   struct list *out);
    // In a task: its number, and the name of its machine. NULL: not in a task.
    const char *(*task_number)(void);
    const char *(*machine_name)(void);
};

extern const struct launcher launcher_slurm;

// Finds a launcher by its name.
struct bilanx_error launcher_find(const char *name, const struct launcher **out);

// Describes how a task ended. Returns `word` itself if there is no other description.
const char *launch_explain(const char *word);

#endif
