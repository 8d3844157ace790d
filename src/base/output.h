// output: files that results are written to.
//
// An output is never an input, unless it is replaced as a whole, and never another output. A whole
// file is replaced by renaming (draft.h); only records and other lines that are written while
// measuring go to the file itself.
//
// An existing file is replaced only if it also holds results, so a mistyped -o never destroys a
// source file, a suite or a program. A file is locked while it is open, so that two runs cannot
// write to the same one.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/draft.h"
#include "bilanx/error.h"

// The kind of contents of a file, judging from its first few kilobytes.
struct output_kind {
    const char *name;    // "records"
    const char *starts;  // how such a file starts; NULL: no condition
    const char *holds;   // text found near its start; NULL: no condition
    bool whole;          // nothing can be appended to it
};
extern const struct output_kind output_records, output_callgrind, output_csv, output_json,
    output_markdown;

enum output_mode {
    OUTPUT_NEW,  // must not exist yet
    OUTPUT_REPLACE,
    OUTPUT_APPEND,
};

// Returns whether output_open() would succeed, as far as possible without touching the file.
struct bilanx_error output_check(const char *path, const struct output_kind *kind,
                                 enum output_mode mode);

// An empty file counts as new. Pipes and devices are written to as they are. In OUTPUT_APPEND mode,
// an incomplete last line is removed. The caller closes the file.
struct bilanx_error output_open(const char *path, const struct output_kind *kind,
                                enum output_mode mode, FILE **out);

// Opens a draft that replaces a file of its kind as a whole (draft.h).
struct bilanx_error output_replace(const char *path, const struct output_kind *kind,
                                   enum output_mode mode, struct draft *out);

// Writes a whole file at once, replacing one of its kind, entirely or not at all.
struct bilanx_error output_write(const char *path, const struct output_kind *kind,
                                 const char *bytes, size_t size);

// Replaces the contents of an open, locked file, entirely or not at all: `*file` is closed and
// reopened on the new file, which is locked as well. Either at once, or as a draft that is swapped
// with the file when it is complete.
struct bilanx_error output_rewrite(const char *path, const char *bytes, size_t size, FILE **file);
struct bilanx_error output_draft(const char *path, struct draft *out);
struct bilanx_error output_swap(struct draft *draft, FILE **file);

// Returns true if both paths name the same existing file.
bool output_is_same(const char *path, const char *other);

// How a command uses a file.
struct output_use {
    const char *path;
    const char *writes;  // what it writes to it: "records"; NULL: it reads it
    char as[60];         // written: the option, "--json"; read: in words, "the input"
};
struct output_uses {
    struct output_use *items;
    size_t count, room;
};
void output_uses_done(struct output_uses *uses);
SCOPE_VALUE(output_uses, output_uses_done)

// `path` must outlive the uses; NULL and "-" are ignored.
void output_uses_add(struct output_uses *uses, const char *path, const char *writes, const char *as,
                     ...) __attribute__((format(printf, 4, 5)));

// Refuses an output that is also an input, and a file for two outputs, unless both write the same.
// Devices and pipes may be named several times.
struct bilanx_error output_uses_check(const struct output_uses *uses);

#endif
