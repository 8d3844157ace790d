// schedule_tiles: an operand is contiguous along another dimension than the result. N rows of N
// elements are loaded along that dimension and transposed in registers, so that every cache line
// that is read or written is used completely at once.
#include <stdio.h>

#include "schedule.h"

static bool is_turned(const struct schedule *schedule, const struct operand *input)
{
    return input->strides[schedule->across] == 1 && input->strides[schedule->inner] != 0 &&
           input->strides[schedule->inner] != 1;
}

static void write_turned(struct writer *writer, const struct operand *input)
{
    const struct schedule *schedule = writer->schedule;
    write_line(writer, "V %s_tile[N];", input->name);
    write_line(writer, "UNROLL(16)");
    write_line(writer, "for (int k = 0; k < N; k++)");
    AUTO(text) struct text place = {0};
    struct writer quiet = *writer;
    quiet.out = &place;
    char at[40];
    snprintf(at, sizeof at, "row%d + k", schedule->inner);
    write_place(&quiet, input, input->name, at);
    write_line(writer, "    %s_tile[k] = load_%s(%s);", input->name, input->type->name,
               text_get(&place));
    write_line(writer, "transpose(%s_tile);", input->name);
}

// Opens a loop over the starts of tiles. The last tile ends with the dimension, and overlaps the
// one before it.
static void open_tiles(struct writer *writer, int d)
{
    write_line(writer, "for (long tile%d = 0; tile%d < %lld; tile%d += N) {", d, d,
               (long long)writer->kernel->shape[d], d);
}

static void write_start(struct writer *writer, int d)
{
    long long last = writer->kernel->shape[d] - writer->schedule->lanes;
    write_line(writer, "const long row%d = tile%d < %lld ? tile%d : %lld;", d, d, last, d, last);
}

static void write_tile(struct writer *writer)
{
    const struct schedule *schedule = writer->schedule;
    const struct kernel *kernel = writer->kernel;
    const struct stage *stage = &kernel->stages[0];
    int inner = schedule->inner, across = schedule->across;
    write_line(writer, "{");
    write_line(writer, "const long i%d = row%d;", across, across);
    for (int i = 0; i < kernel->input_count; i++)
        if (is_turned(schedule, &kernel->inputs[i]))
            write_turned(writer, &kernel->inputs[i]);
    write_line(writer, "UNROLL(16)");
    write_line(writer, "for (int k = 0; k < N; k++) {");
    // The names of the outer loops stand for the row of this turn.
    write_line(writer, "const long start = i%d;", across);
    write_line(writer, "const long i%d = start + k, i%d = row%d;", across, inner, inner);
    char at[16];
    snprintf(at, sizeof at, "i%d", inner);
    struct spot spot = {at, schedule->lanes};
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        const char *name = input->name;
        if (!stage_reads(stage, name))
            continue;
        if (!is_turned(schedule, input))
            write_input(writer, input, &spot);
        else if (input->reading == AS_MASK)
            write_line(writer, "const M %s = (M)(%s_tile[k] != 0);", name, name);
        else
            write_line(writer, "const V %s = %s_tile[k];", name, name);
    }
    write_lets(writer, stage);
    write_stored(writer, &kernel->outputs[stage->output], &spot, stage->store);
    write_close(writer);
    write_close(writer);
}

void write_tiles(struct writer *writer)
{
    const struct schedule *schedule = writer->schedule;
    const struct kernel *kernel = writer->kernel;
    int first = schedule->tuning->swap ? schedule->inner : schedule->across;
    int second = schedule->tuning->swap ? schedule->across : schedule->inner;
    write_parallel(writer, kernel->ndim - 1);
    for (int d = 0; d < kernel->ndim; d++)
        if (d != schedule->inner && d != schedule->across)
            write_open(writer, d);
    open_tiles(writer, first);
    open_tiles(writer, second);
    write_start(writer, schedule->across);
    write_start(writer, schedule->inner);
    write_tile(writer);
    for (int d = 0; d < kernel->ndim; d++)
        write_close(writer);
}
