// best: the best cells of a table.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/cells.h"

// Whether `a` is better than `b` or cannot be distinguished from it.
static bool as_good(int better, const struct quantity *a, const struct quantity *b)
{
    double ours = better < 0 ? a->low : a->high, theirs = better < 0 ? b->high : b->low;
    if (isnan(ours) || isnan(theirs)) {
        ours = a->value;
        theirs = b->value;
    }
    return better < 0 ? ours <= theirs : ours >= theirs;
}

struct rows {
    size_t first, end;
};

static size_t best_of(const struct sheet *sheet, int better, size_t column, struct rows rows,
                      size_t *filled)
{
    size_t best = SIZE_MAX;
    *filled = 0;
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct cell *cell = sheet_cell(sheet, i, column);
        if (!cell_filled(cell))
            continue;
        ++*filled;
        if (best == SIZE_MAX || better * cell->quantity.value >
                                    better * sheet_cell(sheet, best, column)->quantity.value)
            best = i;
    }
    return best;
}

// Copying 4 KB is not better than copying 1 MB.
static bool is_same_work(const struct sheet *sheet, size_t column, struct rows rows, size_t best)
{
    const struct hash *work = &sheet_cell(sheet, best, column)->work;
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct cell *cell = sheet_cell(sheet, i, column);
        if (cell_filled(cell) && memcmp(&cell->work, work, sizeof *work) != 0)
            return false;
    }
    return true;
}

static bool mark(const struct sheet *sheet, int better, size_t column, struct rows rows,
                 bool *marked)
{
    size_t filled, best = best_of(sheet, better, column, rows, &filled);
    bool is_rate = better > 0;  // of any amount of work
    if (filled < 2 || (!is_rate && !is_same_work(sheet, column, rows, best)))
        return false;
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct cell *cell = sheet_cell(sheet, i, column);
        marked[i * sheet->grid->column_count + column] =
            cell_filled(cell) &&
            as_good(better, &cell->quantity, &sheet_cell(sheet, best, column)->quantity);
    }
    return true;
}

// Marks a row among columns of one group: environments of the same thing.
static bool mark_row(const struct sheet *sheet, int better, size_t row, bool *marked)
{
    const struct grid *grid = sheet->grid;
    bool any = false;
    for (size_t first = 0, end; first < grid->column_count; first = end) {
        size_t best = SIZE_MAX, filled = 0;
        for (end = first;
             end < grid->column_count && grid->column_groups[end] == grid->column_groups[first];
             end++) {
            const struct cell *cell = sheet_cell(sheet, row, end);
            if (!cell_filled(cell))
                continue;
            filled++;
            if (best == SIZE_MAX || better * cell->quantity.value >
                                        better * sheet_cell(sheet, row, best)->quantity.value)
                best = end;
        }
        for (size_t i = first; i < end && filled > 1; i++) {
            const struct cell *cell = sheet_cell(sheet, row, i);
            marked[row * grid->column_count + i] =
                cell_filled(cell) &&
                as_good(better, &cell->quantity, &sheet_cell(sheet, row, best)->quantity);
            any = true;
        }
    }
    return any;
}

bool sheet_mark_best(const struct sheet *sheet, int better, bool *marked)
{
    const struct grid *grid = sheet->grid;
    bool any = false;
    for (size_t row = 0; better && grid->column_groups && row < grid->row_count; row++)
        any |= mark_row(sheet, better, row, marked);
    if (grid->column_groups)
        return any;
    for (size_t first = 0, end; better && first < grid->row_count; first = end) {
        for (end = first + 1;
             end < grid->row_count && grid->rows[end].threads == grid->rows[first].threads; end++)
            ;
        for (size_t column = 0; column < grid->column_count; column++)
            any |= mark(sheet, better, column, (struct rows){first, end}, marked);
    }
    return any;
}
