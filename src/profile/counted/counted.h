// counted: where the instructions of a case or a command go, as stacks. Exact and repeatable.
#ifndef COUNTED_COUNTED_H
#define COUNTED_COUNTED_H

#include "count/counting/collect.h"
#include "profile/stacks/stacks.h"

struct counted_options {  // zero means the default
    uint64_t number;      // executions to count; 100
    double timeout_s;     // to wait for an answer; 300
    uint64_t max_memory;
    enum hwcaps hwcaps;  // which variants of glibc's functions
};

// Counts the loop of a case, which was prepared for valgrind, and adds its stacks. Sets calls and
// the note. The collector keeps the worker for the next case: counted_collector() makes one.
void counted_collector(struct collector *collector, const struct counted_options *options);
struct bilanx_error counted_case(struct collector *collector, const struct run_case *item,
                                 struct stacks *stacks);

// Counts a whole command. The status is that of waitpid().
struct bilanx_error counted_command(const char *const *argv, enum hwcaps hwcaps,
                                    struct stacks *stacks, int *status);

#endif
