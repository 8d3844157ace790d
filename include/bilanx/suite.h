// suite: a set of related benchmarks, defined once and expanded into a flat list of cases.
//
//     struct bilanx_suite *suite = bilanx_suite_new(&(struct bilanx_suite_traits){.name = "mine"});
//     BILANX_TRY(bilanx_suite_add(suite,
//         .label = "multiply",
//         .stmt = {.python = "y = x * w", .cxx = "auto y = x * w;"},
//         .setup = {.python = "x = w = torch.ones(1)", .cxx = "auto x = torch::ones(1), w = x;"},
//         .signature = "f(x, w) -> y", .torchscript = true));
//     struct bilanx_suite_case **cases;
//     size_t count;
//     BILANX_TRY(bilanx_suite_materialize(suite, NULL, &cases, &count));
//
// The members match the YAML keys, which docs/formats/suite.md explains with examples; suite files
// are read into these structs. Nothing here measures, compiles or searches for anything.
//
// Arrays of strings end with NULL, arrays of numbers with 0, and arrays of structs with a zeroed
// one. Adding copies its input. Ownership: the suite owns its cases; the caller frees the array of
// pointers to them.
#ifndef BILANX_SUITE_H
#define BILANX_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"
#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_suite;

struct bilanx_suite_code {  // the same code in several languages; NULL: not available
    const char *c, *cxx, *python;
};

struct bilanx_suite_traits {  // all fields are optional
    const char *name;
    const char *language;  // "c" (default), "c++" or "python"; not mentioned in descriptions
    struct bilanx_suite_code global_setup;  // comes before each entry's global setup
    const char *const *required;            // requirements of every entry
    const char *subject;  // what `since` and `until` are versions of: "pkg:zlib", "python:numpy",
                          // "program:gcc"; default: "python:torch"
};

struct bilanx_suite_timer {  // a single case, used as it is
    const char *stmt, *setup, *global_setup;
    const char *language;
    uint64_t threads;
};

struct bilanx_suite_each {  // a variable: each value replaces $name in turn
    const char *name;
    const char *const *values;
};

struct bilanx_suite_compile {  // one way to compile C and C++
    const char *env;           // its name; default: the compiler and flags
    const char *cc, *cxx;      // compilers for C and C++; `cxx` defaults to `cc`
    const char *flags, *ldflags;
    const char *const *required;
};

struct bilanx_suite_inputs {  // generated inputs: one case per sample
    const char *spec;         // a specification: a file, or a shipped one such as "unary"
    uint64_t take;            // number of samples; default: 5
    const char *seed;         // replaces that of the specification
    const char *dtype;        // of all tensors; default: as specified
    const char *order_by;     // a parameter, or "elements"; default: as drawn
    const char *as;           // Python: "torch", "numpy" or "dlpack"; default: what it imports
};

// The expected time of a case, for example from a manual. A range is "1us..4us", "..20ns", "1us..".
struct bilanx_suite_expect {
    const char *says;             // in words, for the table; default: the range
    const char *time, *overhead;  // the range of one of them
};

struct bilanx_suite_entry {
    // What to measure: set exactly one of these.
    struct bilanx_suite_timer timer;
    struct bilanx_suite_code stmt;
    struct bilanx_suite_code module;    // constructor of a torch.nn module
    struct bilanx_suite_code variants;  // one benchmark per line
    const char *program;                // built with <bilanx/bench.h>

    const char *label, *sub_label, *description, *env;
    struct bilanx_suite_code setup, global_setup;
    const char *signature;  // "f(x, w) -> y": inputs and output of the statement
    bool torchscript;       // also measure it as a TorchScript model
    bool autograd;          // also measure it followed by y.backward()
    bool call;              // C and C++: also measure it as a separate function
    const uint64_t *threads;
    const struct bilanx_suite_each *each;
    struct bilanx_suite_inputs inputs;
    const struct bilanx_suite_compile *compile;
    const char *const *sources, *const *include, *const *pkg, *const *with;
    const char *const *preload;  // C files: each becomes a library in LD_PRELOAD
    const char *const *tags, *const *required;
    const char *since, *until;  // versions of the subject: `since` inclusive, `until` exclusive
    const char *skip;           // reason not to run it
    double timeout;             // seconds
    const char *bytes, *items;  // per call: a number, or a product such as "8*$n*$n"
    const char *overhead_of;    // a case to take turns with: its labels, or a sibling's last label
    struct bilanx_suite_expect expect;
    const char *const *columns;  // metrics to show beside the time, such as "median"
};

