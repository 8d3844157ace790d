// layout: arranges entries in tables.
//
// A group is what PyTorch calls a row: threads, env and name. If several tasks of a group fall into
// one cell, the group becomes several rows, named by what distinguishes those tasks.
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/traits.h"

struct group {
    size_t first, last;  // entries, chained by `next`
    bool crowded;
};

struct row {
    size_t table, group;
    const struct entry *first;
    char *name;
};

struct work {
    const struct entry *entries;
    size_t count;
    bool by_source;
    const struct list *sources;           // as used in headings
    const struct size_place *places;      // per entry; NULL: all are as recorded
    size_t *column, *group, *row, *next;  // per entry
    struct group *groups;
    size_t group_count, group_room;
    struct row *rows;
    size_t row_count, row_room;
    const char **labels;  // of the tables
    size_t table_count, table_room;
};

static void work_done(struct work *work)
{
    free(work->column);
    free(work->group);
    free(work->row);
    free(work->next);
    free(work->groups);
    for (size_t i = 0; i < work->row_count; i++)
        free(work->rows[i].name);
    free(work->rows);
    free(work->labels);
}
SCOPE_VALUE(work, work_done)

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static uint64_t threads_of(const struct bilanx_task *task)
{
    return task->num_threads ? task->num_threads : 1;
}

// Where an entry is placed, if not as recorded.
static const struct size_place *place_of(const struct work *work, size_t entry)
{
    return work->places && work->places[entry].row ? &work->places[entry] : NULL;
}

static const char *label_of(const struct work *work, size_t entry)
{
    const struct size_place *place = place_of(work, entry);
    return place ? place->table : or_empty(work->entries[entry].record.task.label);
}

static const char *description_of(const struct work *work, size_t entry)
{
    const struct size_place *place = place_of(work, entry);
    return place ? place->column : or_empty(work->entries[entry].record.task.description);
}

// Threads have their own column, so the suffix that Google Benchmark adds for them is left out.
static char *row_name(const struct work *work, size_t entry)
{
    const struct bilanx_task *task = &work->entries[entry].record.task;
    const struct size_place *place = place_of(work, entry);
    const char *name = place                                 ? place->row
                       : task->sub_label && *task->sub_label ? task->sub_label
                                                             : or_empty(task->stmt);
    AUTO(memory) char *suffix = mem_format("/threads:%llu", (unsigned long long)threads_of(task));
    size_t size = strlen(name), cut = strlen(suffix);
    bool ends = size > cut && strcmp(name + size - cut, suffix) == 0;
    return mem_text_n(name, ends ? size - cut : size);
}

static struct hash hash_pair(size_t a, size_t b)
{
    struct hash hash = hash_start();
    hash_add(&hash, (size_t[]){a, b}, 2 * sizeof a);
    return hash;
}

// Whether sources have tasks in common, which can only be distinguished by source name.
static bool sources_overlap(const struct collation *collation)
{
    AUTO(index) struct index tasks = {0};
    for (size_t i = 0; i < collation->count && collation->sources.count > 1; i++) {
        const struct entry *entry = &collation->entries[i];
        struct hash key = entry->task;
        hash_add_text(&key, or_empty(entry->record.side));
        bool added;
        index_find_or_add(&tasks, key, i, &added);
        if (!added)
            return true;
    }
    return false;
}

static void cut_extension(char *name, const char *only)
{
    char *dot = strrchr(name, '.');
    if (dot && dot != name && (!only || strcmp(dot, only) == 0))
        *dot = '\0';
}

// "out/before.json.gz" becomes "before", if that is unique.
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash && slash[1] ? slash + 1 : path;
    if (strcmp(path, "-") == 0)
        return mem_text("stdin");
    AUTO(memory) char *name = mem_text(base);
    cut_extension(name, ".gz");
    cut_extension(name, NULL);
    return TAKE(name);
}

static void name_sources(const struct list *paths, struct list *names)
{
    AUTO(index) struct index seen = {0};
    bool distinct = true;
    for (size_t i = 0; i < paths->count; i++) {
        list_take(names, short_name(paths->items[i]));
        struct hash key = hash_start();
        hash_add_text(&key, names->items[i]);
        bool added;
        index_find_or_add(&seen, key, i, &added);
        distinct &= added;
    }
    if (distinct)
        return;
    list_done(names);
    *names = (struct list){0};
    list_add_all(names, paths);
}

