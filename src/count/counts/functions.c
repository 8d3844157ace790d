// functions: the arithmetic of function counts.
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "callgrind.h"

void tally_start(struct tally *tally)
{
    *tally = (struct tally){.names = mem_new(struct name_pool)};
}

double *tally_count(struct tally *tally, const char *file, const char *function, const char *object)
{
    struct function_name name = {
        name_pool_add(tally->names, file),
        name_pool_add(tally->names, function),
        name_pool_add(tally->names, object),
    };
    size_t before = tally->index.count;
    size_t number = function_index_add(&tally->index, &name);
    if (number == before) {
        mem_grow(tally->counts, number, &tally->room);
        tally->counts[number] = 0;
    }
    return &tally->counts[number];
}

static struct function_name name_of(const struct bilanx_function_count *item)
{
    return (struct function_name){item->file, item->function, item->object};
}

static int compare_counts(const void *a, const void *b)
{
    const struct bilanx_function_count *left = a, *right = b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    struct function_name name = name_of(left), other = name_of(right);
    return function_name_compare(&other, &name);
}

struct bilanx_functions tally_finish(struct tally *tally, bool inclusive)
{
    struct bilanx_functions out = {.inclusive = inclusive, .names = tally->names};
    out.items = mem_array(struct bilanx_function_count, tally->index.count);
    for (size_t i = 0; i < tally->index.count; i++) {
        const struct function_name *name = &tally->index.names[i];
        if (tally->counts[i] != 0)
            out.items[out.count++] = (struct bilanx_function_count){name->file, name->function,
                                                                    name->object, tally->counts[i]};
    }
    if (out.count)
        qsort(out.items, out.count, sizeof *out.items, compare_counts);
    function_index_done(&tally->index);
    free(tally->counts);
    *tally = (struct tally){0};
    return out;
}

void names_release(void *names)
{
    if (names)
        name_pool_done(names);
    free(names);
}

void bilanx_functions_done(struct bilanx_functions *functions)
{
    if (!functions)
        return;
    names_release(functions->names);
    free(functions->items);
    *functions = (struct bilanx_functions){0};
}

static void add_scaled(struct tally *tally, const struct bilanx_function_count *items, size_t count,
                       double factor)
{
    for (size_t i = 0; i < count; i++)
        *tally_count(tally, items[i].file, items[i].function, items[i].object) +=
            factor * items[i].count;
}

struct bilanx_functions bilanx_functions_make(const struct bilanx_function_count *items,
                                              size_t count, bool inclusive)
{
    struct tally tally;
    tally_start(&tally);
    add_scaled(&tally, items, items ? count : 0, 1);
    return tally_finish(&tally, inclusive);
}

struct bilanx_functions bilanx_functions_of(const struct bilanx_counts *counts, bool inclusive)
{
    struct tally tally;
    tally_start(&tally);
    for (size_t i = 0; counts && i < counts->function_count; i++) {
        const struct bilanx_function *function = &counts->functions[i];
        *tally_count(&tally, function->file, function->function, function->object) +=
            inclusive ? function->inclusive : function->self;
    }
    return tally_finish(&tally, inclusive);
}

struct bilanx_error bilanx_functions_read(const char *path, bool inclusive,
                                          struct bilanx_functions *out)
{
    WANT(path);
    WANT(out);
    struct bilanx_counts *parts;
    size_t count;
    BILANX_TRY(counts_read_callgrind(path, &parts, &count));
    struct tally tally;
    tally_start(&tally);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < parts[i].function_count; j++) {
            const struct bilanx_function *function = &parts[i].functions[j];
            *tally_count(&tally, function->file, function->function, function->object) +=
                inclusive ? function->inclusive : function->self;
        }
        counts_done(&parts[i]);
    }
    free(parts);
    *out = tally_finish(&tally, inclusive);
    return BILANX_SUCCESS;
}

struct bilanx_functions bilanx_functions_slice(const struct bilanx_functions *functions,
                                               size_t first, size_t count)
{
    if (!functions)
        return (struct bilanx_functions){0};
    size_t behind = first < functions->count ? functions->count - first : 0;
    return bilanx_functions_make(behind ? functions->items + first : NULL,
                                 count < behind ? count : behind, functions->inclusive);
}

static struct bilanx_error combine(const struct bilanx_functions *a,
                                   const struct bilanx_functions *b, double factor,
                                   struct bilanx_functions *out)
{
    if (a->inclusive != b->inclusive)
        return bilanx_error_make(BILANX_E_USAGE, "cannot mix inclusive and exclusive counts");
    struct tally tally;
    tally_start(&tally);
    add_scaled(&tally, a->items, a->count, 1);
    add_scaled(&tally, b->items, b->count, factor);
    *out = tally_finish(&tally, a->inclusive);
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_functions_add(const struct bilanx_functions *a,
                                         const struct bilanx_functions *b,
                                         struct bilanx_functions *out)
{
    WANT(a);
    WANT(b);
    WANT(out);
    return combine(a, b, 1, out);
}

struct bilanx_error bilanx_functions_subtract(const struct bilanx_functions *a,
                                              const struct bilanx_functions *b,
                                              struct bilanx_functions *out)
{
    WANT(a);
    WANT(b);
    WANT(out);
    return combine(a, b, -1, out);
}

struct bilanx_functions bilanx_functions_scale(const struct bilanx_functions *functions,
                                               double factor)
{
    if (!functions)
        return (struct bilanx_functions){0};
    struct tally tally;
    tally_start(&tally);
    add_scaled(&tally, functions->items, functions->count, factor);
    return tally_finish(&tally, functions->inclusive);
}

double bilanx_functions_sum(const struct bilanx_functions *functions)
{
    double sum = 0;
    for (size_t i = 0; functions && i < functions->count; i++)
        sum += functions->items[i].count;
    return sum;
}

struct bilanx_functions bilanx_functions_filter(
    const struct bilanx_functions *functions,
    bool (*keep)(void *context, const struct bilanx_function_count *function), void *context)
{
    if (!functions || !keep)
        return (struct bilanx_functions){0};
    struct tally tally;
    tally_start(&tally);
    for (size_t i = 0; i < functions->count; i++)
        if (keep(context, &functions->items[i]))
            add_scaled(&tally, &functions->items[i], 1, 1);
    return tally_finish(&tally, functions->inclusive);
}

struct bilanx_functions bilanx_functions_transform(
    const struct bilanx_functions *functions,
    void (*rename)(void *context, struct bilanx_function_count *function), void *context)
{
    if (!functions || !rename)
        return (struct bilanx_functions){0};
    struct tally tally;
    tally_start(&tally);
    for (size_t i = 0; i < functions->count; i++) {
        struct bilanx_function_count renamed = functions->items[i];
        rename(context, &renamed);
        renamed.count = functions->items[i].count;
        add_scaled(&tally, &renamed, 1, 1);
    }
    return tally_finish(&tally, functions->inclusive);
}
