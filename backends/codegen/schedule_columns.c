// schedule_columns: slices are adjacent, so each lane is a slice. Rows are read in full, a block of
// columns at a time, whose totals stay in the first-level cache.
#include <stdio.h>

#include "schedule.h"

// A total to which thousands of numbers are added one by one loses more and more of their digits:
// the sum of a million equal numbers would be off by a percent. So parts of a slice are summed
// separately.
enum { ROWS_AT_ONCE = 4, LEAST_PART = 64, LEAST_ROWS = 128 };

struct block {
    const char *start;  // of its columns
    int64_t vectors;
    unsigned count;  // lanes that are used
    bool overlaps;   // the last vector starts earlier, so that it is full
};

// Opens a loop over the vectors of a block; `column` is the position of a vector.
static void open_vectors(struct writer *writer, const struct block *block, const char *body)
{
    long long last =
        writer->kernel->shape[writer->schedule->inner] - (long long)writer->schedule->lanes;
    write_line(writer, "for (int v = 0; v < vectors; v++) {");
    if (!mentions(body, "column"))
        return;
    if (block->overlaps)
        write_line(writer, "const long next = %s + v * N, column = next < %lld ? next : %lld;",
                   block->start, last, last);
    else
        write_line(writer, "const long column = %s + v * N;", block->start);
}

static void write_point(struct writer *writer, const struct stage *stage, const struct spot *spot)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->input_count; i++)
        if (stage_reads(stage, kernel->inputs[i].name))
            write_input(writer, &kernel->inputs[i], spot);
    if (stage->store) {
        write_line(writer, "const V stored = %s;", stage->store);
        write_stored(writer, &kernel->outputs[stage->output], spot, "stored");
    }
    for (int i = 0; i < stage->fold_count; i++) {
        char total[64];
        snprintf(total, sizeof total, "%s_sum", stage->folds[i].name);
        write_combined(writer, stage->folds[i].folding, total, stage->folds[i].as);
    }
}

// Writes a loop around its body, which was written first.
static void finish_vectors(struct writer *writer, const struct block *block, struct text *body,
                           struct text *out)
{
    writer->out = out;
    writer->depth--;
    open_vectors(writer, block, text_get(body));
    text_add_n(out, text_get(body), body->size);
    write_close(writer);
}

// A loop over vectors, with `rows` rows at each of them.
static void write_vectors(struct writer *writer, const struct stage *stage,
                          const struct block *block, int64_t rows)
{
    int last = writer->kernel->ndim - 1;
    struct spot spot = {"column", block->count};
    AUTO(text) struct text body = {0};
    struct text *out = writer->out;
    writer->out = &body;
    writer->depth++;
    write_known(writer, stage, false, "v");
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "V %s_sum = %s_of[v];", stage->folds[i].name, stage->folds[i].name);
    if (rows > 1) {
        write_line(writer, "UNROLL(%lld)", (long long)rows);
        write_line(writer, "for (long i%d = row; i%d < row + %lld; i%d++) {", last, last,
                   (long long)rows, last);
    }
    write_point(writer, stage, &spot);
    if (rows > 1)
        write_close(writer);
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "%s_of[v] = %s_sum;", stage->folds[i].name, stage->folds[i].name);
    finish_vectors(writer, block, &body, out);
}

static bool adds_up(const struct stage *stage)
{
    for (int i = 0; i < stage->fold_count; i++)
        if (stage->folds[i].folding == SUM)
            return true;
    return false;
}

// Rows of a part: about as many as there are parts.
static int64_t part_rows(int64_t rows)
{
    int64_t part = LEAST_ROWS;
    while (part * part < rows)
        part *= 2;
    return part;
}

