// show_functions: prints which functions execute the instructions of a record.
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "core/record/function_label.h"
#include "core/show/show.h"
#include "core/stats/units.h"

enum { MOST_ROWS = 10, FEWER_ROWS = 5 };  // for one record, for several
static const double LEAST_SHARE = 0.005;

struct row {
    const char *name, *where;
    double instructions;
};

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

// Functions between the counter and the loop.
static bool is_ours(const struct bilanx_function *function)
{
    static const char *const names[] = {"bilanx_next_", "bilanx_bench_next", "loop_next",
                                        "loop_pause",   "loop_resume",       "callgrind_toggle"};
    if (text_equal(last_part(function->object), "bilanx-worker"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(function->function, names[i]))
            return true;
    return false;
}

// Owned by the list.
static const char *name_of(const struct bilanx_function *function, struct list *names)
{
    struct text name = {0};
    function_add_bare_name(&name, function->function, function->file);
    list_take(names, text_take(&name));
    return names->items[names->count - 1];
}

static int by_instructions(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    if (left->instructions != right->instructions)
        return left->instructions < right->instructions ? 1 : -1;
    return strcmp(left->name, right->name);
}

// A function has one part for each file that code was inlined from. Calls are counted per part, so
// parts add up.
static void add_part(struct row *rows, size_t *count, const struct row *part)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(rows[i].name, part->name) == 0 && strcmp(rows[i].where, part->where) == 0) {
            rows[i].instructions += part->instructions;
            return;
        }
    rows[(*count)++] = *part;
}

// Makes rows, sorted by instructions. For our own functions uses self counts only, because their
// inclusive counts would contain the loop.
static size_t make_rows(const struct bilanx_counts *counts, bool inclusive, struct list *names,
                        struct row *rows)
{
    size_t count = 0;
    struct row ours = {.name = "(bilanx)", .where = ""};
    for (size_t i = 0; i < counts->function_count; i++) {
        const struct bilanx_function *function = &counts->functions[i];
        if (is_ours(function))
            ours.instructions += function->self;
        else
            add_part(rows, &count,
                     &(struct row){name_of(function, names), function_object_name(function->object),
                                   inclusive ? function->inclusive : function->self});
    }
    if (ours.instructions > 0)
        rows[count++] = ours;
    qsort(rows, count, sizeof *rows, by_instructions);
    return count;
}

static void add_row(struct table *table, const struct row *row, const struct bilanx_counts *counts)
{
    char share[UNITS_SIZE];
    table_row(table);
    table_cell(table, TABLE_BOLD, "%.10g", row->instructions / (double)counts->number);
    table_cell(table, TABLE_PLAIN, "%s",
               units_percent(row->instructions / counts->instructions, share));
    table_cell(table, TABLE_PLAIN, "%s", row->name);
    table_cell(table, TABLE_DIM, "%s", text_starts(row->name, "(") ? "" : row->where);
}

static void show_one(const struct bilanx_counts *counts, bool inclusive, size_t most,
                     struct table_look look, struct text *out)
{
    AUTO(memory) struct row *rows = mem_array(struct row, counts->function_count + 1);
    AUTO(list) struct list names = {0};
    size_t count = make_rows(counts, inclusive, &names, rows), shown = 0;
    AUTO(table) struct table table = {0};
    table_column(&table, "instructions", TABLE_RIGHT);
    table_column(&table, "share", TABLE_RIGHT);
    table_column(&table, inclusive ? "function, including callees" : "function", TABLE_LEFT);
    table_column(&table, "object", TABLE_LEFT);
    struct row rest = {.where = ""};
    for (size_t i = 0; i < count; i++) {
        if (i < most && rows[i].instructions >= LEAST_SHARE * counts->instructions) {
            add_row(&table, &rows[i], counts);
            shown++;
        } else {
            rest.instructions += rows[i].instructions;
        }
    }
    AUTO(memory) char *others = mem_format("(%zu more)", count - shown);
    rest.name = others;
    if (!inclusive && shown < count && rest.instructions > 0)
        add_row(&table, &rest, counts);
    table_row(&table);
    table_print(&table, look, out);
}

void show_functions(const struct shown *shown, bool inclusive, struct table_look look,
                    struct text *out)
{
    for (size_t i = 0; i < shown->count; i++) {
        const struct bilanx_counts *counts = shown->records[i].counts;
        if (!counts || counts->function_count == 0)
            continue;
        text_add(out, "\n");
        text_add_harmless(out, shown->cases[i]->name);
        text_add(out, look.format == BILANX_MARKDOWN ? "\n\n" : "\n");
        show_one(counts, inclusive, shown->count > 1 ? FEWER_ROWS : MOST_ROWS, look, out);
    }
}
