// keys: reads mappings into structs.
#include "keys.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"

// Makes the error "'key' must be WANTED, not what it is".
static struct bilanx_error wrong_type(struct yaml *yaml, const struct tree_node *node,
                                      const char *key, const char *wanted)
{
    if (node->kind != YAML_TEXT || node->nothing)
        return tree_error(yaml, node, "'%s' must be %s, not %s", key, wanted, tree_kind_word(node));
    return tree_error(yaml, node, "'%s' must be %s, not '%.60s'", key, wanted, node->text);
}

struct bilanx_error tree_read_text(struct yaml *yaml, const struct tree_node *node, const char *key,
                                   const char **out)
{
    if (node->kind != YAML_TEXT || node->nothing)
        return wrong_type(yaml, node, key, "text");
    *out = node->text;
    return BILANX_SUCCESS;
}

// Returns the items of a list, or a single value as its only item.
static const struct tree_node *items_of(const struct tree_node *node, size_t *count)
{
    *count = node->kind == YAML_LIST ? node->count : 1;
    return node->kind == YAML_LIST ? node->items : node;
}

struct bilanx_error tree_read_texts(struct yaml *yaml, const struct tree_node *node,
                                    const char *key, const char *const **out)
{
    size_t count;
    const struct tree_node *items = items_of(node, &count);
    const char **texts = tree_keep(yaml, count + 1, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != YAML_TEXT || items[i].nothing)
            return wrong_type(yaml, &items[i], key, "text or a list of texts");
        texts[i] = items[i].text;
    }
    *out = texts;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_bool(struct yaml *yaml, const struct tree_node *node,
                                     const char *key, bool *out)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
    for (size_t i = 0; node->kind == YAML_TEXT && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(node->text, words[i]) == 0) {
            *out = i % 2 == 0;
            return BILANX_SUCCESS;
        }
    return wrong_type(yaml, node, key, "true or false");
}

static struct bilanx_error read_count(struct yaml *yaml, const struct tree_node *node,
                                      const char *key, uint64_t *out)
{
    uint64_t count = 0;
    if (node->kind != YAML_TEXT || !number_read_count(node->text, &count) || count == 0)
        return wrong_type(yaml, node, key, "a whole number of at least 1");
    *out = count;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_counts(struct yaml *yaml, const struct tree_node *node,
                                       const char *key, const uint64_t **out)
{
    size_t count;
    const struct tree_node *items = items_of(node, &count);
    uint64_t *counts = tree_keep(yaml, count + 1, sizeof *counts);
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(read_count(yaml, &items[i], key, &counts[i]));
    *out = counts;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_seconds(struct yaml *yaml, const struct tree_node *node,
                                        const char *key, double *out)
{
    double seconds = 0;
    if (node->kind != YAML_TEXT || !number_read_seconds(node->text, &seconds) || !(seconds > 0))
        return wrong_type(yaml, node, key, "a time such as 30s or 500ms");
    *out = seconds;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_structs(struct yaml *yaml, const struct tree_node *node,
                                        const struct tree_key *key, const void **out)
{
    size_t count;
    const struct tree_node *items = items_of(node, &count);
    char *structs = tree_keep(yaml, count + 1, key->size);
    AUTO(text) struct text what = {0};
    text_format(&what, "an item of '%s'", key->name);
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(tree_read(yaml, &items[i], key->keys, text_get(&what), structs + i * key->size));
    *out = structs;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_value(struct yaml *yaml, const struct tree_node *node,
                                      const struct tree_key *key, void *at)
{
    switch (key->type) {
    case YAML_AS_TEXT:
        return tree_read_text(yaml, node, key->name, at);
    case YAML_AS_TEXTS:
        return tree_read_texts(yaml, node, key->name, at);
    case YAML_AS_BOOL:
        return read_bool(yaml, node, key->name, at);
    case YAML_AS_COUNT:
        return read_count(yaml, node, key->name, at);
    case YAML_AS_COUNTS:
        return read_counts(yaml, node, key->name, at);
    case YAML_AS_SECONDS:
        return read_seconds(yaml, node, key->name, at);
    case YAML_AS_STRUCT:
        return tree_read(yaml, node, key->keys, key->name, at);
    case YAML_AS_STRUCTS:
        return read_structs(yaml, node, key, at);
    case YAML_AS_NODE:
        *(const struct tree_node **)at = node;
        break;
    }
    return BILANX_SUCCESS;
}

const char *tree_nearest_key(const struct tree_key *keys, const char *word)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; keys[count].name && count < MOST; count++)
        names[count] = keys[count].name;
    return text_nearest(word, names, count);
}

static struct bilanx_error unknown_key(struct yaml *yaml, const struct tree_pair *pair,
                                       const struct tree_key *keys, const char *what)
{
    const struct tree_node *key = &pair->key;
    if (pair->value.nothing)  // {stmt: f(x, y)}
        return tree_error(
            yaml, key,
            "unknown key '%.60s' without a value (inside { }, quote a text with a comma)",
            key->text);
    const char *nearest = tree_nearest_key(keys, key->text);
    if (nearest)
        return tree_error(yaml, key, "unknown key '%.60s' (did you mean '%s'?)", key->text,
                          nearest);
    AUTO(text) struct text names = {0};
    for (size_t i = 0; keys[i].name; i++)
        text_format(&names, "%s%s", i ? ", " : "", keys[i].name);
    return tree_error(yaml, key, "unknown key '%.60s' (%s has: %s)", key->text, what,
                      text_get(&names));
}

struct bilanx_error tree_read(struct yaml *yaml, const struct tree_node *map,
                              const struct tree_key *keys, const char *what, void *target)
{
    if (map->kind != YAML_MAP)
        return tree_error(yaml, map, "%s must be a mapping, not %s", what, tree_kind_word(map));
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_pair *pair = &map->pairs[i];
        const struct tree_key *key = keys;
        while (key->name && strcmp(key->name, pair->key.text) != 0)
            key++;
        if (!key->name)
            return unknown_key(yaml, pair, keys, what);
        BILANX_TRY(read_value(yaml, &pair->value, key, (char *)target + key->offset));
    }
    for (const struct tree_key *key = keys; key->name; key++)
        if (key->needed && !tree_get(map, key->name))
            return tree_error(yaml, map, "%s needs '%s': %s", what, key->name, key->help);
    return BILANX_SUCCESS;
}
