// keys: reads mappings into structs. Each struct has a table of keys.
//
//     static const struct tree_key keys[] = {
//         {"stmt", YAML_AS_TEXT, offsetof(struct entry, stmt), .needed = true, .help = "the code"},
//         {0},
//     };
//     BILANX_TRY(tree_read(&yaml, node, keys, "a benchmark", &entry));
//
// Keys not given leave their member unchanged, so the caller's initial values are the defaults. A
// wrong type, an unknown key or a missing key is an error with its position. The tree owns strings
// and arrays.
#ifndef YAML_KEYS_H
#define YAML_KEYS_H

#include "support/yaml/tree.h"

enum tree_type {
    YAML_AS_TEXT,     // const char *
    YAML_AS_TEXTS,    // const char *const *, ends with NULL: a list or a single text
    YAML_AS_BOOL,     // bool: true, false, yes, no, on, off
    YAML_AS_COUNT,    // uint64_t: at least 1
    YAML_AS_COUNTS,   // const uint64_t *, ends with 0: a list or a single count
    YAML_AS_SECONDS,  // double: > 0, with or without a unit
    YAML_AS_STRUCT,   // an embedded struct: a mapping, described by `keys`
    YAML_AS_STRUCTS,  // an array of structs of `size` bytes, the last zeroed: a list or one mapping
    YAML_AS_NODE,     // const struct tree_node *: left for the caller to read
};

struct tree_key {
    const char *name;  // NULL ends the table
    enum tree_type type;
    size_t offset;
    const struct tree_key *keys;
    size_t size;
    bool needed;
    const char *help;  // description, for messages
};

// `what` describes the mapping in messages: "a benchmark".
struct bilanx_error tree_read(struct yaml *yaml, const struct tree_node *map,
                              const struct tree_key *keys, const char *what, void *target);

// Read a single value; `key` is for messages.
struct bilanx_error tree_read_text(struct yaml *yaml, const struct tree_node *node, const char *key,
                                   const char **out);
struct bilanx_error tree_read_texts(struct yaml *yaml, const struct tree_node *node,
                                    const char *key, const char *const **out);

// Returns the key that `word` may be a misspelling of, or NULL.
const char *tree_nearest_key(const struct tree_key *keys, const char *word);

#endif
