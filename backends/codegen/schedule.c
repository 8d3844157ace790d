// schedule: orders and merges dimensions, and chooses the loops.
#include "schedule.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vocabulary.h"

enum { SHORT_ROW = 8, NARROW = 4, LEAST_BYTES = 16, PARALLEL_POINTS = 65536 };

// Whether this input is an index that locates other operands.
static bool is_index(const struct kernel *kernel, int input)
{
    for (int i = 0; i < kernel->input_count; i++)
        if (kernel->inputs[i].via == input)
            return true;
    return false;
}

static int64_t points(const struct kernel *kernel)
{
    int64_t count = 1;
    for (int d = 0; d < kernel->ndim; d++)
        count *= kernel->shape[d];
    return count;
}

// Bytes of the widest element: its vectors should not be wider than the processor's.
static unsigned widest(const struct kernel *kernel)
{
    unsigned size = kernel->computed->size;
    for (int i = 0; i < kernel->input_count; i++)
        if (kernel->inputs[i].via < 0 && !is_index(kernel, i) &&
            kernel->inputs[i].type->size > size)
            size = kernel->inputs[i].type->size;
    for (int i = 0; i < kernel->output_count && !kernel->pooling; i++)
        if (kernel->outputs[i].type->size > size)
            size = kernel->outputs[i].type->size;
    return size;
}

static void each_operand(struct kernel *kernel, void (*act)(struct operand *, const void *),
                         const void *context)
{
    for (int i = 0; i < kernel->input_count; i++)
        act(&kernel->inputs[i], context);
    for (int i = 0; i < kernel->output_count; i++)
        act(&kernel->outputs[i], context);
}

static void move_strides(struct operand *operand, const void *order)
{
    int64_t old[BILANX_MAX_DIMENSIONS];
    memcpy(old, operand->strides, sizeof old);
    for (int d = 0; d < BILANX_MAX_DIMENSIONS; d++)
        operand->strides[d] = ((const int *)order)[d] >= 0 ? old[((const int *)order)[d]] : 0;
}

// Permutes dimensions: dimension order[d] becomes dimension d; -1 ends the list.
static void reorder(struct kernel *kernel, const int *order)
{
    int64_t shape[BILANX_MAX_DIMENSIONS];
    uint32_t reduced = kernel->reduced;
    memcpy(shape, kernel->shape, sizeof shape);
    kernel->ndim = 0;
    kernel->reduced = 0;
    for (int d = 0; d < BILANX_MAX_DIMENSIONS && order[d] >= 0; d++) {
        kernel->shape[d] = shape[order[d]];
        kernel->reduced |= (reduced >> order[d] & 1) << d;
        kernel->ndim++;
    }
    each_operand(kernel, move_strides, order);
}

static const struct operand *leading(const struct kernel *kernel)
{
    const struct stage *last = &kernel->stages[kernel->stage_count - 1];
    bool by_output = kernel->reduced == 0 && last->store;
    return by_output || kernel->input_count == 0 ? &kernel->outputs[last->output]
                                                 : &kernel->inputs[0];
}

static bool goes_before(const struct kernel *kernel, int a, int b)
{
    bool reduced_a = kernel->reduced >> a & 1, reduced_b = kernel->reduced >> b & 1;
    if (reduced_a != reduced_b)
        return reduced_b;
    const struct operand *lead = leading(kernel);
    int64_t one = llabs(lead->strides[a]), other = llabs(lead->strides[b]);
    if (one == other)
        return a < b;
    return other != 0 && (one == 0 || one > other);
}

