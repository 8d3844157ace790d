// sides: reads the files to compare and matches their cases.
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "callgrind.h"
#include "core/record/shape.h"
#include "core/record/variants.h"
#include "results/read/reader.h"

void counts_side_done(struct counts_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        counts_done(&side->cases[i].counts);
        free(side->cases[i].title);
        free(side->cases[i].variants);
    }
    free(side->cases);
    free(side->name);
    *side = (struct counts_side){0};
}

static struct hash hash_task(const struct bilanx_task *task)
{
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    shape_write(&shape_task, task, &json);
    struct hash hash = hash_start();
    hash_add_text(&hash, text_get(&text));
    return hash;
}

static struct side_case *add_case(struct counts_side *side)
{
    mem_grow(side->cases, side->count, &side->room);
    struct side_case *added = &side->cases[side->count++];
    *added = (struct side_case){0};
    return added;
}

static struct bilanx_error take_record(void *context, struct bilanx_record *record)
{
    struct counts_side *side = context;
    if (!record->counts || record->counts->function_count == 0)
        return BILANX_SUCCESS;
    struct side_case *added = add_case(side);
    struct bilanx_task loose = record->task;
    loose.compile = NULL;
    loose.env = NULL;
    added->title = record_task_title(&record->task);
    added->whole = hash_task(&record->task);
    added->loose = hash_task(&loose);
    added->variants = record_variants(record);
    added->counts = *record->counts;
    *record->counts = (struct bilanx_counts){0};
    return BILANX_SUCCESS;
}

// Adds up the parts of a file, as KCachegrind does.
static struct bilanx_error read_callgrind(struct lines *lines, struct counts_side *side)
{
    AUTO(profile) struct profile profile = {0};
    BILANX_TRY(callgrind_read(lines, &profile));
    struct side_case *added = add_case(side);
    added->title = mem_text("");
    struct bilanx_counts *whole = &added->counts;
    for (size_t i = 0; i < profile.count; i++) {
        struct bilanx_counts part = {0};
        BILANX_TRY(counts_of_part(&profile.parts[i], lines->name, &part));
        whole->instructions += part.instructions;
        size_t count = whole->function_count + part.function_count;
        whole->functions = mem_resized(whole->functions, (count + 1) * sizeof *whole->functions);
        for (size_t j = 0; j < part.function_count; j++)
            whole->functions[whole->function_count++] = part.functions[j];
        part.function_count = 0;  // their strings were moved
        counts_done(&part);
    }
    side->parts = profile.count;
    return BILANX_SUCCESS;
}

struct bilanx_error counts_side_read(const char *path, struct counts_side *out)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    AUTO(counts_side) struct counts_side side = {.name = mem_text(lines.name)};
    const char *bytes;
    size_t size, blank = 0;
    BILANX_TRY(lines_peek(&lines, 4096, &bytes, &size));
    while (blank < size && strchr(" \t\r\n", bytes[blank]) && bytes[blank])
        blank++;
    side.records = blank < size && bytes[blank] == '{';
    if (side.records)
        BILANX_TRY(
            reader_each(&lines, &(struct reader_sink){take_record, &side, .cut_short = true}));
    else
        BILANX_TRY(read_callgrind(&lines, &side));
    if (side.count == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "'%s' has no counts by function: create them with 'bilanx count'",
                                 path);
    *out = side;
    side = (struct counts_side){0};
    return BILANX_SUCCESS;
}

static bool same(const struct hash *a, const struct hash *b)
{
    return a->a == b->a && a->b == b->b;
}

// How to recognise two cases as the same, most reliable first.
static bool same_task(const struct side_case *a, const struct side_case *b)
{
    return same(&a->whole, &b->whole);
}

static bool same_code(const struct side_case *a, const struct side_case *b)
{
    return same(&a->loose, &b->loose);
}

static bool same_title(const struct side_case *a, const struct side_case *b)
{
    return strcmp(a->title, b->title) == 0;
}

static void pair_up(struct counts_side *a, struct counts_side *b,
                    bool (*alike)(const struct side_case *a, const struct side_case *b))
{
    for (size_t i = 0; i < a->count; i++) {
        struct side_case *left = &a->cases[i];
        for (size_t j = 0; !left->partner && j < b->count; j++) {
            struct side_case *right = &b->cases[j];
            if (right->partner || !alike(left, right))
                continue;
            left->partner = right;
            right->partner = left;
            left->alike = right->alike = alike == same_task;
        }
    }
}

void sides_pair(struct counts_side *a, struct counts_side *b)
{
    pair_up(a, b, same_task);
    pair_up(a, b, same_code);
    pair_up(a, b, same_title);
}
