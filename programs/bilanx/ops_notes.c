// ops_notes: lists operators with a note, and those that were not measured, grouped by reason.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "ops_report.h"

struct reason {
    char *text;
    struct text names;
    size_t count;
};

struct reasons {
    struct reason *items;
    size_t count, room;
};

static void reasons_done(struct reasons *reasons)
{
    for (size_t i = 0; i < reasons->count; i++) {
        free(reasons->items[i].text);
        text_done(&reasons->items[i].names);
    }
    free(reasons->items);
}
SCOPE_VALUE(reasons, reasons_done)

static void add(struct reasons *reasons, const char *text, const char *name)
{
    size_t i = 0;
    while (i < reasons->count && strcmp(reasons->items[i].text, text) != 0)
        i++;
    if (i == reasons->count) {
        mem_grow(reasons->items, reasons->count, &reasons->room);
        reasons->items[reasons->count++] = (struct reason){.text = mem_text(text)};
    }
    struct reason *reason = &reasons->items[i];
    reason->count++;
    text_format(&reason->names, "%s%s", reason->names.size ? ", " : "", name);
}

// An operator that a backend supports on no sample.
static const char *why_never(const struct ops_operator *of, size_t backend)
{
    const char *why = NULL;
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_time *time = &of->samples[i].times[backend];
        if (time->state != OPS_UNSUPPORTED)
            return NULL;
        why = time->why;
    }
    return why;
}

static void add_skipped(const struct ops *ops, const struct ops_operator *of,
                        struct reasons *reasons)
{
    const char *name = of->logged->name;
    if (of->skipped) {
        add(reasons, of->skipped, name);
        return;
    }
    AUTO(text) struct text by = {0};
    size_t refused = 0;
    for (size_t b = 0; b < ops->backends.count; b++) {
        if (!why_never(of, b))
            continue;
        refused++;
        if (b == 0)
            break;
        text_format(&by, "%s%s", by.size ? " or " : "", ops->backends.items[b].name);
    }
    if (why_never(of, 0)) {
        AUTO(memory) char *text = mem_format("not supported by the baseline, %s: %s",
                                             ops->backends.items[0].name, why_never(of, 0));
        add(reasons, text, name);
    } else if (refused && refused + 1 == ops->backends.count) {
        AUTO(memory) char *text = mem_format("not supported by %s", text_get(&by));
        add(reasons, text, name);
    }
}

char *ops_note(const struct ops *ops, const struct ops_operator *of, size_t backend,
               enum ops_note kind)
{
    struct sample_counts counts = speedup_counts(of, backend);
    const char *name = ops->backends.items[backend].name;
    if (kind == OPS_NOTE_WRONG && counts.wrong)
        return isfinite(counts.wrong_error) ? mem_format("%s wrong on %zu (error %.2g)", name,
                                                         counts.wrong, counts.wrong_error)
                                            : mem_format("%s wrong on %zu", name, counts.wrong);
    if (kind == OPS_NOTE_FAILED && counts.failed)
        return mem_format("%s failed on %zu", name, counts.failed);
    if (kind == OPS_NOTE_SPECIAL && counts.special)
        return mem_format("%s differs on NaN or infinities", name);
    return NULL;
}

static void add_notes(const struct ops *ops, enum ops_note kind, struct reasons *reasons)
{
    for (size_t b = 0; b < ops->backends.count; b++)
        for (size_t i = 0; i < ops->operator_count; i++) {
            AUTO(memory) char *text = ops_note(ops, &ops->operators[i], b, kind);
            if (text)
                add(reasons, text, ops->operators[i].logged->name);
        }
}

// "skipped:" and a paragraph for each reason.
static void print(const char *title, const struct reasons *reasons, struct text *out)
{
    enum { AT = 2, INDENT = 4 };
    if (reasons->count)
        text_format(out, "\n%s:\n", title);
    for (size_t i = 0; i < reasons->count; i++) {
        const struct reason *reason = &reasons->items[i];
        AUTO(text) struct text line = {0}, harmless = {0};
        text_format(&line, "%s (%zu): %s", reason->text, reason->count, text_get(&reason->names));
        text_add_harmless(&harmless, text_get(&line));
        text_add_repeated(out, " ", AT);
        text_add_paragraph(out, AT, INDENT, terminal_width(STDERR_FILENO), text_get(&harmless));
        text_add(out, "\n");
    }
}

void ops_show_notes(const struct ops *ops)
{
    AUTO(reasons) struct reasons notes = {0}, skipped = {0};
    AUTO(text) struct text out = {0};
    for (int kind = 0; kind < OPS_NOTES; kind++)
        add_notes(ops, (enum ops_note)kind, &notes);
    for (size_t i = 0; i < ops->operator_count; i++)
        add_skipped(ops, &ops->operators[i], &skipped);
    print("notes", &notes, &out);
    print("skipped", &skipped, &out);
    fputs(text_get(&out), stderr);
}
