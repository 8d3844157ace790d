// load: files to entries.
#ifndef SUITE_LOAD_H
#define SUITE_LOAD_H

#include "entry_keys.h"
#include "expand.h"

struct suite_file {  // one of those that a suite is made of
    struct yaml yaml;
    char *real;  // its path, resolved; NULL: it is none
    char *directory, *name;
    bool reading;  // its includes are not done yet
    struct suite_text text;
    struct bilanx_suite_traits traits;
    struct entry_text defaults;
};

struct definition {  // an entry in a file
    struct suite_file *file;
    const struct yaml_node *key, *value;
    char *path;         // all labels
    size_t label_size;  // of the path, how much is all but the last
    bool resolving;     // what it inherits is being read
};

struct loading {
    struct bilanx_suite *suite;
    struct suite_file **files;
    size_t file_count, file_room;
    struct definition *definitions;
    size_t count, room;
    unsigned depth;  // of inheriting
};

// Finds the entries below `benchmarks`.
struct bilanx_error definitions_find(struct loading *loading, struct suite_file *file,
                                     const struct yaml_node *benchmarks);

// Reads an entry with all that it inherits.
struct bilanx_error definition_read(struct loading *loading, struct definition *definition,
                                    struct entry_text *out);

// Reads the keys of a mapping over what is in `out`.
struct bilanx_error entry_read(struct suite_file *file, const struct yaml_node *map,
                               struct entry_text *out);

// Reads code: by language, or a text in the suite's own.
struct bilanx_error code_read(struct suite_file *file, const struct yaml_node *node,
                              const char *key, struct bilanx_suite_code *out);

#endif
