// perf_names: frames of `perf script` by the names that FlameGraph's stackcollapse-perf.pl gives
// them.
#ifndef STACK_FILES_PERF_NAMES_H
#define STACK_FILES_PERF_NAMES_H

#include "base/text.h"
#include "perf_header.h"
#include "stack_files.h"

struct perf_naming {
    struct stacks *stacks;  // where frames are added
    const struct stack_file_options *options;
    bool is_java;      // condense Java's names
    struct text name;  // scratch memory
};

bool perf_part_is(struct perf_part part, const char *text);

// The number of a frame that has this symbol, without its offset.
unsigned perf_names_frame(struct perf_naming *naming, const struct perf_frame *frame,
                          struct perf_part symbol, bool inlined);

// The number of the frame at the root, for the command of a sample.
unsigned perf_names_command(struct perf_naming *naming, const struct perf_header *header);

#endif
