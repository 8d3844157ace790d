// callgrind_counts: converts the parts of a callgrind file to counts of a record.
#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/want.h"
#include "bilanx/counts.h"
#include "callgrind.h"
#include "core/record/shape.h"

void counts_done(struct bilanx_counts *counts)
{
    shape_done(&shape_counts, counts);
}

static int compare_functions(const void *a, const void *b)
{
    const struct bilanx_function *left = a, *right = b;
    if (left->self != right->self)
        return left->self < right->self ? 1 : -1;
    return -function_name_compare(
        &(struct function_name){left->file, left->function, left->object},
        &(struct function_name){right->file, right->function, right->object});
}

static void add_functions(const struct profile_part *part, size_t event, struct bilanx_counts *out)
{
    const struct function_index *functions = &part->functions;
    out->functions = mem_array(struct bilanx_function, functions->count);
    for (size_t i = 0; i < functions->count; i++) {
        const struct function_name *name = &functions->names[i];
        double self = (double)profile_self(part, i, event);
        double inclusive = (double)profile_inclusive(part, i, event);
        if (self != 0 || inclusive != 0)
            out->functions[out->function_count++] = (struct bilanx_function){
                .file = mem_text(name->file),
                .function = mem_text(name->function),
                .object = mem_text(name->object),
                .self = self,
                .inclusive = inclusive,
            };
    }
    if (out->function_count)
        qsort(out->functions, out->function_count, sizeof *out->functions, compare_functions);
}

static char *other_events(const struct profile_part *part, size_t event)
{
    if (part->events.count == 1)
        return NULL;
    struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (size_t i = 0; i < part->events.count; i++)
        if (i != event)
            writer_key_count(&json, part->events.items[i], part->sums ? part->sums[i] : 0);
    writer_close(&json, '}');
    return text_take(&text);
}

struct bilanx_error counts_of_part(const struct profile_part *part, const char *where,
                                   struct bilanx_counts *out)
{
    size_t event = profile_event(part, "Ir");
    if (event == part->events.count) {
        AUTO(text) struct text first = {0};
        text_add_harmless(&first, part->events.items[0]);
        return bilanx_error_make(
            BILANX_E_INPUT,
            "%s: has no instruction counts: 'Ir' is not among its events (the first is '%.40s')",
            where, text_get(&first));
    }
    *out = (struct bilanx_counts){
        .counter = mem_text("callgrind"),
        .instructions = part->sums ? (double)part->sums[event] : 0,
        .per_iteration = NAN,
        .baseline = NAN,
        .events = other_events(part, event),
    };
    add_functions(part, event, out);
    return BILANX_SUCCESS;
}

struct bilanx_error counts_read_callgrind(const char *path, struct bilanx_counts **parts,
                                          size_t *count)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    AUTO(profile) struct profile profile = {0};
    BILANX_TRY(callgrind_read(&lines, &profile));
    struct bilanx_counts *all = mem_array(struct bilanx_counts, profile.count);
    for (size_t i = 0; i < profile.count; i++) {
        struct bilanx_error error = counts_of_part(&profile.parts[i], lines.name, &all[i]);
        if (error.status != BILANX_OK) {
            for (size_t j = 0; j < i; j++)
                counts_done(&all[j]);
            free(all);
            return error;
        }
    }
    *parts = all;
    *count = profile.count;
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_counts_read(const char *path, struct bilanx_counts **parts,
                                       size_t *count)
{
    WANT(path);
    WANT(parts);
    WANT(count);
    return counts_read_callgrind(path, parts, count);
}

void bilanx_counts_done(struct bilanx_counts *counts)
{
    if (counts)
        counts_done(counts);
}
