// schedule_windows: pooling. Lanes are adjacent windows, or channels if those are adjacent in
// memory. Windows at the left and right edge are computed one by one.
//
// Backward, each gradient is added to the elements that its window covers, image by image. Averages
// of overlapping windows are added a whole row of windows at a time.
#include <stdio.h>

#include "schedule.h"
#include "vocabulary.h"

static const char *const axis[] = {"row", "column"};

// Where a window begins along one axis.
static void write_start(struct writer *writer, int d)
{
    const struct windows *w = &writer->kernel->windows;
    write_line(writer, "const long %s = i%d * %lld - %lld;", axis[d], d + 2,
               (long long)w->stride[d], (long long)w->padding[d]);
}

// The part of a window, along one axis, that is inside the image: from_row to to_row.
static void write_range(struct writer *writer, int d)
{
    const struct windows *w = &writer->kernel->windows;
    long long dilation = w->dilation[d], kernel = w->kernel[d], size = w->in[d];
    const char *name = axis[d];
    write_start(writer, d);
    write_line(writer, "const long from_%s = %s < 0 ? (-%s + %lld) / %lld : 0;", name, name, name,
               dilation - 1, dilation);
    write_line(writer, "const long fit_%s = (%lld - %s + %lld) / %lld;", name, size, name,
               dilation - 1, dilation);
    write_line(writer, "const long to_%s = fit_%s < %lld ? fit_%s : %lld;", name, name, kernel,
               name, kernel);
}

// Returns the divisor of a sum over a window. Padding counts, but nothing beyond it.
static void write_divisor(struct writer *writer)
{
    const struct windows *w = &writer->kernel->windows;
    if (w->divisor) {
        write_line(writer, "const T divisor = (T)%lld;", (long long)w->divisor);
        return;
    }
    for (int d = 0; d < SPACE; d++) {
        const char *name = axis[d];
        long long end = w->in[d] + w->padding[d];
        if (w->counts_padding)
            write_line(writer, "const long count_%s = (%s + %lld < %lld ? %s + %lld : %lld) - %s;",
                       name, name, (long long)w->kernel[d], end, name, (long long)w->kernel[d], end,
                       name);
        else
            write_line(writer, "const long count_%s = to_%s - from_%s;", name, name, name);
    }
    write_line(writer, "const T divisor = (T)(count_row * count_column);");
}

static void write_largest(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    const struct windows *w = &kernel->windows;
    bool by_channel = writer->schedule->inner == 1;
    write_line(writer, "M better = (M)((x > best) | (x != x));");
    write_line(writer, "const long first_place = (row + k * %lld) * %lld + column + l * %lld;",
               (long long)w->dilation[0], (long long)w->in[1], (long long)w->dilation[1]);
    if (by_channel)
        write_line(writer, "const M here = (M){0} + (__typeof__(place[0]))first_place;");
    else
        write_line(writer, "const M here = numbers() * %lld + (__typeof__(place[0]))first_place;",
                   (long long)w->stride[1]);
    write_line(writer, "better |= started ? (M){0} : ~(M){0};  // the first one, whatever it is");
    write_line(writer, "started = 1;");
    write_line(writer, "best = pick(better, x, best);");
    write_line(writer, "place = (better & here) | (~better & place);");
}

static void write_place_of(struct writer *writer, const struct spot *spot)
{
    const struct operand *output = &writer->kernel->outputs[1];
    AUTO(text) struct text at = {0};
    for (int d = 0; d < 4; d++)
        if (output->strides[d])
            text_format(&at, " + i%d * %lld", d, (long long)output->strides[d]);
    write_line(writer, "put_places(out1%s, %lld, place, %u);", text_get(&at),
               (long long)output->strides[writer->schedule->inner], spot->count);
}

