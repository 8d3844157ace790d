// joined_records: compares stored sides record by record.
#include "joined_records.h"

#include <stdlib.h>
#include <string.h>

#include "ab/comparison/instructions.h"
#include "ab/verdict/stored.h"
#include "base/filter.h"
#include "base/mem.h"
#include "results/convert/convert_read.h"

struct stored {
    struct bilanx_record *items;
    size_t count, room;
};

static void stored_done(struct stored *stored)
{
    for (size_t i = 0; i < stored->count; i++)
        bilanx_record_done(&stored->items[i]);
    free(stored->items);
}

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct stored *stored = context;
    mem_grow(stored->items, stored->count, &stored->room);
    stored->items[stored->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct stored *stored = context;
    (void)measured;
    mem_grow(stored->items, stored->count, &stored->room);
    stored->items[stored->count++] = *record;
}

// The data to compare: times or counts of records.
struct quantity {
    bool (*is_in)(const struct bilanx_record *record);
    struct bilanx_error (*take)(const struct ab_options *options, struct ab_side *side,
                                struct stored *out);  // for a side that is not stored
    const char *name;
};

static bool is_measurement(const struct bilanx_record *record)
{
    return text_equal(record->kind, "measurement");
}

static struct bilanx_error measure(const struct ab_options *options, struct ab_side *side,
                                   struct stored *out)
{
    struct run_options how = {
        .max_run_time = options->budget, .timeout = options->timeout, .seed = options->seed};
    return run_measure(&side->cases, &how, &(struct run_observer){out, NULL, keep});
}

static bool has_counts(const struct bilanx_record *record)
{
    return record->counts != NULL;
}

static struct bilanx_error count(const struct ab_options *options, struct ab_side *side,
                                 struct stored *out)
{
    out->items = mem_array(struct bilanx_record, side->cases.count);
    out->count = side->cases.count;
    return ab_count_side(options, side, out->items);
}

static const struct quantity times = {is_measurement, measure, "measurement"};
static const struct quantity instructions = {has_counts, count, "counts"};

static struct bilanx_error read_stored(const struct ab_side *side, struct stored *out)
{
    if (!ab_is_stored(side))
        return BILANX_SUCCESS;
    BILANX_TRY(
        convert_read(side->side->path, NULL, &(struct reader_sink){take, out, .cut_short = true}));
    out->count = bilanx_record_merge(out->items, out->count);
    return BILANX_SUCCESS;
}

