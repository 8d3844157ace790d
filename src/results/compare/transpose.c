// transpose: swaps rows and columns.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/layout.h"

// How the rows of a table differ besides their names.
struct variety {
    bool threads, envs;
};

static struct variety variety_of(const struct layout *layout)
{
    struct variety variety = {0};
    const struct grid_row *first = layout->count ? layout->grids[0].rows : NULL;
    for (size_t g = 0; g < layout->count; g++)
        for (size_t i = 0; i < layout->grids[g].row_count; i++) {
            variety.threads |= layout->grids[g].rows[i].threads != first->threads;
            variety.envs |= strcmp(layout->grids[g].rows[i].env, first->env) != 0;
        }
    return variety;
}

static char *heading(const struct grid_row *row, struct variety variety)
{
    struct text out = {0};
    text_add(&out, row->name);
    if (variety.envs && *row->env)
        text_format(&out, "%s%s", out.size ? ", " : "", row->env);
    if (variety.threads)
        text_format(&out, "%s%llu thread%s", out.size ? ", " : "", (unsigned long long)row->threads,
                    row->threads == 1 ? "" : "s");
    return text_take(&out);
}

static size_t place_of(struct list *headings, struct index *index, const char *heading)
{
    struct hash key = hash_start();
    hash_add_text(&key, heading);
    bool added;
    size_t place = index_find_or_add(index, key, headings->count, &added);
    if (added)
        list_add(headings, heading);
    return place;
}

static void transpose(struct grid *grid, struct variety variety, bool grouped,
                      struct list *headings, struct index *index)
{
    struct grid turned = {
        .label = grid->label,
        .rows = mem_array(struct grid_row, grid->column_count),
        .row_count = grid->column_count,
        .columns = mem_array(char *, grid->row_count),
        .column_places = mem_array(size_t, grid->row_count),
        .column_groups = grouped ? mem_array(size_t, grid->row_count) : NULL,
        .column_count = grid->row_count,
        .cells = mem_array(const struct entry *, grid->row_count * grid->column_count)};
    for (size_t i = 0; i < grid->column_count; i++)
        turned.rows[i] = (struct grid_row){.env = "", .name = TAKE(grid->columns[i])};
    for (size_t i = 0; i < grid->row_count; i++) {
        turned.columns[i] = heading(&grid->rows[i], variety);
        turned.column_places[i] = place_of(headings, index, turned.columns[i]);
    }
    for (size_t row = 0; row < grid->row_count; row++)
        for (size_t column = 0; column < grid->column_count; column++)
            turned.cells[column * turned.column_count + row] = grid_cell(grid, row, column);
    for (size_t i = 0; grouped && i < grid->row_count; i++)
        turned.column_groups[i] = grid->rows[i].threads;
    grid_done(grid);
    *grid = turned;
}

void layout_transpose(struct layout *layout, bool grouped)
{
    struct variety variety = variety_of(layout);
    AUTO(list) struct list headings = {0};
    AUTO(index) struct index index = {0};
    for (size_t i = 0; i < layout->count; i++)
        transpose(&layout->grids[i], variety, grouped, &headings, &index);
    struct list before = layout->columns;
    layout->columns = headings;
    headings = before;
}