// One vector of windows.
static void write_window(struct writer *writer, const struct spot *spot)
{
    const struct kernel *kernel = writer->kernel;
    const struct windows *w = &kernel->windows;
    const struct operand *x = &kernel->inputs[0];
    bool largest = kernel->pooling == POOL_LARGEST;
    int inner = writer->schedule->inner;
    if (largest) {
        write_line(writer, "V best = splat((T)-__builtin_inf());");
        write_line(writer, "M place = {0};");
        write_line(writer, "int started = 0;");
    } else {
        write_line(writer, "V total = splat(0);");
    }
    write_line(writer, "for (long k = from_row; k < to_row; k++) {");
    write_line(writer, "for (long l = from_column; l < to_column; l++) {");
    char rest[300];
    snprintf(rest, sizeof rest,
             "x_at + i0 * %lld + %s * %lld + (row + k * %lld) * %lld + (column + l * %lld) * %lld",
             (long long)x->strides[0], inner == 1 ? spot->at : "i1", (long long)x->strides[1],
             (long long)w->dilation[0], (long long)x->strides[2], (long long)w->dilation[1],
             (long long)x->strides[3]);
    long long step = inner == 1 ? x->strides[1] : x->strides[3] * w->stride[1];
    if (step == 1)
        write_line(writer, "const V x = %s_%s(%s%s);", is_full(writer, spot) ? "load" : "part",
                   x->type->name, rest, is_full(writer, spot) ? "" : ", COUNT");
    else
        write_line(writer, "const V x = %s_%s(%s, %lld%s);",
                   is_full(writer, spot) ? "apart" : "every", x->type->name, rest, step,
                   is_full(writer, spot) ? "" : ", COUNT");
    if (largest)
        write_largest(writer);
    else
        write_line(writer, "total = total + x;");
    write_close(writer);
    write_close(writer);
    if (!largest)
        write_divisor(writer);
    write_stored(writer, &kernel->outputs[0], spot, largest ? "best" : "total / divisor");
    if (largest)
        write_place_of(writer, spot);
}

// One window at the edge, with numbers instead of vectors.
static void write_edge(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    const struct windows *w = &kernel->windows;
    const struct operand *x = &kernel->inputs[0], *places = &kernel->outputs[1];
    bool largest = kernel->pooling == POOL_LARGEST;
    if (largest) {
        write_line(writer, "T best = (T)-__builtin_inf();");
        write_line(writer, "long place = -1;");
    } else {
        write_line(writer, "T total = 0;");
    }
    write_line(writer, "for (long k = from_row; k < to_row; k++) {");
    write_line(writer, "for (long l = from_column; l < to_column; l++) {");
    write_line(writer, "const long y = row + k * %lld, z = column + l * %lld;",
               (long long)w->dilation[0], (long long)w->dilation[1]);
    write_line(writer,
               "const T x = every_%s(x_at + i0 * %lld + i1 * %lld + y * %lld + z * %lld, 1, 1)[0];",
               x->type->name, (long long)x->strides[0], (long long)x->strides[1],
               (long long)x->strides[2], (long long)x->strides[3]);
    if (largest) {
        write_line(writer, "if (x > best || x != x || place < 0)");
        write_line(writer, "    best = x, place = y * %lld + z;", (long long)w->in[1]);
    } else {
        write_line(writer, "total += x;");
    }
    write_close(writer);
    write_close(writer);
    if (!largest)
        write_divisor(writer);
    write_stored(writer, &kernel->outputs[0], &(struct spot){"i3", 1},
                 largest ? "splat(best)" : "splat(total / divisor)");
    if (largest)
        write_line(writer, "out1[i0 * %lld + i1 * %lld + i2 * %lld + i3 * %lld] = place;",
                   (long long)places->strides[0], (long long)places->strides[1],
                   (long long)places->strides[2], (long long)places->strides[3]);
}

static void write_counted(struct writer *writer, const struct spot *spot)
{
    // The number of lanes appears in the middle of an expression.
    AUTO(text) struct text window = {0};
    struct text *out = writer->out;
    writer->out = &window;
    write_window(writer, spot);
    writer->out = out;
    char count[16];
    snprintf(count, sizeof count, "%u", spot->count);
    for (const char *at = text_get(&window); *at;) {
        bool is_count = at[0] == 'C' && at[1] == 'O' && at[2] == 'U' && at[3] == 'N';
        if (is_count)
            text_add(out, count);
        else
            text_add_char(out, *at);
        at += is_count ? 5 : 1;
    }
}

static long long least(long long one, long long other)
{
    return one < other ? one : other;
}