// Returns the dimension whose steps are parts of a slice. If it is that of the rows, a part is
// several rows; -1: there are too few rows.
static int part_dimension(const struct kernel *kernel, const struct stage *stage, int kept)
{
    int last = kernel->ndim - 1;
    if (kept > last || !adds_up(stage))
        return -1;
    if (kernel->shape[last] > 2 * LEAST_ROWS)
        return last;
    int64_t rows = 1;
    for (int d = last; d > kept; d--) {
        rows *= kernel->shape[d];
        if (rows >= LEAST_PART)
            return d - 1;
    }
    return -1;
}

// Adds the totals of a part to those of the earlier parts.
static void write_part_end(struct writer *writer, const struct stage *stage)
{
    write_line(writer, "for (int v = 0; v < vectors; v++) {");
    for (int i = 0; i < stage->fold_count; i++) {
        const char *name = stage->folds[i].name;
        if (stage->folds[i].folding != SUM)
            continue;
        write_line(writer, "%s_parts[v] = %s_parts[v] + %s_of[v];", name, name, name);
        write_line(writer, "%s_of[v] = %s;", name, fold_neutral(writer->kernel, SUM));
    }
    write_close(writer);
}

static void write_parts_start(struct writer *writer, const struct stage *stage, int64_t room)
{
    for (int i = 0; i < stage->fold_count; i++)
        if (stage->folds[i].folding == SUM)
            write_line(writer, "V %s_parts[%lld] = {0};", stage->folds[i].name, (long long)room);
}

static void write_parts_end(struct writer *writer, const struct stage *stage)
{
    write_line(writer, "for (int v = 0; v < vectors; v++) {");
    for (int i = 0; i < stage->fold_count; i++)
        if (stage->folds[i].folding == SUM)
            write_line(writer, "%s_of[v] = %s_parts[v] + %s_of[v];", stage->folds[i].name,
                       stage->folds[i].name, stage->folds[i].name);
    write_close(writer);
}

// Writes as many rows as fill whole iterations, in parts if `in_parts`.
static void write_whole_rows(struct writer *writer, const struct stage *stage,
                             const struct block *block, long long rows, bool in_parts)
{
    long long size = part_rows(rows);
    if (in_parts) {
        write_line(writer, "for (long part = 0; part < %lld; part += %lld) {", rows, size);
        write_line(writer, "const long end = part + %lld < %lld ? part + %lld : %lld;", size, rows,
                   size, rows);
        write_line(writer, "for (long row = part; row < end; row += %d) {", ROWS_AT_ONCE);
    } else {
        write_line(writer, "for (long row = 0; row < %lld; row += %d) {", rows, ROWS_AT_ONCE);
    }
    write_vectors(writer, stage, block, ROWS_AT_ONCE);
    write_close(writer);
    if (in_parts) {
        write_part_end(writer, stage);
        write_close(writer);
    }
}

static void write_rows_of(struct writer *writer, const struct stage *stage,
                          const struct block *block, int kept)
{
    const struct kernel *kernel = writer->kernel;
    int last = kernel->ndim - 1, part = part_dimension(kernel, stage, kept);
    if (kept > last) {
        write_vectors(writer, stage, block, 1);
        return;
    }
    if (part >= 0)
        write_parts_start(writer, stage, block->vectors);
    for (int d = kept; d < last; d++)
        write_open(writer, d);
    int64_t size = kernel->shape[last];
    int64_t whole = size / ROWS_AT_ONCE * ROWS_AT_ONCE;
    if (whole)
        write_whole_rows(writer, stage, block, whole, part == last);
    if (size > whole) {
        write_line(writer, "for (long i%d = %lld; i%d < %lld; i%d++) {", last, (long long)whole,
                   last, (long long)size, last);
        write_vectors(writer, stage, block, 1);
        write_close(writer);
    }
    for (int d = last - 1; d >= kept; d--) {
        if (d == part)
            write_part_end(writer, stage);
        write_close(writer);
    }
    if (part >= 0)
        write_parts_end(writer, stage);
}

