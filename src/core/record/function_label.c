// function_label: how functions of counts are shown that the user has not written or called.
#include "function_label.h"

#include <string.h>

#include "base/text.h"

// Between the counter and the loop.
static bool is_harness(const char *function, const char *file)
{
    static const char *const names[][2] = {{"loop_next", "loop.c"},
                                           {"loop_pause", "loop.c"},
                                           {"loop_resume", "loop.c"},
                                           {"next_batch", "running.c"},
                                           {"callgrind_toggle", "counter_callgrind.c"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(function, names[i][0]) == 0 && text_equal(file, names[i][1]))
            return true;
    return false;
}

const char *function_label(const char *function, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *last = slash ? slash + 1 : file;
    if (!function)
        return NULL;
    if (is_harness(function, last))
        return "(bilanx)";
    if (text_equal(function, "bilanx_next_") || text_equal(function, "bilanx_barrier"))
        return "(the loop)";
    if (!text_starts(function, "bilanx_copies"))
        return NULL;
    // What the compiler believes to be the files of the loop and of the user's statement.
    bool of_loop = !last || strcmp(last, "bilanx") == 0 || text_starts(last, "s.c");
    return of_loop                          ? "(the loop)"
           : strcmp(last, "statement") == 0 ? "(the statement itself)"
                                            : "(inlined into the statement)";
}

bool function_is_inlined(const char *function)
{
    return function && strstr(function, " (inlined") != NULL;
}
