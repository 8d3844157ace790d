// dtype: the types that elements may have, in one table.
#ifndef TENSORS_DTYPE_H
#define TENSORS_DTYPE_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype_kind { DTYPE_INTEGER, DTYPE_REAL };

struct dtype {
    const char *name;  // "f32"
    DLDataType type;   // bool is an unsigned integer of 8 bits, as DLPack before 1.0 has no bool
    bool is_bool;
    enum dtype_kind kind;       // of each part
    unsigned size;              // bytes of an element
    unsigned parts;             // numbers in an element: 2 if complex
    unsigned precision;         // reals: bits of the significand
    double smallest, largest;   // finite values; of i64, the nearest doubles
    double relative, absolute;  // tolerances when compared
    const char *npy;  // as numpy writes it, without the byte order; bf16, which numpy lacks, as f32
    void (*widen)(const void *from, size_t count, double *to);   // `count` parts
    void (*narrow)(const double *from, size_t count, void *to);  // reals; to nearest, ties to even
};

// NULL: there is no such type.
const struct dtype *dtype_find(const char *name);
const struct dtype *dtype_of(DLDataType type, bool is_bool);

// The table, which ends with a NULL name, for messages and for tests.
extern const struct dtype dtypes[];

// "f16, bf16, f32, ...", for messages.
const char *dtype_names(void);

#endif
