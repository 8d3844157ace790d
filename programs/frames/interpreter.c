// interpreter: finds the interpreter of Python in this process.
#include "interpreter.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *(*state_of_thread)(void);

// Reads a variable of the thread, and makes no system call, so a handler may call it.
static uint64_t thread_state(void)
{
    return (uint64_t)(uintptr_t)state_of_thread();
}

// Stores a pointer to it.
static bool find(const char *name, void *out)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(out, &found, sizeof found);
    return found;
}

enum interpreter_kind interpreter_find(struct python_frames *out, const char **version)
{
    unsigned major = 0, minor = 0;
    const char *(*get_version)(void);
    if (!find("Py_GetVersion", &get_version) ||
        !find("PyGILState_GetThisThreadState", &state_of_thread))
        return INTERPRETER_NONE;
    *version = get_version();
    *out = (struct python_frames){.thread_state = thread_state, .careful = true};
    find("PyCode_Type", &out->code_type);
    bool known = sscanf(*version, "%u.%u", &major, &minor) == 2 &&
                 python_layout_find(major << 8 | minor, &out->layout);
    return known ? INTERPRETER_KNOWN : INTERPRETER_UNKNOWN;
}
