// notes: the text below a table.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/index.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "core/show/growth.h"
#include "core/show/show.h"

static void add_toned(struct text *out, bool color, enum table_tone tone, const char *text)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, text);
    tone_add(out, color, tone, text_get(&harmless));
}

// Equal for failures that should be reported only once: a broken compiler affects hundreds of cases
// in the same way.
static struct hash hash_of(const struct bilanx_failure *failure)
{
    struct hash hash = hash_start();
    const char *texts[] = {failure->code, failure->phase, failure->text, failure->output};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash_add_text(&hash, texts[i]);
    return hash;
}

// For the first of several identical failures, returns how many there are; 0 for all others.
static size_t *count_alike(const struct shown *shown)
{
    AUTO(index) struct index known = {0};
    size_t *counts = mem_array(size_t, shown->count);
    for (size_t i = 0; i < shown->count; i++) {
        bool added;
        const struct bilanx_failure *failure = shown->records[i].error;
        if (failure)
            counts[index_find_or_add(&known, hash_of(failure), i, &added)]++;
    }
    return counts;
}

// Columns that are left of a line; 0: any number.
static size_t room_beside(size_t taken, size_t width)
{
    return !width ? 0 : width > taken ? width - taken : 1;
}

static void add_short_name(const char *name, size_t longest, size_t room, struct text *out)
{
    enum { SHORTEST = 12 };
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, name);
    size_t width = room && room < longest ? room : longest;
    text_add_shortened(out, text_get(&harmless), width > SHORTEST ? width : SHORTEST);
}

void show_about(const char *name, size_t count, size_t room, struct text *out)
{
    enum { LONGEST = 40 };
    AUTO(text) struct text rest = {0};
    if (count > 1)
        text_format(&rest, " and %zu more", count - 1);
    text_add(&rest, "):");
    text_add(out, " (");
    add_short_name(name, LONGEST, room_beside(2 + rest.size, room), out);
    text_add(out, text_get(&rest));
}

static void add_failure(const struct shown *shown, size_t i, size_t alike, bool color,
                        struct text *out)
{
    const struct bilanx_failure *error = shown->records[i].error;
    bool skip = record_skipped(&shown->records[i]);
    AUTO(text) struct text about = {0}, name = {0};
    if (alike > 1)
        text_format(&about, " and %zu more", alike - 1);
    bool told = error->text && *error->text;
    bool explains_itself = skip || (text_equal(error->phase, "start") && told) ||
                           (text_equal(error->phase, "stmt") && record_failure_names_itself(error));
    text_add(&about, ":");
    if (!explains_itself && text_equal(error->phase, "compile"))
        text_add(&about, " does not compile:");
    else if (!explains_itself)
        text_format(&about, " %s in %s:", record_failure_word(error), error->phase);
    else if (skip)
        text_format(&about, " %s:", error->code);
    add_short_name(shown->cases[i]->name, SIZE_MAX,
                   room_beside(about.size, terminal_width(STDERR_FILENO)), &name);
    tone_add(out, color, skip ? TABLE_DIM : TABLE_BAD, text_get(&name));
    text_add(out, text_get(&about));
    text_add_wrapped(out, text_width(text_get(&name)) + text_width(text_get(&about)),
                     terminal_width(STDERR_FILENO), told ? error->text : "");
    text_add(out, "\n");
}

void show_failures(const struct shown *shown, bool color, struct text *out)
{
    AUTO(memory) size_t *alike = count_alike(shown);
    for (size_t i = 0; i < shown->count; i++)
        if (alike[i] && !record_skipped(&shown->records[i]))
            add_failure(shown, i, alike[i], color, out);
}

// Lines that fit are kept as they are: carets point to what is above them.
static void add_output_line(const char *line, bool color, struct text *out)
{
    enum { AT = 4, INDENT = 6 };
    AUTO(text) struct text harmless = {0}, wrapped = {0};
    size_t width = terminal_width(STDERR_FILENO);
    text_add_harmless(&harmless, line);
    if (width && AT + text_width(text_get(&harmless)) > width)
        text_add_paragraph(&wrapped, AT, INDENT, width, text_get(&harmless));
    tone_add(out, color, TABLE_DIM, text_get(wrapped.size ? &wrapped : &harmless));
}

static void explain_failures(const struct shown *shown, bool color, struct text *out)
{
    AUTO(memory) size_t *alike = count_alike(shown);
    for (size_t i = 0; i < shown->count; i++) {
        if (!alike[i])
            continue;
        add_failure(shown, i, alike[i], color, out);
        for (char *line = shown->records[i].error->output; line && *line;) {
            size_t size = strcspn(line, "\n");
            AUTO(memory) char *copy = mem_text_n(line, size);
            text_add(out, "    ");
            add_output_line(copy, color, out);
            text_add(out, "\n");
            line += size + (line[size] == '\n');
        }
    }
}

// Returns how many cases have a warning.
static size_t count_warned(const struct shown *shown, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < shown->count; i++)
        for (size_t w = 0; w < shown->records[i].warning_count; w++)
            if (strcmp(shown->records[i].warnings[w].code, code) == 0) {
                count++;
                break;
            }
    return count;
}

// Returns whether a word is new to the list, and adds it if so.
static bool note_word(struct list *known, const char *word)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->items[i], word) == 0)
            return false;
    list_add(known, word);
    return true;
}

// "high-iqr (copy/64 and 2 more): ..."
static void add_warning(const struct shown *shown, size_t at, const struct bilanx_warning *warning,
                        bool color, struct text *out)
{
    AUTO(text) struct text about = {0};
    size_t width = terminal_width(STDERR_FILENO);
    show_about(shown->cases[at]->name, count_warned(shown, warning->code),
               room_beside(strlen(warning->code), width), &about);
    add_toned(out, color, TABLE_WARN, warning->code);
    text_add(out, text_get(&about));
    text_add_wrapped(out, strlen(warning->code) + text_width(text_get(&about)), width,
                     warning->text);
    text_add(out, "\n");
}

static void show_warnings(const struct shown *shown, bool color, struct text *out)
{
    AUTO(list) struct list told = {0};
    for (size_t i = 0; i < shown->count; i++)
        for (size_t w = 0; w < shown->records[i].warning_count; w++)
            if (note_word(&told, shown->records[i].warnings[w].code))
                add_warning(shown, i, &shown->records[i].warnings[w], color, out);
}

void show_notes(const struct shown *shown, bool color, struct text *out)
{
    growth_show(shown, NULL, out);
    explain_failures(shown, color, out);
    show_warnings(shown, color, out);
}
