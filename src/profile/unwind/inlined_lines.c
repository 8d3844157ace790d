// inlined_lines: which functions were inlined into another one, by lines of source.
#include "inlined_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "image.h"
#include "symbols.h"

static void function_done(struct inlined_function *function)
{
    free(function->name);
    free(function->file);
}

void inlined_lines_done(struct inlined_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].file);
        function_done(&lines->items[i].function);
        function_done(&lines->items[i].innermost);
    }
    free(lines->items);
    *lines = (struct inlined_lines){0};
}

static struct inlined_function function_of(const char *name, const char *file)
{
    return (struct inlined_function){mem_text(name), file ? mem_text(file) : NULL};
}

static struct inlined_line *find(const struct inlined_lines *lines, const char *file, int line)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].line == line && strcmp(lines->items[i].file, file) == 0)
            return &lines->items[i];
    return NULL;
}

const struct inlined_function *inlined_lines_find(const struct inlined_lines *lines,
                                                  const char *file, int line)
{
    const struct inlined_line *found = find(lines, file, line);
    return !found ? NULL : found->shared ? &found->innermost : &found->function;
}

struct reading {
    struct inlined_lines *lines;
    struct image *image;
};

// Optimised code has addresses whose line belongs to a function that, for the debug information,
// does not cover them. So of all addresses of a line, the one with the most functions counts.
static void visit(void *context, const struct image_line *at)
{
    struct reading *reading = context;
    struct inlined_lines *lines = reading->lines;
    const struct image_place *place = image_place(reading->image, at->address);
    const char *slash = strrchr(at->file, '/'), *file = slash ? slash + 1 : at->file;
    if (place->count < 2)
        return;
    const struct image_name *outermost = &place->names[1], *last = &place->names[place->count - 1];
    struct inlined_line *known = find(lines, file, at->line);
    if (!known) {
        mem_grow(lines->items, lines->count, &lines->room);
        known = &lines->items[lines->count++];
        *known = (struct inlined_line){.file = mem_text(file),
                                       .line = at->line,
                                       .function = function_of(outermost->name, outermost->file)};
    }
    known->shared |= strcmp(known->function.name, outermost->name) != 0;
    if (place->count > known->depth) {
        function_done(&known->innermost);
        known->innermost = function_of(last->name, last->file);
        known->depth = place->count;
    }
}

void inlined_lines_read(struct inlined_lines *lines, const char *object, const char *function)
{
    struct demangler *demangler = demangler_new();
    struct image *image = image_open(object, demangler);
    uint64_t start, size;
    if (image && image_function(image, function, &start, &size)) {
        struct reading reading = {lines, image};
        image_lines(image, start, start + size, visit, &reading);
    }
    image_free(image);
    demangler_free(demangler);
}
