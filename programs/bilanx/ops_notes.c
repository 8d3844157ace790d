// ops_notes: lists the calls that were not measured, grouped by reason.
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
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

static void add_operator(const struct ops *ops, const struct ops_operator *of,
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

void ops_show_notes(const struct ops *ops)
{
    AUTO(reasons) struct reasons reasons = {0};
    AUTO(text) struct text out = {0};
    for (size_t i = 0; i < ops->operator_count; i++)
        add_operator(ops, &ops->operators[i], &reasons);
    if (reasons.count)
        text_add(&out, "\nskipped:\n");
    for (size_t i = 0; i < reasons.count; i++) {
        text_add(&out, "  ");
        text_add_harmless(&out, reasons.items[i].text);
        text_format(&out, " (%zu): ", reasons.items[i].count);
        text_add_harmless(&out, text_get(&reasons.items[i].names));
        text_add(&out, "\n");
    }
    fputs(text_get(&out), stderr);
}