static char *heading(const struct work *work, size_t entry)
{
    const char *description = description_of(work, entry);
    if (!work->by_source)
        return mem_text(description);
    const char *source = work->sources->items[work->entries[entry].source];
    return *description ? mem_format("%s, %s", description, source) : mem_text(source);
}

static void find_columns(struct work *work, struct list *headings)
{
    AUTO(index) struct index columns = {0};
    for (size_t i = 0; i < work->count; i++) {
        const struct entry *entry = &work->entries[i];
        struct hash key = hash_start();
        hash_add_text(&key, description_of(work, i));
        hash_add(&key, &(size_t){work->by_source ? entry->source : 0}, sizeof(size_t));
        bool added;
        work->column[i] = index_find_or_add(&columns, key, headings->count, &added);
        if (added)
            list_take(headings, heading(work, i));
    }
}

static size_t table_of(struct work *work, struct index *tables, const char *label)
{
    struct hash key = hash_start();
    hash_add_text(&key, label);
    bool added;
    size_t table = index_find_or_add(tables, key, work->table_count, &added);
    if (added) {
        mem_grow(work->labels, work->table_count, &work->table_room);
        work->labels[work->table_count++] = label;
    }
    return table;
}

static void add_to_group(struct work *work, size_t entry, size_t group, bool added)
{
    work->group[entry] = group;
    work->next[entry] = SIZE_MAX;
    if (added) {
        mem_grow(work->groups, work->group_count, &work->group_room);
        work->groups[work->group_count++] = (struct group){entry, entry, false};
        return;
    }
    work->next[work->groups[group].last] = entry;
    work->groups[group].last = entry;
}

// Finds tables and groups; `row` holds the table of each entry until its row is known.
static void find_groups(struct work *work)
{
    AUTO(index) struct index tables = {0}, groups = {0}, cells = {0};
    for (size_t i = 0; i < work->count; i++) {
        const struct bilanx_task *task = &work->entries[i].record.task;
        work->row[i] = table_of(work, &tables, label_of(work, i));
        uint64_t numbers[] = {work->row[i], threads_of(task)};
        struct hash key = hash_start();
        hash_add(&key, numbers, sizeof numbers);
        hash_add_text(&key, or_empty(task->env));
        AUTO(memory) char *name = row_name(work, i);
        hash_add_text(&key, name);
        bool added;
        size_t group = index_find_or_add(&groups, key, work->group_count, &added);
        add_to_group(work, i, group, added);
        index_find_or_add(&cells, hash_pair(group, work->column[i]), i, &added);
        work->groups[group].crowded |= !added;
    }
}

static size_t add_row(struct work *work, size_t table, size_t entry, char *name)
{
    mem_grow(work->rows, work->row_count, &work->row_room);
    work->rows[work->row_count] =
        (struct row){table, work->group[entry], &work->entries[entry], name};
    return work->row_count++;
}

// Finds how tasks in the same cell differ.
static void find_telling(const struct work *work, const struct group *group, struct list *names)
{
    AUTO(index) struct index first_of_column = {0};
    for (size_t i = group->first; i != SIZE_MAX; i = work->next[i]) {
        bool added;
        size_t first =
            index_find_or_add(&first_of_column, hash_pair(0, work->column[i]), i, &added);
        if (added)
            continue;
        AUTO(traits) struct traits mine = {0}, other = {0};
        traits_of(&work->entries[i].record, &mine);
        traits_of(&work->entries[first].record, &other);
        traits_differences(&other, &mine, names);
    }
}

// Counts earlier occurrences of a key.
struct tally {
    struct index keys;
    size_t *counts;
    size_t room;
};

static size_t tally_add(struct tally *tally, struct hash key)
{
    size_t known = tally->keys.count;
    bool added;
    size_t at = index_find_or_add(&tally->keys, key, known, &added);
    mem_grow(tally->counts, known, &tally->room);
    if (added)
        tally->counts[at] = 0;
    return tally->counts[at]++;
}

static void tally_done(struct tally *tally)
{
    index_done(&tally->keys);
    free(tally->counts);
}
SCOPE_VALUE(tally, tally_done)

static char *told_apart(const struct work *work, size_t entry, const struct list *names,
                        const struct traits *traits, size_t copy)
{
    AUTO(text) struct text about = {0};
    traits_describe(traits, names, &about);
    struct text name = {0};
    AUTO(memory) char *usual = row_name(work, entry);
    text_add(&name, usual);
    if (about.size)
        text_format(&name, "%s[%s]", name.size ? " " : "", text_get(&about));
    if (copy)
        text_format(&name, " #%zu", copy + 1);
    return text_take(&name);
}

