// schedule_rows: the elements of a slice are adjacent. Each lane sums a part of the slice, in
// several vectors at once, because an addition takes longer than a load.
#include <stdio.h>

#include "schedule.h"

// From this size on, the vectors of an iteration are far apart instead of adjacent: one stream of
// cache lines is read at 17 GB/s, four at 24.
enum { LONG_ROW_BYTES = 256 << 10, PART = 16384 };

// Writes everything at one position of a row. `turn` chooses among the totals.
static void write_point(struct writer *writer, const struct stage *stage, const struct spot *spot,
                        unsigned turn)
{
    const struct kernel *kernel = writer->kernel;
    write_line(writer, "{");
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        if (stage_reads(stage, input->name) && input->strides[writer->schedule->inner] != 0)
            write_input(writer, input, spot);
    }
    const char *stored = stage->store;
    if (stored) {
        write_line(writer, "const V stored = %s;", stored);
        write_stored(writer, &kernel->outputs[stage->output], spot, "stored");
    }
    for (int i = 0; i < stage->fold_count; i++) {
        const struct value *fold = &stage->folds[i];
        char total[64], value[1024];
        snprintf(total, sizeof total, "%s%u", fold->name, turn);
        if (is_full(writer, spot))
            snprintf(value, sizeof value, "%s", fold->as);
        else
            snprintf(value, sizeof value, "pick(first(%u), %s, %s)", spot->count, fold->as,
                     fold_neutral(kernel, fold->folding));
        write_combined(writer, fold->folding, total, value);
    }
    write_close(writer);
}

unsigned row_turns(const struct writer *writer, const struct stage *stage)
{
    int64_t vectors = writer->kernel->shape[writer->schedule->inner] / writer->schedule->lanes;
    unsigned unroll = writer->schedule->tuning->unroll;
    while (unroll > 1 && (int64_t)unroll > vectors)
        unroll /= 2;
    return stage->fold_count ? unroll : 1;
}

// Sums long rows in parts, and adds up the totals of the parts: adding everything to one number
// would lose more and more digits.
static void open_parts(struct writer *writer, const struct stage *stage, unsigned turns,
                       long long distance)
{
    int inner = writer->schedule->inner;
    write_line(writer, "for (long start = 0; start < %lld; start += %d) {", distance, PART);
    for (int i = 0; i < stage->fold_count; i++)
        for (unsigned turn = 0; turn < turns; turn++) {
            const char *name = stage->folds[i].name;
            write_line(writer, "const V %s%u_before = %s%u;", name, turn, name, turn);
            write_line(writer, "%s%u = %s;", name, turn,
                       fold_neutral(writer->kernel, stage->folds[i].folding));
        }
    write_line(writer, "const long end = start + %d < %lld ? start + %d : %lld;", PART, distance,
               PART, distance);
    write_line(writer, "// Several streams, because memory is read faster that way.");
    write_line(writer, "for (long i%d = start; i%d < end; i%d += N) {", inner, inner, inner);
}

static void close_parts(struct writer *writer, const struct stage *stage, unsigned turns)
{
    for (int i = 0; i < stage->fold_count; i++)
        for (unsigned turn = 0; turn < turns; turn++) {
            char total[64], before[64];
            snprintf(total, sizeof total, "%s%u", stage->folds[i].name, turn);
            snprintf(before, sizeof before, "%s%u_before", stage->folds[i].name, turn);
            write_combined(writer, stage->folds[i].folding, total, before);
        }
    write_close(writer);
}

