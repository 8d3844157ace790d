// blas: matrix products by a BLAS with the C interface: openblas, blis or any other.
//
// The library is loaded when the backend is opened, so nothing has to be installed to build this,
// and two of them can be measured in one process: each keeps to its own symbols. `config` names
// another library, such as openblas:/opt/lib/libopenblas.so.
//
// Compiled once per library: BLAS_NAME, BLAS_LIBRARIES and BLAS_PACKAGE come from the build.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/product.h"

enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 };  // as CBLAS numbers them

struct blas {
    struct table_backend table;  // first, because frame_*() get this
    void *library;
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                  float, float *, int);
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int);
    void (*sgemv)(int, int, int, int, float, const float *, int, const float *, int, float, float *,
                  int);
    void (*dgemv)(int, int, int, int, double, const double *, int, const double *, int, double,
                  double *, int);
    float (*sdot)(int, const float *, int, const float *, int);
    double (*ddot)(int, const double *, int, const double *, int);
};

// A matrix in the form that CBLAS expects: rows of `step` elements, or columns if transposed.
struct matrix {
    const char *data;
    int form, step;
};

static int at_least(int64_t step, int64_t size)
{
    return (int)(step > size ? step : size > 0 ? size : 1);
}

// Copies the matrix only if it is stored neither by rows nor by columns.
static struct matrix matrix_of(struct frame *frame, const struct view *view)
{
    int64_t rows = view->shape[0], columns = view->shape[1];
    int64_t down = view->strides[0], across = view->strides[1];
    if ((across == 1 || columns == 1) && (down >= columns || rows == 1) && down <= INT_MAX)
        return (struct matrix){view->data, AS_IS, at_least(rows == 1 ? 0 : down, columns)};
    if ((down == 1 || rows == 1) && (across >= rows || columns == 1) && across <= INT_MAX)
        return (struct matrix){view->data, TRANSPOSED, at_least(columns == 1 ? 0 : across, rows)};
    struct view copy = *view;
    copy.data = scratch(frame, (size_t)(rows * columns) * view->type->size);
    copy.strides[0] = columns;
    copy.strides[1] = 1;
    view_copy(&copy, view);
    return (struct matrix){copy.data, AS_IS, at_least(0, columns)};
}

static void multiply(struct frame *frame, const struct product *product, int64_t i, char *out)
{
    const struct blas *blas = (const struct blas *)frame->backend;
    struct view a_view = view_select(&product->a, 0, i), b_view = view_select(&product->b, 0, i);
    struct matrix a = matrix_of(frame, &a_view), b = matrix_of(frame, &b_view);
    int m = (int)product->rows, n = (int)product->columns, k = (int)product->depth;
    double beta = product->has_addend ? product->beta : 0;
    if (product->a.type->size == sizeof(float))
        blas->sgemm(ROW_MAJOR, a.form, b.form, m, n, k, (float)product->alpha,
                    (const float *)(const void *)a.data, a.step,
                    (const float *)(const void *)b.data, b.step, (float)beta, (float *)(void *)out,
                    at_least(0, n));
    else
        blas->dgemm(ROW_MAJOR, a.form, b.form, m, n, k, product->alpha,
                    (const double *)(const void *)a.data, a.step,
                    (const double *)(const void *)b.data, b.step, beta, (double *)(void *)out,
                    at_least(0, n));
}

// A vector needs a copy only if its stride is 0.
static struct view vector_of(struct frame *frame, const struct view *matrix, int dimension)
{
    struct view vector = view_select(matrix, 0, 0);
    vector = view_select(&vector, dimension, 0);
    if (vector.strides[0] > 0 && vector.strides[0] <= INT_MAX)
        return vector;
    struct view copy = vector;
    copy.data = scratch(frame, (size_t)vector.shape[0] * vector.type->size);
    copy.strides[0] = 1;
    view_copy(&copy, &vector);
    return copy;
}

static void multiply_vector(struct frame *frame, const struct product *product, char *out)
{
    const struct blas *blas = (const struct blas *)frame->backend;
    struct view a_view = view_select(&product->a, 0, 0);
    struct matrix a = matrix_of(frame, &a_view);
    struct view x = vector_of(frame, &product->b, 1);
    double beta = product->has_addend ? product->beta : 0;
    // The sizes of a transposed matrix are those in memory.
    int rows = (int)(a.form == AS_IS ? product->rows : product->depth);
    int columns = (int)(a.form == AS_IS ? product->depth : product->rows), step = (int)x.strides[0];
    if (x.type->size == sizeof(float))
        blas->sgemv(ROW_MAJOR, a.form, rows, columns, (float)product->alpha,
                    (const float *)(const void *)a.data, a.step,
                    (const float *)(const void *)x.data, step, (float)beta, (float *)(void *)out,
                    1);
    else
        blas->dgemv(ROW_MAJOR, a.form, rows, columns, product->alpha,
                    (const double *)(const void *)a.data, a.step,
                    (const double *)(const void *)x.data, step, beta, (double *)(void *)out, 1);
}

