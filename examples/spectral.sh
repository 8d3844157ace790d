#!/bin/sh
# spectral: Fourier transforms over generated sizes: how does the time grow?
#
# A transform of n elements takes n log n steps, so the exponent should be a little above 1. The
# lengths are products of 2, 3 and 5, as libraries like them.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" time 'fft_rows(fft, x)' --source "$here/fft.c" -s 'struct fft *fft = fft_new(length)' \
    --inputs "$here/spectral.yaml" --take 12 --order-by elements --fit "$@"