void write_row(struct writer *writer, const struct stage *stage)
{
    const struct schedule *schedule = writer->schedule;
    int inner = schedule->inner;
    int64_t size = writer->kernel->shape[inner], step = schedule->lanes;
    unsigned turns = row_turns(writer, stage);
    int64_t unrolled = size / (step * turns) * (step * turns), whole = size / step * step;
    char at[48];
    if (unrolled) {
        if (turns == 1)
            write_line(writer, "UNROLL(%u)", schedule->tuning->unroll);
        bool apart = turns > 1 && size * writer->kernel->computed->size >= LONG_ROW_BYTES;
        long long distance = apart ? unrolled / turns : step;
        if (apart)
            open_parts(writer, stage, turns, distance);
        else
            write_line(writer, "for (long i%d = 0; i%d < %lld; i%d += %u * N) {", inner, inner,
                       (long long)unrolled, inner, turns);
        for (unsigned turn = 0; turn < turns; turn++) {
            snprintf(at, sizeof at, turn ? "i%d + %lld" : "i%d", inner, turn * distance);
            write_point(writer, stage, &(struct spot){at, schedule->lanes}, turn);
        }
        write_close(writer);
        if (apart)
            close_parts(writer, stage, turns);
    }
    if (whole > unrolled) {
        write_line(writer, "for (long i%d = %lld; i%d < %lld; i%d += N)", inner,
                   (long long)unrolled, inner, (long long)whole, inner);
        snprintf(at, sizeof at, "i%d", inner);
        write_point(writer, stage, &(struct spot){at, schedule->lanes}, 0);
    }
    if (size > whole) {
        snprintf(at, sizeof at, "%lld", (long long)whole);
        write_point(writer, stage, &(struct spot){at, (unsigned)(size - whole)}, 0);
    }
}

static void write_totals(struct writer *writer, const struct stage *stage)
{
    unsigned turns = row_turns(writer, stage);
    for (int i = 0; i < stage->fold_count; i++)
        for (unsigned turn = 0; turn < turns; turn++)
            write_line(writer, "V %s%u = %s;", stage->folds[i].name, turn,
                       fold_neutral(writer->kernel, stage->folds[i].folding));
}

void combine_turns(struct writer *writer, const struct stage *stage)
{
    unsigned turns = row_turns(writer, stage);
    for (int i = 0; i < stage->fold_count; i++) {
        const struct value *fold = &stage->folds[i];
        for (unsigned step = turns / 2; step; step /= 2)
            for (unsigned turn = 0; turn < step; turn++) {
                char total[64], other[64];
                snprintf(total, sizeof total, "%s%u", fold->name, turn);
                snprintf(other, sizeof other, "%s%u", fold->name, turn + step);
                write_combined(writer, fold->folding, total, other);
            }
    }
}

static void gather_totals(struct writer *writer, const struct stage *stage)
{
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "const V %s = %s(%s0);", stage->folds[i].name,
                   fold_gathering(stage->folds[i].folding), stage->folds[i].name);
}

// Writes one slice that several threads share: each has the totals of some of the outermost rows.
enum { MOST_PARTS = 1024 };

static bool is_shared(const struct writer *writer, const struct stage *stage, int kept)
{
    return writer->schedule->parallel && kept == 0 && writer->schedule->inner > 0 &&
           stage->fold_count && !stage->store && writer->kernel->shape[0] <= MOST_PARTS;
}

static void open_shared(struct writer *writer, const struct stage *stage)
{
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "V %s_parts[%lld];", stage->folds[i].name,
                   (long long)writer->kernel->shape[0]);
    write_parallel(writer, 1);
    write_open(writer, 0);
    write_totals(writer, stage);
}

static void close_shared(struct writer *writer, const struct stage *stage)
{
    combine_turns(writer, stage);
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "%s_parts[i0] = %s0;", stage->folds[i].name, stage->folds[i].name);
    write_close(writer);
    for (int i = 0; i < stage->fold_count; i++) {
        const struct value *fold = &stage->folds[i];
        char total[64], part[64];
        snprintf(total, sizeof total, "%s0", fold->name);
        snprintf(part, sizeof part, "%s_parts[k]", fold->name);
        write_line(writer, "V %s = %s;", total, fold_neutral(writer->kernel, fold->folding));
        write_line(writer, "for (long k = 0; k < %lld; k++) {",
                   (long long)writer->kernel->shape[0]);
        write_combined(writer, fold->folding, total, part);
        write_close(writer);
    }
}

void write_row_inputs(struct writer *writer, const struct stage *stage)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        if (stage_reads(stage, input->name) && !is_per_slice(kernel, input) &&
            input->strides[writer->schedule->inner] == 0)
            write_input(writer, input, &(struct spot){"0", writer->schedule->lanes});
    }
}

