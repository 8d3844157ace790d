// function_label: how functions of counts are shown that the user has not written or called.
#include "function_label.h"

#include <string.h>

// Between the counter and the loop.
static bool is_harness(const char *function, const char *file)
{
    static const char *const names[][2] = {{"loop_next", "loop.c"},
                                           {"loop_pause", "loop.c"},
                                           {"loop_resume", "loop.c"},
                                           {"callgrind_toggle", "counter_callgrind.c"}};
    if (strcmp(function, "bilanx_next_") == 0 || strcmp(function, "bilanx_bench_next") == 0)
        return true;
    if (strcmp(function, "next_batch") == 0)  // too common a name if the file is not known
        return text_equal(file, "running.c");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(function, names[i][0]) == 0)
            return !function_file_is_known(file) || text_equal(file, names[i][1]);
    return false;
}

const char *function_label(const char *function, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *last = slash ? slash + 1 : file;
    if (!function)
        return NULL;
    if (is_harness(function, last))
        return "(bilanx)";
    if (text_equal(function, "bilanx_barrier"))
        return "the statement itself";
    if (!text_starts(function, "bilanx_copies"))
        return NULL;
    // What the compiler believes to be the files of the loop and of the user's statement. Which of
    // the two an instruction belongs to depends on the compiler.
    bool of_statement = !function_file_is_known(last) || strcmp(last, "bilanx") == 0 ||
                        text_starts(last, "s.c") || strcmp(last, "statement") == 0;
    return of_statement ? "the statement itself" : "inlined into the statement";
}

bool function_is_inlined(const char *function)
{
    return function && strstr(function, " (inlined") != NULL;
}

bool function_file_is_known(const char *file)
{
    return file && *file && strcmp(file, "???") != 0;
}

const char *function_object_name(const char *object)
{
    enum { DIGEST = 32 };
    const char *slash = object ? strrchr(object, '/') : NULL, *last = slash ? slash + 1 : object;
    return !last || strcmp(last, "???") == 0 || strspn(last, "0123456789abcdef") == DIGEST ? ""
                                                                                           : last;
}

// "crc" for "bilanx_body_crc"; "" for a body that C++ names by a number. NULL: it is none.
static const char *benchmark_of(const char *function, size_t *size)
{
    static const char start[] = "bilanx_body_";
    const char *found = function ? strstr(function, start) : NULL;
    if (!found || (found > function && found[-1] != ':'))
        return NULL;
    const char *name = found + strlen(start);
    *size = strcspn(name, ".@'([ ");
    return strspn(name, "0123456789") == *size ? "" : name;
}

void function_add_bare_name(struct text *out, const char *function, const char *file)
{
    size_t size = 0;
    const char *label = function_label(function, file), *benchmark = benchmark_of(function, &size);
    if (label)
        text_add(out, label);
    else if (benchmark && *benchmark)
        text_format(out, "benchmark %.*s", (int)size, benchmark);
    else if (benchmark)
        text_add(out, "the benchmark itself");
    else
        text_add(out, function && strcmp(function, "???") != 0 ? function : "unknown function");
}

void function_add_name(struct text *out, const char *function, const char *file, const char *object)
{
    size_t size;
    const char *of = function_object_name(object);
    if (strcmp(of, "bilanx-worker") == 0) {
        text_add(out, "(bilanx)");
        return;
    }
    function_add_bare_name(out, function, file);
    if (function_label(function, file) || function_is_inlined(function) ||
        benchmark_of(function, &size))
        return;
    const char *place = function_file_is_known(file) ? file : of;
    if (*place)
        text_format(out, " (%s)", place);
}