// Kept dimensions first, then by strides from large to small; those of size 1 disappear.
static void order_dimensions(struct kernel *kernel)
{
    int order[BILANX_MAX_DIMENSIONS], count = 0;
    for (int d = 0; d < kernel->ndim; d++) {
        if (kernel->shape[d] == 1)
            continue;
        int at = count++;
        for (; at > 0 && !goes_before(kernel, order[at - 1], d); at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    for (int d = count; d < BILANX_MAX_DIMENSIONS; d++)
        order[d] = -1;
    reorder(kernel, order);
}

static bool is_one(const struct operand *operand, int d, int64_t inner_size)
{
    return operand->strides[d] == operand->strides[d + 1] * inner_size;
}

static bool joins(const struct kernel *kernel, int d)
{
    bool joined = (kernel->reduced >> d & 1) == (kernel->reduced >> (d + 1) & 1);
    for (int i = 0; i < kernel->input_count; i++)
        joined = joined && is_one(&kernel->inputs[i], d, kernel->shape[d + 1]);
    for (int i = 0; i < kernel->output_count; i++)
        joined = joined && is_one(&kernel->outputs[i], d, kernel->shape[d + 1]);
    return joined;
}

// Merges neighbouring dimensions that all operands traverse as one.
static void collapse(struct kernel *kernel)
{
    for (int d = kernel->ndim - 2; d >= 0; d--) {
        if (!joins(kernel, d))
            continue;
        int order[BILANX_MAX_DIMENSIONS];
        int64_t size = kernel->shape[d] * kernel->shape[d + 1];
        for (int i = 0; i < BILANX_MAX_DIMENSIONS; i++)
            order[i] = i < kernel->ndim - 1 ? i + (i >= d) : -1;
        reorder(kernel, order);
        kernel->shape[d] = size;
    }
}

static void split_strides(struct operand *operand, const void *context)
{
    const int64_t *size = context;
    operand->strides[1] = operand->strides[0];
    operand->strides[0] *= *size;
}

// Splits a single dimension in two, for several threads.
static void split(struct kernel *kernel, int threads)
{
    if (kernel->ndim != 1 || kernel->shape[0] < PARALLEL_POINTS || kernel->shape[0] % threads)
        return;
    kernel->reduced *= 3;  // both parts, or none
    int64_t size = kernel->shape[0] / threads;
    kernel->shape[1] = size;
    kernel->shape[0] = threads;
    kernel->ndim = 2;
    each_operand(kernel, split_strides, &size);
}

static bool has_in_place(const struct kernel *kernel)
{
    for (int o = 0; o < kernel->output_count; o++)
        for (int i = 0; i < kernel->input_count; i++)
            if (kernel->outputs[o].pointer == kernel->inputs[i].pointer)
                return true;
    return false;
}

// The dimension along which a transposed operand is contiguous; -1: there is none.
static int find_across(const struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    int across = -1;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        if (input->via >= 0)
            return -1;
        if (input->strides[schedule->inner] == 0 || input->strides[schedule->inner] == 1)
            continue;
        for (int d = 0; d < kernel->ndim; d++)
            if (input->strides[d] == 1 && d != schedule->inner)
                across = d;
    }
    return across;
}

static bool is_long(const struct schedule *schedule, int dimension)
{
    return schedule->kernel.shape[dimension] >= (int64_t)schedule->lanes;
}

// Returns how many rows fit into a vector, if they are shorter than the shortest vectors and
// adjacent in the result; otherwise 0.
static unsigned rows_together(const struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    const struct operand *output = &kernel->outputs[kernel->stages[0].output];
    int inner = schedule->inner;
    bool fit = inner > 0 && !schedule->in_place && kernel->shape[inner] > 1 &&
               schedule->lanes <= 16 &&  // more lanes take too long to gather
               kernel->shape[inner] < LEAST_BYTES / (int64_t)widest(kernel) &&
               output->strides[inner] == 1 && output->strides[inner - 1] == kernel->shape[inner];
    for (int i = 0; i < kernel->input_count; i++)
        fit = fit && kernel->inputs[i].via < 0 && !is_index(kernel, i);
    unsigned together = fit ? schedule->lanes / (unsigned)kernel->shape[inner] : 0;
    return together && kernel->shape[inner - 1] >= together ? together : 0;
}

static void choose_map(struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    schedule->kind = MAP;
    schedule->inner = kernel->ndim - 1;
    const struct stage *stage = &kernel->stages[0];
    if (kernel->ndim < 2 || schedule->in_place ||
        kernel->outputs[stage->output].strides[schedule->inner] != 1)
        return;
    schedule->across = schedule->lanes <= 16 ? find_across(schedule) : -1;
    if (schedule->across >= 0 && is_long(schedule, schedule->across) &&
        is_long(schedule, schedule->inner))
        schedule->kind = TILES;
    else
        schedule->together = rows_together(schedule);
}

// Lanes are parts of a slice if its elements are next to each other, and many.
static void choose_reduction(struct schedule *schedule)
{
    struct kernel *kernel = &schedule->kernel;
    int kept = kept_count(kernel), last = kernel->ndim - 1;
    const struct operand *lead = &kernel->inputs[0];
    bool has_kept = kept > 0, has_reduced = kept < kernel->ndim;
    bool beside = has_kept && llabs(lead->strides[kept - 1]) == 1;
    bool brief = has_kept && has_reduced && kernel->shape[last] < SHORT_ROW &&
                 kernel->shape[kept - 1] >= SHORT_ROW;
    // A few columns would fill only a few lanes: it is better to gather the elements of one column
    // after another.
    bool narrow = beside && has_reduced && kernel->shape[kept - 1] < NARROW &&
                  kernel->shape[last] >= NARROW * NARROW;
    schedule->kind = has_kept && ((beside && !narrow) || brief || !has_reduced) ? COLUMNS : ROWS;
    schedule->inner = schedule->kind == COLUMNS ? kept - 1 : last;
    if (schedule->kind == ROWS && points(kernel) && band_slices(schedule))
        schedule->kind = BANDS;
}

// The next stage reads what a stage stores, so it must not read ahead. A stride expresses that.
static void set_point_strides(struct kernel *kernel)
{
    for (int s = 0; s < kernel->stage_count; s++)
        for (int i = 0; i < kernel->input_count && kernel->stages[s].store; i++) {
            struct operand *output = &kernel->outputs[kernel->stages[s].output];
            if (kernel->inputs[i].pointer == output->pointer && kernel->stage_count > 1)
                kernel->inputs[i].strides[0] = output->strides[0] = 1;
        }
}

// Lanes are channels if those are adjacent, otherwise windows.
static void choose_windows(struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    bool by_channel = kernel->inputs[0].strides[1] == 1 && kernel->shape[1] > 1;
    schedule->kind = WINDOWS;
    schedule->inner = by_channel ? 1 : 3;
}

// Returns a number of lanes of which a row fills at least half, because rows shorter than a vector
// go through memory.
static unsigned fitting(const struct schedule *schedule)
{
    const struct kernel *kernel = &schedule->kernel;
    const struct windows *w = &kernel->windows;
    bool by_window = schedule->kind == WINDOWS && schedule->inner == 3;
    int64_t size =
        by_window ? w->out[1] - 2 * (w->padding[1] / w->stride[1]) : kernel->shape[schedule->inner];
    unsigned lanes = schedule->lanes, least = LEAST_BYTES / widest(kernel);
    if (schedule->together)
        return lanes;
    while (lanes > least && lanes > size)
        lanes /= 2;
    bool by_row = schedule->kind == ROWS || schedule->kind == BANDS;
    return by_row && size % lanes ? schedule->lanes : lanes;
}

unsigned schedule_lanes(const struct kernel *kernels, const struct tuning *tuning)
{
    unsigned most = UINT_MAX, fit = 1;
    int64_t most_points = -1;
    for (const struct kernel *kernel = kernels; kernel; kernel = kernel->next) {
        struct schedule schedule;
        schedule_choose(kernel, tuning, UINT_MAX, &schedule);
        most = schedule.lanes < most ? schedule.lanes : most;
        if (points(kernel) > most_points) {  // the largest one matters most
            most_points = points(kernel);
            fit = fitting(&schedule);
        }
    }
    return fit < most ? fit : most;
}

// Drops values that no expression mentions. Returns how many are left.
static int drop_unneeded(const struct kernel *kernel, struct value *values, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++)
        if (kernel_needs(kernel, values[i].name))
            values[left++] = values[i];
    return left;
}

