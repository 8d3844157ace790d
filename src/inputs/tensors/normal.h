// normal: normally distributed numbers, the same bits on every machine.
//
// Box and Muller's method with our own logarithm, sine and cosine: those of libm differ between
// versions and processors. Here each operation is one that IEEE 754 rounds exactly, in a fixed
// order. Numbers 2j and 2j + 1 come from words 4j .. 4j + 3 of a stream:
//
//     (sqrt(-2 ln u) cos a, sqrt(-2 ln u) sin a)
//
// u in (0, 1] is 2^-53 plus the uniform number of the first two words. a is in [-pi/4, pi/4), from
// the other two. The lowest bit of the last word is the sign of the cosine, and the next one
// exchanges both numbers, so that they go round the whole circle. None exceeds 8.6.
#ifndef TENSORS_NORMAL_H
#define TENSORS_NORMAL_H

#include <stddef.h>
#include <stdint.h>

// Makes 2 * pairs numbers of mean 0 and standard deviation 1 from 4 * pairs words.
void normal_from_words(const uint32_t *words, size_t pairs, double *out);

#endif
