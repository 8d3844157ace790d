// page: fits one of our tables to the terminal: which parts to show, names, widths, blocks, bars.
#ifndef COMPARE_PAGE_H
#define COMPARE_PAGE_H

#include "results/compare/looks.h"

struct page {
    const struct sheets *sheets;
    const struct sheet *sheet;
    const struct grid *grid;
    const struct bilanx_compare_options *options;
    bool markdown;
    bool threads, envs;     // shown as a column
    bool *best;             // per cell, by row
    bool starred, doubted;  // some cell is marked as best or doubtful: reserve space
    bool uncertain;         // some cell has the uncertainty of its last digits: 1.23(4)
    char **names;           // of the rows, as displayed
    size_t *widths;         // per column
    double *largest;        // per column
    double *means;          // per column, over mean_rows; NULL: not requested
    size_t mean_rows;
    size_t heading;  // width of the part before the cells
    size_t bar;      // width of a bar; 0: none
};

// Computes the remaining members from the first ones, which the caller has set.
void page_fit(struct page *page);
void page_done(struct page *page);

// How many columns, starting at `first`, fit next to the row headings; at least one.
size_t page_block(const struct page *page, size_t first);

void page_mean_heading(const struct page *page, struct text *out);

// Adds the marks of a cell, padded to the common width.
void page_marks(const struct page *page, bool best, bool doubt, struct text *out);

// Adds the text of one of the columns beside a value; nothing if it is unknown.
void page_beside(const struct page *page, size_t which, size_t row, size_t column,
                 struct text *out);

// Adds the text of a cell without marks: a value, a failure, or "-" if unknown.
void page_value(const struct page *page, const struct cell *cell, struct text *out);

#endif