// If the space has no points, nothing is read or stored, and folds keep their initial values.
static void visit_nothing(struct kernel *kernel)
{
    for (int s = 0; s < kernel->stage_count; s++) {
        struct stage *stage = &kernel->stages[s];
        stage->store = NULL;
        stage->let_count = 0;
        stage->guard = NULL;
        for (int i = 0; i < stage->fold_count; i++)
            stage->folds[i].as = "splat(0)";
    }
    for (int round = 0; round < KERNEL_STAGES * KERNEL_VALUES; round++)  // one may need the next
        for (int s = 0; s < kernel->stage_count; s++) {
            struct stage *stage = &kernel->stages[s];
            stage->define_count = drop_unneeded(kernel, stage->defines, stage->define_count);
            stage->fold_count = drop_unneeded(kernel, stage->folds, stage->fold_count);
        }
}

void schedule_choose(const struct kernel *kernel, const struct tuning *tuning, unsigned most_lanes,
                     struct schedule *out)
{
    *out = (struct schedule){.kernel = *kernel, .tuning = tuning, .across = -1};
    out->lanes = tuning->vector_bytes / widest(kernel);
    out->lanes = out->lanes < most_lanes ? out->lanes : most_lanes;
    out->in_place = has_in_place(kernel);
    if (kernel->pooling) {
        choose_windows(out);
        out->parallel = tuning->threads > 1 && points(kernel) >= PARALLEL_POINTS;
        return;
    }
    order_dimensions(&out->kernel);
    collapse(&out->kernel);
    out->parallel = tuning->threads > 1 && points(&out->kernel) >= PARALLEL_POINTS;
    bool folds = false;
    for (int i = 0; i < kernel->stage_count; i++)
        folds = folds || kernel->stages[i].fold_count;
    if (out->kernel.ndim == 0) {  // one point is a row of one
        out->kernel.ndim = 1;
        out->kernel.shape[0] = 1;
        out->kernel.reduced = folds || kernel->stage_count > 1;
        set_point_strides(&out->kernel);
    }
    bool is_reduction = folds || kernel->stage_count > 1;
    if (out->parallel && (!is_reduction || out->kernel.reduced))
        split(&out->kernel, tuning->threads);
    if (is_reduction)
        choose_reduction(out);
    else
        choose_map(out);
    if (points(&out->kernel) == 0)
        visit_nothing(&out->kernel);
}

