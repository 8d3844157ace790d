// traits: everything that can distinguish two tasks in one cell, by name.
#include "traits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "support/json/json.h"

void traits_done(struct traits *traits)
{
    for (size_t i = 0; i < traits->count; i++) {
        free(traits->items[i].name);
        free(traits->items[i].value);
    }
    free(traits->items);
    *traits = (struct traits){0};
}

static void add(struct traits *traits, const char *prefix, const char *name, const char *value)
{
    if (!value)
        return;
    mem_grow(traits->items, traits->count, &traits->room);
    traits->items[traits->count++] = (struct trait){prefix, mem_text(name), mem_text(value)};
}

// Makes each member of an object a trait, so that only those that differ are shown.
static void add_members(struct traits *traits, const char *object)
{
    AUTO(json) json_t *parsed = NULL;
    if (!object || read_json(object, strlen(object), "", &parsed).status != BILANX_OK)
        return;
    const char *key;
    json_t *value;
    json_object_foreach(parsed, key, value)
    {
        AUTO(memory) char *printed = json_is_string(value) ? NULL : print_json(value);
        add(traits, NULL, key, printed ? printed : json_string_value(value));
    }
}

void traits_of(const struct bilanx_record *record, struct traits *out)
{
    const struct bilanx_task *task = &record->task;
    add(out, "", "side", record->side);
    add(out, "", "language", task->language);
    if (task->compile) {
        add(out, "", "cc", task->compile->cc);
        add(out, "", "flags", task->compile->flags);
        add(out, "launder ", "launder", task->compile->launder);
        add_members(out, task->compile->extra);
    }
    add_members(out, task->parameters);
    add_members(out, task->command);
    add_members(out, task->extra);
    add(out, "", "stmt", task->stmt);
    add(out, "setup: ", "setup", task->setup);
    add(out, "global setup: ", "global_setup", task->global_setup);
}

static const struct trait *find(const struct traits *traits, const char *name)
{
    for (size_t i = 0; i < traits->count; i++)
        if (strcmp(traits->items[i].name, name) == 0)
            return &traits->items[i];
    return NULL;
}

const char *traits_value(const struct traits *traits, const char *name)
{
    const struct trait *trait = find(traits, name);
    return trait ? trait->value : NULL;
}

static void add_once(struct list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    list_add(names, name);
}

void traits_differences(const struct traits *a, const struct traits *b, struct list *names)
{
    for (size_t i = 0; i < a->count; i++)
        if (!text_equal(a->items[i].value, traits_value(b, a->items[i].name)))
            add_once(names, a->items[i].name);
    for (size_t i = 0; i < b->count; i++)
        if (!find(a, b->items[i].name))
            add_once(names, b->items[i].name);
}

// Adds one line of limited width.
static void add_short(struct text *out, const char *text)
{
    enum { LONGEST = 40 };
    const unsigned char *at = (const unsigned char *)text;
    for (size_t shown = 0; *at && shown < LONGEST; shown++) {
        size_t size = text_character(at, NULL);
        text_add_n(out, (const char *)at, size ? size : 1);
        at += size ? size : 1;
    }
    if (*at)
        text_add(out, "\u2026");
}

void traits_describe(const struct traits *traits, const struct list *names, struct text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < names->count; i++) {
        const struct trait *trait = find(traits, names->items[i]);
        if (!trait)
            continue;
        text_add(out, separator);
        if (trait->prefix)
            text_add(out, trait->prefix);
        else
            text_format(out, "%s=", trait->name);
        add_short(out, *trait->value ? trait->value : "none");
        separator = ", ";
    }
}
