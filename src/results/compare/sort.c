// sort: sorts rows by name or value.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/cells.h"

struct sortable {
    const struct grid_row *row;
    size_t place;
    double value;  // NaN: none
};

static int compare_groups(const struct sortable *a, const struct sortable *b)
{
    if (a->row->threads != b->row->threads)
        return a->row->threads < b->row->threads ? -1 : 1;
    return strcmp(a->row->env, b->row->env);
}

static int in_order(const struct sortable *a, const struct sortable *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

// "n=64" sorts before "n=4096".
static int compare_names(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    int order = compare_groups(x, y);
    order = order ? order : strverscmp(x->row->name, y->row->name);
    return order ? order : in_order(x, y);
}

static int compare_values(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    int order = compare_groups(x, y);
    if (order)
        return order;
    if (isnan(x->value) != isnan(y->value))
        return isnan(x->value) ? 1 : -1;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return in_order(x, y);
}

// The value of a row in the wanted column (SIZE_MAX: the first that has one).
static double value_of(const struct grid *grid, const struct filling *filling, size_t row,
                       size_t wanted)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        const struct entry *entry = grid_cell(grid, row, i);
        if ((wanted != SIZE_MAX && grid->column_places[i] != wanted) || !entry)
            continue;
        double value = cell_of(filling, entry).quantity.value;
        if (!isnan(value))
            return value;
    }
    return NAN;
}

static void sort_grid(struct grid *grid, const struct filling *filling, size_t column,
                      int (*compare)(const void *, const void *))
{
    size_t n = grid->row_count, width = grid->column_count;
    AUTO(memory) struct sortable *order = mem_array(struct sortable, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct sortable){&grid->rows[i], i, value_of(grid, filling, i, column)};
    qsort(order, n, sizeof *order, compare);
    struct grid_row *rows = mem_array(struct grid_row, n);
    const struct entry **cells = mem_array(const struct entry *, n *width);
    for (size_t i = 0; i < n; i++) {
        rows[i] = *order[i].row;
        memcpy(cells + i * width, grid->cells + order[i].place * width, width * sizeof *cells);
    }
    free(grid->rows);
    free(grid->cells);
    grid->rows = rows;
    grid->cells = cells;
}

static struct bilanx_error unknown(const struct list *columns, const char *key)
{
    AUTO(text) struct text listed = {0};
    for (size_t i = 0; i < columns->count && i < 8; i++)
        if (*columns->items[i])
            text_format(&listed, ", '%s'", columns->items[i]);
    return bilanx_error_make(BILANX_E_USAGE,
                             "cannot sort by '%s': choose from defined, name, value%s", key,
                             text_get(&listed));
}

struct bilanx_error layout_sort(struct layout *layout, const struct filling *filling,
                                const char *key)
{
    if (strcmp(key, "defined") == 0)
        return BILANX_SUCCESS;
    size_t column = SIZE_MAX;
    bool by_name = strcmp(key, "name") == 0;
    for (size_t i = 0; i < layout->columns.count && !by_name; i++)
        if (strcmp(layout->columns.items[i], key) == 0)
            column = i;
    if (!by_name && strcmp(key, "value") != 0 && column == SIZE_MAX)
        return unknown(&layout->columns, key);
    for (size_t i = 0; i < layout->count; i++)
        sort_grid(&layout->grids[i], filling, column, by_name ? compare_names : compare_values);
    return BILANX_SUCCESS;
}
