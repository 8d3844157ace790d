// surroundings: the variables, the working directory and the limits that a process starts with.
//
// Whoever enters other surroundings has everything it does there happen in them: programs are found
// on their PATH, children inherit them. That is how one controller prepares and starts the workers
// of several sides, and no layer between needs to know.
#ifndef BASE_SURROUNDINGS_H
#define BASE_SURROUNDINGS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/list.h"

// Those limits that do not hurt whoever enters them: stack, core, locked memory, open files.
enum { SURROUNDINGS_LIMITS = 4 };

struct surroundings {  // of zeroes: where this process is anyway
    struct list own;
    char **variables;  // those, and what setenv() added; NULL: the ones of this process
    int directory;     // a descriptor; 0: where this process is
    bool limited;      // what follows is set
    mode_t umask;
    rlim_t limits[SURROUNDINGS_LIMITS];
    char **outside;  // while they are entered: what to return to
    int came_from;
    mode_t umask_outside;
    rlim_t limits_outside[SURROUNDINGS_LIMITS];
};

// `variables` may be empty, and `directory` NULL, for those of this process.
struct bilanx_error surroundings_init(struct surroundings *surroundings,
                                      const struct list *variables, const char *directory);

// Takes on the umask and the limits of a process.
void surroundings_take_limits(struct surroundings *surroundings, pid_t pid);
void surroundings_done(struct surroundings *surroundings);
SCOPE_VALUE(surroundings, surroundings_done)

// NULL, for both: nothing changes. Surroundings are not entered twice.
struct bilanx_error surroundings_enter(struct surroundings *surroundings);
void surroundings_leave(struct surroundings *surroundings);

#endif
