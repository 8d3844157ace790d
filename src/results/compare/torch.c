// torch: the format of torch.utils.benchmark.Compare, character by character.
//
// Its terms: a segment is a padded cell; leading digits are those before the point. Widths are in
// characters, as there. docs/formats/compare.md lists the differences.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/compare/looks.h"

#define BOLD "\033[1m"
#define END "\033[0m"

struct column {
    int length, decimals;
    bool warns;    // some cell is doubtful, and that is shown
    size_t width;  // in characters
};

struct drawing {
    const struct grid *grid;
    const struct bilanx_compare_options *options;
    double scale;
    const char *unit, *unit_name;
    bool envs;        // there are several
    size_t env_size;  // length of the longest
    struct column *columns;
    size_t name_width;
};

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static bool measured(const struct entry *entry)
{
    return entry && !entry->record.error && entry->record.timing.raw_count > 0;
}

static bool in_doubt(const struct bilanx_stats *stats)
{
    return stats->iqr / stats->median >= 0.1;
}

static int leading_digits(double value)
{
    return value > 0 && isfinite(value) ? (int)ceil(log10(value)) : 0;
}

static double trimmed(double value, int figures)
{
    if (!(value > 0) || isinf(value))
        return value;
    double scale = pow(10, ceil(log10(value)) - figures);
    return rint(value / scale) * scale;
}

static void choose_unit(struct drawing *drawing)
{
    static const struct {
        int thousands;
        double scale;
        const char *unit, *name;
    } units[] = {{-3, 1e-9, "ns", "nanosecond"},
                 {-2, 1e-6, "us", "microsecond"},
                 {-1, 1e-3, "ms", "millisecond"},
                 {0, 1, "s", "second"}};
    const struct grid *grid = drawing->grid;
    double least = INFINITY;
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        if (measured(grid->cells[i]))
            least = fmin(least, grid->cells[i]->record.stats.median);
    double thousands = least > 0 ? floor(log10(least) / 3) : -3;
    size_t chosen = 0;
    while (units[chosen].thousands < 0 && units[chosen].thousands < thousands)
        chosen++;
    drawing->scale = units[chosen].scale;
    drawing->unit = units[chosen].unit;
    drawing->unit_name = units[chosen].name;
}

static struct column shape_column(const struct drawing *drawing, size_t at)
{
    int digits = 0, decimals = drawing->options->trim ? 99 : 1;
    bool any = false, warns = false;
    for (size_t row = 0; row < drawing->grid->row_count; row++) {
        const struct entry *entry = grid_cell(drawing->grid, row, at);
        if (!measured(entry))
            continue;
        const struct bilanx_stats *stats = &entry->record.stats;
        int leading = leading_digits(stats->median / drawing->scale);
        digits = any && digits > leading ? digits : leading;
        any = true;
        warns |= in_doubt(stats);
        int left = (int)stats->significant_figures - leading;
        if (drawing->options->trim && decimals > (left > 0 ? left : 0))
            decimals = left > 0 ? left : 0;
    }
    decimals = any ? decimals : 1;
    int length = digits + decimals + (decimals > 0);
    return (struct column){.length = length > 0 ? length : 0,
                           .decimals = decimals,
                           .warns = warns && drawing->options->highlight_warnings};
}

static void add_number(struct text *out, const struct column *column, double value, double spread)
{
    char doubt[48] = "";
    if (column->warns && !isnan(spread))
        snprintf(doubt, sizeof doubt, " (! %.0f%%)", spread * 100);
    text_format(out, "%*.*f%*s", column->length, column->decimals, value, column->warns ? 7 : 0,
                doubt);
}

static void cell_text(const struct drawing *drawing, const struct entry *entry, size_t at,
                      struct text *out)
{
    const struct column *column = &drawing->columns[at];
    if (entry && entry->record.error) {
        look_add_failure(entry->record.error->code, out);
    } else if (!measured(entry)) {
        AUTO(text) struct text one = {0};
        add_number(&one, column, 1, NAN);
        text_add_repeated(out, " ", one.size);
    } else {
        const struct bilanx_stats *stats = &entry->record.stats;
        double value = stats->median / drawing->scale;
        if (drawing->options->trim)
            value = trimmed(value, (int)stats->significant_figures);
        add_number(out, column, value, in_doubt(stats) ? stats->iqr / stats->median : NAN);
    }
}

