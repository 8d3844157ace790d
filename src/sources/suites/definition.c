// definition: finds the entries of a file and what they inherit.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "code.h"
#include "languages.h"
#include "load.h"

enum { MOST_ANCESTORS = 32 };

static bool is_kind(const char *key)
{
    for (size_t i = 0; suite_kind_keys[i]; i++)
        if (strcmp(suite_kind_keys[i], key) == 0)
            return true;
    return strcmp(key, "inherit") == 0;
}

static bool is_entry_key(const char *key)
{
    for (const struct tree_key *known = suite_entry_keys; known->name; known++)
        if (strcmp(known->name, key) == 0)
            return true;
    return false;
}

// A mapping is an entry if it says what to measure. If it has other entry keys, with values that no
// label could have, it is an entry with a mistake.
static bool is_entry(const struct tree_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_pair *pair = &map->pairs[i];
        if (is_kind(pair->key.text))
            return true;
        if (is_entry_key(pair->key.text) && pair->value.kind != YAML_MAP)
            return true;
    }
    return false;
}

static struct bilanx_error no_entry(struct suite_file *file, const struct tree_node *parent,
                                    const struct tree_pair *pair)
{
    // "stmnt: {python: ...}": the mistake is one level up.
    bool code = parent && suite_language_find(pair->key.text);
    const struct tree_node *at = code ? parent : &pair->key;
    const char *nearest = tree_nearest_key(suite_entry_keys, at->text);
    if (nearest)
        return tree_error(&file->yaml, at, "unknown key '%.60s' (did you mean '%s'?)", at->text,
                          nearest);
    return tree_error(
        &file->yaml, at,
        "'%.60s' must be a benchmark (a mapping with one of 'timer', 'stmt', "
        "'module', 'variants', 'program', 'inherit') or a label with benchmarks below",
        at->text);
}

static void add_definition(struct loading *loading, struct suite_file *file, const char *path,
                           const struct tree_pair *pair)
{
    mem_grow(loading->definitions, loading->count, &loading->room);
    loading->definitions[loading->count++] = (struct definition){
        .file = file,
        .key = &pair->key,
        .value = &pair->value,
        .path = *path ? mem_format("%s/%s", path, pair->key.text) : mem_text(pair->key.text),
        .label_size = strlen(path),
    };
}

static struct bilanx_error find_below(struct loading *loading, struct suite_file *file,
                                      const struct tree_node *key, const struct tree_node *map,
                                      const char *path)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct tree_pair *pair = &map->pairs[i];
        if (!*pair->key.text)
            return tree_error(&file->yaml, &pair->key, "a label cannot be empty");
        if (pair->value.kind != YAML_MAP || pair->value.count == 0)
            return no_entry(file, key, pair);
        if (is_entry(&pair->value)) {
            add_definition(loading, file, path, pair);
            continue;
        }
        AUTO(memory) char *below =
            *path ? mem_format("%s/%s", path, pair->key.text) : mem_text(pair->key.text);
        BILANX_TRY(find_below(loading, file, &pair->key, &pair->value, below));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error definitions_find(struct loading *loading, struct suite_file *file,
                                     const struct tree_node *benchmarks)
{
    if (benchmarks->kind != YAML_MAP || benchmarks->count == 0)
        return tree_error(&file->yaml, benchmarks, "'benchmarks' must be a mapping, not %s",
                          benchmarks->kind == YAML_MAP ? "an empty one"
                                                       : tree_kind_word(benchmarks));
    return find_below(loading, file, NULL, benchmarks, "");
}

// Finds a name given by `inherit`: a whole path, or the last part of a neighbour's.
static struct definition *find_named(struct loading *loading, const struct definition *from,
                                     const char *name)
{
    AUTO(memory) char *near = from->label_size
                                  ? mem_format("%.*s/%s", (int)from->label_size, from->path, name)
                                  : mem_text(name);
    const char *candidates[] = {near, name};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < loading->count; i++)
            if (strcmp(loading->definitions[i].path, candidates[k]) == 0 &&
                &loading->definitions[i] != from)
                return &loading->definitions[i];
    return NULL;
}

static struct bilanx_error nobody(struct loading *loading, const struct definition *from,
                                  const struct tree_node *at)
{
    AUTO(memory) const char **names = mem_array(const char *, loading->count);
    for (size_t i = 0; i < loading->count; i++)
        names[i] = loading->definitions[i].path;
    const char *nearest = text_nearest(at->text, names, loading->count);
    return tree_error(&from->file->yaml, at, "no entry '%.100s' to inherit from%s%s%s", at->text,
                      nearest ? " (did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?)" : "");
}

static struct bilanx_error read_inherited(struct loading *loading, struct definition *definition,
                                          const struct tree_node *inherit, struct entry_text *out)
{
    const char *name;
    BILANX_TRY(tree_read_text(&definition->file->yaml, inherit, "inherit", &name));
    struct definition *parent = find_named(loading, definition, name);
    if (!parent)
        return nobody(loading, definition, inherit);
    if (loading->depth == MOST_ANCESTORS)
        return tree_error(&definition->file->yaml, inherit, "inherits through more than %d entries",
                          MOST_ANCESTORS);
    if (parent->resolving)
        return tree_error(&definition->file->yaml, inherit, "'%.100s' inherits from itself",
                          definition->path);
    return definition_read(loading, parent, out);
}

// What to measure is inherited as a whole or not at all.
static void drop_other_kinds(const struct tree_node *map, struct bilanx_suite_entry *entry)
{
    for (size_t i = 0; suite_kind_keys[i]; i++) {
        if (!tree_get(map, suite_kind_keys[i]))
            continue;
        struct bilanx_suite_entry kept = *entry;
        entry->timer = (struct bilanx_suite_timer){0};
        entry->stmt = entry->module = entry->variants = (struct bilanx_suite_code){0};
        entry->program = NULL;
        if (strcmp(suite_kind_keys[i], "stmt") == 0)
            entry->stmt = kept.stmt;
        if (strcmp(suite_kind_keys[i], "module") == 0)
            entry->module = kept.module;
        if (strcmp(suite_kind_keys[i], "timer") == 0)
            entry->timer = kept.timer;
        return;
    }
}

struct bilanx_error definition_read(struct loading *loading, struct definition *definition,
                                    struct entry_text *out)
{
    const struct tree_node *inherit = tree_get(definition->value, "inherit");
    *out = definition->file->defaults;
    if (inherit) {
        definition->resolving = true;
        loading->depth++;
        struct bilanx_error error = read_inherited(loading, definition, inherit, out);
        loading->depth--;
        definition->resolving = false;
        BILANX_TRY(error);
        drop_other_kinds(definition->value, &out->entry);
    }
    return entry_read(definition->file, definition->value, out);
}