// Windows from `start` to `end`, which are inside the image from left to right.
static void write_inside(struct writer *writer, long long start, long long end)
{
    long long lanes = writer->schedule->lanes, whole = (end - start) / lanes * lanes;
    if (whole) {
        write_line(writer, "for (long i3 = %lld; i3 < %lld; i3 += N) {", start, start + whole);
        write_range(writer, 1);
        write_counted(writer, &(struct spot){"i3", writer->schedule->lanes});
        write_close(writer);
    }
    if (end > start + whole) {
        long long count = whole ? lanes : end - start;
        write_line(writer, "{");
        write_line(writer, "const long i3 = %lld;", end - count);
        write_range(writer, 1);
        write_counted(writer, &(struct spot){"i3", (unsigned)count});
        write_close(writer);
    }
}

static void write_single(struct writer *writer, long long start, long long end)
{
    if (start >= end)
        return;
    write_line(writer, "for (long i3 = %lld; i3 < %lld; i3++) {  // at the edge", start, end);
    writer->depth++;
    write_range(writer, 1);
    write_edge(writer);
    write_close(writer);
}

static void write_by_columns(struct writer *writer)
{
    const struct windows *w = &writer->kernel->windows;
    write_parallel(writer, 3);
    for (int d = 0; d < 3; d++)
        write_open(writer, d);
    write_range(writer, 0);
    long long reach = w->dilation[1] * (w->kernel[1] - 1) + 1;
    long long start = (w->padding[1] + w->stride[1] - 1) / w->stride[1];
    long long room = w->in[1] + w->padding[1] - reach;
    long long end = room < 0 ? 0 : room / w->stride[1] + 1;
    end = least(end, w->out[1]);
    start = least(start, w->out[1]);
    if (end < start)
        end = start;
    write_single(writer, 0, start);
    write_inside(writer, start, end);
    write_single(writer, end, w->out[1]);
    for (int d = 0; d < 3; d++)
        write_close(writer);
}

static void write_by_channels(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    long long lanes = writer->schedule->lanes, size = kernel->shape[1],
              whole = size / lanes * lanes;
    write_parallel(writer, 3);
    write_open(writer, 0);
    write_open(writer, 2);
    write_open(writer, 3);
    write_range(writer, 0);
    write_range(writer, 1);
    if (whole) {
        write_line(writer, "for (long i1 = 0; i1 < %lld; i1 += N) {", whole);
        write_counted(writer, &(struct spot){"i1", writer->schedule->lanes});
        write_close(writer);
    }
    if (size > whole) {
        write_line(writer, "{");
        write_line(writer, "const long i1 = %lld;", whole);
        write_counted(writer, &(struct spot){"i1", (unsigned)(size - whole)});
        write_close(writer);
    }
    for (int d = 0; d < 3; d++)
        write_close(writer);
}

// Whether windows do not overlap and are inside the image.
static bool are_apart(const struct windows *w)
{
    bool apart = true;
    for (int d = 0; d < SPACE; d++)
        apart = apart && w->stride[d] >= w->kernel[d] && w->padding[d] == 0 &&
                (w->out[d] - 1) * w->stride[d] + w->kernel[d] <= w->in[d];
    return apart;
}

static bool cover_all(const struct windows *w)
{
    bool all = are_apart(w);
    for (int d = 0; d < SPACE; d++)
        all = all && w->out[d] * w->kernel[d] == w->in[d];
    return all;
}

static void write_given(struct writer *writer, const struct operand *input, const char *type,
                        const char *name)
{
    const int64_t *strides = input->strides;
    write_line(writer, "const %s %s = %s_at[i0 * %lld + i1 * %lld + i2 * %lld + i3 * %lld];", type,
               name, input->name, (long long)strides[0], (long long)strides[1],
               (long long)strides[2], (long long)strides[3]);
}

// Adds to element l of every window in a row of windows.
static void write_shifted(struct writer *writer, long long l)
{
    const struct windows *w = &writer->kernel->windows;
    long long stride = w->stride[1], shift = l - w->padding[1], room = w->in[1] - 1 - shift;
    long long start = shift < 0 ? (-shift + stride - 1) / stride : 0;
    long long end = room < 0 ? 0 : least(room / stride + 1, w->out[1]);
    if (start >= end)
        return;
    write_line(writer, "for (long i3 = %lld; i3 < %lld; i3++)", start, end);
    write_line(writer, "    line[i3 * %lld + %lld] += share[i3];", stride, shift);
}

