// cluster_replicas: how much of the spread of a case comes from the machine it is measured on.
#include "cluster_replicas.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/table.h"
#include "core/record/records.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"
#include "core/stats/units.h"

// Handles one case: the records from its machines are adjacent, because they are sorted by
// position.
struct spread {
    size_t machines;
    double within, between, machine;  // relative standard deviations
    double slowest;                   // ratio of the slowest machine to the fastest
};

static bool is_timed(const struct bilanx_record *record)
{
    return !record->error && record->place && record->stats.estimate > 0;
}

// The variance between machines is the variance of their estimates less the part that the draw of
// processes explains.
static struct spread spread_of(const struct bilanx_record *records, size_t count)
{
    AUTO(memory) double *logs = mem_array(double, count);
    struct spread spread = {.machines = count};
    double least = INFINITY, most = 0, explained = 0;
    for (size_t i = 0; i < count; i++) {
        const struct bilanx_stats *stats = &records[i].stats;
        double between = stats->between >= 0 ? stats->between : 0;
        double within = stats->within >= 0 ? stats->within : 0;
        logs[i] = ln(stats->estimate);
        least = stats->estimate < least ? stats->estimate : least;
        most = stats->estimate > most ? stats->estimate : most;
        spread.within += within * within / (double)count;
        spread.between += between * between / (double)count;
        if (records[i].timing.raw_count)
            explained += between * between / (double)records[i].timing.raw_count / (double)count;
    }
    double left = stats_variance(logs, count) - explained;
    spread.within = square_root(spread.within);
    spread.between = square_root(spread.between);
    spread.machine = left > 0 ? square_root(left) : 0;
    spread.slowest = most / least;
    return spread;
}

static void add_row(struct table *table, const struct bilanx_record *record,
                    const struct spread *spread)
{
    char time[UNITS_SIZE], text[UNITS_SIZE];
    AUTO(memory) char *title = record_task_title(&record->task);
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", title);
    table_cell(table, TABLE_PLAIN, "%zu", spread->machines);
    units_time(record->stats.estimate, NAN, time);
    table_cell(table, TABLE_PLAIN, "%s", time);
    const double shares[] = {spread->within, spread->between, spread->machine};
    for (size_t i = 0; i < 3; i++) {
        units_percent(shares[i], text);
        table_cell(table, TABLE_PLAIN, "%s", text);
    }
    table_cell(table, TABLE_PLAIN, "%.3f", spread->slowest);
}

void cluster_replicas_show(const struct bilanx_record *records, size_t count, struct text *out)
{
    AUTO(table) struct table table = {0};
    size_t rows = 0;
    table_column(&table, "spread", TABLE_LEFT);
    static const char *const titles[] = {
        "machines", "time", "within", "between epochs", "between machines", "slowest/fastest"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, titles[i], TABLE_RIGHT);
    for (size_t i = 0, n; i < count; i += n) {
        n = 1;
        while (is_timed(&records[i]) && i + n < count && is_timed(&records[i + n]) &&
               records[i + n].place == records[i].place)
            n++;
        if (n < 2)
            continue;
        struct spread spread = spread_of(records + i, n);
        add_row(&table, &records[i], &spread);
        rows++;
    }
    if (rows == 0)
        return;
    text_add(out, "\n");
    table_print(&table, (struct table_look){0}, out);
}
