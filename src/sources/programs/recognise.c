// recognise: recognises other tools' benchmark programs by the contents of their files, without
// running them.
#include "recognise.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

// Names of functions are in the symbol table, or in that for the dynamic linker; the text of a
// help page is in a stripped program, too.
static const struct library {
    const char *name;
    const char *marks[3];  // one is enough
    const char *results;   // the option that writes a file which bilanx reads; NULL: none
} libraries[] = {
    {"Google Benchmark",
     {"_ZN9benchmark10Initialize", "[--benchmark_filter=<regex>]",
      "benchmark_enable_random_interl"},
     "--benchmark_out"},
    {"nanobench", {"_ZN6ankerl9nanobench"}, NULL},
    {"Catch2", {"_ZN5Catch9Benchmark", "_ZN5Catch11CaptureExpr"}, NULL},
    {"Celero", {"_ZN6celero"}, NULL},
};

// A program of ours knows the name of the record format. It may know Google's options, too.
static const char OURS[] = "bilanx/1";

static bool has(const char *bytes, size_t size, const char *text)
{
    return text && memmem(bytes, size, text, strlen(text));
}

static const struct library *library_in(const char *bytes, size_t size)
{
    if (size < 4 || memcmp(bytes, "\177ELF", 4) != 0 || has(bytes, size, OURS))
        return NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        for (size_t k = 0; k < sizeof libraries->marks / sizeof *libraries->marks; k++)
            if (has(bytes, size, libraries[i].marks[k]))
                return &libraries[i];
    return NULL;
}

static struct bilanx_error refuse(const struct library *library, const char *path)
{
    AUTO(text) struct text line = {0};
    text_format(&line,
                "'%s' is a program for %s: time it as a command (bilanx time -- %s), or port it to "
                "<bilanx/bench.h> (docs/coming-from.md)",
                path, library->name, path);
    if (library->results)
        text_format(&line,
                    "; its results can be compared, too (%s %s=new.json, then bilanx ab --A "
                    "file:old.json --B file:new.json)",
                    path, library->results);
    return bilanx_error_make(BILANX_E_USAGE, "%s", text_get(&line));
}

struct bilanx_error recognise_program(const char *path, const struct surroundings *surroundings)
{
    AUTO(memory) char *found = strchr(path, '/') ? NULL : file_find_program(path);
    AUTO(memory) char *file = found ? mem_text(found) : surroundings_path(surroundings, path);
    AUTO(fd) int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0)
        return BILANX_SUCCESS;
    size_t size = (size_t)facts.st_size;
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return BILANX_SUCCESS;
    const struct library *library = library_in(bytes, size);
    munmap(bytes, size);
    return library ? refuse(library, path) : BILANX_SUCCESS;
}
