// ab_records: sides that are stored: nothing is interleaved, so the interval is of two samples.
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"
#include "contest/stored.h"
#include "record/records.h"

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
SCOPE_VALUE(stored, stored_done)

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct stored *stored = context;
    (void)measured;
    mem_grow(stored->items, stored->count, &stored->room);
    stored->items[stored->count++] = *record;
}

static struct bilanx_error read_file(const char *path, struct stored *out)
{
    BILANX_TRY(bilanx_record_read_file(path, &out->items, &out->count));
    out->count = bilanx_record_merge(out->items, out->count);
    return BILANX_SUCCESS;
}

// The records of a file, or of a side that is measured now.
static struct bilanx_error collect(const struct ab_arguments *arguments, struct ab_side *side,
                                   struct stored *out)
{
    if (side->side->kind == &side_records)
        return read_file(side->side->path, out);
    struct run_options options = {.max_run_time = arguments->budget,
                                  .timeout = arguments->settings.timeout,
                                  .seed = arguments->settings.seed};
    BILANX_TRY(surroundings_enter(&side->side->surroundings));
    struct bilanx_error error =
        run_measure(&side->cases, &options, &(struct run_observer){out, NULL, keep});
    surroundings_leave(&side->side->surroundings);
    return error;
}

static bool is_measurement(const struct bilanx_record *record)
{
    return text_equal(record->kind, "measurement");
}

static const struct bilanx_record *find(const struct stored *stored, const struct bilanx_task *task)
{
    for (size_t i = 0; i < stored->count; i++)
        if (is_measurement(&stored->items[i]) && stored_is_same_task(&stored->items[i].task, task))
            return &stored->items[i];
    return NULL;
}

struct bilanx_error ab_compare_stored(const struct ab_arguments *arguments, struct ab_side *first,
                                      struct ab_side *other, struct ab_results *out)
{
    AUTO(stored) struct stored before = {0}, after = {0};
    BILANX_TRY(collect(arguments, first, &before));
    BILANX_TRY(collect(arguments, other, &after));
    out->records = mem_array(struct bilanx_record, after.count);
    out->names = mem_array(char *, after.count);
    for (size_t i = 0; i < after.count; i++) {
        if (!is_measurement(&after.items[i]))
            continue;
        AUTO(memory) char *title = record_task_title(&after.items[i].task);
        const struct bilanx_record *counterpart = find(&before, &after.items[i].task);
        if (!counterpart) {
            AUTO(memory)
            char *told = mem_format("'%s' is not on side %s", title, first->side->name);
            ab_tell(told);
            continue;
        }
        struct bilanx_record *record = &out->records[out->count];
        stored_judge_times(counterpart, &after.items[i], &arguments->margins, record);
        record->side = mem_text(other->side->name);
        record->verdict->baseline = mem_text(first->side->title);
        out->names[out->count++] = TAKE(title);
    }
    return out->count
               ? BILANX_SUCCESS
               : bilanx_error_make(BILANX_E_FAILED, "sides %s and %s have no measurement in common",
                                   first->side->name, other->side->name);
}