// Reports an unreadable file before measuring anything.
static struct bilanx_error collect(const struct ab_options *options,
                                   const struct quantity *quantity, struct ab_side *const sides[2],
                                   struct stored out[2])
{
    for (size_t i = 0; i < 2; i++)
        BILANX_TRY(read_stored(sides[i], &out[i]));
    for (size_t i = 0; i < 2; i++)
        if (!ab_is_stored(sides[i]))
            BILANX_TRY(quantity->take(options, sides[i], &out[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_record *find(const struct stored *stored, const struct quantity *quantity,
                                  const struct bilanx_task *task)
{
    for (size_t i = 0; i < stored->count; i++)
        if (quantity->is_in(&stored->items[i]) && stored_is_same_task(&stored->items[i].task, task))
            return &stored->items[i];
    return NULL;
}

// Chooses tasks by --filter: by their title ("copy, n=64"), or the name that a program gives the
// case
// ("copy/n=64").
static bool is_chosen(const struct filter *filter, const struct bilanx_task *task,
                      const char *title)
{
    if (filter_keeps(filter, title))
        return true;
    if (!task->label || !task->sub_label)
        return false;
    AUTO(memory) char *name = mem_format("%s/%s", task->label, task->sub_label);
    for (char *at = name + strlen(task->label); (at = strchr(at, ' '));)
        *at = '/';
    return filter_keeps(filter, name);
}

// Two records of one task, one per side.
struct couple {
    struct bilanx_record *before, *after;
    char *title;
};
struct couples {
    struct couple *items;
    size_t count;
    struct stored stored[2];
};

static void couples_done(struct couples *couples)
{
    for (size_t i = 0; i < couples->count; i++)
        free(couples->items[i].title);
    free(couples->items);
    stored_done(&couples->stored[0]);
    stored_done(&couples->stored[1]);
}
SCOPE_VALUE(couples, couples_done)

static struct bilanx_error join(const struct ab_options *options, const struct tell *note,
                                const struct quantity *quantity, struct ab_side *first,
                                struct ab_side *other, struct couples *out)
{
    AUTO(filter) struct filter filter = {0};
    BILANX_TRY(filter_open(options->filter, &filter));
    BILANX_TRY(collect(options, quantity, (struct ab_side *const[]){first, other}, out->stored));
    out->items = mem_array(struct couple, out->stored[1].count);
    for (size_t i = 0; i < out->stored[1].count; i++) {
        struct bilanx_record *after = &out->stored[1].items[i];
        if (!quantity->is_in(after))
            continue;
        AUTO(memory) char *title = record_task_title(&after->task);
        if (!is_chosen(&filter, &after->task, title))
            continue;
        struct bilanx_record *before = find(&out->stored[0], quantity, &after->task);
        if (before) {
            out->items[out->count++] = (struct couple){before, after, TAKE(title)};
            continue;
        }
        AUTO(memory) char *told = mem_format("'%s' is not on side %s", title, first->side->name);
        tell_line(note, told);
    }
    if (out->count)
        return BILANX_SUCCESS;
    if (options->filter)
        return bilanx_error_make(BILANX_E_FAILED, "no case of both sides matches the filter '%s'",
                                 options->filter);
    return bilanx_error_make(BILANX_E_FAILED, "sides %s and %s have no %s in common",
                             first->side->name, other->side->name, quantity->name);
}

static struct stored_hours hours_of(const struct couples *couples)
{
    AUTO(memory) double *changes = mem_array(double, couples->count + 1);
    bool free = true;
    for (size_t i = 0; i < couples->count; i++) {
        const struct couple *couple = &couples->items[i];
        changes[i] = stored_change(couple->before, couple->after);
        free = free && text_equal(couple->before->core, "free") &&
               text_equal(couple->after->core, "free");
    }
    return stored_hours(changes, couples->count, free);
}

struct bilanx_error ab_compare_stored(const struct ab_options *options, const struct tell *note,
                                      struct ab_side *first, struct ab_side *other,
                                      struct ab_results *out)
{
    AUTO(couples) struct couples couples = {0};
    BILANX_TRY(join(options, note, &times, first, other, &couples));
    out->records = mem_array(struct bilanx_record, couples.count);
    out->names = mem_array(char *, couples.count);
    struct stored_hours hours = hours_of(&couples);
    for (size_t i = 0; i < couples.count; i++) {
        struct couple *couple = &couples.items[i];
        struct bilanx_record *record = &out->records[out->count];
        stored_judge_times(couple->before, couple->after, &hours, &options->margins, record);
        record->side = mem_text(other->side->name);
        record->verdict->baseline = mem_text(first->side->title);
        out->names[out->count++] = TAKE(couple->title);
    }
    return BILANX_SUCCESS;
}

static void move(struct bilanx_record *from, const char *side, struct bilanx_record *to)
{
    *to = *from;
    *from = (struct bilanx_record){0};
    free(to->side);
    to->side = mem_text(side);
}

struct bilanx_error ab_count_stored(const struct ab_options *options, const struct tell *note,
                                    struct ab_side *first, struct ab_side *other,
                                    struct ab_counts *out)
{
    AUTO(couples) struct couples couples = {0};
    BILANX_TRY(join(options, note, &instructions, first, other, &couples));
    *out = (struct ab_counts){.before = mem_array(struct bilanx_record, couples.count),
                              .after = mem_array(struct bilanx_record, couples.count),
                              .names = mem_array(char *, couples.count)};
    for (; out->count < couples.count; out->count++) {
        struct couple *couple = &couples.items[out->count];
        move(couple->before, first->side->name, &out->before[out->count]);
        move(couple->after, other->side->name, &out->after[out->count]);
        out->names[out->count] = TAKE(couple->title);
    }
    return BILANX_SUCCESS;
}
