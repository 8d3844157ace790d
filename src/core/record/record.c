// record: writes, compares and merges records.
#include "records.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shape.h"

void bilanx_record_done(struct bilanx_record *record)
{
    if (record)
        shape_done(&shape_record, record);
}

char *record_task_title(const struct bilanx_task *task)
{
    struct text title = {0};
    const char *const parts[] = {task->label, task->sub_label, task->description};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i])
            text_format(&title, "%s%s", title.size ? ", " : "", parts[i]);
    if (!title.size)
        text_add(&title, task->stmt && *task->stmt ? task->stmt : "(no name)");
    if (task->num_threads > 1)
        text_format(&title, ", %llu threads", (unsigned long long)task->num_threads);
    return text_take(&title);
}

void record_copy_task(const struct bilanx_task *from, struct bilanx_task *to)
{
    shape_copy(&shape_task, from, to);
}

void record_copy(const struct bilanx_record *from, struct bilanx_record *to)
{
    shape_copy(&shape_record, from, to);
}

struct bilanx_failure *record_copy_failure(const struct bilanx_failure *from)
{
    struct bilanx_failure *copy = mem_new(struct bilanx_failure);
    shape_copy(&shape_failure, from, copy);
    return copy;
}

void record_task_done(struct bilanx_task *task)
{
    shape_done(&shape_task, task);
}

char *bilanx_record_json(const struct bilanx_record *record)
{
    struct text line = {0};
    struct json_writer json = {.out = &line};
    writer_open(&json, '{');
    writer_key_text(&json, "schema", RECORD_SCHEMA);
    if (record)
        shape_members(&shape_record, record, &json);
    writer_close(&json, '}');
    return text_take(&line);
}

struct hash record_task_hash(const struct bilanx_task *task)
{
    struct hash hash = hash_start();
    shape_hash(&shape_task, task, &hash);
    return hash;
}

struct hash record_bare_hash(const struct bilanx_task *task)
{
    struct bilanx_task bare = *task;
    bare.compile = NULL;
    return record_task_hash(&bare);
}

static char *identity(const struct bilanx_record *record)
{
    struct text text = {0};
    struct json_writer json = {.out = &text};
    shape_write(&shape_task, &record->task, &json);
    writer_text(&json, record->side ? record->side : "");
    return text_take(&text);
}

bool bilanx_record_replicates(const struct bilanx_record *a, const struct bilanx_record *b)
{
    if (!a || !b)
        return false;
    AUTO(memory) char *left = identity(a);
    AUTO(memory) char *right = identity(b);
    return strcmp(left, right) == 0;
}

static bool is_measurement(const struct bilanx_record *record)
{
    return text_equal(record->kind, "measurement");
}

// Doubles the capacity, so that appending many items one by one takes linear time.
static void *room_for(void *items, size_t count, size_t size)
{
    size_t room = 1;
    if (count * size <= malloc_usable_size(items))
        return items;
    while (room < count)
        room *= 2;
    return mem_resized(items, room * size);
}

static void join(double **to, size_t *to_count, const double *from, size_t from_count,
                 uint64_t number)
{
    *to = room_for(*to, *to_count + from_count, sizeof **to);
    for (size_t i = 0; i < from_count; i++)
        (*to)[*to_count + i] = from[i] / (double)number;
    *to_count += from_count;
}

// Afterwards each raw time is the time of one call, so blocks of any size can be combined.
static void per_call(struct bilanx_timing *timing)
{
    if (timing->number_per_run == 1)
        return;
    for (size_t i = 0; i < timing->raw_count; i++)
        timing->raw_times[i] /= (double)timing->number_per_run;
    for (size_t i = 0; i < timing->raw_cpu_count; i++)
        timing->raw_cpu_times[i] /= (double)timing->number_per_run;
    timing->number_per_run = 1;
}

void record_absorb(struct bilanx_record *into, struct bilanx_record *from)
{
    struct bilanx_timing *a = &into->timing, *b = &from->timing;
    per_call(a);
    join(&a->raw_times, &a->raw_count, b->raw_times, b->raw_count, b->number_per_run);
    join(&a->raw_cpu_times, &a->raw_cpu_count, b->raw_cpu_times, b->raw_cpu_count,
         b->number_per_run);
    size_t epochs = a->epoch_count + b->epoch_count;
    a->epochs = room_for(a->epochs, epochs, sizeof *a->epochs);
    if (b->epoch_count)
        memcpy(a->epochs + a->epoch_count, b->epochs, b->epoch_count * sizeof *b->epochs);
    a->epoch_count = epochs;
    b->epoch_count = 0;  // their strings have moved
    if (!text_equal(a->method, b->method)) {
        free(a->method);
        a->method = mem_text("mixed");
    }
    if (!text_equal(into->core, from->core)) {
        free(into->core);
        into->core = mem_text("unknown");
    }
    into->elapsed += from->elapsed;
    into->max_rss = from->max_rss > into->max_rss ? from->max_rss : into->max_rss;
    record_take_warnings(into, from);
    bilanx_record_done(from);
}

struct member {
    char *identity;
    size_t index;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    int order = strcmp(left->identity, right->identity);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

// Sorting groups the replicates, the first record leading each group. Linear apart from the sort.
static void absorb_replicates(struct bilanx_record *records, struct member *members, size_t count)
{
    qsort(members, count, sizeof *members, compare_members);
    size_t first = 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(members[i].identity, members[first].identity) == 0)
            record_absorb(&records[members[first].index], &records[members[i].index]);
        else
            first = i;
    }
}

size_t bilanx_record_merge(struct bilanx_record *records, size_t count)
{
    if (!records)
        return 0;
    struct member *members = mem_array(struct member, count);
    size_t measurements = 0;
    for (size_t i = 0; i < count; i++)
        if (is_measurement(&records[i]))
            members[measurements++] = (struct member){identity(&records[i]), i};
    absorb_replicates(records, members, measurements);
    for (size_t i = 0; i < measurements; i++)
        free(members[i].identity);
    free(members);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind) {  // absorbed records are empty
            records[kept] = records[i];
            if (kept != i)
                memset(&records[i], 0, sizeof records[i]);
            record_summarize(&records[kept++]);
        }
    return kept;
}
