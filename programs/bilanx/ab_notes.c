// ab_notes: notes below a table of verdicts: why one was not reached, failures, warnings.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab_report.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "core/record/records.h"
#include "core/show/show.h"

// A note on one or several cases.
struct note {
    const char *code, *text, *first;  // first: name of the first case
    size_t count;
    enum table_tone tone;
};
struct notes {
    struct note *items;
    size_t count, room;
};

// Explains a warning once, even if its figures differ; reasons are merged only if equal.
static void add_note(struct notes *notes, const struct note *note, bool explained_once)
{
    for (size_t i = 0; i < notes->count; i++) {
        struct note *known = &notes->items[i];
        if (strcmp(known->code, note->code) != 0 ||
            (!explained_once && strcmp(known->text, note->text) != 0))
            continue;
        known->count++;
        return;
    }
    mem_grow(notes->items, notes->count, &notes->room);
    notes->items[notes->count++] = *note;
}

bool ab_is_reached(const struct bilanx_verdict *verdict)
{
    static const char *const words[] = {"slower", "faster", "same"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(verdict->verdict, words[i]) == 0)
            return true;
    return false;
}

bool ab_is_measured(const struct bilanx_verdict *verdict)
{
    return isfinite(verdict->change);
}

static bool needs_reason(const struct bilanx_verdict *verdict)
{
    return !ab_is_reached(verdict) || !ab_is_measured(verdict);
}

static void collect_failures(const struct ab_results *results, struct notes *notes)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct bilanx_record *record = &results->records[i];
        if (record->error && !record_skipped(record))
            add_note(notes,
                     &(struct note){record->error->code, record->error->text, results->names[i], 1,
                                    TABLE_BAD},
                     false);
    }
}

static void collect(const struct ab_results *results, struct notes *notes)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct bilanx_verdict *verdict = results->records[i].verdict;
        if (results->records[i].error || !verdict || !needs_reason(verdict))
            continue;
        bool biased = strcmp(verdict->verdict, "harness-biased") == 0;
        add_note(notes,
                 &(struct note){verdict->verdict, verdict->reason, results->names[i], 1,
                                biased ? TABLE_WARN : TABLE_DIM},
                 false);
    }
    for (size_t i = 0; i < results->count; i++)
        for (size_t w = 0; w < results->records[i].warning_count; w++) {
            const struct bilanx_warning *warning = &results->records[i].warnings[w];
            add_note(notes,
                     &(struct note){warning->code, warning->text, results->names[i], 1, TABLE_WARN},
                     true);
        }
}

// "undecided (copy/64 and 2 more): out of time; ..."
static void show(const struct note *note, bool named, bool color, int fd, struct text *out)
{
    AUTO(text) struct text about = {0};
    size_t width = terminal_width(fd), taken = strlen(note->code);
    if (named && note->first)
        show_about(note->first, note->count, width > taken ? width - taken : width, &about);
    else
        text_add(&about, ":");
    tone_add(out, color, note->tone, note->code);
    text_add(out, text_get(&about));
    text_add_wrapped(out, taken + text_width(text_get(&about)), width, note->text);
    text_add(out, "\n");
}

static void show_all(struct notes *notes, const struct ab_results *results, bool color, int fd,
                     struct text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < results->count; i++)
        shown += results->records[i].kind && !record_skipped(&results->records[i]);
    for (size_t i = 0; i < notes->count; i++)
        show(&notes->items[i], notes->items[i].count < shown, color, fd, out);
    free(notes->items);
}

void ab_add_notes(const struct ab_results *results, bool color, struct text *out)
{
    struct notes notes = {0};
    collect(results, &notes);
    show_all(&notes, results, color, STDOUT_FILENO, out);
}

void ab_add_failures(const struct ab_results *results, bool color, struct text *out)
{
    struct notes notes = {0};
    collect_failures(results, &notes);
    show_all(&notes, results, color, STDERR_FILENO, out);
}

void ab_add_reason(const struct bilanx_record *record, struct text *out)
{
    if (record->error)
        text_add(out, record->error->text);
    else if (record->verdict && needs_reason(record->verdict))
        text_add(out, record->verdict->reason);
    for (size_t i = 0; i < record->warning_count; i++)
        text_format(out, "%s%s", out->size ? "; " : "", record->warnings[i].text);
}
