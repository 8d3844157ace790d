// surroundings: the variables, the working directory, the umask and the limits that a process
// starts with.
//
// They are data: whoever starts a process passes them along (base/spawn.h), and the child takes
// them on before it executes its program. Nothing of this process changes. A program is looked up
// on their PATH, and a relative path that this process reads on behalf of a child is resolved
// against their directory.
//
// Every function accepts NULL for the surroundings of this process.
#ifndef BASE_SURROUNDINGS_H
#define BASE_SURROUNDINGS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/list.h"

// Stack, core, locked memory, open files.
enum { SURROUNDINGS_LIMITS = 4 };

struct surroundings {       // all zeroes: those of this process
    struct list variables;  // NAME=VALUE; empty: those of this process
    int directory;          // a descriptor; 0: where this process is
    bool limited;           // the rest is set
    mode_t umask;
    rlim_t limits[SURROUNDINGS_LIMITS];
};

// `variables` may be empty, and `directory` NULL, for those of this process.
struct bilanx_error surroundings_init(struct surroundings *surroundings,
                                      const struct list *variables, const char *directory);

// Copies the umask and the limits of a process.
void surroundings_take_limits(struct surroundings *surroundings, pid_t pid);
void surroundings_done(struct surroundings *surroundings);
SCOPE_VALUE(surroundings, surroundings_done)

// All variables, up to a NULL. Valid until the surroundings change.
char *const *surroundings_variables(const struct surroundings *surroundings);

// The value of a variable; NULL: it is not set.
const char *surroundings_variable(const struct surroundings *surroundings, const char *name);

// A path as this process can open it. The caller frees it.
char *surroundings_path(const struct surroundings *surroundings, const char *path);

// Looks a program up on the PATH; a name with a slash is returned as it is. The result is for a
// child that starts there: it may be relative. The caller frees it; NULL: there is none.
char *surroundings_find_program(const struct surroundings *surroundings, const char *name);

// The folder for temporary files, as this process can open it. The caller frees it.
char *surroundings_temporary(const struct surroundings *surroundings);

// The limit of the stack that a child starts with. False: unknown.
bool surroundings_stack_limit(const struct surroundings *surroundings, struct rlimit *out);

// In the child: takes on the directory, the umask and the limits. Makes only system calls. False,
// and errno, if the directory cannot be entered.
bool surroundings_apply(const struct surroundings *surroundings);

#endif
