// table_fit: makes a text table fit a terminal.
#include "table_fit.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "index.h"
#include "mem.h"

enum { SHORTEST = 8 };  // columns, of what is shortened

static size_t natural_width(const struct table *table, size_t column)
{
    size_t width = text_width(table->columns[column].title);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t needed = text_width(table->cells[i].text);
        width = needed > width ? needed : width;
    }
    return width;
}

static void fill_natural(const struct table *table, size_t *widths)
{
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = table->columns[i].used ? natural_width(table, i) : 0;
}

static bool can_shrink(const struct table *table, size_t column)
{
    return table->columns[column].align != TABLE_RIGHT;
}

// How many of its cells differ if they are shortened to `width`.
static size_t count_distinct(const struct table *table, size_t column, size_t width)
{
    AUTO(index) struct index seen = {0};
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        AUTO(text) struct text shortened = {0};
        text_add_shortened(&shortened, table->cells[i].text, width);
        bool added;
        index_find_or_add(&seen, hash_of_text(text_get(&shortened)), i, &added);
    }
    return seen.count;
}

// The width at which names that differ still look different. 0 for columns without names.
static size_t telling_width(const struct table *table, size_t column, size_t natural)
{
    if (table->columns[column].align != TABLE_LEFT || table->columns[column].rank || !natural)
        return 0;
    size_t distinct = count_distinct(table, column, natural), low = 0, high = natural;
    while (low < high) {  // more of a name never makes two of them equal
        size_t middle = low + (high - low) / 2;
        if (count_distinct(table, column, middle) == distinct)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Fills telling_width(), one per column; all 0 if even the columns that are never dropped would not
// fit then.
static void fill_telling(const struct table *table, size_t width, const size_t *widths,
                         size_t *least)
{
    size_t total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        least[i] = telling_width(table, i, widths[i]);
        bool shrinks = can_shrink(table, i) && widths[i] > SHORTEST;
        size_t needed = !shrinks ? widths[i] : least[i] > SHORTEST ? least[i] : SHORTEST;
        if (widths[i] && !table->columns[i].rank)
            total += needed + (total ? TABLE_GAP : 0);
    }
    if (total > width)
        memset(least, 0, table->column_count * sizeof *least);
}

// The width of the whole table if its left-aligned columns were shortened to `shortest`, or to the
// least width that they need, one per column. Lists are worth reading even if only their first
// words fit.
static size_t total_width(const struct table *table, const size_t *widths, const size_t *least,
                          size_t shortest)
{
    enum { LIST = 20 };
    size_t total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        bool list = table->columns[i].align == TABLE_LIST && shortest > LIST;
        size_t usual = list && shortest != SIZE_MAX ? LIST : shortest;
        size_t most = least && least[i] > usual ? least[i] : usual;
        bool shortened = can_shrink(table, i) && widths[i] > most;
        if (widths[i])
            total += (shortened ? most : widths[i]) + (total ? TABLE_GAP : 0);
    }
    return total;
}

static unsigned highest_rank(const struct table *table, const size_t *widths)
{
    unsigned highest = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (widths[i] && table->columns[i].rank > highest)
            highest = table->columns[i].rank;
    return highest;
}

// The width that names keep as long as there are columns of this rank to drop. Those of rank 1 are
// worth a shorter name.
static size_t readable_width(size_t width, unsigned rank)
{
    enum { SHORT = 20, READABLE = 24 };
    if (rank <= 1)
        return SHORT;
    return width * 2 / 5 > READABLE ? width * 2 / 5 : READABLE;
}

static size_t longest_word(const struct table *table, size_t column)
{
    size_t longest = 0;
    for (size_t i = column; i < table->cell_count; i += table->column_count)
        for (const char *at = table->cells[i].text; *at; at += *at == ' ') {
            size_t size = strcspn(at, " ");
            AUTO(memory) char *word = mem_text_n(at, size);
            longest = text_width(word) > longest ? text_width(word) : longest;
            at += size;
        }
    return longest;
}

// How short a column may become. Columns that wrap keep their words whole, and names differ, as
// long as others can be shortened.
static void fill_shortest(const struct table *table, const size_t *least, size_t *out)
{
    for (size_t i = 0; i < table->column_count; i++) {
        bool wraps = table->columns[i].align == TABLE_WRAP;
        size_t needed = !least ? 0 : wraps ? longest_word(table, i) : least[i];
        out[i] = !can_shrink(table, i) ? SIZE_MAX : needed > SHORTEST ? needed : SHORTEST;
    }
}

static void shorten(const struct table *table, size_t width, const size_t *least, size_t *widths)
{
    AUTO(memory) size_t *shortest = mem_array(size_t, table->column_count);
    fill_shortest(table, least, shortest);
    for (;;) {
        size_t total = total_width(table, widths, NULL, SIZE_MAX), longest = table->column_count;
        for (size_t i = 0; i < table->column_count; i++)
            if (widths[i] > shortest[i] &&
                (longest == table->column_count || widths[i] > widths[longest]))
                longest = i;
        if (total <= width || longest == table->column_count)
            return;
        // Columns that wrap take more lines instead, so they share the space.
        bool wraps = table->columns[longest].align == TABLE_WRAP;
        size_t excess = total - width, most = wraps ? 1 : widths[longest] - shortest[longest];
        widths[longest] -= excess < most ? excess : most;
    }
}

void table_fit(const struct table *table, size_t width, size_t *widths)
{
    fill_natural(table, widths);
    if (!width || total_width(table, widths, NULL, SIZE_MAX) <= width)
        return;
    AUTO(memory) size_t *least = mem_array(size_t, table->column_count);
    fill_telling(table, width, widths, least);
    for (unsigned rank; (rank = highest_rank(table, widths)) &&
                        total_width(table, widths, least, readable_width(width, rank)) > width;)
        for (size_t i = 0; i < table->column_count; i++)
            if (table->columns[i].rank == rank)
                widths[i] = 0;
    shorten(table, width, least, widths);
    shorten(table, width, NULL, widths);
}

size_t table_fit_part(const struct table *table, size_t width, size_t from, size_t *widths)
{
    fill_natural(table, widths);
    size_t total = widths[0], i = 1, next = table->column_count;
    for (; i < from; i++)
        widths[i] = 0;
    for (bool any = false; i < table->column_count; i++) {
        size_t needed = widths[i] ? TABLE_GAP + widths[i] : 0;
        if (needed && next > i && any && width && total + needed > width)
            next = i;
        any |= needed > 0;
        total += needed;
        widths[i] = i < next ? widths[i] : 0;
    }
    return next;
}

size_t table_width(const struct table *table)
{
    AUTO(memory) size_t *widths = mem_array(size_t, table->column_count);
    fill_natural(table, widths);
    return total_width(table, widths, NULL, SIZE_MAX);
}
