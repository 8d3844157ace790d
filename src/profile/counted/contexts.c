// contexts: stacks from counts whose functions are named with their callers.
#include "contexts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/text.h"

enum { MOST_PARTS = 1024 };

// A name taken apart, innermost first.
struct context {
    const char *starts[MOST_PARTS];  // in the name
    size_t sizes[MOST_PARTS];
    size_t count;
    size_t level;  // how many calls of the function have not returned; 1: only this one
};

static bool is_number(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return size > 0;
}

// Quotes separate names; GNU demanglers write none in a name. After the first name, a number is its
// level.
static void take_apart(const char *name, struct context *out)
{
    out->count = 0;
    out->level = 1;
    while (out->count < MOST_PARTS) {
        size_t size = strcspn(name, "'");
        if (out->count == 1 && is_number(name, size))
            out->level = strtoul(name, NULL, 10);
        else {
            out->starts[out->count] = name;
            out->sizes[out->count++] = size;
        }
        if (!name[size])
            return;
        name += size + 1;
    }
}

static bool part_is(const struct context *context, size_t part, const char *name)
{
    return strlen(name) == context->sizes[part] &&
           memcmp(context->starts[part], name, context->sizes[part]) == 0;
}

static bool same_part(const struct context *context, size_t a, size_t b)
{
    return context->sizes[a] == context->sizes[b] &&
           memcmp(context->starts[a], context->starts[b], context->sizes[a]) == 0;
}

// callgrind joins direct recursion in the names of callers, so a function that called itself twice
// is not among its own callers. But its level says so.
static size_t missing_calls(const struct context *context, bool cut)
{
    size_t calls = 1;
    for (size_t i = 1; i < context->count; i++)
        calls += same_part(context, 0, i);
    return cut || context->level < calls ? 0 : context->level - calls;
}

// Finds the file and the object of callers: by the rest of the name, which is that of the caller
// itself, or else by the function alone.
struct lookup {
    const struct bilanx_counts *counts;
    struct index whole, alone;
};

static struct hash key_of(const char *text, size_t size)
{
    struct hash key = hash_start();
    hash_add(&key, text, size);
    return key;
}

static void lookup_init(struct lookup *lookup, const struct bilanx_counts *counts)
{
    *lookup = (struct lookup){.counts = counts};
    for (size_t i = 0; i < counts->function_count; i++) {
        const char *name = counts->functions[i].function;
        bool added;
        if (!name)
            continue;
        index_find_or_add(&lookup->whole, key_of(name, strlen(name)), i, &added);
        index_find_or_add(&lookup->alone, key_of(name, strcspn(name, "'")), i, &added);
    }
}

static void lookup_done(struct lookup *lookup)
{
    index_done(&lookup->whole);
    index_done(&lookup->alone);
}
SCOPE_VALUE(lookup, lookup_done)

static const struct bilanx_function *lookup_find(const struct lookup *lookup, const char *start,
                                                 size_t size)
{
    size_t place = index_find(&lookup->whole, key_of(start, strlen(start)));
    if (place == SIZE_MAX)
        place = index_find(&lookup->alone, key_of(start, size));
    return place == SIZE_MAX ? NULL : &lookup->counts->functions[place];
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

// callgrind pads the addresses of functions without a name with zeros.
static char *shown_name(const char *start, size_t size)
{
    char *name = mem_text_n(start, size);
    if (!text_starts(name, "0x"))
        return name;
    char *end;
    unsigned long long address = strtoull(name, &end, 16);
    if (*end)
        return name;
    free(name);
    return mem_format("0x%llx", address);
}

static unsigned frame_of(struct stacks *stacks, const struct lookup *lookup,
                         const struct context *context, size_t part)
{
    const struct bilanx_function *function =
        lookup_find(lookup, context->starts[part], context->sizes[part]);
    AUTO(memory) char *name = shown_name(context->starts[part], context->sizes[part]);
    bool known = function && function->file && strcmp(function->file, "???") != 0;
    return stacks_frame(stacks, &(struct stack_frame){
                                    .name = name,
                                    .file = known ? function->file : NULL,
                                    .object = function ? last_part(function->object) : NULL,
                                    .kind = FRAME_NATIVE,
                                });
}

// The part that holds the loop: the outermost one; `count`: none.
static size_t find_body(const struct context *context, const struct contexts_options *options)
{
    for (size_t part = context->count; part-- > 0;)
        for (const char *const *body = options->bodies; body && *body; body++)
            if (part_is(context, part, *body))
                return part;
    return context->count;
}

// Functions that a loop calls to go on. They are counted, as `bilanx count` does, but as a part of
// the loop: what they call is of no interest.
static bool is_harness(const struct context *context, size_t part)
{
    static const char *const names[] = {
        "bilanx_next_",      "bilanx_bench_next", "bilanx_bench_stage", "bilanx_bench_start",
        "bilanx_bench_stop", "bilanx_pause",      "bilanx_resume"};
    size_t size = strcspn(context->starts[part], "('");  // C++ has arguments
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == size && memcmp(context->starts[part], names[i], size) == 0)
            return true;
    return false;
}

// Fills `path`, outermost first. Returns its length.
static size_t make_path(const struct context *context, const struct contexts_options *options,
                        const struct lookup *lookup, struct stacks *stacks, unsigned *path,
                        bool *cut)
{
    size_t depth = 0, body = find_body(context, options), part = context->count;
    *cut = body == context->count && context->count > options->callers;
    if (*cut)
        path[depth++] = stacks_frame(
            stacks, &(struct stack_frame){.name = "[callers unknown]", .kind = FRAME_CUT});
    if (body < context->count) {
        path[depth++] = stacks_frame(stacks, &(struct stack_frame){.name = options->name});
        part = body;
        if (part > 0 && is_harness(context, part - 1))
            return depth;
    }
    while (part-- > 0)
        path[depth++] = frame_of(stacks, lookup, context, part);
    unsigned innermost = path[depth - 1];
    for (size_t i = missing_calls(context, *cut); i-- > 0 && depth < 2 * MOST_PARTS;)
        path[depth++] = innermost;
    return depth;
}

double contexts_add(const struct bilanx_counts *counts, const struct contexts_options *options,
                    struct stacks *stacks)
{
    AUTO(lookup) struct lookup lookup;
    AUTO(memory) struct context *context = mem_new(struct context);
    AUTO(memory) unsigned *path = mem_array(unsigned, 2 * MOST_PARTS + 2);
    double lost = 0;
    lookup_init(&lookup, counts);
    for (size_t i = 0; i < counts->function_count; i++) {
        const struct bilanx_function *function = &counts->functions[i];
        bool cut;
        if (!(function->self > 0) || !function->function)
            continue;
        take_apart(function->function, context);
        size_t depth = make_path(context, options, &lookup, stacks, path, &cut);
        stacks_add(stacks, path, depth, function->self);
        lost += cut ? function->self : 0;
    }
    return lost;
}
