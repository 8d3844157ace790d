// tree: a YAML document as a tree in which every node knows its position in the file.
//
// All scalars are text; the reader decides what is a number or a boolean (keys.h). Aliases are
// expanded. Duplicate keys are errors. So is anything that would exhaust memory or stack: a file of
// megabytes, a "billion laughs", an alias that contains itself.
//
// Ownership: everything in a tree lives until tree_done(), and does not move.
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"

enum {
    YAML_LARGEST = 4 << 20,    // bytes in a file
    YAML_MOST_NODES = 200000,  // with aliases expanded
    YAML_DEEPEST = 64,
    YAML_MOST_ANCHORS = 200,
};

enum tree_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct tree_node {
    enum tree_kind kind;
    const char *text;  // YAML_TEXT
    bool nothing;      // YAML_TEXT: empty and not quoted
    union {
        const struct tree_node *items;  // YAML_LIST
        const struct tree_pair *pairs;  // YAML_MAP
    };
    size_t count;
    unsigned line, column;  // from 1
    size_t start, end;      // in the source, in characters
};

struct tree_pair {
    struct tree_node key, value;  // the key is a YAML_TEXT
};

struct yaml {
    char *name;  // of the file, for messages
    char *source;
    struct tree_node root;
    struct tree_memory *memory;
};
void tree_done(struct yaml *yaml);
SCOPE_VALUE(yaml, tree_done)

// Load a file ("-" is stdin), or text with a name for messages. Errors name file, line and column.
struct bilanx_error tree_load_file(const char *path, struct yaml *out);
struct bilanx_error tree_load_text(const char *text, size_t size, const char *name,
                                   struct yaml *out);

// Returns the value of a key; NULL if there is none.
const struct tree_node *tree_get(const struct tree_node *map, const char *key);

const char *tree_kind_word(const struct tree_node *node);  // "a list"

// Makes an error of bad input at a node: "file:3:7: text".
struct bilanx_error tree_error(const struct yaml *yaml, const struct tree_node *at,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

// Finds where in the file the character at `offset` of a text came from, by searching the source.
// Returns false if `text` is not a text of this tree.
bool tree_find_place(const struct yaml *yaml, const char *text, size_t offset, unsigned *line,
                     unsigned *column);

// Returns zeroed memory that lives as long as the tree.
void *tree_keep(struct yaml *yaml, size_t count, size_t size);

#endif
