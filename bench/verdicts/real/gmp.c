// gmp: multiplies two numbers of 512 bits, and takes the remainder of a division.
#include <gmp.h>

#include "work.h"

static mpz_t left, right, divisor, product, rest;

// Definitions, in any order.

void prepare(void)
{
    mpz_inits(left, right, divisor, product, rest, NULL);
    mpz_ui_pow_ui(left, 3, 320);
    mpz_ui_pow_ui(right, 7, 180);
    mpz_ui_pow_ui(divisor, 5, 220);
    work(1);
    EXPECT(mpz_divisible_p(product, left) && mpz_cmp(rest, divisor) < 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--) {
        mpz_mul(product, left, right);
        mpz_tdiv_r(rest, product, divisor);
    }
}
