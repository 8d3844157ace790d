// page: how a table of ours fits the terminal: what is worth showing, names, widths, blocks, bars.
#ifndef COMPARE_PAGE_H
#define COMPARE_PAGE_H

#include "results/compare/looks.h"

struct page {
    const struct sheets *sheets;
    const struct sheet *sheet;
    const struct grid *grid;
    const struct bilanx_compare_options *options;
    bool markdown;
    bool threads, envs;     // worth a column
    bool *best;             // of each cell, by row
    bool starred, doubted;  // there is a best or a doubtful cell: place for their marks
    char **names;           // of the rows, as they are shown
    size_t *widths;         // of each column's cells
    double *largest;        // of each column
    double *means;          // of each column, over mean_rows; NULL: not asked for
    size_t mean_rows;
    size_t heading;  // columns of what stands before the cells
    size_t bar;      // columns of a bar; 0: none
};

// Takes a page with its first members set, and decides on the rest.
void page_fit(struct page *page);
void page_done(struct page *page);

// How many columns from `first` on fit beside the headings; at least one.
size_t page_block(const struct page *page, size_t first);

void page_mean_heading(const struct page *page, struct text *out);

// The marks of a cell, as wide as those of the others.
void page_marks(const struct page *page, bool best, bool doubt, struct text *out);

// What a cell says, less its marks: a value, a failure, "-" where the metric is not known.
void page_value(const struct page *page, const struct cell *cell, struct text *out);

#endif