static void split_group(struct work *work, const struct group *group)
{
    AUTO(list) struct list names = {0};
    find_telling(work, group, &names);
    AUTO(index) struct index rows = {0};
    AUTO(tally) struct tally taken = {0};
    AUTO(tally) struct tally alike = {0};
    for (size_t i = group->first; i != SIZE_MAX; i = work->next[i]) {
        AUTO(traits) struct traits traits = {0};
        traits_of(&work->entries[i].record, &traits);
        struct hash key = hash_start();
        for (size_t n = 0; n < names.count; n++)
            hash_add_text(&key, traits_value(&traits, names.items[n]));
        struct hash cell = key;
        hash_add(&cell, &work->column[i], sizeof(size_t));
        size_t copy = tally_add(&taken, cell);  // an absent and an empty value look alike
        hash_add(&key, &copy, sizeof copy);
        bool added;
        size_t table = work->row[i];
        work->row[i] = index_find_or_add(&rows, key, work->row_count, &added);
        if (!added)
            continue;
        AUTO(memory) char *plain = told_apart(work, i, &names, &traits, 0);
        struct hash look = hash_start();
        hash_add_text(&look, plain);
        add_row(work, table, i, told_apart(work, i, &names, &traits, tally_add(&alike, look)));
    }
}

static void find_rows(struct work *work)
{
    for (size_t g = 0; g < work->group_count; g++) {
        const struct group *group = &work->groups[g];
        if (group->crowded) {
            split_group(work, group);
            continue;
        }
        char *name = row_name(work, group->first);
        size_t row = add_row(work, work->row[group->first], group->first, name);
        for (size_t i = group->first; i != SIZE_MAX; i = work->next[i])
            work->row[i] = row;
    }
}

struct sorted_row {
    const struct row *row;
    size_t place;
};