static void write_lines(struct writer *writer)
{
    write_line(writer, "for (long k = row + from_row; k < row + to_row; k++) {");
    write_line(writer, "T *const restrict line = image + k * %lld;",
               (long long)writer->kernel->windows.in[1]);
}

// Each place belongs to at most one window.
static void write_back_apart(struct writer *writer)
{
    const struct windows *w = &writer->kernel->windows;
    long long area = w->divisor ? w->divisor : w->kernel[0] * w->kernel[1];
    write_lines(writer);
    write_open(writer, 3);
    write_given(writer, &writer->kernel->inputs[0], "T", "given");
    write_line(writer, "for (long l = 0; l < %lld; l++)", (long long)w->kernel[1]);
    write_line(writer, "    line[i3 * %lld + l] = given / (T)%lld;", (long long)w->stride[1], area);
    write_close(writer);
    write_close(writer);
}

// A row of windows at a time: lanes are neighbouring windows.
static void write_back_shifted(struct writer *writer)
{
    const struct windows *w = &writer->kernel->windows;
    write_line(writer, "T share[%lld];", (long long)w->out[1]);
    write_open(writer, 3);
    write_given(writer, &writer->kernel->inputs[0], "T", "given");
    if (!w->divisor && w->counts_padding)
        write_start(writer, 1);
    else if (!w->divisor)
        write_range(writer, 1);
    write_divisor(writer);
    write_line(writer, "share[i3] = given / divisor;");
    write_close(writer);
    write_lines(writer);
    for (long long l = 0; l < w->kernel[1]; l++)
        write_shifted(writer, l);
    write_close(writer);
}

static void write_back_by_window(struct writer *writer)
{
    write_open(writer, 3);
    write_given(writer, &writer->kernel->inputs[0], "T", "given");
    write_range(writer, 1);
    write_divisor(writer);
    write_lines(writer);
    write_line(writer, "for (long l = column + from_column; l < column + to_column; l++)");
    write_line(writer, "    line[l] += given / divisor;");
    write_close(writer);
    write_close(writer);
}

static void write_average_back(struct writer *writer)
{
    enum { WIDEST = 1024 };  // the shares of a row of windows are on the stack
    const struct windows *w = &writer->kernel->windows;
    write_range(writer, 0);
    if (are_apart(w))
        write_back_apart(writer);
    else if (w->kernel[1] <= w->out[1] && w->out[1] <= WIDEST)
        write_back_shifted(writer);
    else
        write_back_by_window(writer);
}

static void write_largest_back(struct writer *writer, long long area)
{
    const struct kernel *kernel = writer->kernel;
    write_open(writer, 3);
    write_given(writer, &kernel->inputs[0], "T", "given");
    write_given(writer, &kernel->inputs[1], "long", "place");
    write_line(writer, "if (place >= 0 && place < %lld)", area);
    write_line(writer, "    image[place] += given;");
    write_line(writer, "else");
    write_line(writer, "    bad = 1;");
    write_close(writer);
}

static void write_back(struct writer *writer)
{
    const struct kernel *kernel = writer->kernel;
    const struct windows *w = &kernel->windows;
    const struct operand *out = &kernel->outputs[0];
    long long area = w->in[0] * w->in[1];
    bool largest = kernel->pooling == POOL_LARGEST_BACKWARD;
    write_parallel(writer, 2);
    write_open(writer, 0);
    write_open(writer, 1);
    write_line(writer, "%s *const restrict image = out0 + i0 * %lld + i1 * %lld;",
               c_type(out->type), (long long)out->strides[0], (long long)out->strides[1]);
    if (largest || !cover_all(w))
        write_line(writer, "__builtin_memset(image, 0, %lld * sizeof *image);", area);
    write_open(writer, 2);
    if (largest)
        write_largest_back(writer, area);
    else
        write_average_back(writer);
    for (int d = 0; d < 3; d++)
        write_close(writer);
}

void write_windows(struct writer *writer)
{
    enum pooling pooling = writer->kernel->pooling;
    if (pooling == POOL_LARGEST_BACKWARD || pooling == POOL_AVERAGE_BACKWARD)
        write_back(writer);
    else if (writer->schedule->inner == 1)
        write_by_channels(writer);
    else
        write_by_columns(writer);
}