// Like Python's str.center(): if the padding is odd, an odd width gets more of it on the left.
static void add_centered(struct text *out, const char *text, size_t width, const char *padding)
{
    size_t size = characters(text), rest = width > size ? width - size : 0;
    size_t left = rest / 2 + (rest & width & 1);
    text_add_repeated(out, padding, left);
    text_add(out, text);
    text_add_repeated(out, padding, rest - left);
}

static void row_heading(const struct drawing *drawing, const struct grid_row *row, bool with_env,
                        struct text *out)
{
    text_add(out, "  ");
    AUTO(text) struct text env = {0};
    if (with_env && *row->env) {
        text_add(&env, "(");
        text_add_harmless(&env, row->env);
        text_add(&env, ")");
    }
    text_add(out, text_get(&env));
    size_t size = characters(text_get(&env)), width = drawing->env_size + 4;
    text_add_repeated(out, " ", width > size ? width - size : 0);
    text_add_harmless(out, *row->name ? row->name : "[Unknown]");
}

static void measure_envs(struct drawing *drawing)
{
    const struct grid *grid = drawing->grid;
    for (size_t i = 0; i < grid->row_count; i++) {
        AUTO(text) struct text env = {0};
        text_add_harmless(&env, grid->rows[i].env);
        size_t size = characters(text_get(&env));
        drawing->env_size = size > drawing->env_size ? size : drawing->env_size;
        drawing->envs |= strcmp(grid->rows[i].env, grid->rows[0].env) != 0;
    }
    if (!drawing->envs)
        drawing->env_size = 0;
}

static void widen(size_t *width, const char *text)
{
    size_t size = characters(text);
    *width = size > *width ? size : *width;
}

static void heading_text(const struct grid *grid, size_t column, struct text *out)
{
    text_add_harmless(out, grid->columns[column]);
}

static void measure_widths(struct drawing *drawing)
{
    const struct grid *grid = drawing->grid;
    AUTO(text) struct text text = {0};
    for (size_t column = 0; column < grid->column_count; column++) {
        drawing->columns[column] = shape_column(drawing, column);
        text_clear(&text);
        heading_text(grid, column, &text);
        widen(&drawing->columns[column].width, text_get(&text));
        for (size_t row = 0; row < grid->row_count; row++) {
            text_clear(&text);
            cell_text(drawing, grid_cell(grid, row, column), column, &text);
            widen(&drawing->columns[column].width, text_get(&text));
        }
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        text_clear(&text);
        row_heading(drawing, &grid->rows[row], false, &text);  // an env fits into its blanks
        widen(&drawing->name_width, text_get(&text));
    }
}

static void add_segment(struct text *out, const char *segment, double value, double best)
{
    const char *color = "";
    if (value <= best * 1.01 || value <= best + 100e-9)
        color = "\033[92m" BOLD;
    else if (value <= best * 1.1)
        color = "\033[34m" BOLD;
    else if (value >= best * 5)
        color = "\033[31m" BOLD;
    else if (value >= best * 2)
        color = "\033[2m\033[91m";
    text_format(out, "%s%s%s", color, segment, *color ? END END : "");
}

// The best values that the cells of a row are compared with, per column; infinity: none. Per-column
// bests change only with the block of threads, whose first row is `row`.
static void find_bests(const struct drawing *drawing, size_t row, double *bests)
{
    const struct grid *grid = drawing->grid;
    bool by_row = drawing->options->colorize == BILANX_COMPARE_BY_ROW;
    double best_of_row = INFINITY;
    for (size_t i = 0; i < grid->column_count; i++)
        bests[i] = INFINITY;
    for (size_t i = row; i < grid->row_count && grid->rows[i].threads == grid->rows[row].threads &&
                         (i == row || !by_row);
         i++)
        for (size_t j = 0; j < grid->column_count; j++)
            if (measured(grid_cell(grid, i, j))) {
                double *best = by_row ? &best_of_row : &bests[j];
                *best = fmin(*best, grid_cell(grid, i, j)->record.stats.median);
            }
    for (size_t i = 0; i < grid->column_count && by_row; i++)
        bests[i] = best_of_row;
}