static int compare_rows(const void *a, const void *b)
{
    const struct sorted_row *left = a, *right = b;
    const struct bilanx_task *x = &left->row->first->record.task;
    const struct bilanx_task *y = &right->row->first->record.task;
    if (left->row->table != right->row->table)
        return left->row->table < right->row->table ? -1 : 1;
    if (threads_of(x) != threads_of(y))
        return threads_of(x) < threads_of(y) ? -1 : 1;
    size_t first = left->row->first->rank, second = right->row->first->rank;
    if (first != second)
        return first < second ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

// Starts a table with its rows, beginning at `first`.
static void start_grid(struct work *work, const struct sorted_row *sorted, size_t *first,
                       size_t table, size_t *place_of_row, struct grid *grid)
{
    size_t end = *first;
    while (end < work->row_count && sorted[end].row->table == table)
        end++;
    *grid = (struct grid){.label = work->labels[table],
                          .row_count = end - *first,
                          .rows = mem_array(struct grid_row, end - *first)};
    for (size_t i = *first; i < end; i++) {
        struct row *row = &work->rows[sorted[i].place];
        const struct bilanx_task *task = &row->first->record.task;
        grid->rows[i - *first] =
            (struct grid_row){threads_of(task), or_empty(task->env), TAKE(row->name)};
        place_of_row[sorted[i].place] = i - *first;
    }
    *first = end;
}

static int compare_places(const void *a, const void *b)
{
    const size_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// Finds the columns that a table uses, in order. Examines only its own entries, as there may be as
// many tables as columns. Sets `local` to the index of each in the table.
static void choose_columns(const struct work *work, const size_t *order, size_t count,
                           const struct list *headings, size_t *local, struct grid *grid)
{
    size_t *places = mem_array(size_t, count);
    for (size_t i = 0; i < count; i++)
        places[i] = work->column[order[i]];
    qsort(places, count, sizeof *places, compare_places);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || places[i] != places[i - 1])
            places[n++] = places[i];
    grid->column_places = places;
    grid->column_count = n;
    grid->columns = mem_array(char *, n);
    for (size_t i = 0; i < n; i++) {
        grid->columns[i] = mem_text(headings->items[places[i]]);
        local[places[i]] = i;
    }
}

// Sorts entries by table; `start` has the first of each table, plus one element for the end.
static void sort_by_table(const struct work *work, size_t *start, size_t *order)
{
    for (size_t i = 0; i < work->count; i++)
        start[work->rows[work->row[i]].table + 1]++;
    for (size_t t = 0; t < work->table_count; t++)
        start[t + 1] += start[t];
    size_t *at = mem_array(size_t, work->table_count);
    memcpy(at, start, work->table_count * sizeof *at);
    for (size_t i = 0; i < work->count; i++)
        order[at[work->rows[work->row[i]].table]++] = i;
    free(at);
}

static struct bilanx_error fill_grid(const struct work *work, const size_t *order, size_t count,
                                     const size_t *place_of_row, const size_t *local,
                                     struct grid *grid)
{
    const size_t most = (size_t)1 << 24;  // a gigabyte including the cells
    if (grid->row_count > most / grid->column_count)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "the table '%.100s' has %zu rows by %zu columns, too many to "
                                 "read: give its tasks labels or common descriptions",
                                 grid->label, grid->row_count, grid->column_count);
    grid->cells = mem_array(const struct entry *, grid->row_count * grid->column_count);
    for (size_t i = 0; i < count; i++) {
        size_t row = place_of_row[work->row[order[i]]];
        grid->cells[row * grid->column_count + local[work->column[order[i]]]] =
            &work->entries[order[i]];
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error make_grids(struct work *work, struct layout *layout)
{
    AUTO(memory) struct sorted_row *sorted = mem_array(struct sorted_row, work->row_count);
    AUTO(memory) size_t *place_of_row = mem_array(size_t, work->row_count);
    AUTO(memory) size_t *start = mem_array(size_t, work->table_count + 1);
    AUTO(memory) size_t *order = mem_array(size_t, work->count);
    AUTO(memory) size_t *local = mem_array(size_t, layout->columns.count);
    for (size_t i = 0; i < work->row_count; i++)
        sorted[i] = (struct sorted_row){&work->rows[i], i};
    qsort(sorted, work->row_count, sizeof *sorted, compare_rows);
    sort_by_table(work, start, order);
    layout->grids = mem_array(struct grid, work->table_count);
    layout->count = work->table_count;
    size_t first = 0;
    for (size_t t = 0; t < work->table_count; t++) {
        struct grid *grid = &layout->grids[t];
        start_grid(work, sorted, &first, t, place_of_row, grid);
        const size_t *own = order + start[t], count = start[t + 1] - start[t];
        choose_columns(work, own, count, &layout->columns, local, grid);
        BILANX_TRY(fill_grid(work, own, count, place_of_row, local, grid));
    }
    return BILANX_SUCCESS;
}

// How many environments there are, times sources that have tasks in common.
static size_t count_variants(const struct collation *collation, bool by_source)
{
    AUTO(index) struct index envs = {0};
    for (size_t i = 0; i < collation->count; i++) {
        bool added;
        const char *env = or_empty(collation->entries[i].record.task.env);
        index_find_or_add(&envs, hash_of_text(env), i, &added);
    }
    return envs.count * (by_source ? collation->sources.count : 1);
}

struct bilanx_error layout_make(const struct collation *collation, bool size_rows,
                                struct layout *out)
{
    size_t count = collation->count;
    AUTO(work) struct work work = {.entries = collation->entries,
                                   .count = count,
                                   .by_source = sources_overlap(collation),
                                   .column = mem_array(size_t, count),
                                   .group = mem_array(size_t, count),
                                   .row = mem_array(size_t, count),
                                   .next = mem_array(size_t, count)};
    name_sources(&collation->sources, &out->sources);
    work.sources = &out->sources;
    if (size_rows) {
        size_rows_find(collation, count_variants(collation, work.by_source), &out->sizes);
        work.places = out->sizes.places;
    }
    find_columns(&work, &out->columns);
    find_groups(&work);
    find_rows(&work);
    return make_grids(&work, out);
}

void grid_done(struct grid *grid)
{
    for (size_t i = 0; i < grid->row_count; i++)
        free(grid->rows[i].name);
    for (size_t i = 0; i < grid->column_count; i++)
        free(grid->columns[i]);
    free(grid->rows);
    free(grid->columns);
    free(grid->column_places);
    free(grid->column_groups);
    free(grid->column_stems);
    free(grid->cells);
}

void layout_done(struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++)
        grid_done(&layout->grids[i]);
    free(layout->grids);
    list_done(&layout->columns);
    list_done(&layout->sources);
    size_rows_done(&layout->sizes);
    *layout = (struct layout){0};
}
