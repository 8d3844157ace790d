// schedule_bands: slices consist of short rows, and the next row belongs to the next slice, as with
// the channels of small images. Visiting one slice after another would read a few hundred bytes at
// a time, far apart: 5 to 7 GB/s for batch norm's backward on 7 by 7 pixels, where whole bands give
// 10.
#include <stdio.h>

#include "schedule.h"

int64_t band_slices(const struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    int kept = kept_count(kernel), inner = schedule->inner;
    if (kept == 0 || kept >= inner || kernel->inputs[0].strides[inner] != 1 ||
        kernel->inputs[0].strides[kept - 1] != kernel->shape[inner])
        return 0;
    int64_t slices = kernel->shape[kept - 1], share = slices;
    if (schedule->parallel)
        share = (slices + schedule->tuning->threads - 1) / schedule->tuning->threads;
    int64_t most = (int64_t)schedule->tuning->block * schedule->lanes / kernel->shape[inner];
    most = most < share ? most : share;
    return most < 2 ? 0 : most;
}

// Opens a loop over the slices of the band; `out` is the index of a slice's values in arrays.
static void open_slices(struct writer *writer, char out[32])
{
    int d = kept_count(writer->kernel) - 1;
    write_line(writer, "for (long i%d = start; i%d < start + slices; i%d++) {", d, d, d);
    snprintf(out, 32, "i%d - start", d);
}

// Adds a row to the totals of its slice, or stores it.
static void visit_row(struct writer *writer, const struct stage *stage, const char *index)
{
    const struct kernel *kernel = writer->kernel;
    struct spot spot = {"0", writer->schedule->lanes};
    write_known(writer, stage, false, index);
    for (int i = 0; i < kernel->input_count; i++)
        if (stage_reads(stage, kernel->inputs[i].name) && is_per_slice(kernel, &kernel->inputs[i]))
            write_input(writer, &kernel->inputs[i], &spot);
    write_row_inputs(writer, stage);
    for (int i = 0; i < stage->fold_count; i++) {
        const struct value *fold = &stage->folds[i];
        write_line(writer, "V %s0 = %s_of[%s];", fold->name, fold->name, index);
        for (unsigned turn = 1; turn < row_turns(writer, stage); turn++)
            write_line(writer, "V %s%u = %s;", fold->name, turn,
                       fold_neutral(kernel, fold->folding));
    }
    write_row(writer, stage);
    combine_turns(writer, stage);
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "%s_of[%s] = %s0;", stage->folds[i].name, index, stage->folds[i].name);
}

static void visit_rows(struct writer *writer, const struct stage *stage, int kept)
{
    int inner = writer->schedule->inner;
    char index[32];
    for (int d = kept; d < inner; d++)
        write_open(writer, d);
    open_slices(writer, index);
    visit_row(writer, stage, index);
    for (int d = kept; d <= inner; d++)
        write_close(writer);
}

// Writes the definitions that follow from the totals, per slice.
static void conclude(struct writer *writer, const struct stage *stage)
{
    char index[32];
    if (stage->fold_count + stage->define_count + stage->save_count == 0)
        return;
    open_slices(writer, index);
    write_concluding_inputs(writer, stage, &(struct spot){"0", writer->schedule->lanes});
    write_known(writer, stage, true, index);
    for (int i = 0; i < stage->fold_count; i++) {
        const char *name = stage->folds[i].name;
        write_line(writer, "%s_of[%s] = %s(%s_of[%s]);", name, index,
                   fold_gathering(stage->folds[i].folding), name, index);
        if (concludes_with(stage, name))
            write_line(writer, "const V %s = %s_of[%s];", name, name, index);
    }
    write_defined(writer, stage, &(struct spot){"0", 1}, index);
    if (stage->guard)
        write_line(writer, "bad |= (%s)[0] & %d;", stage->guard, KERNEL_BEYOND);
    write_close(writer);
}

void write_bands(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    int kept = kept_count(kernel);
    long long size = kernel->shape[kept - 1], most = band_slices(writer->schedule);
    write_parallel(writer, kept);
    for (int d = 0; d < kept - 1; d++)
        write_open(writer, d);
    write_line(writer, "for (long start = 0; start < %lld; start += %lld) {", size, most);
    if (size % most)
        write_line(writer, "const int slices = start < %lld ? %lld : %lld;", size - size % most,
                   most, size % most);
    else
        write_line(writer, "const int slices = %lld;", most);
    for (int s = 0; s < kernel->stage_count; s++) {
        const struct stage *stage = &kernel->stages[s];
        write_arrays(writer, stage, "k", "slices", most);
        if (stage->fold_count || stage->store)
            visit_rows(writer, stage, kept);
        conclude(writer, stage);
    }
    for (int d = 0; d < kept; d++)
        write_close(writer);
}
