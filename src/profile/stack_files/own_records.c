// own_records: reads stacks from bilanx records, and from the graphs that bilanx draws, which
// contain such a record.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/stacks/embedded.h"
#include "profile/stacks/stacks_record.h"
#include "profile/stacks/trees.h"
#include "results/read/reader.h"
#include "stack_files.h"

struct found_stacks {
    struct bilanx_record *records;  // those that have stacks
    size_t count, room;
    size_t others;
};

static void found_stacks_done(struct found_stacks *found)
{
    for (size_t i = 0; i < found->count; i++)
        bilanx_record_done(&found->records[i]);
    free(found->records);
}
SCOPE_VALUE(found_stacks, found_stacks_done)

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct found_stacks *found = context;
    if (!record->stacks) {
        found->others++;
        return BILANX_SUCCESS;
    }
    mem_grow(found->records, found->count, &found->room);
    found->records[found->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

static char *title_of(const struct bilanx_record *record)
{
    if (record->stacks->title)
        return mem_text(record->stacks->title);
    const struct bilanx_task *task = &record->task;
    bool has_name = task->label || task->sub_label || task->description || task->stmt;
    return has_name ? record_task_title(task) : NULL;
}

static void use_only(struct stack_reading *reading, const struct bilanx_record *record)
{
    stacks_free(reading->stacks);
    reading->stacks = stacks_of_record(record->stacks);
    free(reading->stacks->title);
    reading->stacks->title = title_of(record);
}

// Several cases stand side by side, each below its title.
static struct bilanx_error use_all(struct stack_reading *reading, const struct found_stacks *found)
{
    struct stacks *stacks = reading->stacks;
    for (size_t i = 0; i < found->count; i++) {
        AUTO(stacks) struct stacks *part = stacks_of_record(found->records[i].stacks);
        AUTO(memory) char *title = title_of(&found->records[i]);
        if (i == 0)
            stacks_set_unit(stacks, part->unit);
        if (part->changes || !text_equal(stacks->unit, part->unit))
            return bilanx_error_make(BILANX_E_INPUT,
                                     "%s: its %zu records of stacks have different units, or are "
                                     "differences: put each into a file of its own",
                                     reading->lines->name, found->count);
        struct stack_frame frame = {.name = title ? title : "(no title)", .kind = FRAME_THREAD};
        unsigned at = stacks_child(stacks, 0, stacks_frame(stacks, &frame));
        stacks_merge(stacks, at, part, 1);
        stacks->lost += part->lost;
    }
    return BILANX_SUCCESS;
}

static void remark(void *context, const char *line)
{
    list_add(context, line);
}

static struct bilanx_error read_records(struct stack_reading *reading)
{
    AUTO(found_stacks) struct found_stacks found = {0};
    const struct tell tell = {remark, reading->remarks};
    BILANX_TRY(reader_each(reading->lines,
                           &(struct reader_sink){take, &found, .cut_short = true, .tell = &tell}));
    if (found.count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "%s: none of its %zu records has stacks",
                                 reading->lines->name, found.others);
    if (found.count > 1)
        return use_all(reading, &found);
    use_only(reading, &found.records[0]);
    return BILANX_SUCCESS;
}

static bool recognises_records(const char *bytes, size_t size)
{
    const char *start = bytes + strspn(bytes, " \t\r\n");
    return *start == '{' && memmem(bytes, size, "\"bilanx/", 8);
}

static struct bilanx_error read_svg(struct stack_reading *reading)
{
    char *bytes;
    size_t size;
    BILANX_TRY(lines_rest(reading->lines, &bytes, &size));
    const char *start = strstr(bytes, EMBEDDED_START);
    const char *end = start ? strstr(start, EMBEDDED_END) : NULL;
    if (!start)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: not drawn by bilanx, so it does not contain its stacks: give "
                                 "the file that it was drawn from",
                                 reading->lines->name);
    if (!end)
        return bilanx_error_make(BILANX_E_INPUT, "%s: is truncated: its stacks are not complete",
                                 reading->lines->name);
    start += strlen(EMBEDDED_START);
    AUTO(bilanx_record) struct bilanx_record record = {0};
    BILANX_TRY(bilanx_record_read(start, (size_t)(end - start), reading->lines->name, &record));
    if (!record.stacks)
        return bilanx_error_make(BILANX_E_INPUT, "%s: its record has no stacks",
                                 reading->lines->name);
    use_only(reading, &record);
    return BILANX_SUCCESS;
}

static bool recognises_svg(const char *bytes, size_t size)
{
    const char *start = bytes + strspn(bytes, " \t\r\n");
    return *start == '<' && memmem(bytes, size, "<svg", 4);
}

const struct stacks_format stacks_format_record = {
    .name = "bilanx",
    .summary = "records of bilanx with stacks, JSON lines",
    .recognises = recognises_records,
    .read = read_records,
};

const struct stacks_format stacks_format_svg = {
    .name = "svg",
    .summary = "graphs drawn by 'bilanx flame'",
    .recognises = recognises_svg,
    .read = read_svg,
};