// Returns the number of rows after which sums are set aside, for the same reason; 0: there are too
// few rows.
static int64_t rows_of_part(const struct writer *writer, const struct stage *stage, int first)
{
    enum { PART_ADDITIONS = 256 };
    const struct kernel *kernel = writer->kernel;
    int inner = writer->schedule->inner;
    int64_t rows = 1, turn = (int64_t)writer->schedule->lanes * row_turns(writer, stage);
    int64_t each = (kernel->shape[inner] + turn - 1) / turn, part = PART_ADDITIONS / each;
    for (int d = first; d < inner; d++)
        rows *= kernel->shape[d];
    bool adds = false;
    for (int i = 0; i < stage->fold_count; i++)
        adds = adds || stage->folds[i].folding == SUM;
    return adds && rows > 1 && rows * each > 2 * PART_ADDITIONS ? (part ? part : 1) : 0;
}

static void write_part_end(struct writer *writer, const struct stage *stage, long long rows)
{
    write_line(writer, "if (++%s_rows == %lld) {", stage->folds[0].name, rows);
    for (int i = 0; i < stage->fold_count; i++)
        for (unsigned turn = 0; turn < row_turns(writer, stage); turn++) {
            const char *name = stage->folds[i].name;
            if (stage->folds[i].folding != SUM)
                continue;
            write_line(writer, "%s_aside = %s_aside + %s%u;", name, name, name, turn);
            write_line(writer, "%s%u = splat(0);", name, turn);
        }
    write_line(writer, "%s_rows = 0;", stage->folds[0].name);
    write_close(writer);
}

// All rows of a slice, or of a thread's part of it: those of the dimensions from `first` on.
static void visit_rows(struct writer *writer, const struct stage *stage, int first)
{
    int inner = writer->schedule->inner;
    int64_t part = rows_of_part(writer, stage, first);
    if (part)
        write_line(writer, "long %s_rows = 0;", stage->folds[0].name);
    for (int i = 0; part && i < stage->fold_count; i++)
        if (stage->folds[i].folding == SUM)
            write_line(writer, "V %s_aside = splat(0);", stage->folds[i].name);
    for (int d = first; d < inner; d++)
        write_open(writer, d);
    write_row_inputs(writer, stage);
    write_row(writer, stage);
    if (part)
        write_part_end(writer, stage, part);
    for (int d = first; d < inner; d++)
        write_close(writer);
    for (int i = 0; part && i < stage->fold_count; i++)
        if (stage->folds[i].folding == SUM)
            write_line(writer, "%s0 = %s0 + %s_aside;", stage->folds[i].name, stage->folds[i].name,
                       stage->folds[i].name);
}

static void write_stage(struct writer *writer, const struct stage *stage, int kept)
{
    const struct kernel *kernel = writer->kernel;
    int inner = writer->schedule->inner;
    bool visits = (stage->fold_count || stage->store) && kernel->shape[inner] > 0;
    bool shared = is_shared(writer, stage, kept);
    if (shared)
        open_shared(writer, stage);
    else
        write_totals(writer, stage);
    if (visits)
        visit_rows(writer, stage, shared ? 1 : kept);
    if (shared)
        close_shared(writer, stage);
    else
        combine_turns(writer, stage);
    gather_totals(writer, stage);
    for (int i = 0; i < stage->define_count; i++)
        if (kernel_needs(kernel, stage->defines[i].name))
            write_line(writer, "const V %s = %s;", stage->defines[i].name, stage->defines[i].as);
    for (int i = 0; i < stage->save_count; i++)
        write_stored(writer, &kernel->outputs[stage->saves[i].output], &(struct spot){"0", 1},
                     stage->saves[i].as);
    if (stage->guard)
        write_line(writer, "bad |= (%s)[0] & %d;", stage->guard, KERNEL_BEYOND);
}

void write_rows(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    int kept = kept_count(kernel);
    write_parallel(writer, kept);
    for (int d = 0; d < kept; d++)
        write_open(writer, d);
    for (int i = 0; i < kernel->input_count; i++)
        if (is_per_slice(kernel, &kernel->inputs[i]) &&
            kernel_needs(kernel, kernel->inputs[i].name))
            write_input(writer, &kernel->inputs[i], &(struct spot){"0", writer->schedule->lanes});
    for (int s = 0; s < kernel->stage_count; s++)
        write_stage(writer, &kernel->stages[s], kept);
    for (int d = 0; d < kept; d++)
        write_close(writer);
}
