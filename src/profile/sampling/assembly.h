// assembly: makes stacks from samples: unwound, named, and cut where the harness begins.
#ifndef SAMPLING_ASSEMBLY_H
#define SAMPLING_ASSEMBLY_H

#include <sys/types.h>

#include "base/index.h"
#include "base/list.h"
#include "profile/stacks/stacks.h"
#include "profile/unwind/jit_map.h"
#include "profile/unwind/kernel.h"
#include "profile/unwind/space.h"
#include "samples.h"

struct assembly_options {
    pid_t process;  // of samples that do not say; 0: none
    // The body of a case, which becomes the root: the address of its function, and its name. Its
    // callers are left out. 0: everything is shown.
    uint64_t body;
    const char *name;
    const uint64_t
        *harness;  // functions of the harness that a body calls: their samples are dropped
    size_t harness_count;
    bool threads_apart;     // the name of a thread is the root
    struct images *images;  // shared with others, which outlive it; NULL: its own
};

struct assembly {
    struct assembly_options options;
    struct stacks *stacks;
    struct images *images;
    struct kernel *kernel;  // NULL: not needed so far
    struct assembly_process {
        uint32_t number;
        struct space space;
        struct jit_map jit;
        unsigned program;      // numbers what it executes, so that code is not mixed up
        struct python_sight {  // in what it executes now
            char file[40];     // that contains Python; empty: none
            bool library;      // our library is there
            bool joined;       // it samples itself
            double samples;    // while it did not
        } sight;
    } *processes;
    size_t process_count, process_room;
    struct index process_index;
    struct assembly_thread {
        uint32_t number;
        char name[32];
        bool joined;  // it samples itself
    } *threads;
    size_t thread_count, thread_room;
    struct assembly_code {
        uint64_t frame;
        char *name, *file;
        bool statement;  // the statement itself, as opposed to functions that it calls
    } *codes;
    size_t code_count, code_room;
    struct index code_index;
    unsigned programs;     // that were executed
    struct python_blind {  // samples of Python without its frames
        char file[40];
        bool library;
        double samples;
    } blind;
    double own;           // samples that processes have taken of themselves
    double samples;       // added so far
    double harness;       // dropped because they were in the harness
    double cut;           // whose outermost callers are not known
    double language;      // with frames of the language
    bool kernel_hidden;   // the kernel's functions have no names here
    struct list unnamed;  // objects that have functions without a name
};

// `stacks` must outlive it.
void assembly_init(struct assembly *assembly, const struct assembly_options *options,
                   struct stacks *stacks);
void assembly_done(struct assembly *assembly);
SCOPE_VALUE(assembly, assembly_done)

// Continues with another process of the same case, whose addresses are others. Keeps stacks and
// what was counted.
void assembly_continue(struct assembly *assembly, const struct assembly_options *options);

// Reads what a process has mapped, and the names of its threads.
void assembly_look(struct assembly *assembly, pid_t process);

struct sample_events assembly_events(struct assembly *assembly);

// After the last sample.
void assembly_conclude(struct assembly *assembly);

#endif
