// export: writes filled tables for programs.
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/table.h"
#include "results/compare/looks.h"

static const char *unit_of(const struct sheets *sheets)
{
    return sheets->ratios ? "" : sheets->metric.unit;
}

static void add_cell(const struct sheets *sheets, const struct grid *grid,
                     const struct grid_row *row, size_t column, const struct cell *cell,
                     struct table *table)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", grid->label);
    if (row->threads)
        table_cell(table, TABLE_PLAIN, "%llu", (unsigned long long)row->threads);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s", row->env);
    table_cell(table, TABLE_PLAIN, "%s", row->name);
    table_cell(table, TABLE_PLAIN, "%s", grid->columns[column]);
    table_cell(table, TABLE_PLAIN, "%s", sheets->metric.name);
    table_number(table, cell->quantity.value);
    table_number(table, cell->quantity.low);
    table_number(table, cell->quantity.high);
    table_cell(table, TABLE_PLAIN, "%s", unit_of(sheets));
    table_cell(table, TABLE_PLAIN, "%s", cell->failure ? cell->failure : "");
    table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_PLAIN, "%s",
               cell->record && cell->record->core ? cell->record->core : "");
}

void look_csv(const struct sheets *sheets, const struct verdicts *verdicts, bool safe, FILE *out)
{
    static const char *const titles[] = {"label",   "threads", "env", "row",  "column",
                                         "metric",  "value",   "low", "high", "unit",
                                         "failure", "verdict", "core"};
    AUTO(table) struct table table = {0};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, titles[i], TABLE_LEFT);
    table_show_all(&table);  // the same columns in every file
    for (size_t i = 0; i < sheets->count; i++) {
        const struct grid *grid = sheets->items[i].grid;
        for (size_t at = 0; at < grid->row_count * grid->column_count; at++)
            if (sheets->items[i].cells[at].there)
                add_cell(sheets, grid, &grid->rows[at / grid->column_count],
                         at % grid->column_count, &sheets->items[i].cells[at], &table);
    }
    verdicts_add_rows(verdicts, &table);
    AUTO(text) struct text text = {0};
    table_print(&table, (struct table_look){BILANX_CSV, .csv_safe = safe}, &text);
    fputs(text_get(&text), out);
}

static void write_cell(const struct cell *cell, struct json_writer *json)
{
    if (!cell->there) {
        writer_raw(json, "null");
        return;
    }
    writer_open(json, '{');
    if (cell->failure)
        writer_key_text(json, "failure", cell->failure);
    if (cell_filled(cell))
        writer_key_number(json, "value", cell->quantity.value);
    if (isfinite(cell->quantity.low) && isfinite(cell->quantity.high)) {
        writer_key(json, "interval");
        writer_open(json, '[');
        writer_number(json, cell->quantity.low);
        writer_number(json, cell->quantity.high);
        writer_close(json, ']');
    }
    if (cell->record && cell->record->core)
        writer_key_text(json, "core", cell->record->core);
    if (cell->doubt) {
        writer_key(json, "doubt");
        writer_bool(json, true);
    }
    writer_close(json, '}');
}

static void write_row(const struct sheet *sheet, size_t row, struct json_writer *json)
{
    const struct grid *grid = sheet->grid;
    writer_open(json, '{');
    if (grid->rows[row].threads)
        writer_key_count(json, "threads", grid->rows[row].threads);
    writer_key_text(json, "env", grid->rows[row].env);
    writer_key_text(json, "row", grid->rows[row].name);
    writer_key(json, "cells");
    writer_open(json, '[');
    for (size_t i = 0; i < grid->column_count; i++)
        write_cell(&sheet->cells[row * grid->column_count + i], json);
    writer_close(json, ']');
    writer_close(json, '}');
}

static void write_sheet(const struct sheet *sheet, bool summary, struct json_writer *json)
{
    const struct grid *grid = sheet->grid;
    writer_open(json, '{');
    writer_key_text(json, "label", grid->label);
    writer_key(json, "columns");
    writer_open(json, '[');
    for (size_t i = 0; i < grid->column_count; i++)
        writer_text(json, grid->columns[i]);
    writer_close(json, ']');
    writer_key(json, "rows");
    writer_open(json, '[');
    for (size_t i = 0; i < grid->row_count; i++)
        write_row(sheet, i, json);
    writer_close(json, ']');
    if (summary) {
        AUTO(memory) double *means = mem_array(double, grid->column_count);
        writer_key_count(json, "mean_rows", sheet_means(sheet, means));
        writer_key(json, "geometric_means");
        writer_open(json, '[');
        for (size_t i = 0; i < grid->column_count; i++)
            writer_number(json, means[i]);
        writer_close(json, ']');
    }
    writer_close(json, '}');
}

void look_json(const struct sheets *sheets, const struct verdicts *verdicts,
               const struct bilanx_compare_options *options, FILE *out)
{
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    writer_key_text(&json, "metric", sheets->metric.name);
    writer_key_text(&json, "unit", unit_of(sheets));
    if (sheets->ratios)
        writer_key_text(&json, "ratio", options->ratio);
    if (sheets->variants) {
        writer_key(&json, "variants");
        writer_open(&json, '[');
        for (size_t i = 0; i < sheets->variants->count; i++)
            writer_text(&json, sheets->variants->items[i]);
        writer_close(&json, ']');
    }
    writer_key(&json, "tables");
    writer_open(&json, '[');
    for (size_t i = 0; i < sheets->count; i++)
        write_sheet(&sheets->items[i], options->summary, &json);
    writer_close(&json, ']');
    if (verdicts->count)
        verdicts_write(verdicts, &json);
    writer_close(&json, '}');
    fprintf(out, "%s\n", text_get(&text));
}