static void draw_row(const struct drawing *drawing, const double *bests, size_t row, bool with_env,
                     struct text *out)
{
    const struct grid *grid = drawing->grid;
    AUTO(text) struct text text = {0};
    row_heading(drawing, &grid->rows[row], with_env, &text);
    text_add(out, text_get(&text));
    text_add_repeated(out, " ", drawing->name_width - characters(text_get(&text)));
    for (size_t column = 0; column < grid->column_count; column++) {
        const struct entry *entry = grid_cell(grid, row, column);
        AUTO(text) struct text cell = {0}, segment = {0};
        cell_text(drawing, entry, column, &cell);
        add_centered(&segment, text_get(&cell), drawing->columns[column].width, " ");
        text_add(out, "  |  ");
        if (drawing->options->colorize && measured(entry))
            add_segment(out, text_get(&segment), entry->record.stats.median, bests[column]);
        else
            text_add(out, text_get(&segment));
    }
    text_add(out, "\n");
}

static void draw_headings(const struct drawing *drawing, struct text *out)
{
    text_add_repeated(out, " ", drawing->name_width);
    for (size_t i = 0; i < drawing->grid->column_count; i++) {
        AUTO(text) struct text heading = {0};
        heading_text(drawing->grid, i, &heading);
        text_add(out, "  |  ");
        add_centered(out, text_get(&heading), drawing->columns[i].width, " ");
    }
}

static void draw_title(const char *label, size_t width, struct text *out)
{
    AUTO(text) struct text title = {0};
    text_add(&title, " ");
    text_add_harmless(&title, label);
    text_add(&title, " ");
    text_add(out, "[");
    add_centered(out, text_get(&title), width - 2, "-");
    text_add(out, "]\n");
}

static void draw_rows(const struct drawing *drawing, size_t width, struct text *out)
{
    const struct grid *grid = drawing->grid;
    AUTO(memory) double *bests = mem_array(double, grid->column_count);
    for (size_t row = 0; row < grid->row_count; row++) {
        const struct grid_row *now = &grid->rows[row], *before = row ? now - 1 : NULL;
        bool new_block = !before || before->threads != now->threads;
        if (new_block && now->threads) {  // 0: transposed, rows are not split by threads
            char heading[48];
            size_t size = (size_t)snprintf(heading, sizeof heading,
                                           "%llu threads: ", (unsigned long long)now->threads);
            text_add(out, heading);
            text_add_repeated(out, "-", width > size ? width - size : 0);
            text_add(out, "\n");
        }
        bool new_env = new_block || strcmp(before->env, now->env) != 0;
        if (new_block || drawing->options->colorize == BILANX_COMPARE_BY_ROW)
            find_bests(drawing, row, bests);
        draw_row(drawing, bests, row, drawing->envs && new_env, out);
    }
}

static void draw(const struct grid *grid, const struct bilanx_compare_options *options,
                 struct text *out)
{
    struct drawing drawing = {
        .grid = grid, .options = options, .columns = mem_array(struct column, grid->column_count)};
    choose_unit(&drawing);
    measure_envs(&drawing);
    measure_widths(&drawing);
    AUTO(text) struct text headings = {0};
    draw_headings(&drawing, &headings);
    size_t width = characters(text_get(&headings));
    draw_title(grid->label, width, out);
    text_format(out, "%s\n", text_get(&headings));
    draw_rows(&drawing, width, out);
    text_format(out, "\nTimes are in %ss (%s).\n", drawing.unit_name, drawing.unit);
    bool warns = false;
    for (size_t i = 0; i < grid->column_count; i++)
        warns |= drawing.columns[i].warns;
    if (warns)
        text_add(out, "(! XX%) Measurement has high variance, where XX is the IQR / median * "
                      "100.\n");
    free(drawing.columns);
}

void look_torch(const struct layout *layout, const struct bilanx_compare_options *options,
                FILE *out)
{
    for (size_t i = 0; i < layout->count; i++) {
        AUTO(text) struct text table = {0};
        draw(&layout->grids[i], options, &table);
        fprintf(out, "%s\n", text_get(&table));
    }
}
