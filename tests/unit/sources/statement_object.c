// statement_object: what a compiler makes of statements, written by hand, for test_snippets.c.
//
// Its functions have the names and the interface by which a worker finds them. They note what
// happens in the file $STATEMENT_NOTES.
#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default"), used))

struct bilanx_input_ {
    long integer;
    double real;
    void *tensor, *indices;
    const int64_t *shape;
    int dimensions, is_bool, is_coalesced;
};

struct bilanx_loop {
    uint64_t (*next)(struct bilanx_loop *loop, uint64_t left);
    const struct bilanx_input_ *inputs;
};

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    const char *path = getenv("STATEMENT_NOTES");
    FILE *file = path ? fopen(path, "a") : NULL;
    va_list list;
    if (!file)
        return;
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fclose(file);
}

static void work(struct bilanx_loop *loop, const char *name)
{
    note("%s begins\n", name);
    if (loop->inputs)
        note("%s has %ld\n", name, loop->inputs[0].integer);
    int batches = 0;
    for (uint64_t n; (n = loop->next(loop, 0)) != 0;)
        batches++;
    note("%s ends after %s\n", name, batches ? "batches" : "nothing");
}

// Symbols of other layouts have a number: "bilanx_copies1.3".
#define STATEMENT(id, symbol)                                           \
    EXPORT void id(struct bilanx_loop *loop) __asm__("bilanx_" symbol); \
    EXPORT void id(struct bilanx_loop *loop)                            \
    {                                                                   \
        work(loop, symbol);                                             \
    }
STATEMENT(first_in_text, "first.3")
STATEMENT(one, "copies1")
STATEMENT(two_at_two, "at2_copies2")
STATEMENT(one_at_two, "at2_copies1")
STATEMENT(empty, "barrier")
STATEMENT(one_in_three, "copies1.3")
STATEMENT(last_in_text, "last.3")

// Leaves its loop before the batch has ended.
EXPORT void leaves(struct bilanx_loop *loop) __asm__("bilanx_copies8");
EXPORT void leaves(struct bilanx_loop *loop)
{
    uint64_t n = loop->next(loop, 0);
    note("copies8 is left with %s\n", n && loop->next(loop, 1) ? "more" : "nothing");
}

static int same(const void *a, const void *b)
{
    return a != b;
}

// Calls a function that both libc and a library of this object define.
EXPORT void searches(struct bilanx_loop *loop) __asm__("bilanx_at4_copies1");
EXPORT void searches(struct bilanx_loop *loop)
{
    char items[1] = {0};
    size_t count = 1;
    note("lfind is %s\n", lfind("", items, &count, 1, same) == items ? "the library's" : "libc's");
    work(loop, "at4_copies1");
}

typedef void constructor(int argc, char **argv, char **environment);

static void construct(int argc, char **argv, char **environment)
{
    note("constructed with %d words%s\n", argc, argv && !argv[0] && environment ? "" : "?");
}

static constructor *const both[] = {construct, construct};
EXPORT constructor *const *const bounds[] __asm__("bilanx_constructors.3") = {both, both + 2};

__attribute__((constructor)) static void loaded(void)
{
    note("loaded\n");
}
