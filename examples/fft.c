// fft: the discrete Fourier transform of each row, for rows whose length is a product of 2, 3
// and 5.
#ifndef BILANX_ELEMENTS_H
#include <bilanx/elements.h>
#endif
#include <complex.h>
#include <math.h>
#include <stdlib.h>

struct fft {
    int64_t length;
    double complex *roots;    // exp(-2 pi i k / length)
    double complex *out;      // a row, transformed
    double complex *scratch;  // of the smaller transforms
};

static struct fft *fft_new(int64_t length)
{
    struct fft *fft = malloc(sizeof *fft);
    *fft = (struct fft){length, malloc((size_t)length * sizeof *fft->roots),
                        malloc((size_t)length * sizeof *fft->out),
                        malloc((size_t)length * sizeof *fft->scratch)};
    for (int64_t k = 0; k < length; k++)
        fft->roots[k] = cexp(-2 * M_PI * I * (double)k / (double)length);
    return fft;
}

static int64_t smallest_factor(int64_t n)
{
    return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n;
}

// Transforms `n` elements that are `stride` apart: first every p-th of them, for a factor p of n,
// then all by combining those. Without small factors this takes n * n steps.
static void transform(const struct fft *fft, const double *in, int64_t stride, int64_t n,
                      double complex *out, double complex *scratch)
{
    int64_t p = smallest_factor(n), m = n / p, step = fft->length / n;
    if (n == 1) {
        *out = *in;
        return;
    }
    for (int64_t i = 0; i < p; i++)
        transform(fft, in + i * stride, stride * p, m, scratch + i * m, out + i * m);
    for (int64_t k = 0; k < n; k++) {
        double complex sum = 0;
        for (int64_t i = 0; i < p; i++)
            sum += scratch[i * m + k % m] * fft->roots[i * k % n * step];
        out[k] = sum;
    }
}

// All rows of a matrix.
static double fft_rows(const struct fft *fft, const DLTensor *x)
{
    double energy = 0;
    for (int64_t row = 0; row < x->shape[0]; row++) {
        transform(fft, &BILANX_AT(double, x, row, 0), x->strides[1], x->shape[1], fft->out,
                  fft->scratch);
        energy += creal(fft->out[0]);
    }
    return energy;
}
