// log_types: the types of elements that a log may name, as "f16" or as "torch.float16".
//
// For some of them no tensor can be made here: bits, 8-bit floats and large unsigned integers. A
// log that mentions them can still be read.
#ifndef OPERATORS_LOG_TYPES_H
#define OPERATORS_LOG_TYPES_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>

enum log_type_kind { LOG_TYPE_EXACT, LOG_TYPE_REAL, LOG_TYPE_COMPLEX };

struct log_type {
    const char *name, *torch;  // "f16", "float16"
    enum log_type_kind kind;
    DLDataType type;
    bool is_bool;
};

// "f16" or "torch.float16"; NULL: no such type.
const struct log_type *log_type_find(const char *name);

// Returns NULL if a log cannot name it.
const struct log_type *log_type_of(DLDataType type, bool is_bool);

// The table, which ends with a NULL name.
extern const struct log_type log_types[];

#endif
