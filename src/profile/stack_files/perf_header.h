// perf_header: the first line of a sample in the text of `perf script`.
#ifndef STACK_FILES_PERF_HEADER_H
#define STACK_FILES_PERF_HEADER_H

#include <stdbool.h>
#include <stddef.h>

struct perf_part {  // a part of the line
    const char *text;
    size_t size;
};

struct perf_header {
    struct perf_part command;
    struct perf_part pid, tid;  // pid is empty if perf printed only the thread
    struct perf_part event;     // empty: the line does not end in one
    double period;              // 0: none
    const char *frame;          // the only frame, if it is on the same line; NULL: none
};

// Parses a line such as
//     java 24636/25607 [000] 4794564.109216:     100 cycles:u:
// Command names may contain blanks; CPU, time and period may be absent; some events are followed by
// text of their own. Returns false if it does not start with a command and a number.
bool perf_header_parse(const char *line, struct perf_header *out);

// One frame: "7f722d142778 main+0x12 (/usr/bin/java)".
struct perf_frame {
    struct perf_part address, symbol;
    struct perf_part object;  // without its parentheses; empty: none
};
bool perf_frame_parse(const char *line, struct perf_frame *out);

#endif
