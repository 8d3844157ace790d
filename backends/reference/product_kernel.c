// product_kernel: matrix products, in doubles, by tiles of four rows and eight columns.
//
// Rows of the left and columns of the right matrix are copied to contiguous doubles, so strides and
// types matter only in the copy. A product of 1000 x 1000 matrices takes seconds without tiles,
// which is too long even for a reference.
#include <string.h>

#include "backends/common/product.h"
#include "multiplier.h"
#include "tables.h"

enum { ROWS = 4, COLUMNS = 8, PANEL = 256 };

typedef double lanes __attribute__((vector_size(COLUMNS * sizeof(double))));

// tile += a * b; `a` has ROWS numbers per step of depth, `b` COLUMNS.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "arch=haswell", "default")))
#endif
static void
multiply_tile(int64_t depth, const double *a, const double *b, double *tile)
{
    lanes sums[ROWS] = {0};
    for (int64_t k = 0; k < depth; k++) {
        lanes right;
        memcpy(&right, b + k * COLUMNS, sizeof right);
        for (int i = 0; i < ROWS; i++)
            sums[i] += a[k * ROWS + i] * right;
    }
    memcpy(tile, sums, sizeof sums);
}

// Copies `width` rows of a matrix, step of depth by step, and fills up with zeros. Memory is read
// in its order: across the rows if neighbours are there.
static void pack(const struct view *matrix, int64_t start, int64_t width, int full, double *line,
                 double *to)
{
    int64_t depth = matrix->shape[1], size = (int64_t)matrix->type->size;
    const char *from = matrix->data + start * matrix->strides[0] * size;
    if (width < full)
        memset(to, 0, (size_t)(depth * full) * sizeof *to);
    if (matrix->strides[0] == 1 && matrix->strides[1] != 1) {
        for (int64_t k = 0; k < depth; k++)
            load_reals(matrix->type, from + k * matrix->strides[1] * size, 1, (size_t)width,
                       to + k * full);
        return;
    }
    for (int64_t i = 0; i < width; i++) {
        load_reals(matrix->type, from + i * matrix->strides[0] * size, matrix->strides[1],
                   (size_t)depth, line);
        for (int64_t k = 0; k < depth; k++)
            to[k * full + i] = line[k];
    }
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

struct packed {
    double *a, *b, *line;
};

static void store_tile(const struct product *product, const struct view *out,
                       const struct view *addend, int64_t row, int64_t column, const double *tile)
{
    int64_t rows = least(ROWS, product->rows - row);
    size_t columns = (size_t)least(COLUMNS, product->columns - column);
    for (int64_t i = 0; i < rows; i++) {
        double line[COLUMNS], added[COLUMNS];
        int64_t at = (row + i) * out->strides[0] + column * out->strides[1];
        if (product->has_addend && product->beta != 0)
            load_reals(addend->type,
                       addend->data +
                           ((row + i) * addend->strides[0] + column * addend->strides[1]) *
                               (int64_t)addend->type->size,
                       addend->strides[1], columns, added);
        else
            memset(added, 0, sizeof added);
        for (size_t j = 0; j < columns; j++)
            line[j] = (product->alpha != 0 ? product->alpha * tile[i * COLUMNS + (int64_t)j] : 0) +
                      product->beta * added[j];  // as in BLAS: 0 times NaN is 0
        store_reals(out->type, out->data + at * (int64_t)out->type->size, out->strides[1], columns,
                    line);
    }
}

// One matrix of the batch: a panel of columns stays in the cache while all rows pass.
static void multiply(const struct product *product, const struct view *a, const struct view *b,
                     const struct view *addend, const struct view *out, struct packed *packed)
{
    struct view turned = view_swap(b, 0, 1);
    double tile[ROWS * COLUMNS];
    for (int64_t panel = 0; panel < product->columns; panel += PANEL) {
        int64_t end = least(panel + PANEL, product->columns);
        for (int64_t j = panel; j < end; j += COLUMNS)
            pack(&turned, j, least(COLUMNS, end - j), COLUMNS, packed->line,
                 packed->b + (j - panel) * product->depth);
        for (int64_t i = 0; i < product->rows; i += ROWS) {
            pack(a, i, least(ROWS, product->rows - i), ROWS, packed->line, packed->a);
            for (int64_t j = panel; j < end; j += COLUMNS) {
                multiply_tile(product->depth, packed->a, packed->b + (j - panel) * product->depth,
                              tile);
                store_tile(product, out, addend, i, j, tile);
            }
        }
    }
}

static struct packed pack_room(struct frame *frame, int64_t depth)
{
    return (struct packed){
        .a = scratch(frame, (size_t)depth * ROWS * sizeof(double)),
        .b = scratch(frame, (size_t)depth * PANEL * sizeof(double)),
        .line = scratch(frame, (size_t)depth * sizeof(double)),
    };
}

struct multiplier {
    struct packed packed;
};

struct multiplier *multiplier_new(struct frame *frame, int64_t depth)
{
    struct multiplier *multiplier = scratch(frame, sizeof *multiplier);
    multiplier->packed = pack_room(frame, depth);
    return multiplier;
}

void multiplier_run(struct multiplier *multiplier, const struct view *a, const struct view *b,
                    const struct view *addend, const struct view *out)
{
    struct product product = {.rows = a->shape[0],
                              .columns = b->shape[1],
                              .depth = a->shape[1],
                              .has_addend = addend != NULL,
                              .alpha = 1,
                              .beta = 1};
    struct view none = {0};
    multiply(&product, a, b, addend ? addend : &none, out, &multiplier->packed);
}

static const char *check(struct frame *frame)
{
    struct product product;
    const char *problem = product_of(frame, &product);
    return problem || product.a.type->kind == DTYPE_REAL ? problem : "integers";
}

static const char *run(struct frame *frame)
{
    struct product product;
    const char *problem = product_of(frame, &product);
    if (problem)
        return problem;
    struct view result = add_result(frame, product.a.type, product.ndim, product.shape, NULL);
    struct packed packed = pack_room(frame, product.depth);
    int64_t shape[] = {product.batch, product.rows, product.columns};
    struct view out = {.data = result.data, .type = result.type, .ndim = 3};
    for (int d = 0; d < 3; d++)
        out.shape[d] = shape[d];
    out.strides[0] = product.rows * product.columns;
    out.strides[1] = product.columns;
    out.strides[2] = 1;
    for (int64_t i = 0; i < product.batch; i++) {
        struct view a = view_select(&product.a, 0, i), b = view_select(&product.b, 0, i);
        struct view one = view_select(&out, 0, i), addend = {0};
        if (product.has_addend)
            addend = view_select(&product.addend, 0, i);
        multiply(&product, &a, &b, &addend, &one, &packed);
    }
    return NULL;
}

const struct routine product_routines[] = {PRODUCT_ROUTINES(.check = check, .run = run), {0}};
