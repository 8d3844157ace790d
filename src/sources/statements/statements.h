// statements: from statements to cases that can be run: prepared by a worker of their language,
// then measured by others.
#ifndef STATEMENTS_STATEMENTS_H
#define STATEMENTS_STATEMENTS_H

#include "base/list.h"
#include "base/options.h"
#include "core/run/run.h"

// So many that an interval over layouts is hardly wider than one over epochs: docs/method.md.
enum { STATEMENT_LAYOUTS = 32 };

struct statement_options {  // shared by all statements of a call; texts may be NULL
    const char *language;   // "c", "c++" or "python"
    const char *setup, *global_setup, *sync;
    const char *label, *sub_label, *description, *env;
    uint64_t threads;
    const char *cc, *cflags, *ldflags;
    const char *compile_commands;
    struct words sources, includes, packages, recipes;
    bool plain;           // --no-launder
    bool marginal;        // the cost of one more execution is asked for, whatever a statement takes
    bool setup_once;      // the setup is not to be run for a look at copies alone
    const char *python;   // the interpreter; NULL: see statements_python()
    const char *preload;  // modules to import before a fork, with commas
    bool fresh;           // every epoch is a process of its own
    bool forks;           // epochs are forks wherever that is safe, however quick a start is
    bool counting;        // compiled for valgrind, or started under it
    const struct surroundings *surroundings;  // where compilers and workers start; NULL: here
    const char *models;  // the folder of saved TorchScript models; NULL: there are none
    uint64_t layouts;    // that epochs draw from: STATEMENT_LAYOUTS; 0 and 1: the linker's alone
};

// A statement, and what it has of its own: NULL and 0 stand for what the options say.
struct statement_text {
    const char *stmt, *setup, *global_setup;
    uint64_t threads;  // Python; elsewhere the options decide
    const char *name;
    const struct bilanx_task *task;  // what its record is to say; NULL: made of all this
};

// What is known of a compiled statement, beside its case.
struct statement {
    char *object;
    size_t place;  // of the statement among those in the object; 0: it is alone
    bool removed;  // it left no trace in the machine code
    bool traced;   // it did leave one; neither: nobody could tell
    bool plain;    // it could not be laundered and kept
    bool laundered;
    bool copies;    // there are variants with several copies
    bool marginal;  // asked for
    bool setup_once;
    bool threaded;  // forks would be unsafe: something started threads when it was imported
    double compile_seconds;
    bool cached;
    struct run_note fixed;  // why its layout is not drawn; of text NULL: it is, or need not be
};

struct statements {
    struct run_subject worker;
    const char *argv[3];
    char *program, *script, *preparing;
    struct run_standby *standby;
    char *barrier;  // the words that open the empty loop
    struct list environment;
    struct statement *items;  // in step with cases
    struct run_cases cases;
};
void statements_done(struct statements *statements);
SCOPE_VALUE(statements, statements_done)

extern const char *const statements_languages[];  // their names; ends in NULL

// The interpreter that the options or $BILANX_PYTHON name; NULL: none, so python3 will do.
const char *statements_python(const struct statement_options *options);

// Prepares every statement; one that does not compile is a case that has failed already. Errors are
// for what concerns them all: no worker, a bad option, ^C.
struct bilanx_error statements_prepare(const struct statement_text *texts, size_t count,
                                       const struct statement_options *options,
                                       struct statements *out);

// The same for statements that have nothing of their own.
struct bilanx_error statements_prepare_plain(const char *const *stmts, size_t count,
                                             const struct statement_options *options,
                                             struct statements *out);

// Compiles an empty loop with the same compiler and flags, to be opened as the worker's barrier.
// Where that is not possible it has none.
struct bilanx_error statements_add_barrier(const struct statement_options *options,
                                           struct statements *statements);

// Appends the machine code of the statement's loop; nothing when the compiler left none.
struct bilanx_error statements_disassemble(const struct statement *statement, struct text *out);

// What is known of a statement without running it.
extern const struct run_note note_plain, note_replaced;
const struct run_note *statement_note_removed(const struct statement *statement);

// For run_options.check: is the number about the statement? Adds the warnings optimised-away and
// partly-optimised, and the marginal cost. `context` is the struct statements.
void statements_check(void *context, const struct run_case *measured, struct bilanx_record *record);

#endif
