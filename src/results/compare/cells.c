// cells: contents of table cells.
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/elementary.h"

void sheets_done(struct sheets *sheets)
{
    for (size_t i = 0; i < sheets->count; i++)
        free(sheets->items[i].cells);
    for (size_t i = 0; i < sheets->beside_count; i++)
        sheets_done(&sheets->beside[i]);
    free(sheets->beside);
    free(sheets->items);
    *sheets = (struct sheets){0};
}

// Independent errors of a ratio add up as squares of logarithms.
static double joint(double a_from, double a_to, double b_from, double b_to)
{
    if (!(a_from > 0 && a_to > 0 && b_from > 0 && b_to > 0))
        return NAN;
    double a = ln(a_to / a_from), b = ln(b_to / b_from);
    return exponential(square_root(a * a + b * b));
}

static struct quantity ratio(struct quantity a, struct quantity b)
{
    if (!(b.value > 0))
        return (struct quantity){NAN, NAN, NAN};
    double value = a.value / b.value;
    return (struct quantity){value, value / joint(a.low, a.value, b.value, b.high),
                             value * joint(a.value, a.high, b.low, b.value)};
}

static struct hash work_of(const struct bilanx_record *record)
{
    struct hash work = hash_start();
    hash_add_text(&work, record->task.parameters);
    if (record->rates) {
        hash_add(&work, &record->rates->bytes, sizeof record->rates->bytes);
        hash_add(&work, &record->rates->items, sizeof record->rates->items);
    }
    return work;
}

static bool has_doubt(const struct metric *metric, const struct bilanx_record *record)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (metric_doubts(metric, record->warnings[i].code))
            return true;
    return false;
}

struct cell cell_of(const struct filling *filling, const struct entry *entry)
{
    struct cell cell = {.quantity = {NAN, NAN, NAN}};
    if (!entry)
        return cell;
    const struct metric *metric = filling->metric;
    const struct bilanx_record *record = &entry->record;
    const struct entry *base =
        filling->bases ? filling->bases[entry - filling->collation->entries] : NULL;
    cell.there = true;
    cell.record = record;
    if (record->error) {
        cell.failure = record->error->code ? record->error->code : "failed";
        return cell;
    }
    cell.doubt = has_doubt(metric, record);
    cell.work = work_of(record);
    struct quantity own = metric->of(metric, record);
    if (!filling->bases)
        cell.quantity = own;
    else if (entry == base)
        cell.quantity = (struct quantity){isnan(own.value) ? NAN : 1, NAN, NAN};
    else if (base && !base->record.error)
        cell.quantity = ratio(own, metric->of(metric, &base->record));
    return cell;
}

static struct bilanx_error nobody_has(const struct collation *collation, const char *metric)
{
    AUTO(list) struct list names = {0};
    for (size_t i = 0; i < collation->count && i < 1000; i++)
        metric_names(&collation->entries[i].record, &names);
    AUTO(text) struct text listed = {0};
    for (size_t i = 0; i < names.count; i++)
        text_format(&listed, "%s%s", i ? ", " : "", names.items[i]);
    const char *nearest = text_nearest(metric, (const char *const *)names.items, names.count);
    return bilanx_error_make(BILANX_E_INPUT, "no record has '%s'%s%s%s; they have %s", metric,
                             nearest ? " (did you mean '" : "", nearest ? nearest : "",
                             nearest ? "'?)" : "", listed.size ? text_get(&listed) : "failures");
}

static bool fill_sheet(const struct filling *filling, struct sheet *sheet)
{
    size_t count = sheet->grid->row_count * sheet->grid->column_count;
    bool any = false;
    sheet->cells = mem_array(struct cell, count);
    for (size_t i = 0; i < count; i++) {
        sheet->cells[i] = cell_of(filling, sheet->grid->cells[i]);
        any |= cell_filled(&sheet->cells[i]);
    }
    return any;
}

static bool somebody_has(const struct collation *collation, const struct metric *metric)
{
    bool failed = false;
    for (size_t i = 0; i < collation->count; i++) {
        const struct bilanx_record *record = &collation->entries[i].record;
        failed |= record->error != NULL;
        if (!isnan(metric->of(metric, record).value))
            return true;
    }
    return failed && strcmp(metric->name, "time") == 0;  // if all failed, show that
}

struct bilanx_error sheets_fill(const struct filling *filling, const struct layout *layout,
                                struct sheets *out)
{
    out->metric = *filling->metric;
    out->ratios = filling->bases != NULL;
    out->items = mem_array(struct sheet, layout->count);
    out->count = layout->count;
    bool any = false;
    for (size_t i = 0; i < layout->count; i++) {
        out->items[i].grid = &layout->grids[i];
        any |= fill_sheet(filling, &out->items[i]);
    }
    return any || somebody_has(filling->collation, filling->metric)
               ? BILANX_SUCCESS
               : nobody_has(filling->collation, filling->metric->name);
}

static bool is_whole(const struct cell *cells, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (!(cells[i].quantity.value > 0))
            return false;
    return true;
}

size_t sheet_means(const struct sheet *sheet, double *means)
{
    size_t columns = sheet->grid->column_count, rows = 0;
    for (size_t i = 0; i < columns; i++)
        means[i] = 0;
    for (size_t row = 0; row < sheet->grid->row_count; row++) {
        const struct cell *cells = sheet->cells + row * columns;
        if (!is_whole(cells, columns))
            continue;
        for (size_t i = 0; i < columns; i++)
            means[i] += ln(cells[i].quantity.value);
        rows++;
    }
    for (size_t i = 0; i < columns; i++)
        means[i] = rows ? exponential(means[i] / (double)rows) : NAN;
    return rows;
}