bool schedules_share_rows(const struct schedule *schedules, int count)
{
    bool share = count > 1;
    for (int i = 0; i < count && share; i++) {
        const struct kernel *kernel = &schedules[i].kernel;
        share = schedules[i].kind == MAP && !schedules[i].in_place && kernel->ndim > 1 &&
                kernel->shape[0] == schedules->kernel.shape[0] &&
                kernel->outputs[0].pointer == schedules->kernel.outputs[0].pointer;
    }
    return share;
}

static void write_pointer(struct writer *writer, const struct operand *operand, const char *name,
                          const char *qualifier)
{
    const char *type = c_type(operand->type);
    char offset[32] = "";
    if (operand->offset)
        snprintf(offset, sizeof offset, " + %lld", (long long)operand->offset);
    write_line(writer, "%s%s *const %s = (%s%s *)at[%d]%s;", qualifier, type, name, qualifier, type,
               operand->pointer, offset);
}

static void write_operands(struct writer *writer, const char *body)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->output_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "out%d", i);
        if (mentions(body, name))
            write_pointer(writer, &kernel->outputs[i], name, "");
    }
    for (int i = 0; i < kernel->input_count; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s_at", kernel->inputs[i].name);
        if (mentions(body, name))
            write_pointer(writer, &kernel->inputs[i], name, "const ");
    }
}

