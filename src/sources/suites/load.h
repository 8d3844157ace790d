// load: reads files into entries.
#ifndef SUITE_LOAD_H
#define SUITE_LOAD_H

#include "entry_keys.h"
#include "expand.h"

struct suite_file {  // one of the files that make up a suite
    struct yaml yaml;
    char *real;  // resolved path; NULL: not a file
    char *directory, *name;
    bool reading;  // its includes are still being read
    struct suite_text text;
    struct bilanx_suite_traits traits;
    struct entry_text defaults;
};

struct definition {  // an entry in a file
    struct suite_file *file;
    const struct tree_node *key, *value;
    char *path;         // all labels
    size_t label_size;  // length of the path without the last label
    bool resolving;     // reading what it inherits
};

struct loading {
    struct bilanx_suite *suite;
    struct suite_file **files;
    size_t file_count, file_room;
    struct definition *definitions;
    size_t count, room;
    unsigned depth;  // of inheritance
};

// Finds the entries under `benchmarks`.
struct bilanx_error definitions_find(struct loading *loading, struct suite_file *file,
                                     const struct tree_node *benchmarks);

// Reads an entry, including all that it inherits.
struct bilanx_error definition_read(struct loading *loading, struct definition *definition,
                                    struct entry_text *out);

// Reads the keys of a mapping on top of `out`.
struct bilanx_error entry_read(struct suite_file *file, const struct tree_node *map,
                               struct entry_text *out);

// Reads code: one text per language, or one text in the suite's language.
struct bilanx_error code_read(struct suite_file *file, const struct tree_node *node,
                              const char *key, struct bilanx_suite_code *out);

#endif