static void multiply_vectors(struct frame *frame, const struct product *product, char *out)
{
    const struct blas *blas = (const struct blas *)frame->backend;
    struct view x = vector_of(frame, &product->a, 0), y = vector_of(frame, &product->b, 1);
    int n = (int)product->depth, x_step = (int)x.strides[0], y_step = (int)y.strides[0];
    if (x.type->size == sizeof(float))
        *(float *)(void *)out = blas->sdot(n, (const float *)(const void *)x.data, x_step,
                                           (const float *)(const void *)y.data, y_step);
    else
        *(double *)(void *)out = blas->ddot(n, (const double *)(const void *)x.data, x_step,
                                            (const double *)(const void *)y.data, y_step);
}

static const char *run(struct frame *frame)
{
    struct product product;
    const char *problem = product_of(frame, &product);
    if (problem)
        return problem;
    struct view result = add_result(frame, product.a.type, product.ndim, product.shape, NULL);
    int64_t size = product.rows * product.columns * (int64_t)result.type->size;
    product.has_addend = product.has_addend && product.beta != 0;
    if (product.has_addend) {
        struct view wide = {.data = result.data, .type = result.type, .ndim = 3};
        memcpy(wide.shape, product.addend.shape, sizeof wide.shape);
        wide.strides[0] = product.rows * product.columns;
        wide.strides[1] = product.columns;
        wide.strides[2] = 1;
        view_copy(&wide, &product.addend);
    } else if (product.depth == 0) {
        view_fill(&result, 0);
    }
    if (product.rows == 0 || product.columns == 0)
        return NULL;
    if (product.ndim == 0)
        multiply_vectors(frame, &product, result.data);
    else if (product.ndim == 1 && product.depth > 0)
        multiply_vector(frame, &product, result.data);
    bool by_matrices = product.ndim >= 2 || (product.ndim == 1 && product.depth == 0);
    for (int64_t i = 0; i < product.batch && by_matrices; i++)
        multiply(frame, &product, i, result.data + i * size);
    return NULL;
}

static const char *check(struct frame *frame)
{
    struct product product;
    const char *problem = product_of(frame, &product);
    if (problem)
        return problem;
    if (product.a.type->kind != DTYPE_REAL || product.a.type->size < sizeof(float))
        return "only f32 and f64";
    if (product.rows > INT_MAX || product.columns > INT_MAX || product.depth > INT_MAX)
        return "larger than an int";
    return NULL;
}

static const struct routine routines[] = {PRODUCT_ROUTINES(.check = check, .run = run), {0}};
static const struct routine *const tables[] = {routines, NULL};

// Each library uses its own symbols, so that sgemm_ within one BLAS is never that of another. The
// sanitizers do not support that.
static void *load(const char *name)
{
#if defined(__SANITIZE_ADDRESS__) || !defined(RTLD_DEEPBIND)
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#else
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#endif
}

static void *load_any(const char *config)
{
    static const char *const libraries[] = {BLAS_LIBRARIES};
    if (config && *config)
        return load(config);
    void *library = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
        library = load(libraries[i]);
    return library;
}

static bool find(const struct blas *blas, const char *name, void *function)
{
    void *address = dlsym(blas->library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool find_all(struct blas *blas)
{
    return find(blas, "cblas_sgemm", &blas->sgemm) && find(blas, "cblas_dgemm", &blas->dgemm) &&
           find(blas, "cblas_sgemv", &blas->sgemv) && find(blas, "cblas_dgemv", &blas->dgemv) &&
           find(blas, "cblas_sdot", &blas->sdot) && find(blas, "cblas_ddot", &blas->ddot);
}

static void set_threads(const struct blas *blas, int threads)
{
    void (*openblas)(int), (*blis)(int64_t), (*mkl)(int);
    if (find(blas, "openblas_set_num_threads", &openblas))
        openblas(threads);
    else if (find(blas, "bli_thread_set_num_threads", &blis))
        blis(threads);
    else if (find(blas, "MKL_Set_Num_Threads", &mkl))
        mkl(threads);
}

static void blas_close(void *state)
{
    free(state);  // the library stays loaded: its threads may still run
}

static struct bilanx_error blas_open(const struct bilanx_host *host, const char *config,
                                     void **state)
{
    void *library = load_any(config);
    if (!library)
        return bilanx_backend_error(BILANX_E_SYSTEM, "%s: %s; install " BLAS_PACKAGE, BLAS_NAME,
                                    dlerror());
    struct blas *blas = calloc(1, sizeof *blas);
    if (!blas)
        return bilanx_backend_error(BILANX_E_SYSTEM, "out of memory");
    blas->table = (struct table_backend){.host = host, .tables = tables};
    blas->library = library;
    if (!find_all(blas)) {
        free(blas);
        return bilanx_backend_error(BILANX_E_SYSTEM, "%s: the library has no C interface (cblas_*)",
                                    BLAS_NAME);
    }
    set_threads(blas, host->threads);
    *state = blas;
    return BILANX_SUCCESS;
}

static void describe(void *state, char *out, size_t size)
{
    const struct blas *blas = state;
    const char *(*openblas)(void), *(*blis)(void);
    if (find(blas, "openblas_get_config", &openblas))
        snprintf(out, size, "%s", openblas());
    else if (find(blas, "bli_info_get_version_str", &blis))
        snprintf(out, size, "BLIS %s", blis());
    else
        snprintf(out, size, "%s", BLAS_NAME);
}

BILANX_BACKEND(.name = BLAS_NAME, .about = "matrix products by a BLAS", .open = blas_open,
               .close = blas_close, .describe = describe, FRAME_FUNCTIONS)
