// keys: mappings read into structs, by one table of keys for each.
//
//     static const struct yaml_key keys[] = {
//         {"stmt", YAML_AS_TEXT, offsetof(struct entry, stmt), .needed = true, .help = "the code"},
//         {0},
//     };
//     BILANX_TRY(yaml_read(&yaml, node, keys, "a benchmark", &entry));
//
// What is not given is left as it was, so the caller's initial values are the defaults. A wrong
// type, an unknown key and a missing one are errors with their place. Texts and arrays belong to
// the tree.
#ifndef YAML_KEYS_H
#define YAML_KEYS_H

#include "support/yaml/tree.h"

enum yaml_type {
    YAML_AS_TEXT,     // const char *
    YAML_AS_TEXTS,    // const char *const *, ends in NULL: a list, or one text
    YAML_AS_BOOL,     // bool: true, false, yes, no, on, off
    YAML_AS_COUNT,    // uint64_t, from 1
    YAML_AS_COUNTS,   // const uint64_t *, ends in 0: a list, or one
    YAML_AS_SECONDS,  // double, over 0, with or without a unit
    YAML_AS_STRUCT,   // a mapping, by `keys`, in place
    YAML_AS_STRUCTS,  // an array of `size` each, ends in zeroes: a list of mappings, or one
    YAML_AS_NODE,     // const struct yaml_node *: the caller's to read
};

struct yaml_key {
    const char *name;  // NULL ends a table
    enum yaml_type type;
    size_t offset;
    const struct yaml_key *keys;
    size_t size;
    bool needed;
    const char *help;  // what it is, for messages
};

// `what` is read, for messages: "a benchmark".
struct bilanx_error yaml_read(struct yaml *yaml, const struct yaml_node *map,
                              const struct yaml_key *keys, const char *what, void *target);

// Each of the types by itself; `key` is for messages.
struct bilanx_error yaml_read_text(struct yaml *yaml, const struct yaml_node *node, const char *key,
                                   const char **out);
struct bilanx_error yaml_read_texts(struct yaml *yaml, const struct yaml_node *node,
                                    const char *key, const char *const **out);

// The name in the table that `word` may be a misspelling of, or NULL.
const char *yaml_nearest_key(const struct yaml_key *keys, const char *word);

#endif
