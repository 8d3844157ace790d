// case_names: the names of cases in tables.
#include "case_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char ELLIPSIS[] = "\u2026";

// A command line can be a megabyte, even of characters that take no column.
static void limit_bytes(struct text *name)
{
    enum { LONGEST = 400 };
    size_t size = LONGEST;
    if (name->size <= LONGEST)
        return;
    while (size > 0 && ((unsigned char)name->data[size] & 0xC0) == 0x80)
        size--;
    name->data[size] = '\0';
    name->size = size;
    text_add(name, ELLIPSIS);
}

char *case_name_of(const char *code)
{
    enum { WIDEST = 60 };
    const char *start = code + strspn(code, " \t\r\n");
    size_t size = strcspn(start, "\n");
    if (!*start)
        return mem_text("(empty loop)");
    bool more = start[size + strspn(start + size, " \t\r\n")];
    AUTO(memory) char *line = mem_format("%.*s%s", (int)size, start, more ? ELLIPSIS : "");
    struct text name = {0};
    text_add_shortened(&name, line, WIDEST);
    limit_bytes(&name);
    return text_take(&name);
}

// Cases of the same name, and what their tasks say in one respect.
struct namesakes {
    struct run_case **items;
    const char **values;
    size_t count;
};

static bool values_differ(const struct namesakes *group)
{
    for (size_t i = 1; i < group->count; i++)
        if (strcmp(group->values[i], group->values[0]) != 0)
            return true;
    return false;
}

// Finds the first respect in which the tasks differ. Otherwise all values are equal.
static void find_difference(struct namesakes *group)
{
    static const size_t respects[] = {
        offsetof(struct bilanx_task, sub_label), offsetof(struct bilanx_task, description),
        offsetof(struct bilanx_task, stmt),      offsetof(struct bilanx_task, setup),
        offsetof(struct bilanx_task, language),  offsetof(struct bilanx_task, parameters)};
    for (size_t r = 0; r < sizeof respects / sizeof *respects; r++) {
        for (size_t i = 0; i < group->count; i++) {
            char *const *value = (char *const *)((char *)&group->items[i]->task + respects[r]);
            group->values[i] = *value ? *value : "";
        }
        if (values_differ(group))
            return;
    }
}

// Bytes that all values begin with, up to the start of a word.
static size_t common_start(const struct namesakes *group)
{
    const char *first = group->values[0];
    size_t size = strlen(first);
    for (size_t i = 1; i < group->count; i++) {
        size_t same = 0;
        while (same < size && group->values[i][same] == first[same])
            same++;
        size = same;
    }
    while (size > 0 && !isspace((unsigned char)first[size - 1]))
        size--;
    return size;
}

static void add_difference(struct text *name, const char *value, size_t start)
{
    enum { SHORT = 30 };
    AUTO(text) struct text shown = {0};
    if (strlen(value) <= SHORT)
        start = 0;
    text_add(&shown, start ? ELLIPSIS : "");
    text_add(&shown, value + start);
    text_add(name, " [");
    text_add_shortened(name, text_get(&shown), SHORT);
    text_add(name, "]");
    limit_bytes(name);
}

static size_t namesakes_before(const struct namesakes *group, size_t at)
{
    size_t count = 0;
    for (size_t i = 0; i < at; i++)
        count += strcmp(group->values[i], group->values[at]) == 0;
    return count;
}

static void rename_all(struct namesakes *group)
{
    find_difference(group);
    bool differ = values_differ(group);
    size_t start = common_start(group);
    for (size_t i = 0; i < group->count; i++) {
        struct text name = {0};
        size_t before = namesakes_before(group, i);
        text_add(&name, group->items[i]->name);
        if (differ && *group->values[i])
            add_difference(&name, group->values[i], start);
        if (before)
            text_format(&name, " #%zu", before + 1);
        free(group->items[i]->name);
        group->items[i]->name = text_take(&name);
    }
}

// Programs have cases of the same name; their env tells them apart.
static bool is_namesake(const struct run_case *a, const struct run_case *b)
{
    return strcmp(a->name, b->name) == 0 && text_equal(a->task.env, b->task.env);
}

void case_names_tell_apart(struct run_case *const *cases, size_t count)
{
    AUTO(memory) struct run_case **items = mem_array(struct run_case *, count);
    AUTO(memory) const char **values = mem_array(const char *, count);
    for (size_t i = 0; i < count; i++) {
        struct namesakes group = {items, values, 0};
        for (size_t j = i; j < count; j++)
            if (is_namesake(cases[i], cases[j]))
                items[group.count++] = cases[j];
        if (group.count > 1)
            rename_all(&group);
    }
}