// What follows from the totals, per slice.
static void write_conclusions(struct writer *writer, const struct stage *stage,
                              const struct block *block)
{
    struct spot spot = {"column", block->count};
    if (stage->define_count + stage->save_count == 0 && !stage->guard)
        return;
    AUTO(text) struct text body = {0};
    struct text *out = writer->out;
    writer->out = &body;
    writer->depth++;
    write_concluding_inputs(writer, stage, &spot);
    write_known(writer, stage, true, "v");
    for (int i = 0; i < stage->fold_count; i++)
        if (concludes_with(stage, stage->folds[i].name))
            write_line(writer, "const V %s = %s_of[v];", stage->folds[i].name,
                       stage->folds[i].name);
    write_defined(writer, stage, &spot, "v");
    if (stage->guard && is_full(writer, &spot))
        write_line(writer, "beyond |= %s;", stage->guard);
    else if (stage->guard)
        write_line(writer, "beyond |= (%s) & first(%u);", stage->guard, block->count);
    writer->out = out;
    writer->depth--;
    if (stage->guard) {
        write_line(writer, "{");
        write_line(writer, "M beyond = {0};");
    }
    writer->depth++;
    finish_vectors(writer, block, &body, out);
    if (stage->guard) {
        write_line(writer, "bad |= any_of(beyond) & %d;", KERNEL_BEYOND);
        write_close(writer);
    }
}

static void write_block(struct writer *writer, const struct block *block, int kept)
{
    const struct kernel *kernel = writer->kernel;
    for (int s = 0; s < kernel->stage_count; s++) {
        const struct stage *stage = &kernel->stages[s];
        write_arrays(writer, stage, "v", "vectors", block->vectors);
        if (stage->fold_count || stage->store)
            write_rows_of(writer, stage, block, kept);
        write_conclusions(writer, stage, block);
    }
}

// All full vectors, in blocks.
static void write_blocks(struct writer *writer, int64_t columns, bool overlaps, int kept)
{
    const struct schedule *schedule = writer->schedule;
    int64_t lanes = schedule->lanes, vectors = (columns + lanes - 1) / lanes;
    int64_t most = schedule->tuning->block;
    if (schedule->parallel) {
        int64_t share = (vectors + schedule->tuning->threads - 1) / schedule->tuning->threads;
        most = share < most ? share : most;
    }
    most = vectors < most ? vectors : most;
    write_parallel(writer, kept);
    for (int d = 0; d < kept; d++)
        if (d != schedule->inner)
            write_open(writer, d);
    write_line(writer, "for (long start = 0; start < %lld; start += %lld) {",
               (long long)(vectors * lanes), (long long)(most * lanes));
    long long rest = vectors % most;
    if (rest)
        write_line(writer, "const int vectors = start < %lld ? %lld : %lld;",
                   (long long)((vectors - rest) * lanes), (long long)most, rest);
    else
        write_line(writer, "const int vectors = %lld;", (long long)most);
    write_block(writer, &(struct block){"start", most, schedule->lanes, overlaps}, kept);
    write_close(writer);
    for (int d = 0; d < kept; d++)
        if (d != schedule->inner)
            write_close(writer);
}

void write_columns(struct writer *writer)
{
    const struct schedule *schedule = writer->schedule;
    const struct kernel *kernel = writer->kernel;
    int kept = kept_count(kernel);
    int64_t size = kernel->shape[schedule->inner], lanes = schedule->lanes;
    bool overlaps = !schedule->in_place && size >= lanes && size % lanes;
    int64_t whole = overlaps ? size : size / lanes * lanes;
    if (whole)
        write_blocks(writer, whole, overlaps, kept);
    if (size == whole)
        return;
    char start[24];
    snprintf(start, sizeof start, "%lldL", (long long)whole);
    write_parallel(writer, kept - 1);
    for (int d = 0; d < kept - 1; d++)
        write_open(writer, d);
    write_line(writer, "{");
    write_line(writer, "const int vectors = 1;  // the last columns");
    write_block(writer, &(struct block){start, 1, (unsigned)(size - whole), false}, kept);
    write_close(writer);
    for (int d = 0; d < kept - 1; d++)
        write_close(writer);
}
