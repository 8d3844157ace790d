// flame_label: texts of a graph.
#include "flame_label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/units.h"

static void add_escaped(struct text *out, char c)
{
    switch (c) {
    case '&':
        text_add(out, "&amp;");
        break;
    case '<':
        text_add(out, "&lt;");
        break;
    case '>':
        text_add(out, "&gt;");
        break;
    case '"':
        text_add(out, "&quot;");
        break;
    default:
        text_add_char(out, c);
    }
}

void xml_add(struct text *out, const char *text)
{
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, text);
    for (const char *at = text_get(&harmless); *at;) {
        // U+FFFE and U+FFFF are no characters to XML.
        if (strncmp(at, "\xEF\xBF\xBE", 3) == 0 || strncmp(at, "\xEF\xBF\xBF", 3) == 0) {
            text_add(out, "\xEF\xBF\xBD");
            at += 3;
        } else {
            add_escaped(out, *at++);
        }
    }
}

static void add_nameless(struct text *out, const struct stack_frame *frame)
{
    const char *slash = frame->object ? strrchr(frame->object, '/') : NULL;
    if (frame->object)
        text_format(out, "[%.300s]", slash ? slash + 1 : frame->object);
    else
        text_add(out, "(no name)");
}

void label_name(struct text *out, const struct stack_frame *frame)
{
    size_t size = strlen(frame->name);
    bool marked = size > 4 && frame->name[size - 1] == ']' && frame->kind != FRAME_NATIVE &&
                  strncmp(frame->name + size - 4, "_[", 2) == 0;
    size -= marked ? 4 : 0;
    if (strspn(frame->name, " ") >= size)
        add_nameless(out, frame);
    else if (size > NAME_LONGEST)
        text_format(out, "%.*s…", NAME_LONGEST, frame->name);
    else
        text_add_n(out, frame->name, size);
}

void label_where(struct text *out, const struct stack_frame *frame, const char *object)
{
    const char *file = frame->file ? frame->file : object;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (frame->kind != FRAME_INLINED)
        text_format(out, "%.300s", file ? file : "");
    else if (file)
        text_format(out, "inlined, %.200s", slash ? slash + 1 : file);
    else
        text_add(out, "inlined");
}

// Adds as many characters as fit in `width` columns.
static void add_columns(struct text *out, const char *name, size_t width)
{
    size_t used = 0;
    while (*name) {
        size_t size = text_character((const unsigned char *)name, NULL);
        char one[8] = "";
        memcpy(one, name, size ? size : 1);
        size_t columns = size ? text_width(one) : 1;
        if (used + columns > width)
            return;
        text_add(out, one);
        used += columns;
        name += size ? size : 1;
    }
}

// What follows the next namespace or package: "add" in "at::add", "List" in "java/util/List". Those
// of arguments, as in "map<std::string>", do not count.
static const char *after_qualifier(const char *name)
{
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += strchr("<([{", *at) ? 1 : strchr(">)]}", *at) && depth ? -1 : 0;
        if (depth == 0 && at[1] && (*at == '/' || strncmp(at, "::", 2) == 0))
            return at + 1 + (*at == ':');
    }
    return NULL;
}

void label_fit(struct text *out, const char *name, size_t width)
{
    enum { LEAST = 3, PLENTY = 8 };  // columns that still tell something
    if (text_width(name) <= width) {
        text_add(out, name);
        return;
    }
    if (width < LEAST)
        return;
    const char *last = name;
    for (const char *at = name; (at = after_qualifier(at)) && *at; last = at)
        if (text_width(at) + 1 <= width) {
            text_format(out, "…%s", at);
            return;
        }
    if (width < PLENTY)
        last = name;
    text_add(out, last > name ? "…" : "");
    add_columns(out, last, width - 1 - (last > name));
    text_add(out, "…");
}

void label_number(struct text *out, double number)
{
    char digits[400];
    bool whole = fabs(number) >= 1000 || number == floor(number);
    snprintf(digits, sizeof digits, whole ? "%.0f" : "%.4g", number);
    size_t size = strspn(digits, "-0123456789");
    for (size_t i = 0; i < size; i++) {
        text_add_char(out, digits[i]);
        size_t left = size - i - 1;
        if (left && left % 3 == 0 && digits[i] != '-')
            text_add_char(out, ',');
    }
    text_add(out, digits + size);
}

static const char time_unit[] = "nanoseconds";

void label_amount(struct text *out, const char *unit, double weight)
{
    char quantity[UNITS_SIZE];
    if (unit && text_starts(unit, time_unit))
        text_add(out, units_time(weight * 1e-9, NAN, quantity));
    else
        label_number(out, weight);
}

void label_weight(struct text *out, const char *unit, double weight)
{
    unit = unit ? unit : "samples";
    label_amount(out, unit, weight);
    if (text_starts(unit, time_unit)) {
        text_add(out, unit + sizeof time_unit - 1);
        return;
    }
    size_t size = strlen(unit);
    bool one = weight == 1 && size && unit[size - 1] == 's';
    text_format(out, " %.*s", (int)(size - one), unit);
}

void label_share(struct text *out, double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    text_format(out, percent >= 10 ? "%.1f %%" : "%.2f %%", percent);
}

void label_change(struct text *out, double before, double after)
{
    if (before == 0 || after == 0 || before == after)
        text_add(out, before == after ? "0 %" : before == 0 ? "new" : "gone");
    else
        text_format(out, "%+.1f %%", 100 * (after - before) / before);
}
