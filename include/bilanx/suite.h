// suite: related benchmarks, defined once and expanded to a flat list of cases.
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
// docs/formats/suite.md has every key with an example: the members here are those of its YAML, and
// a suite's file is read into these structs. Nothing is measured, compiled or looked for.
//
// Arrays of texts end in a NULL, of counts in a 0, of structs in one of zeroes. What is added is
// copied. Ownership: cases belong to their suite; the caller frees the array of pointers to them.
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

struct bilanx_suite_code {  // the same in several languages; NULL: not in this one
    const char *c, *cxx, *python;
};

struct bilanx_suite_traits {  // every field may be left out
    const char *name;
    const char *language;  // that needs no mention: "c", the default, "c++" or "python"
    struct bilanx_suite_code global_setup;  // before that of each entry
    const char *const *required;            // by every entry
    const char *subject;  // what `since` and `until` are versions of: "pkg:zlib", "python:numpy",
                          // "program:gcc"; default: "python:torch"
};

struct bilanx_suite_timer {  // one case, taken as it is
    const char *stmt, *setup, *global_setup;
    const char *language;
    uint64_t threads;
};

struct bilanx_suite_each {  // a name, and the values that $name takes
    const char *name;
    const char *const *values;
};

struct bilanx_suite_compile {  // a way to compile C and C++
    const char *env;           // its name; default: the compiler and the flags
    const char *cc, *cxx;      // the compiler of C; and of C++, by default the same
    const char *flags, *ldflags;
    const char *const *required;
};

struct bilanx_suite_entry {
    // What is measured: exactly one of these.
    struct bilanx_suite_timer timer;
    struct bilanx_suite_code stmt;
    struct bilanx_suite_code module;    // the constructor of a torch.nn module
    struct bilanx_suite_code variants;  // a block of lines, a benchmark each
    const char *program;                // made with <bilanx/bench.h>

    const char *label, *sub_label, *description, *env;
    struct bilanx_suite_code setup, global_setup;
    const char *signature;  // "f(x, w) -> y": what the statement takes and makes
    bool torchscript;       // also as a TorchScript model
    bool autograd;          // also with y.backward() behind it
    bool call;              // C and C++: also as a function of its own
    const uint64_t *threads;
    const struct bilanx_suite_each *each;
    const struct bilanx_suite_compile *compile;
    const char *const *sources, *const *include, *const *pkg, *const *with;
    const char *const *tags, *const *required;
    const char *since, *until;  // versions of the subject: from, and before
    const char *skip;           // why it is not to be run
    double timeout;             // seconds
    const char *bytes, *items;  // per call: numbers, or products such as "8*$n*$n"
};

enum bilanx_suite_mode {
    BILANX_SUITE_EAGER,        // as it stands
    BILANX_SUITE_TORCHSCRIPT,  // a model that is loaded
    BILANX_SUITE_CALL,         // a function that is called, not inlined
};

enum bilanx_suite_autograd { BILANX_SUITE_FORWARD, BILANX_SUITE_FORWARD_BACKWARD };

// A TorchScript model: `program` is Python; run with a path it saves the model there. The code of a
// case loads "$BILANX_MODELS/name.pt".
struct bilanx_suite_model {
    char *name;  // the same in every language, and for no other program
    char *signature;
    char *program;
};

struct bilanx_suite_case {
    char *suite;
    char *name;               // unique in its suite
    char *label;              // all labels of its entry: "Pointwise/multiply"
    struct bilanx_task task;  // without `compile`: that is for who compiles
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    char *cc, *flags, *ldflags;  // NULL: the usual ones
    char **sources, **include, **pkg, **with, **tags, **required;
    char *subject, *since, *until, *skip;
    double timeout;       // seconds; 0: the usual one
    double bytes, items;  // per call; 0: not given
    struct bilanx_suite_model *model;
    char *directory;  // of its file: what paths are relative to; NULL: the current one
    char *file;       // where it is defined
    unsigned line, column;
};

// `traits` may be NULL.
BILANX_API struct bilanx_suite *bilanx_suite_new(const struct bilanx_suite_traits *traits);
BILANX_API void bilanx_suite_free(struct bilanx_suite *suite);

// Adds one entry and all that it expands to. What is wrong with it is an error that names file and
// line of the call; nothing is added then.
BILANX_API struct bilanx_error bilanx_suite_add_at(struct bilanx_suite *suite,
                                                   const struct bilanx_suite_entry *entry,
                                                   const char *file, unsigned line);
#define bilanx_suite_add(suite, ...)                                                        \
    bilanx_suite_add_at((suite), &(const struct bilanx_suite_entry){__VA_ARGS__}, __FILE__, \
                        __LINE__)

// Adds what a file defines; "-" is stdin. Errors name file, line and column.
BILANX_API struct bilanx_error bilanx_suite_read_file(struct bilanx_suite *suite, const char *path);

// The same for text, under a name for messages.
BILANX_API struct bilanx_error bilanx_suite_read_text(struct bilanx_suite *suite, const char *text,
                                                      size_t size, const char *name);

struct bilanx_suite_options {              // zeroes: every case
    const char *filter;                    // a regular expression that names match; programs are
                                           // left for who knows the names of their cases
    const char *const *tags;               // cases with one of them
    const char *const *without_languages;  // "python": no cases in these
    const char *version;                   // of the subject: cases whose since and until allow it
};

// The cases in the order of their definition. Two that a table could not tell apart are an error.
BILANX_API struct bilanx_error bilanx_suite_materialize(const struct bilanx_suite *suite,
                                                        const struct bilanx_suite_options *options,
                                                        struct bilanx_suite_case ***cases,
                                                        size_t *count);

// One line of JSON without a newline; the caller frees it.
BILANX_API char *bilanx_suite_case_json(const struct bilanx_suite_case *item);

#ifdef __cplusplus
}
#endif

#endif