static void write_number(struct writer *writer, const struct number *number)
{
    AUTO(text) struct text value = {0};
    if (writer->kernel->computed->kind == DTYPE_INTEGER && number->integer == INT64_MIN)
        text_add(&value, "(-9223372036854775807L - 1)");  // C has no such constant
    else if (writer->kernel->computed->kind == DTYPE_INTEGER)
        text_format(&value, "%lldL", (long long)number->integer);
    else if (__builtin_isnan(number->real))
        text_add(&value, "__builtin_nan(\"\")");
    else if (__builtin_isinf(number->real))
        text_format(&value, "%s__builtin_inf()", number->real < 0 ? "-" : "");
    else
        text_format(&value, "%a", number->real);
    write_line(writer, "const V %s = splat((T)%s);  // %g", number->name, text_get(&value),
               writer->kernel->computed->kind == DTYPE_INTEGER ? (double)number->integer
                                                               : number->real);
}

static const struct {
    void (*write)(struct writer *writer);
    const char *about;
} schedules[] = {
    [MAP] = {write_map, "Point by point, N at a time along the result."},
    [TILES] = {write_tiles,
               "An operand is transposed: tiles of N by N are transposed in registers."},
    [ROWS] = {write_rows, "Each slice consists of rows: its N lanes are combined at the end."},
    [BANDS] = {write_bands, "Each slice consists of short rows: several slices at a time."},
    [COLUMNS] = {write_columns, "Slices are adjacent: each lane is a slice."},
    [WINDOWS] = {write_windows, "Windows over an image: lanes are adjacent windows."},
};

static void write_shape(struct text *out, const struct kernel *kernel)
{
    text_add(out, "// Space:");
    for (int d = 0; d < kernel->ndim; d++)
        text_format(out, " i%d < %lld%s%s", d, (long long)kernel->shape[d],
                    kernel->reduced >> d & 1 ? " (reduced)" : "", d + 1 < kernel->ndim ? "," : "");
    text_add(out, kernel->ndim ? "\n" : " one point\n");
}

// Nothing to visit, and nothing to save.
static bool is_empty(const struct kernel *kernel)
{
    int saves = 0;
    for (int s = 0; s < kernel->stage_count; s++)
        saves += kernel->stages[s].save_count;
    return points(kernel) == 0 && saves == 0;
}

void schedule_write(const struct schedule *schedule, const char *name, struct text *out)
{
    AUTO(text) struct text loops = {0};
    const struct kernel *kernel = &schedule->kernel;
    struct writer writer = {&loops, schedule, kernel, 1};
    if (!is_empty(kernel))
        schedules[schedule->kind].write(&writer);
    if (strstr(text_get(&loops), "stream_"))
        write_line(&writer, "FENCE();");
    const char *body = text_get(&loops);
    bool can_fail = mentions(body, "bad");
    text_format(out, "// %s\n", schedules[schedule->kind].about);
    write_shape(out, kernel);
    text_format(out, "static int %s(void *const *at%s)\n{\n", name,
                schedule->is_row ? ", long i0" : "");
    writer.out = out;
    if (!strstr(body, "out"))
        write_line(&writer, "(void)at;  // nothing to do");
    if (schedule->is_row && !mentions(body, "i0"))
        write_line(&writer, "(void)i0;");
    if (can_fail)
        write_line(&writer, "int bad = 0;  // %d: an index is out of range; %d: beyond this type",
                   KERNEL_BAD_INDEX, KERNEL_BEYOND);
    write_operands(&writer, body);
    for (int i = 0; i < kernel->number_count; i++)
        if (mentions(body, kernel->numbers[i].name))
            write_number(&writer, &kernel->numbers[i]);
    text_add(out, body);
    write_line(&writer, "return %s;", can_fail ? "bad" : "0");
    text_add(out, "}\n");
}
