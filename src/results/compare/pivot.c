// pivot: puts environments next to each other: one column per env instead of one for all.
//
// Rows, columns and environments are in the order of their first records.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/layout.h"

struct ranked {
    uint64_t threads;           // of a row
    const struct entry *first;  // entries are in one array: lower addresses came first
    size_t id;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

struct ranking {
    struct ranked *items;
    size_t count;
};

static void note_first(struct ranking *ranking, size_t id, const struct entry *entry)
{
    struct ranked *item = &ranking->items[id];
    if (entry && (!item->first || entry < item->first))
        item->first = entry;
}

// Sorts, and converts the old numbers in `of` to positions.
static void rank(struct ranking *ranking, size_t *of, size_t count)
{
    AUTO(memory) size_t *places = mem_array(size_t, ranking->count);
    if (ranking->count)
        qsort(ranking->items, ranking->count, sizeof *ranking->items, by_rank);
    for (size_t i = 0; i < ranking->count; i++)
        places[ranking->items[i].id] = i;
    for (size_t i = 0; i < count; i++)
        of[i] = places[of[i]];
}

// Numbers the rows or environments of a table; equal keys get equal numbers.
static size_t number(struct ranking *ranking, struct index *index, struct hash key,
                     uint64_t threads)
{
    bool added;
    size_t id = index_find_or_add(index, key, ranking->count, &added);
    if (added)
        ranking->items[ranking->count++] = (struct ranked){.threads = threads, .id = id};
    return id;
}

struct pivot {
    struct grid *grid;
    struct ranking rows, envs, columns;
    size_t *row_of, *env_of, *column_of;  // by old row; by old column
};

static void pivot_done(struct pivot *pivot)
{
    free(pivot->rows.items);
    free(pivot->envs.items);
    free(pivot->columns.items);
    free(pivot->row_of);
    free(pivot->env_of);
    free(pivot->column_of);
}
SCOPE_VALUE(pivot, pivot_done)

static void look(struct pivot *pivot)
{
    const struct grid *grid = pivot->grid;
    AUTO(index) struct index rows = {0}, envs = {0};
    for (size_t i = 0; i < grid->column_count; i++) {
        pivot->columns.items[i] = (struct ranked){.id = i};
        pivot->column_of[i] = i;
    }
    pivot->columns.count = grid->column_count;
    for (size_t i = 0; i < grid->row_count; i++) {
        const struct grid_row *row = &grid->rows[i];
        struct hash key = hash_start(), env = hash_start();
        hash_add(&key, &row->threads, sizeof row->threads);
        hash_add_text(&key, row->name);
        hash_add_text(&env, row->env);
        pivot->row_of[i] = number(&pivot->rows, &rows, key, row->threads);
        pivot->env_of[i] = number(&pivot->envs, &envs, env, 0);
        for (size_t column = 0; column < grid->column_count; column++) {
            const struct entry *entry = grid_cell(grid, i, column);
            note_first(&pivot->rows, pivot->row_of[i], entry);
            note_first(&pivot->envs, pivot->env_of[i], entry);
            note_first(&pivot->columns, column, entry);
        }
    }
    rank(&pivot->rows, pivot->row_of, grid->row_count);
    rank(&pivot->envs, pivot->env_of, grid->row_count);
    rank(&pivot->columns, pivot->column_of, grid->column_count);
}

static char *heading(const char *column, const char *env)
{
    return *column && *env ? mem_format("%s, %s", column, env) : mem_text(*env ? env : column);
}

static void take_rows(struct pivot *pivot, struct grid *out)
{
    struct grid *grid = pivot->grid;
    out->row_count = pivot->rows.count;
    out->rows = mem_array(struct grid_row, out->row_count);
    for (size_t i = 0; i < grid->row_count; i++) {
        struct grid_row *row = &out->rows[pivot->row_of[i]];
        if (!row->name)
            *row = (struct grid_row){grid->rows[i].threads, "", TAKE(grid->rows[i].name)};
    }
}

// Keeps only the pairs of column and env that are in use. `wide` has a column for every pair.
static void take_columns(struct pivot *pivot, const struct entry **wide, const char **envs,
                         struct grid *out)
{
    size_t env_count = pivot->envs.count, all = pivot->grid->column_count * env_count;
    out->columns = mem_array(char *, all);
    out->column_places = mem_array(size_t, all);
    out->column_groups = mem_array(size_t, all);
    out->column_stems = mem_array(size_t, all);
    out->cells = mem_array(const struct entry *, out->row_count *all);
    AUTO(memory) size_t *kept = mem_array(size_t, all);
    for (size_t pair = 0; pair < all; pair++) {
        bool any = false;
        for (size_t row = 0; row < out->row_count; row++)
            any |= wide[row * all + pair] != NULL;
        if (!any)
            continue;
        size_t old = pivot->columns.items[pair / env_count].id;
        size_t at = out->column_count++;
        kept[at] = pair;
        out->columns[at] = heading(pivot->grid->columns[old], envs[pair % env_count]);
        out->column_places[at] = pivot->grid->column_places[old];
        out->column_groups[at] = pair / env_count;
        out->column_stems[at] = strlen(pivot->grid->columns[old]);
    }
    for (size_t row = 0; row < out->row_count; row++)
        for (size_t i = 0; i < out->column_count; i++)
            out->cells[row * out->column_count + i] = wide[row * all + kept[i]];
}

static void turn(struct grid *grid)
{
    size_t columns = grid->column_count;
    AUTO(pivot) struct pivot pivot = {.grid = grid,
                                      .rows = {mem_array(struct ranked, grid->row_count), 0},
                                      .envs = {mem_array(struct ranked, grid->row_count), 0},
                                      .columns = {mem_array(struct ranked, columns), 0},
                                      .row_of = mem_array(size_t, grid->row_count),
                                      .env_of = mem_array(size_t, grid->row_count),
                                      .column_of = mem_array(size_t, columns)};
    look(&pivot);
    size_t env_count = pivot.envs.count;
    struct grid turned = {.label = grid->label};
    AUTO(memory) const char **envs = mem_array(const char *, env_count);
    AUTO(memory) const struct entry **wide =
        mem_array(const struct entry *, pivot.rows.count *columns *env_count);
    for (size_t i = 0; i < grid->row_count; i++) {
        envs[pivot.env_of[i]] = env_count > 1 ? grid->rows[i].env : "";
        for (size_t column = 0; column < columns; column++)
            wide[(pivot.row_of[i] * columns + pivot.column_of[column]) * env_count +
                 pivot.env_of[i]] = grid_cell(grid, i, column);
    }
    take_rows(&pivot, &turned);
    take_columns(&pivot, wide, envs, &turned);
    grid_done(grid);
    *grid = turned;
}

void layout_pivot(struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++)
        turn(&layout->grids[i]);
}
