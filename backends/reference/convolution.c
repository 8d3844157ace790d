// convolution: of one to three dimensions, transposed or not, forward and backward.
//
// A convolution relates a large image to a small one. All operators consist of these three
// operations:
//
//     shrink      small = weights * windows of large
//     spread      large = sum over windows of (weights, transposed) * small
//     correlate   weights = small * (windows of large), transposed
//
// Forward is shrink, and the gradient of the input is spread; for a transposed convolution it is
// the other way round. Windows become columns of a matrix, for a few thousand positions at a time.
#include <string.h>

#include "multiplier.h"
#include "tables.h"

enum { SPACE = 3, POSITIONS = 2048 };

struct images {
    int64_t samples, groups, large_channels, small_channels;  // channels per group
    int64_t large[SPACE], small[SPACE], kernel[SPACE];
    int64_t stride[SPACE], padding[SPACE], dilation[SPACE];
    int64_t window, positions;  // elements of a window, positions of windows
    bool is_transposed;
    struct view input, weight;
    int64_t out_shape[SPACE + 2];
};

// A list has one number for all dimensions, or one for each; missing dimensions come first.
static void take_list(const struct frame *frame, const char *name, int space, int64_t otherwise,
                      int64_t *out)
{
    int64_t found[BILANX_MAX_DIMENSIONS];
    int count = argument_integers(frame, name, found);
    for (int d = 0; d < SPACE; d++) {
        int own = d - (SPACE - space);
        out[d] = own < 0 || count == 0 ? otherwise : found[count == 1 ? 0 : own];
    }
}

static void take_sizes(const struct frame *frame, struct images *images)
{
    int64_t extra[SPACE];
    int space = images->input.ndim - 2;
    take_list(frame, "stride", space, 1, images->stride);
    take_list(frame, "padding", space, 0, images->padding);
    take_list(frame, "dilation", space, 1, images->dilation);
    take_list(frame, "output_padding", space, 0, extra);
    images->window = images->large_channels;
    images->positions = 1;
    for (int d = 0; d < SPACE; d++) {
        int own = d - (SPACE - space);
        int64_t in = own < 0 ? 1 : images->input.shape[own + 2];
        images->kernel[d] = own < 0 ? 1 : images->weight.shape[own + 2];
        int64_t reach = images->dilation[d] * (images->kernel[d] - 1) + 1;
        int64_t stride = images->stride[d], padding = images->padding[d];
        int64_t out = images->is_transposed ? (in - 1) * stride - 2 * padding + reach + extra[d]
                                            : (in + 2 * padding - reach) / stride + 1;
        images->large[d] = images->is_transposed ? out : in;
        images->small[d] = images->is_transposed ? in : out;
        images->window *= images->kernel[d];
        images->positions *= images->small[d];
        if (own >= 0)
            images->out_shape[own + 2] = out;
    }
}

static const char *take_images(const struct frame *frame, struct images *images)
{
    *images = (struct images){0};
    if (!argument_view(frame, "input", &images->input) ||
        !argument_view(frame, "weight", &images->weight) ||
        images->input.type != images->weight.type || images->input.type->kind != DTYPE_REAL)
        return "needs two tensors of one type of reals";
    if (images->input.ndim < 3 || images->input.ndim > SPACE + 2 ||
        images->weight.ndim != images->input.ndim)
        return "dimensions other than 3, 4 or 5";
    images->is_transposed = argument_integer(frame, "transposed", 0);
    images->groups = argument_integer(frame, "groups", 1);
    if (images->groups < 1 || images->weight.shape[0] % images->groups ||
        images->input.shape[1] % images->groups)
        return "groups that do not fit";
    images->samples = images->input.shape[0];
    images->small_channels = images->weight.shape[0] / images->groups;
    images->large_channels = images->weight.shape[1];
    images->out_shape[0] = images->samples;
    images->out_shape[1] =
        images->groups * (images->is_transposed ? images->large_channels : images->small_channels);
    int64_t stride[SPACE];
    take_list(frame, "stride", images->input.ndim - 2, 1, stride);
    if (stride[0] < 1 || stride[1] < 1 || stride[2] < 1)
        return "strides below 1";
    if (images->input.shape[1] / images->groups !=
        (images->is_transposed ? images->small_channels : images->large_channels))
        return "channels that do not fit";
    take_sizes(frame, images);
    for (int d = 2; d < images->input.ndim; d++)
        if (images->out_shape[d] <= 0)
            return "no elements";
    return NULL;
}

// A group of channels of one sample, as doubles in C order.
static void load_group(const struct images *images, const struct view *view, int64_t sample,
                       int64_t group, double *to)
{
    struct view one = view_select(view, 0, sample);
    int64_t channels = one.shape[0] / images->groups;
    one = view_narrow(&one, 0, group * channels, channels);
    struct slices slices;
    slices_init(&slices, &one, (1u << one.ndim) - 1);
    slices_load_reals(&slices, 0, to);
}

