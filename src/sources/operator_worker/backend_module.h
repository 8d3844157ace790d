// backend_module: a backend in this process: its table of functions, and its open library.
#ifndef OPERATOR_WORKER_BACKEND_MODULE_H
#define OPERATOR_WORKER_BACKEND_MODULE_H

#include "base/scope.h"
#include "sources/operator_worker/operator_worker.h"

struct backend_module {
    const struct bilanx_backend *table;
    void *library;  // from dlopen(); NULL: the process provided the table
    void *state;
};
void backend_module_done(struct backend_module *module);
SCOPE_VALUE(backend_module, backend_module_done)

struct backend_request {
    const char *name;
    const char *path;    // of a shared library; NULL: `name` is one of the worker's
    const char *symbol;  // of its table; NULL: BILANX_BACKEND_SYMBOL
    const char *config;  // may be NULL
};

// Loads a shared library and opens its backend. BILANX_E_SKIPPED: it must be loaded by another
// process.
struct bilanx_error backend_module_load(const struct operator_worker *worker,
                                        const struct bilanx_host *host,
                                        const struct backend_request *request,
                                        struct backend_module *out);

// The code that it generates for a call; the caller frees it. NULL: it generates none.
char *backend_module_code(const struct backend_module *module, const struct bilanx_call *call);

// Whether it compiles calls ahead of preparing them, and does so for those that it supports.
bool backend_module_compiles(const struct backend_module *module);
void backend_module_compile(const struct backend_module *module,
                            const struct bilanx_call *const *calls, size_t count);

// The library that it calls, such as "oneDNN 2.6.3"; "" if it does not say.
void backend_module_describe(const struct backend_module *module, char *out, size_t size);

#endif
