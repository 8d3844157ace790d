// backends: the backends that --backend names.
#ifndef OPERATOR_CASES_BACKENDS_H
#define OPERATOR_CASES_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"
#include "base/tell.h"
#include "bilanx/error.h"

// One of our backends, which may not be built here.
struct backend_kind {
    const char *name;
    const char *about;
    bool python;          // runs in an interpreter
    bool torch;           // compiled for the installed PyTorch
    const char *install;  // package needed to build or run it: "libdnnl-dev"; NULL: none
};
extern const struct backend_kind backend_kinds[];  // ends with a NULL name

struct ops_backend {
    char *name;          // of its column
    char *kind;          // "onednn", or the name that a module gives itself
    char *module;        // path of the shared library; NULL: the interpreter provides it
    char *symbol;        // of its table; NULL: the usual one
    char *config;        // NULL: none
    bool python;         // needs an interpreter
    bool torch;          // its module is located once the PyTorch to use is known
    bool own_file;       // a user's, without a name: its module names it
    bool implied;        // not requested: dropped if it cannot be loaded
    char *version;       // of the library that it calls; NULL: unknown
    size_t host, index;  // which process has loaded it, and its number there
    bool compiles;       // can compile calls before it prepares them
    double call_s;       // cost of a call itself; 0: unknown
};

struct ops_backends {
    struct ops_backend *items;  // the first one is the baseline
    size_t count, room;
};
void ops_backends_done(struct ops_backends *backends);
SCOPE_VALUE(ops_backends, ops_backends_done)

// Adds KIND[:CONFIG] or PATH.so[:CONFIG], or either after NAME=, which then is its name in tables.
// Otherwise that is `column`; NULL: derived.
struct bilanx_error ops_backends_add(struct ops_backends *backends, const char *spec,
                                     const char *column);

// Moves a backend to the front, or adds it there.
struct bilanx_error ops_backends_baseline(struct ops_backends *backends, const char *spec);

// Adds the default backends: torch or else the reference, with the libraries that are built here.
struct bilanx_error ops_backends_usual(struct ops_backends *backends);

// Puts the usual baseline in front of the requested backends. If it is among them, it moves to the
// front.
struct bilanx_error ops_backends_usual_baseline(struct ops_backends *backends);

// Finds or compiles the module of a backend for PyTorch. `python`: for the PyTorch of this
// interpreter; NULL: the system's.
struct bilanx_error ops_backend_find_torch(struct ops_backend *backend, const char *python,
                                           const struct tell *tell);

// The path of one of our modules; NULL: not built here. The caller frees it.
char *ops_backend_module(const char *name);

#endif
