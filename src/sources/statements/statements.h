// statements: turns statements into cases that can be run. A worker of their language prepares
// them; other workers measure them.
#ifndef STATEMENTS_STATEMENTS_H
#define STATEMENTS_STATEMENTS_H

#include "base/list.h"
#include "base/options.h"
#include "core/run/run.h"
#include "inputs/samples/samples_request.h"

// Enough that an interval over layouts is hardly wider than one over epochs: docs/method.md.
enum { STATEMENT_LAYOUTS = 32 };

struct statement_options {  // shared by all statements of a call; strings may be NULL
    const char *language;   // "c", "c++" or "python"
    const char *setup, *global_setup, *sync;
    const char *label, *sub_label, *description, *env;
    struct words names, sub_labels, descriptions;  // one per statement; empty: derived, as above
    struct words setups;                           // the same, instead of `setup`
    struct words parameters;                       // the same, for records: objects of JSON
    uint64_t threads;
    const char *cc, *cflags, *ldflags;
    const char *compile_commands;
    bool trust_flags;  // all flags of the compilation database, even harmful ones
    struct words sources, includes, packages, recipes;
    bool plain;           // --no-launder
    bool marginal;        // always measure the cost of one more execution
    bool setup_once;      // do not run the setup just to check copies
    const char *python;   // the interpreter; NULL: see statements_python()
    const char *preload;  // comma-separated modules to import before a fork
    bool fresh;           // a new process for every epoch
    bool forks;           // fork epochs where that is safe, even if starting a process is quick
    bool counting;        // compiled for valgrind or started under it
    bool sampling;        // compiled with debug information, in the linker's layout
    const struct surroundings *surroundings;  // where compilers and workers start; NULL: here
    const char *models;                       // folder of saved TorchScript models; NULL: none
    uint64_t layouts;  // to draw from, such as STATEMENT_LAYOUTS; 0 and 1: only the linker's
    struct samples_request inputs;  // each statement is measured on each sample
};

// One sample, which the workers of a case turn into parameters and tensors.
struct statement_inputs {
    const char *text;         // as sample_write() writes it; NULL: no inputs
    const char *names;        // as in struct samples
    const char *as;           // as in struct samples_request
    const char *description;  // for the name of the case, unless the statement has one
    const char *parameters;   // for its record, as an object of JSON
    double elements;          // as in struct samples_item
    uint64_t bytes;
};

// A statement and its own settings: NULL and 0 mean those of the options.
struct statement_text {
    const char *stmt, *setup, *global_setup;
    uint64_t threads;  // Python only
    const char *name, *sub_label, *description;
    const struct bilanx_task *task;  // for its record; NULL: derived from the other fields
    struct statement_inputs inputs;
};

// What is known about a compiled statement, besides its case.
struct statement {
    char *object;
    size_t place;  // index of the statement in the object; 0: it is the only one
    bool empty;    // has no text
    bool removed;  // left no machine code
    bool traced;   // left some; if neither is set, unknown
    bool plain;    // could not be laundered and kept
    bool laundered;
    bool copies;    // has variants with several copies
    bool marginal;  // as requested
    bool setup_once;
    bool threaded;  // forking is unsafe: an import started threads
    char *inputs;   // its sample; NULL: none
    double compile_seconds;
    bool cached;
    struct run_note fixed;  // why its layout is not drawn; text NULL: it is, or need not be
};

struct statements {
    struct run_subject worker;
    const char *argv[3];
    char *program, *script, *preparing;
    struct run_standby *standby;
    uint64_t started_ns;  // when its first worker was
    char *barrier;        // words that open the empty loop
    struct list environment;
    struct run_note left_out;  // flags that were not used; text NULL: none
    struct statement *items;   // parallel to cases
    struct run_cases cases;
};
void statements_done(struct statements *statements);
SCOPE_VALUE(statements, statements_done)

extern const char *const statements_languages[];  // names; ends in NULL

// The interpreter named by the options or $BILANX_PYTHON; NULL: neither, so use python3.
const char *statements_python(const struct statement_options *options);

// The name of the case of a statement, one of `count`: "sum(x) [16x34]". The caller frees it.
char *statement_name(const struct statement_text *text, size_t count,
                     const struct statement_options *options);

// Starts a worker, if the language has one that takes long to load, without waiting for it. It
// prepares the canary first: a statement that shows whether any can be prepared.
struct bilanx_error statements_begin(const struct statement_text *canary,
                                     const struct statement_options *options,
                                     struct statements *out);

// Prepares every statement, after statements_begin() or without it. One that does not compile
// becomes a failed case. Returns errors that affect all: no worker, a bad option, a canary that was
// refused, ^C.
struct bilanx_error statements_prepare(const struct statement_text *texts, size_t count,
                                       const struct statement_options *options,
                                       struct statements *out);

// The same for statements without settings of their own.
struct bilanx_error statements_prepare_plain(const char *const *stmts, size_t count,
                                             const struct statement_options *options,
                                             struct statements *out);

// Compiles an empty loop with the same compiler and flags, for use as the worker's barrier. If that
// is not possible, there is no barrier.
struct bilanx_error statements_add_barrier(const struct statement_options *options,
                                           struct statements *statements);

// Appends the machine code of the statement's loop; nothing if the compiler removed it.
struct bilanx_error statements_disassemble(const struct statement *statement, struct text *out);

// What is known about a statement without running it.
extern const struct run_note note_plain, note_replaced;
const struct run_note *statement_note_removed(const struct statement *statement);

// Path of a file for the list of the libraries that a compiled statement loads, which a worker
// writes when it opens the statement with "libraries". The caller frees it.
char *statement_libraries(const struct statement *statement);

// For run_options.check: does the number describe the statement? Adds the warnings optimised-away
// and partly-optimised, and the marginal cost. `context` is the struct statements.
void statements_check(void *context, const struct run_case *measured, struct bilanx_record *record);

#endif