enum bilanx_suite_mode {
    BILANX_SUITE_EAGER,        // as written
    BILANX_SUITE_TORCHSCRIPT,  // as a loaded model
    BILANX_SUITE_CALL,         // as a function call, not inlined
};

enum bilanx_suite_autograd { BILANX_SUITE_FORWARD, BILANX_SUITE_FORWARD_BACKWARD };

// A TorchScript model. `program` is a Python program that saves the model to the path it is given.
// The code of a case loads "$BILANX_MODELS/name.pt".
struct bilanx_suite_model {
    char *name;  // the same in every language; unique to this program
    char *signature;
    char *program;
};

// The inputs of a case. Every worker makes the same inputs from the text.
struct bilanx_suite_sample {
    char *text;       // values of parameters and descriptions of tensors
    char *names;      // names in scope, one per line: "tensor x"
    char *as;         // as in the entry; NULL: what the code imports
    double elements;  // of its largest tensor
    uint64_t bytes;   // of memory
};

struct bilanx_suite_case {
    char *suite;
    char *name;               // unique within its suite
    char *label;              // all labels of its entry, joined: "Pointwise/multiply"
    struct bilanx_task task;  // without `compile`, which is filled in on compilation
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    char *cc, *flags, *ldflags;  // NULL: the default
    char **sources, **include, **pkg, **with, **tags, **required, **preload;
    char *subject, *since, *until, *skip;
    double timeout;                    // seconds; 0: the default
    double bytes, items;               // per call; 0: unknown
    char *overhead_of;                 // name of the other case, once materialized; NULL: none
    struct bilanx_expected *expected;  // `met` is not known here; NULL: nothing is expected
    char **columns;
    struct bilanx_suite_model *model;
    struct bilanx_suite_sample *inputs;  // NULL: none
    char *directory;  // directory of its file, which paths are relative to; NULL: the current one
    char *file;       // where the case is defined
    unsigned line, column;
};

// `traits` may be NULL.
BILANX_API struct bilanx_suite *bilanx_suite_new(const struct bilanx_suite_traits *traits);
BILANX_API void bilanx_suite_free(struct bilanx_suite *suite);

// Adds an entry and everything it expands to. If the entry is invalid, adds nothing and returns an
// error that names the file and line of the call.
BILANX_API struct bilanx_error bilanx_suite_add_at(struct bilanx_suite *suite,
                                                   const struct bilanx_suite_entry *entry,
                                                   const char *file, unsigned line);
#define bilanx_suite_add(suite, ...)                                                        \
    bilanx_suite_add_at((suite), &(const struct bilanx_suite_entry){__VA_ARGS__}, __FILE__, \
                        __LINE__)

// Adds everything a file defines; "-" is stdin. Errors name file, line and column.
BILANX_API struct bilanx_error bilanx_suite_read_file(struct bilanx_suite *suite, const char *path);

// Like bilanx_suite_read_file(), but reads from memory; messages refer to the text as `name`.
BILANX_API struct bilanx_error bilanx_suite_read_text(struct bilanx_suite *suite, const char *text,
                                                      size_t size, const char *name);

struct bilanx_suite_options {  // all zero: every case
    const char *filter;  // regular expression for names; programs are kept, because the names of
                         // their cases are not known here
    const char *const *tags;               // only cases with one of these tags
    const char *const *without_languages;  // leave out cases in these languages, such as "python"
    const char *version;  // version of the subject: only cases whose `since` and `until` allow it
    bool with_others;     // also the cases that `overhead_of` of a selected case refers to
};

// Returns the cases in order of definition. Two that a table could not tell apart are an error.
BILANX_API struct bilanx_error bilanx_suite_materialize(const struct bilanx_suite *suite,
                                                        const struct bilanx_suite_options *options,
                                                        struct bilanx_suite_case ***cases,
                                                        size_t *count);

// Returns one line of JSON without a newline; the caller frees it.
BILANX_API char *bilanx_suite_case_json(const struct bilanx_suite_case *item);

#ifdef __cplusplus
}
#endif

#endif