static void store_group(const struct images *images, const struct view *view, int64_t sample,
                        int64_t group, const double *from)
{
    struct view one = view_select(view, 0, sample);
    int64_t channels = one.shape[0] / images->groups;
    one = view_narrow(&one, 0, group * channels, channels);
    struct slices slices;
    slices_init(&slices, &one, (1u << one.ndim) - 1);
    slices_store_reals(&slices, 0, from);
}

enum { ROW = SPACE - 1 };  // the last dimension, along which images are contiguous

// Returns where the row of the large image begins that contains an element of a window, or -1 if
// all of it is padding. `row` counts rows of the small image.
static int64_t row_start(const struct images *images, int64_t row, int64_t element)
{
    int64_t at = 0, step = images->large[ROW];
    element /= images->kernel[ROW];
    for (int d = ROW - 1; d >= 0; d--) {
        int64_t in = row % images->small[d] * images->stride[d] - images->padding[d] +
                     element % images->kernel[d] * images->dilation[d];
        row /= images->small[d];
        element /= images->kernel[d];
        if (in < 0 || in >= images->large[d])
            return -1;
        at += in * step;
        step *= images->large[d];
    }
    return at;
}

static int64_t product_of_sizes(const int64_t *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

// One element of the windows at `count` neighbouring positions, from or to a row of the large
// image.
static void move_row(const struct images *images, double *row, int64_t in, int64_t count,
                     double *columns, bool spread)
{
    for (int64_t i = 0; i < count; i++, in += images->stride[ROW]) {
        bool is_inside = row && in >= 0 && in < images->large[ROW];
        if (!spread)
            columns[i] = is_inside ? row[in] : 0;
        else if (is_inside)
            row[in] += columns[i];
    }
}

// columns[window element][position], from or to the large image.
static void move_windows(const struct images *images, int64_t first, int64_t count, double *large,
                         double *columns, bool spread)
{
    int64_t kernel = product_of_sizes(images->kernel), size = product_of_sizes(images->large);
    for (int64_t c = 0; c < images->large_channels; c++)
        for (int64_t element = 0; element < kernel; element++, columns += count)
            for (int64_t i = 0, run; i < count; i += run) {
                int64_t column = (first + i) % images->small[ROW];
                int64_t start = row_start(images, (first + i) / images->small[ROW], element);
                int64_t in = column * images->stride[ROW] - images->padding[ROW] +
                             element % images->kernel[ROW] * images->dilation[ROW];
                run = images->small[ROW] - column < count - i ? images->small[ROW] - column
                                                              : count - i;
                move_row(images, start < 0 ? NULL : large + c * size + start, in, run, columns + i,
                         spread);
            }
}

static struct view matrix(double *data, int64_t rows, int64_t columns, int64_t step)
{
    return (struct view){.data = (char *)data,
                         .type = dtype_find("f64"),
                         .ndim = 2,
                         .shape = {rows, columns},
                         .strides = {step, 1}};
}

struct work {  // of one group of one sample, in doubles
    double *large, *small, *columns, *weights;
    struct multiplier *multiplier;
};

static double *room(struct frame *frame, int64_t count)
{
    return scratch(frame, (size_t)count * sizeof(double));
}

static struct work work_new(struct frame *frame, const struct images *images)
{
    int64_t deepest = images->window > POSITIONS ? images->window : POSITIONS;
    if (images->small_channels > deepest)
        deepest = images->small_channels;
    return (struct work){
        .large = room(frame, images->large_channels * product_of_sizes(images->large)),
        .small = room(frame, images->small_channels * images->positions),
        .columns = room(frame, images->window * POSITIONS),
        .weights = room(frame, images->small_channels * images->window),
        .multiplier = multiplier_new(frame, deepest),
    };
}

enum task { SHRINK, SPREAD, CORRELATE };

static void do_group(const struct images *images, struct work *work, enum task task)
{
    int64_t window = images->window, channels = images->small_channels;
    struct view weights = matrix(work->weights, channels, window, window);
    struct view turned = view_swap(&weights, 0, 1);
    for (int64_t first = 0, count; first < images->positions; first += count) {
        count = images->positions - first < POSITIONS ? images->positions - first : POSITIONS;
        struct view columns = matrix(work->columns, window, count, count);
        struct view small = matrix(work->small + first, channels, count, images->positions);
        struct view rows = view_swap(&columns, 0, 1);
        if (task != SPREAD)
            move_windows(images, first, count, work->large, work->columns, false);
        if (task == SHRINK)
            multiplier_run(work->multiplier, &weights, &columns, NULL, &small);
        else if (task == CORRELATE)
            multiplier_run(work->multiplier, &small, &rows, &weights, &weights);
        else
            multiplier_run(work->multiplier, &turned, &small, NULL, &columns);
        if (task == SPREAD)
            move_windows(images, first, count, work->large, work->columns, true);
    }
}

static void load_weights(const struct images *images, int64_t group, double *to)
{
    struct view one =
        view_narrow(&images->weight, 0, group * images->small_channels, images->small_channels);
    struct slices slices;
    slices_init(&slices, &one, (1u << one.ndim) - 1);
    slices_load_reals(&slices, 0, to);
}

// Before results are rounded. `channels` are those of one group.
static void add_bias(const struct view *bias, int64_t group, int64_t channels, int64_t size,
                     double *to)
{
    for (int64_t c = 0; c < channels; c++) {
        double own;
        int64_t at = (group * channels + c) * bias->strides[0] * (int64_t)bias->type->size;
        load_reals(bias->type, bias->data + at, 1, 1, &own);
        for (int64_t i = 0; i < size; i++)
            to[c * size + i] += own;
    }
}

// From the small image to the large one, or back; both are tensors. The bias may be NULL.
static void transform(struct frame *frame, const struct images *images, const struct view *from,
                      const struct view *to, const struct view *bias, enum task task)
{
    struct work work = work_new(frame, images);
    bool shrinks = task == SHRINK;
    int64_t size = images->large_channels * product_of_sizes(images->large);
    int64_t channels = shrinks ? images->small_channels : images->large_channels;
    int64_t area = shrinks ? images->positions : product_of_sizes(images->large);
    for (int64_t group = 0; group < images->groups; group++) {
        load_weights(images, group, work.weights);
        for (int64_t sample = 0; sample < images->samples; sample++) {
            load_group(images, from, sample, group, shrinks ? work.large : work.small);
            if (!shrinks)
                memset(work.large, 0, (size_t)size * sizeof *work.large);
            do_group(images, &work, task);
            double *result = shrinks ? work.small : work.large;
            if (bias)
                add_bias(bias, group, channels, area, result);
            store_group(images, to, sample, group, result);
        }
    }
}

static void correlate(struct frame *frame, const struct images *images, const struct view *large,
                      const struct view *small, const struct view *to)
{
    struct work work = work_new(frame, images);
    int64_t size = images->small_channels * images->window;
    for (int64_t group = 0; group < images->groups; group++) {
        memset(work.weights, 0, (size_t)size * sizeof *work.weights);
        for (int64_t sample = 0; sample < images->samples; sample++) {
            load_group(images, large, sample, group, work.large);
            load_group(images, small, sample, group, work.small);
            do_group(images, &work, CORRELATE);
        }
        store_reals(to->type, to->data + group * size * (int64_t)to->type->size, 1, (size_t)size,
                    work.weights);
    }
}

static const char *run(struct frame *frame)
{
    struct images images;
    struct view bias;
    take_images(frame, &images);
    const struct view *in = &images.input;
    struct view out = add_result(frame, in->type, in->ndim, images.out_shape, NULL);
    bool has_bias = argument_view(frame, "bias", &bias);
    transform(frame, &images, in, &out, has_bias ? &bias : NULL,
              images.is_transposed ? SPREAD : SHRINK);
    return NULL;
}

static void sum_channels(struct frame *frame, const struct view *gradient, const struct view *out)
{
    struct slices slices;
    slices_init(&slices, gradient, ((1u << gradient->ndim) - 1) & ~2u);
    double *line = room(frame, slices.length);
    for (int64_t c = 0; c < slices.count; c++) {
        double sum = 0;
        slices_load_reals(&slices, c, line);
        for (int64_t i = 0; i < slices.length; i++)
            sum += line[i];
        store_reals(out->type, out->data + c * (int64_t)out->type->size, 1, 1, &sum);
    }
}

static const char *run_backward(struct frame *frame)
{
    struct images images;
    struct view gradient, out;
    take_images(frame, &images);
    argument_view(frame, "grad_output", &gradient);
    const struct view *in = &images.input, *weight = &images.weight;
    if (argument_item(frame, "output_mask", 0)) {
        out = add_result(frame, in->type, in->ndim, in->shape, NULL);
        transform(frame, &images, &gradient, &out, NULL, images.is_transposed ? SHRINK : SPREAD);
    } else {
        add_no_result(frame);
    }
    if (argument_item(frame, "output_mask", 1)) {
        out = add_result(frame, in->type, weight->ndim, weight->shape, NULL);
        correlate(frame, &images, images.is_transposed ? &gradient : in,
                  images.is_transposed ? in : &gradient, &out);
    } else {
        add_no_result(frame);
    }
    if (argument_item(frame, "output_mask", 2)) {
        out = add_result(frame, in->type, 1, &gradient.shape[1], NULL);
        sum_channels(frame, &gradient, &out);
    } else {
        add_no_result(frame);
    }
    return NULL;
}

static const char *check(struct frame *frame)
{
    struct images images;
    struct view gradient;
    const char *problem = take_images(frame, &images);
    if (problem || !argument_view(frame, "grad_output", &gradient))
        return problem;
    return gradient.ndim == images.input.ndim &&
                   memcmp(gradient.shape, images.out_shape,
                          (size_t)gradient.ndim * sizeof *gradient.shape) == 0
               ? NULL
               : "a gradient of another shape";
}

const struct routine convolution_routines[] = {
    {.base = "convolution",
     .overloads = "default",
     .schema = "input weight bias stride padding dilation transposed output_padding groups",
     .check = check,
     .run = run},
    {.base = "convolution_backward",
     .overloads = "default",
     .schema = "grad_output input weight bias_sizes stride padding dilation transposed "
               "output_padding groups output_mask",
     .needs = "grad_output input weight",
     .check = check,
     .run = run_backward},
    {0},
};
