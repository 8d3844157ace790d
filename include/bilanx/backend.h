// backend: runs operators of a log, for `bilanx ops --backend ./mine.so`.
//
// A backend is a shared library that exports one table of functions. This is a complete one:
//
//     #include <bilanx/backend_tools.h>
//
//     struct relu {
//         const DLTensor *x;
//         struct bilanx_result result;
//         const struct bilanx_host *host;
//     };
//
//     static struct bilanx_error start(const struct bilanx_host *host, const char *config, void
//     **state)
//     {
//         *state = (void *)host;
//         return BILANX_SUCCESS;
//     }
//
//     static const char *supports(void *state, const struct bilanx_call *call)
//     {
//         const DLTensor *x = bilanx_call_tensor(call, 0, "self");
//         return strcmp(call->name, "aten.relu.default") != 0            ? "only relu is written"
//                : !x || !bilanx_is_f32(x) || !bilanx_is_contiguous(x) ? "only contiguous f32"
//                                                                      : NULL;
//     }
//
//     static struct bilanx_error prepare(void *state, const struct bilanx_call *call, void
//     **prepared)
//     {
//         struct relu *relu = calloc(1, sizeof *relu);
//         relu->x = bilanx_call_tensor(call, 0, "self");
//         relu->host = state;
//         *prepared = relu;
//         return BILANX_SUCCESS;
//     }
//
//     static const char *run(void *prepared)
//     {
//         struct relu *relu = prepared;
//         const DLTensor *x = relu->x, *y = bilanx_result_like(&relu->result, relu->host, x);
//         for (int64_t i = 0; i < bilanx_elements(x); i++)
//             BILANX_DATA(float, y)[i] = fmaxf(BILANX_DATA(float, x)[i], 0);
//         return NULL;
//     }
//
//     static struct bilanx_error outputs(void *prepared, struct bilanx_value *out)
//     {
//         *out = bilanx_result_value(&((struct relu *)prepared)->result);
//         return BILANX_SUCCESS;
//     }
//
//     static void release(void *prepared)
//     {
//         struct relu *relu = prepared;
//         bilanx_result_drop(&relu->result, relu->host);
//         free(relu);
//     }
//
//     BILANX_BACKEND(.name = "mine", .about = "relu by hand", .open = start, .supports = supports,
//                    .prepare = prepare, .run = run, .outputs = outputs, .release = release)
//
//     cc -O2 -shared -fPIC mine.c -o mine.so $(pkg-config --cflags bilanx) -lm
//
// A call is prepared once and run many times; only `run` is timed. It allocates its results with
// the host's allocator, as a caller of the operator would see it, and frees those of the previous
// run. It needs only the headers of libbilanx; docs/backends.md says more.
//
// Ownership: the call and its tensors belong to the host, and outlive the state prepared from them.
// The host's table outlives the backend. Threads: all functions of one backend are called from one
// thread.
#ifndef BILANX_BACKEND_H
#define BILANX_BACKEND_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BILANX_BACKEND_VERSION = 1 };

enum bilanx_value_kind {
    BILANX_NONE,
    BILANX_TRUTH,    // `integer` is 0 or 1
    BILANX_INTEGER,  // `integer`
    BILANX_REAL,     // `real`, which may be infinite or NaN
    BILANX_TEXT,     // `text`, as quoted in the log: 'cuda', 'mean'
    BILANX_WORD,     // `text`: a type, a layout, a memory format: f16, torch.strided
    BILANX_LIST,     // `items`
    BILANX_TUPLE,    // `items`
    BILANX_TENSOR,   // `tensor`; `sparse` for a sparse one
};

struct bilanx_sparse;

struct bilanx_value {
    enum bilanx_value_kind kind;
    bool is_bool;  // of a tensor: its elements are booleans, whose DLPack type is uint8
    int64_t integer;
    double real;
    const char *text;
    const struct bilanx_value *items;
    size_t count;                        // of items
    DLTensor *tensor;                    // `data` is NULL in calls of `supports`
    const struct bilanx_sparse *sparse;  // NULL: dense
};

struct bilanx_sparse {  // COO; `tensor` of the value has the dense shape and type, and no data
    DLTensor *indices, *values;
    int64_t nonzeros;
    bool is_coalesced;
};

struct bilanx_keyword {
    const char *name;
    struct bilanx_value value;
};

struct bilanx_call {
    const char *name;  // with its overload: "aten.add.Tensor"
    const struct bilanx_value *arguments;
    size_t argument_count;
    const struct bilanx_keyword *keywords;
    size_t keyword_count;
};

// The host's services. All backends of a run use the same allocator; its blocks are aligned to 64
// bytes.
struct bilanx_host {
    unsigned version;
    int threads;                      // that `run` may use
    void *(*allocate)(size_t bytes);  // never NULL: a host without memory ends the process
    void (*release)(void *memory);    // NULL is fine
    // Allocations of up to this size reuse memory; larger ones get fresh pages.
    size_t reused_bytes;
};

struct bilanx_backend {
    unsigned version;   // set by BILANX_BACKEND
    const char *name;   // title of its column in a table
    const char *about;  // a one-line description; may be NULL
    // Once per process. `config` is the text after the colon of `--backend NAME:CONFIG`, or NULL.
    // May be NULL if there is nothing to set up.
    struct bilanx_error (*open)(const struct bilanx_host *host, const char *config, void **state);
    // Returns NULL if it can run the call, otherwise the reason why not. Tensors have no data here.
    const char *(*supports)(void *state, const struct bilanx_call *call);
    struct bilanx_error (*prepare)(void *state, const struct bilanx_call *call, void **prepared);
    // Runs the call once. Returns NULL, or an error text, which stays valid until the next call.
    const char *(*run)(void *prepared);
    // Gets the result of the last run: a tensor, or a tuple or list of values. An operator that
    // writes to an argument returns what torch returns, usually that argument. The value and
    // everything it points to stay valid until the next run.
    struct bilanx_error (*outputs)(void *prepared, struct bilanx_value *out);
    void (*release)(void *prepared);
    void (*close)(void *state);  // may be NULL
    // Writes the version of the library that it calls to `out`, such as "oneDNN 2.6.3"; may be
    // NULL.
    void (*describe)(void *state, char *out, size_t size);
};

#define BILANX_BACKEND_SYMBOL "bilanx_backend_table"

// A backend that generates code may also export a function of this name and type, which returns the
// code for a call, for `bilanx ops --show-code`. The caller frees it; NULL: it cannot run the call.
#define BILANX_BACKEND_CODE_SYMBOL "bilanx_backend_code"
typedef char *bilanx_backend_code_function(void *state, const struct bilanx_call *call);

// A backend that compiles may also export a function of this name and type. It gets supported calls
// that will be prepared later, perhaps in another process; their tensors have no data yet. It keeps
// the compiled code in its own cache, where prepare() finds it. It reports no errors: prepare()
// compiles whatever is missing, and reports them.
#define BILANX_BACKEND_COMPILE_SYMBOL "bilanx_backend_compile"
typedef void bilanx_backend_compile_function(void *state, const struct bilanx_call *const *calls,
                                             size_t count);

// Exports the table of a backend. Name the fields as in a designated initializer; C++ before C++20
// needs them in the order above.
#define BILANX_BACKEND(...)                                                                \
    BILANX_API extern const struct bilanx_backend bilanx_backend_table;                    \
    const struct bilanx_backend bilanx_backend_table = {.version = BILANX_BACKEND_VERSION, \
                                                        __VA_ARGS__};

#ifdef __cplusplus
}
#endif

#endif
