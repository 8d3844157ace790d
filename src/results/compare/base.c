// base: finds the entry that each entry is compared with: equal in all coordinates but one.
#include "base.h"

#include <string.h>

#include "base/mem.h"

// An entry and its position.
struct place {
    const struct collation *collation;
    const struct layout *layout;
    const struct entry *entry;
    size_t table;
    const struct grid_row *row;
    const char *heading;
};

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static struct hash key_of(size_t table, uint64_t threads, const char *a, const char *b)
{
    struct hash key = hash_start();
    hash_add(&key, (uint64_t[]){table, threads}, 2 * sizeof threads);
    hash_add_text(&key, a);
    hash_add_text(&key, b);
    return key;
}

// A coordinate: its value, and a key of all other coordinates.
struct coordinate {
    const char *name;
    const char *(*value)(const struct place *place);
    struct hash (*others)(const struct place *place);
};

static const char *column_value(const struct place *place)
{
    return place->heading;
}

static struct hash column_others(const struct place *place)
{
    return key_of(place->table, place->row->threads, place->row->env, place->row->name);
}

static const char *env_value(const struct place *place)
{
    return place->row->env;
}

static struct hash env_others(const struct place *place)
{
    return key_of(place->table, place->row->threads, place->row->name, place->heading);
}

static const char *row_value(const struct place *place)
{
    return place->row->name;
}

static struct hash row_others(const struct place *place)
{
    return key_of(place->table, place->row->threads, place->row->env, place->heading);
}

static const char *side_value(const struct place *place)
{
    return or_empty(place->entry->record.side);
}

static struct hash side_others(const struct place *place)
{
    struct hash key = place->entry->task;
    hash_add(&key, &place->entry->source, sizeof place->entry->source);
    return key;
}

static const char *source_value(const struct place *place)
{
    return place->collation->sources.items[place->entry->source];
}

static const char *source_name(const struct place *place)
{
    return place->layout->sources.items[place->entry->source];
}

static struct hash source_others(const struct place *place)
{
    struct hash key = place->entry->task;
    hash_add_text(&key, side_value(place));
    return key;
}

enum { COLUMNS = 0, FILES = 4 };
static const struct coordinate coordinates[] = {
    [COLUMNS] = {"column", column_value, column_others},
    {"env", env_value, env_others},
    {"row", row_value, row_others},
    {"side", side_value, side_others},
    [FILES] = {"file", source_name, source_others},
    {"file", source_value, source_others},
};
enum { COORDINATES = sizeof coordinates / sizeof *coordinates };

typedef bool (*visit_function)(const struct place *place, void *context);

// Visits every entry with its position until the visitor returns true.
static bool visit(const struct collation *collation, const struct layout *layout,
                  visit_function visitor, void *context)
{
    for (size_t t = 0; t < layout->count; t++) {
        const struct grid *grid = &layout->grids[t];
        for (size_t row = 0; row < grid->row_count; row++)
            for (size_t column = 0; column < grid->column_count; column++) {
                struct place place = {collation, layout,           grid_cell(grid, row, column),
                                      t,         &grid->rows[row], grid->columns[column]};
                if (place.entry && visitor(&place, context))
                    return true;
            }
    }
    return false;
}

struct search {
    const struct coordinate *coordinate;
    const char *value;
    struct index bases;  // by the key of the other coordinates
    const struct entry **out;
    bool undescribed;  // only for entries without a description
    struct list *values;
};

static bool has_value(const struct place *place, void *context)
{
    struct search *search = context;
    return strcmp(search->coordinate->value(place), search->value) == 0;
}

static bool note_base(const struct place *place, void *context)
{
    struct search *search = context;
    bool added;
    if (has_value(place, search))
        index_find_or_add(&search->bases, search->coordinate->others(place),
                          (size_t)(place->entry - place->collation->entries), &added);
    return false;
}

static bool look_up_base(const struct place *place, void *context)
{
    struct search *search = context;
    size_t base = index_find(&search->bases, search->coordinate->others(place));
    if (search->undescribed && *or_empty(place->entry->record.task.description))
        return false;
    const struct entry **out = &search->out[place->entry - place->collation->entries];
    if (base != SIZE_MAX && !*out)
        *out = &place->collation->entries[base];
    return false;
}

static bool note_value(const struct place *place, void *context)
{
    struct search *search = context;
    const char *value = search->coordinate->value(place);
    for (size_t i = 0; i < search->values->count; i++)
        if (!*value || strcmp(search->values->items[i], value) == 0)
            return false;
    if (*value)
        list_add(search->values, value);
    return search->values->count >= 8;  // enough for a message
}

// Cases without a description are in columns that are named after their files.
static bool is_described(const struct place *place, void *context)
{
    struct search *search = context;
    return strcmp(place->heading, search->value) == 0 &&
           (*or_empty(place->entry->record.task.description) ||
            strcmp(source_name(place), search->value) != 0);
}

static struct bilanx_error unknown(const struct collation *collation, const struct layout *layout,
                                   const char *name)
{
    AUTO(list) struct list values = {0};
    for (size_t i = 0; i < COORDINATES; i++)
        visit(collation, layout, note_value,
              &(struct search){.coordinate = &coordinates[i], .values = &values});
    AUTO(text) struct text listed = {0};
    for (size_t i = 0; i < values.count; i++)
        text_format(&listed, "%s'%s'", i ? ", " : "", values.items[i]);
    return bilanx_error_make(BILANX_E_INPUT,
                             "no column, env, row, side or file is named '%s'; known names: %s",
                             name, listed.size ? text_get(&listed) : "none");
}

// "env:gcc" names the coordinate; otherwise the first with such a value is used.
static bool find_coordinate(const struct collation *collation, const struct layout *layout,
                            const char *name, struct search *search)
{
    for (size_t i = 0; i < COORDINATES; i++) {
        size_t size = strlen(coordinates[i].name);
        search->coordinate = &coordinates[i];
        search->value = name;
        if (visit(collation, layout, has_value, search))
            return true;
        if (!text_starts(name, coordinates[i].name) || name[size] != ':')
            continue;
        search->value = name + size + 1;
        if (visit(collation, layout, has_value, search))
            return true;
    }
    return false;
}

static void find_all(const struct collation *collation, const struct layout *layout,
                     struct search *search)
{
    search->bases = (struct index){0};
    visit(collation, layout, note_base, search);
    visit(collation, layout, look_up_base, search);
    index_done(&search->bases);
}

struct bilanx_error bases_find(const struct collation *collation, const struct layout *layout,
                               const char *name, const struct entry **bases)
{
    struct search search = {.out = bases};
    if (!find_coordinate(collation, layout, name, &search))
        return unknown(collation, layout, name);
    if (search.coordinate == &coordinates[COLUMNS] &&
        !visit(collation, layout, is_described, &search)) {
        search.coordinate = &coordinates[FILES];
        find_all(collation, layout, &search);
        search.coordinate = &coordinates[COLUMNS];
        search.undescribed = true;
    }
    find_all(collation, layout, &search);
    return BILANX_SUCCESS;
}
