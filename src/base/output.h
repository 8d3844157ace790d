// output: files that results are written to.
//
// What is in such a file is replaced only where it is results, too: a slip of -o never costs a
// source, a suite or a program. A file is locked as long as it is open, so that two runs do not
// write to one.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "bilanx/error.h"

// What a file holds, as its first kilobytes tell.
struct output_kind {
    const char *name;    // "records"
    const char *starts;  // how a file of it starts; NULL: anyhow
    const char *holds;   // what stands in its first line; NULL: anything
};
extern const struct output_kind output_records, output_callgrind, output_csv, output_markdown;

enum output_mode {
    OUTPUT_NEW,  // only where nothing is yet
    OUTPUT_REPLACE,
    OUTPUT_APPEND,
};

// Whether output_open() would succeed, as far as that can be told without touching the file.
struct bilanx_error output_check(const char *path, const struct output_kind *kind,
                                 enum output_mode mode);

// An empty file counts as new; a pipe or a device is written as it is. In a file to append to, a
// last line that was cut short is removed. The caller closes it.
struct bilanx_error output_open(const char *path, const struct output_kind *kind,
                                enum output_mode mode, FILE **out);

// The whole of a file at once, in place of another of its kind.
struct bilanx_error output_write(const char *path, const struct output_kind *kind,
                                 const char *bytes, size_t size);

// Gives an open file that is locked another content, all of it or none: the file is written aside,
// locked, and moved to its place. `*file` is closed, and open on the new one.
struct bilanx_error output_rewrite(const char *path, const char *bytes, size_t size, FILE **file);

// True for two names of one file that is there.
bool output_is_same(const char *path, const char *other);

#endif
