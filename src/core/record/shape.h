// shape: maps the structs of a record to JSON. There is one table per struct, used for writing,
// reading, copying and freeing, so a new key of the format is one line.
#ifndef RECORD_SHAPE_H
#define RECORD_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/json_writer.h"
#include "bilanx/record.h"

enum field_type {
    FIELD_TEXT,     // char *
    FIELD_NUMBER,   // double
    FIELD_COUNT,    // uint64_t
    FIELD_PAIR,     // double[2]
    FIELD_NUMBERS,  // double *, with its count at `count_offset`
    FIELD_COUNTS,   // uint64_t *, with its count at `count_offset`
    FIELD_ANY,      // char *: an object, kept as JSON text
    FIELD_STRUCT,   // an embedded struct
    FIELD_POINTER,  // a struct on the heap; NULL if absent
    FIELD_LIST,     // an array of structs on the heap, with its count at `count_offset`
    FIELD_MEMBERS,  // a struct on the heap, its keys merged in here if `kind` is the field's key
};

struct field {
    const char *key;  // NULL ends the table
    enum field_type type;
    size_t offset;
    size_t count_offset;
    const struct shape *shape;  // shape of the nested struct
    bool zero_counts;           // 0 is a valid value, not absence
};

struct shape {
    const struct field *fields;
    size_t size;
    size_t extra_offset;  // offset of the member that keeps unknown keys
};

extern const struct shape shape_record, shape_task, shape_failure, shape_counts, shape_stacks,
    shape_expected, shape_overhead;

void shape_write(const struct shape *shape, const void *object, struct json_writer *json);
void shape_members(const struct shape *shape, const void *object, struct json_writer *json);
bool shape_says_nothing(const struct shape *shape, const void *object);  // would be written as {}
void shape_copy(const struct shape *shape, const void *from, void *to);
void shape_hash(const struct shape *shape, const void *object, struct hash *hash);
void shape_done(const struct shape *shape, void *object);  // frees what it owns and zeroes it

#endif
