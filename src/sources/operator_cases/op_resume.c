// op_resume: finds the samples that a file of records already has.
#include "op_resume.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/index.h"
#include "base/mem.h"
#include "results/read/reader.h"

struct reading {
    struct ops *ops;
    struct index places;  // of the cases, by their tasks
    struct bilanx_record *records;
    size_t count, room;
    bool *failed;  // one per sample
};

static void reading_done(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        bilanx_record_done(&reading->records[i]);
    free(reading->records);
    free(reading->failed);
    index_done(&reading->places);
}
SCOPE_VALUE(reading, reading_done)

static size_t place_of(const struct reading *reading, const struct bilanx_record *record)
{
    return index_find(&reading->places, record_task_hash(&record->task));
}

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct reading *reading = context;
    size_t place = place_of(reading, record);
    if (place != SIZE_MAX && record->error)
        reading->failed[place / reading->ops->backends.count] = true;
    mem_grow(reading->records, reading->count, &reading->room);
    reading->records[reading->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

static struct ops_sample *sample_at(struct ops *ops, size_t number)
{
    for (size_t i = 0; i < ops->operator_count; i++) {
        struct ops_operator *of = &ops->operators[i];
        size_t count = of->skipped ? 0 : of->sample_count;
        if (number < count)
            return &of->samples[number];
        number -= count;
    }
    return NULL;
}

// A sample is complete when the record of its baseline, which is written last, exists. A backend
// without a record then does not support it.
static void restore(struct ops *ops, size_t place, const struct bilanx_record *record)
{
    size_t count = ops->backends.count, backend = place % count;
    struct ops_sample *sample = sample_at(ops, place / count);
    if (!sample || sample->times[backend].state != OPS_PENDING)
        return;
    ops_restore(sample, backend, record);
    sample->finished |= backend == 0;
}

static void settle(struct ops *ops)
{
    for (size_t i = 0; i < ops_sample_count(ops); i++) {
        struct ops_sample *sample = sample_at(ops, i);
        for (size_t b = 0; b < ops->backends.count; b++) {
            struct ops_time *time = &sample->times[b];
            if (sample->finished && time->state == OPS_PENDING) {
                time->state = OPS_UNSUPPORTED;
                time->status = BILANX_E_SKIPPED;
                time->why = mem_text("not supported, as an earlier run found");
            } else if (!sample->finished && time->state != OPS_PENDING) {
                free(time->times);
                *time = (struct ops_time){.error = NAN, .page_faults = NAN};
            }
        }
    }
}

struct bilanx_error ops_resume(struct ops *ops, const char *path, struct text *kept, bool *dropped)
{
    *dropped = false;
    if (access(path, F_OK) != 0)
        return BILANX_SUCCESS;
    AUTO(reading) struct reading reading = {.ops = ops};
    reading.failed = mem_array(bool, ops_sample_count(ops) + 1);
    for (size_t i = 0; i < ops->cases.count; i++) {
        bool added;
        index_find_or_add(&reading.places, record_task_hash(&ops->cases.items[i].task), i, &added);
    }
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    BILANX_TRY(reader_each(&lines, &(struct reader_sink){take, &reading, .cut_short = true}));
    for (size_t i = 0; i < reading.count; i++) {
        size_t place = place_of(&reading, &reading.records[i]);
        bool again = place != SIZE_MAX && reading.failed[place / ops->backends.count];
        *dropped |= again;
        if (again)
            continue;
        AUTO(memory) char *json = bilanx_record_json(&reading.records[i]);
        text_format(kept, "%s\n", json);
        if (place != SIZE_MAX)
            restore(ops, place, &reading.records[i]);
    }
    settle(ops);
    return BILANX_SUCCESS;
}
