// tree: a YAML document as a tree in which every node knows its place in the file.
//
// Scalars are text, whatever they look like; numbers and booleans are what a reader asks for
// (keys.h). Aliases are expanded. A mapping has no key twice. What would take all memory or stack
// (a file of megabytes, a "billion laughs", an alias of what it is in) is an error.
//
// Ownership: everything in a tree lives until yaml_done(), and stays where it is.
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"

enum {
    YAML_LARGEST = 4 << 20,    // bytes of a file
    YAML_MOST_NODES = 200000,  // aliases expanded
    YAML_DEEPEST = 64,
    YAML_MOST_ANCHORS = 200,
};

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    const char *text;  // YAML_TEXT
    bool nothing;      // YAML_TEXT: neither text nor quotes
    union {
        const struct yaml_node *items;  // YAML_LIST
        const struct yaml_pair *pairs;  // YAML_MAP
    };
    size_t count;
    unsigned line, column;  // from 1
    size_t start, end;      // of the source, in characters
};

struct yaml_pair {
    struct yaml_node key, value;  // a key is a text
};

struct yaml {
    char *name;  // of the file, for messages
    char *source;
    struct yaml_node root;
    struct yaml_memory *memory;
};
void yaml_done(struct yaml *yaml);
SCOPE_VALUE(yaml, yaml_done)

// A file, "-" for stdin; or text, under a name for messages. Errors name file, line and column.
struct bilanx_error yaml_load_file(const char *path, struct yaml *out);
struct bilanx_error yaml_load_text(const char *text, size_t size, const char *name,
                                   struct yaml *out);

// The value of a key; NULL when there is none.
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

const char *yaml_kind_word(const struct yaml_node *node);  // "a list"

// An error of bad input at a node: "file:3:7: text".
struct bilanx_error yaml_error(const struct yaml *yaml, const struct yaml_node *at,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

// Where in the file a text of the tree is, or rather its character at `offset`, which is looked for
// in the source. Returns false for what is no text of this tree.
bool yaml_find_place(const struct yaml *yaml, const char *text, size_t offset, unsigned *line,
                     unsigned *column);

// Zeroed memory that lives as long as the tree.
void *yaml_keep(struct yaml *yaml, size_t count, size_t size);

#endif
