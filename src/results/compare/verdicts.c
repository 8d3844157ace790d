// verdicts: verdicts as written by `ab`.
#include "verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/units.h"

void verdicts_done(struct verdicts *verdicts)
{
    for (size_t i = 0; i < verdicts->count; i++)
        bilanx_record_done(&verdicts->items[i]);
    free(verdicts->items);
    *verdicts = (struct verdicts){0};
}

static bool is_same_question(const struct bilanx_record *a, const struct bilanx_record *b)
{
    struct hash one = record_task_hash(&a->task), other = record_task_hash(&b->task);
    return one.a == other.a && one.b == other.b && text_equal(a->side, b->side) &&
           text_equal(a->verdict->baseline, b->verdict->baseline);
}

void verdicts_add(struct verdicts *verdicts, struct bilanx_record *record)
{
    size_t at = 0;
    while (at < verdicts->count && !is_same_question(&verdicts->items[at], record))
        at++;
    if (at == verdicts->count) {
        mem_grow(verdicts->items, verdicts->count, &verdicts->room);
        verdicts->items[verdicts->count++] = (struct bilanx_record){0};
    }
    bilanx_record_done(&verdicts->items[at]);
    verdicts->items[at] = *record;
    *record = (struct bilanx_record){0};
}

static enum table_tone tone_of(const char *verdict)
{
    return text_equal(verdict, "slower")   ? TABLE_BAD
           : text_equal(verdict, "faster") ? TABLE_GOOD
           : text_equal(verdict, "same")   ? TABLE_PLAIN
                                           : TABLE_DIM;
}

static void add_time(struct table *table, double seconds)
{
    char text[UNITS_SIZE] = "";
    if (seconds > 0)
        units_time(seconds, seconds / 1000, text);
    table_cell(table, TABLE_PLAIN, "%s", text);
}

static void add_change(struct table *table, const struct bilanx_verdict *verdict)
{
    const double *interval = verdict->interval;
    enum table_tone tone = tone_of(verdict->verdict);
    if (isfinite(verdict->change))
        table_cell(table, tone, "%+.2f %%", 100 * verdict->change);
    else
        table_cell(table, tone, "%s", "");
    if (isfinite(interval[0]) && isfinite(interval[1]))
        table_cell(table, TABLE_PLAIN, "%+.2f .. %+.2f", 100 * interval[0], 100 * interval[1]);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, tone, "%s", verdict->verdict);
}

void verdicts_print(const struct verdicts *verdicts, struct table_look look, struct text *out)
{
    static const struct {
        const char *title;
        enum table_align align;
    } columns[] = {{"case", TABLE_LEFT},      {"baseline", TABLE_LEFT}, {"side", TABLE_LEFT},
                   {"before", TABLE_RIGHT},   {"after", TABLE_RIGHT},   {"change", TABLE_RIGHT},
                   {"interval", TABLE_RIGHT}, {"verdict", TABLE_LEFT}};
    AUTO(table) struct table table = {0};
    if (verdicts->count == 0)
        return;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        table_column(&table, columns[i].title, columns[i].align);
    for (size_t i = 0; i < verdicts->count; i++) {
        const struct bilanx_record *record = &verdicts->items[i];
        const struct bilanx_verdict *verdict = record->verdict;
        AUTO(memory) char *title = record_task_title(&record->task);
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%s", title);
        table_cell(&table, TABLE_PLAIN, "%s", verdict->baseline ? verdict->baseline : "");
        table_cell(&table, TABLE_PLAIN, "%s", record->side ? record->side : "");
        add_time(&table, verdict->times[0]);
        add_time(&table, verdict->times[1]);
        add_change(&table, verdict);
    }
    table_print(&table, look, out);
}

void verdicts_add_rows(const struct verdicts *verdicts, struct table *table)
{
    for (size_t i = 0; i < verdicts->count; i++) {
        const struct bilanx_record *record = &verdicts->items[i];
        const struct bilanx_task *task = &record->task;
        AUTO(memory) char *title = record_task_title(task);
        const char *const texts[] = {task->label, NULL, task->env, title, record->side, "change"};
        table_row(table);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            table_cell(table, TABLE_PLAIN, "%s", texts[k] ? texts[k] : "");
        table_number(table, record->verdict->change);
        table_number(table, record->verdict->interval[0]);
        table_number(table, record->verdict->interval[1]);
        table_cell(table, TABLE_PLAIN, "%s", "share");
        table_cell(table, TABLE_PLAIN, "%s", "");
        table_cell(table, TABLE_PLAIN, "%s", record->verdict->verdict);
        table_cell(table, TABLE_PLAIN, "%s", record->core ? record->core : "");
    }
}

static void write_verdict(const struct bilanx_record *record, struct json_writer *json)
{
    const struct bilanx_verdict *verdict = record->verdict;
    AUTO(memory) char *title = record_task_title(&record->task);
    writer_open(json, '{');
    writer_key_text(json, "case", title);
    writer_key_text(json, "baseline", verdict->baseline ? verdict->baseline : "");
    writer_key_text(json, "side", record->side ? record->side : "");
    writer_key_number(json, "change", verdict->change);
    writer_key(json, "interval");
    writer_open(json, '[');
    writer_number(json, verdict->interval[0]);
    writer_number(json, verdict->interval[1]);
    writer_close(json, ']');
    writer_key_text(json, "verdict", verdict->verdict);
    writer_close(json, '}');
}

void verdicts_write(const struct verdicts *verdicts, struct json_writer *json)
{
    writer_key(json, "verdicts");
    writer_open(json, '[');
    for (size_t i = 0; i < verdicts->count; i++)
        write_verdict(&verdicts->items[i], json);
    writer_close(json, ']');
}
