// json_keys: structs as small JSON files, by a table of their keys.
#ifndef SITE_JSON_KEYS_H
#define SITE_JSON_KEYS_H

#include <stddef.h>

#include "bilanx/error.h"

enum json_key_type {
    JSON_TEXT,    // char *; NULL is not written
    JSON_TEXTS,   // struct list
    JSON_COUNT,   // uint64_t
    JSON_NUMBER,  // double
    JSON_ENUM,    // an enum, as its number
    JSON_BOOL,
};

struct json_key {
    const char *name;  // NULL ends the table
    enum json_key_type type;
    size_t offset;
};

struct bilanx_error json_keys_write(const char *path, const struct json_key *keys,
                                    const void *object);

// Members whose keys are absent stay as they are; unknown keys are ignored.
struct bilanx_error json_keys_read(const char *path, const struct json_key *keys, void *object);

#endif
