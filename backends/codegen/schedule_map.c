// schedule_map: computes point by point, along the rows of the result.
#include <stdio.h>

#include "schedule.h"
#include "vocabulary.h"

// Writes where the row of an operand begins, if an index chooses it.
static void write_chosen_rows(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        if (input->via < 0 || kernel->inputs[input->via].strides[writer->schedule->inner] != 0)
            continue;
        const struct operand *index = &kernel->inputs[input->via];
        AUTO(text) struct text place = {0};
        struct writer quiet = *writer;
        quiet.out = &place;
        write_place(&quiet, index, index->name, "0");
        long long size = input->via_size;
        write_line(writer, "long %s_index = (long)*(%s);", input->name, text_get(&place));
        write_line(writer, "%s_index += %s_index < 0 ? %lld : 0;", input->name, input->name, size);
        write_line(writer, "if (%s_index < 0 || %s_index >= %lld)", input->name, input->name, size);
        write_line(writer, "    bad = 1, %s_index = 0;", input->name);
        write_line(writer, "const %s *const %s_row = %s_at + %s_index * %lld;", c_type(input->type),
                   input->name, input->name, input->name, (long long)input->via_stride);
    }
}

static void write_point(struct writer *writer, const struct spot *spot)
{
    const struct stage *stage = &writer->kernel->stages[0];
    write_ahead(writer, stage, spot);
    write_loads(writer, stage, spot, false);
    write_lets(writer, stage);
    write_stored(writer, &writer->kernel->outputs[stage->output], spot, stage->store);
}

static bool can_overlap(const struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    return !schedule->in_place && kernel->shape[schedule->inner] >= (int64_t)schedule->lanes;
}

static int first_loop(const struct schedule *schedule)
{
    return schedule->is_row ? 1 : 0;
}

// Opens the loops over rows. The innermost one goes from `start` to `end` in steps.
static void open_rows(struct writer *writer, int64_t start, int64_t end, unsigned step)
{
    const struct schedule *schedule = writer->schedule;
    int last = schedule->inner - 1;
    if (!schedule->is_row)
        write_parallel(writer, schedule->inner);
    for (int d = first_loop(schedule); d < last; d++)
        write_open(writer, d);
    if (last < first_loop(schedule))
        return;
    if (step == 1 && start == 0)
        write_open(writer, last);
    else
        write_line(writer, "for (long i%d = %lld; i%d < %lld; i%d += %u) {", last, (long long)start,
                   last, (long long)end, last, step);
}

static void close_rows(struct writer *writer)
{
    for (int d = first_loop(writer->schedule); d < writer->schedule->inner; d++)
        write_close(writer);
}

// Writes short rows, several at a time. Returns how many of them are done.
static int64_t write_together(struct writer *writer)
{
    const struct schedule *schedule = writer->schedule;
    int last = schedule->inner - 1;
    if (!schedule->together || last < first_loop(schedule))
        return 0;
    int64_t end = writer->kernel->shape[last] / schedule->together * schedule->together;
    unsigned count = schedule->together * (unsigned)writer->kernel->shape[schedule->inner];
    struct spot spot = {"0", count, .has_rows = true};
    open_rows(writer, 0, end, schedule->together);
    write_loads(writer, &writer->kernel->stages[0], &spot, true);
    write_point(writer, &spot);
    close_rows(writer);
    return end;
}

void write_map(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    const struct schedule *schedule = writer->schedule;
    int inner = schedule->inner;
    unsigned lanes = schedule->lanes;
    int64_t size = kernel->shape[inner], whole = size / lanes * lanes;
    char at[32];
    int64_t done = write_together(writer), rows = inner ? kernel->shape[inner - 1] : 1;
    if (done == rows)
        return;
    open_rows(writer, done, rows, 1);
    write_chosen_rows(writer);
    snprintf(at, sizeof at, "i%d", inner);
    write_loads(writer, &kernel->stages[0], &(struct spot){at, lanes}, true);
    if (whole) {
        if (whole / lanes > 1)
            write_line(writer, "UNROLL(%u)", schedule->tuning->unroll);
        write_line(writer, "for (long i%d = 0; i%d < %lld; i%d += N) {", inner, inner,
                   (long long)whole, inner);
        write_point(writer, &(struct spot){at, lanes});
        write_close(writer);
    }
    if (size > whole) {
        struct spot rest = {at, (unsigned)(size - whole)};
        bool overlaps = can_overlap(schedule);
        write_line(writer, "{");
        if (size > 1)
            write_line(writer,
                       overlaps ? "const long i%d = %lld;  // the last N, some of them again"
                                : "const long i%d = %lld;  // the rest",
                       inner, (long long)(overlaps ? size - lanes : whole));
        write_point(writer, overlaps ? &(struct spot){at, lanes, true} : &rest);
        write_close(writer);
    }
    close_rows(writer);
}
