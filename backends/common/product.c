// product: from the arguments of a call to one kind of product.
#include "product.h"

// Makes a matrix from a vector, and a batch of one from a matrix.
static void widen(struct product *product)
{
    bool is_vector = product->b.ndim == 1;
    if (product->a.ndim == 1)
        product->a = view_insert(&product->a, 0, 1, 0);
    if (is_vector)
        product->b = view_insert(&product->b, 1, 1, 0);
    if (product->a.ndim == 2)
        product->a = view_insert(&product->a, 0, 1, 0);
    if (product->b.ndim == 2)
        product->b = view_insert(&product->b, 0, 1, 0);
}

static void shape_result(struct product *product, int a_ndim, int b_ndim)
{
    if (a_ndim == 3)
        product->shape[product->ndim++] = product->batch;
    if (a_ndim >= 2)
        product->shape[product->ndim++] = product->rows;
    if (b_ndim >= 2)
        product->shape[product->ndim++] = product->columns;
}

// Broadcasts the addend to the result, then to three dimensions.
static const char *take_addend(struct product *product)
{
    struct view *addend = &product->addend;
    for (int d = 0; d < addend->ndim; d++) {
        int at = product->ndim - addend->ndim + d;
        if (at < 0 || (addend->shape[d] != 1 && addend->shape[d] != product->shape[at]))
            return "shapes do not fit";
    }
    *addend = view_broadcast(addend, product->ndim, product->shape);
    if (product->ndim == 1)  // of addmv
        *addend = view_insert(addend, 1, 1, 0);
    if (addend->ndim == 2)
        *addend = view_insert(addend, 0, 1, 0);
    return NULL;
}

const char *product_of(const struct frame *frame, struct product *out)
{
    const struct product_names *names = frame->routine->how;
    struct product product = {.alpha = argument_real(frame, "alpha", 1),
                              .beta = argument_real(frame, "beta", 1)};
    if (!argument_view(frame, names->a, &product.a) || !argument_view(frame, names->b, &product.b))
        return "needs two tensors";
    if (product.a.type != product.b.type)
        return "two types";
    int a_ndim = product.a.ndim, b_ndim = product.b.ndim;
    widen(&product);
    product.batch = product.a.shape[0];
    product.rows = product.a.shape[1];
    product.depth = product.a.shape[2];
    product.columns = product.b.shape[2];
    if (product.b.shape[0] != product.batch || product.b.shape[1] != product.depth)
        return "shapes do not fit";
    shape_result(&product, a_ndim, b_ndim);
    product.has_addend = names->addend && argument_view(frame, names->addend, &product.addend);
    const char *problem = product.has_addend ? take_addend(&product) : NULL;
    if (!problem)
        *out = product;
    return problem;
}
