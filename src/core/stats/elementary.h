// elementary: the few functions of libm that statistics need, without libm.
//
// A benchmark program links only libc: `cc bench.c -lbilanx-bench` must work without -lm. Each
// function is within 2 ulp of libm's, which a test checks.
#ifndef STATS_ELEMENTARY_H
#define STATS_ELEMENTARY_H

double ln(double x);           // x > 0 and finite
double exponential(double x);  // beyond +-708: infinity and 0
double square_root(double x);  // x >= 0
int floor_log10(double x);     // x > 0, not subnormal: the exponent in scientific notation

#endif
