// stack_files: reads and writes stacks in the formats of other tools and in our own.
// docs/formats/stacks.md describes them.
//
// To add a format to read, write its file and add a line to formats[] in stack_files.c.
#ifndef STACK_FILES_STACK_FILES_H
#define STACK_FILES_STACK_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/lines.h"
#include "base/list.h"
#include "profile/stacks/stacks.h"

struct stack_file_options {  // every field may be left at zero
    const char *format;      // name of a format; NULL: detected from the content
    // For the text of `perf script`:
    const char *event;  // shows only this event; NULL: the first one found
    bool pid, tid;      // adds the process, or process and thread, to the name of the command
    bool addresses;     // shows the address of a frame without a symbol
    bool kernel, jit;   // appends _[k] to frames of the kernel, _[j] to code made at run time
};

struct stack_reading {
    struct lines *lines;
    const struct stack_file_options *options;
    struct stacks *stacks;  // the stacks read are added here
    struct list *remarks;   // remarks for the user: "perf.txt:12: ..."
};

struct stacks_format {
    const char *name;
    const char *summary;
    // Whether a file that starts with these bytes may be of this format. `bytes` ends with a NUL.
    bool (*recognises)(const char *bytes, size_t size);
    struct bilanx_error (*read)(struct stack_reading *reading);
};

extern const struct stacks_format stacks_format_record, stacks_format_svg, stacks_format_speedscope,
    stacks_format_callgrind, stacks_format_perf, stacks_format_difference, stacks_format_folded;

// Returns the format at `index`, or NULL past the last one.
const struct stacks_format *stacks_format(size_t index);

// Reads a file, gzipped or not, in UTF-8 or UTF-16; "-" is stdin. Totals are valid. Adds to
// `remarks` what was ignored or is incomplete. A file without stacks is an error.
struct bilanx_error stack_file_read(const char *path, const struct stack_file_options *options,
                                    struct list *remarks, struct stacks **out);

// Whether a file exists and looks like one that can be read.
bool stack_file_is_one(const char *path);

// One line per stack, sorted: "main;parse;lex 12". A difference has two numbers per line.
struct bilanx_error stacks_write_folded(const struct stacks *stacks, FILE *out);

// A profile for https://www.speedscope.app, in its file format. Of a difference, the second side.
struct bilanx_error stacks_write_speedscope(const struct stacks *stacks, FILE *out);

// A line of kind `stacks`.
void stacks_write_record(const struct stacks *stacks, FILE *out);

#endif
