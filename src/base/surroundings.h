// surroundings: the environment variables, working directory, umask and limits a process starts
// with.
//
// Surroundings are data. They are passed to base/spawn.h, and the child applies them before it
// executes its program; this process does not change. Programs are looked up on their PATH. If this
// process reads a relative path on behalf of a child, it resolves the path against their directory.
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

struct surroundings {       // all zero: those of this process
    struct list variables;  // NAME=VALUE; empty: those of this process
    int directory;          // a descriptor; 0: that of this process
    bool limited;           // the members below are set
    mode_t umask;
    rlim_t limits[SURROUNDINGS_LIMITS];
};

// `variables` may be empty and `directory` may be NULL, to use those of this process.
struct bilanx_error surroundings_init(struct surroundings *surroundings,
                                      const struct list *variables, const char *directory);

// Copies the umask and limits of a process.
struct bilanx_error surroundings_take_limits(struct surroundings *surroundings, pid_t pid);
void surroundings_done(struct surroundings *surroundings);
SCOPE_VALUE(surroundings, surroundings_done)

// Returns all variables, up to a NULL. Valid until the surroundings change.
char *const *surroundings_variables(const struct surroundings *surroundings);

// Returns the value of a variable; NULL: not set.
const char *surroundings_variable(const struct surroundings *surroundings, const char *name);

// Returns a path that this process can open. The caller frees it.
char *surroundings_path(const struct surroundings *surroundings, const char *path);

// Looks up a program on the PATH; a name with a slash is returned unchanged. The result is meant
// for a child with these surroundings, so it may be relative. The caller frees it; NULL: not found.
char *surroundings_find_program(const struct surroundings *surroundings, const char *name);

// Returns the directory for temporary files, as this process can open it. The caller frees it.
char *surroundings_temporary(const struct surroundings *surroundings);

// Gets the stack limit that a child starts with. Returns false if unknown.
bool surroundings_stack_limit(const struct surroundings *surroundings, struct rlimit *out);

// Call this in the child. Applies directory, umask and limits. Makes system calls only. Returns
// false and sets errno if the directory cannot be entered.
bool surroundings_apply(const struct surroundings *surroundings);

#endif
