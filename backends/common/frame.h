// frame: a prepared call of an operator, and a backend built from a table of routines.
//
// A backend lists its routines; all functions that <bilanx/backend.h> asks for, except `open`,
// follow from that table:
//
//     static const struct routine routines[] = {
//         {.base = "neg", .overloads = "default", .schema = "self", .run = negate},
//         {0},
//     };
//     static const struct routine *const tables[] = {routines, NULL};
//     BILANX_BACKEND(.name = "mine", .open = mine_open, FRAME_FUNCTIONS)
//
// A routine finds arguments by their names in the schema, and adds results in their order.
#ifndef BACKENDS_COMMON_FRAME_H
#define BACKENDS_COMMON_FRAME_H

#include "view.h"

enum { FRAME_RESULTS = 4 };

struct frame;

struct routine {
    const char *base;       // "add" of aten.add.Tensor
    const char *overloads;  // "Tensor Scalar"
    const char *schema;     // names of all arguments in order: "self other alpha"; see pointwise.h
                            // for the marks that a name may have
    const char *needs;      // names of those that must be tensors: "self"; may be NULL
    const char *(*check)(struct frame *frame);  // why it cannot run this, or NULL; may be NULL
    const char *(*run)(struct frame *frame);    // what went wrong, or NULL
    void (*forget)(struct frame *frame);        // frees `cache`; may be NULL
    const void *how;                            // for `run`
    bool in_place;  // add_ as well, and nothing else if `base` has the _
};

// The state of such a backend. Embed it first in a larger struct if there is more.
struct table_backend {
    const struct bilanx_host *host;
    const struct routine *const *tables;  // NULL ends them; {0} ends each
    // Refuses what no routine of this backend can run, before any is asked; may be NULL.
    const char *(*refuses)(const struct bilanx_call *call);
};

struct frame {
    const struct bilanx_call *call;
    const struct table_backend *backend;
    const struct routine *routine;
    bool in_place;  // the result replaces the first argument
    void *cache;    // what the routine keeps between runs
    struct bilanx_result results[FRAME_RESULTS];
    struct bilanx_value values[FRAME_RESULTS];
    size_t result_count;
    bool is_list;  // a single result is a list of one
    void *scratch;
    char message[160];
};

// Functions for BILANX_BACKEND.
const char *frame_supports(void *state, const struct bilanx_call *call);
struct bilanx_error frame_prepare(void *state, const struct bilanx_call *call, void **prepared);
const char *frame_run(void *prepared);
struct bilanx_error frame_outputs(void *prepared, struct bilanx_value *out);
void frame_release(void *prepared);
#define FRAME_FUNCTIONS                                                     \
    .supports = frame_supports, .prepare = frame_prepare, .run = frame_run, \
    .outputs = frame_outputs, .release = frame_release

// Returns the position of a name in a schema, or -1.
int schema_position(const char *schema, const char *name);

// Arguments by name. NULL or false if absent or None.
const struct bilanx_value *argument(const struct frame *frame, const char *name);
bool argument_view(const struct frame *frame, const char *name, struct view *out);
bool has_argument(const struct frame *frame, const char *name);
double argument_real(const struct frame *frame, const char *name, double otherwise);
int64_t argument_integer(const struct frame *frame, const char *name, int64_t otherwise);
int argument_integers(const struct frame *frame, const char *name, int64_t *out);
bool argument_item(const struct frame *frame, const char *name,
                   size_t item);  // of a list of truths
const char *argument_text(const struct frame *frame, const char *name, const char *otherwise);
// Returns the type that a word names, such as f16 or torch.float16; NULL if it is unknown.
const struct dtype *argument_type(const struct frame *frame, const char *name,
                                  const struct dtype *otherwise);
// Gets a tensor as it is, and a number as a view of `storage` of type bool, i64 or f64 without
// dimensions.
bool value_view(const struct bilanx_value *value, double *storage, struct view *out);

// Results. Elements are not set.
struct view add_result(struct frame *frame, const struct dtype *type, int ndim,
                       const int64_t *shape, const int64_t *strides);
struct view add_result_like(struct frame *frame, const struct dtype *type, const struct view *like);
void add_argument_result(struct frame *frame, const char *name);  // returns an argument itself
void add_no_result(struct frame *frame);                          // None

// Memory that lasts until the run is over.
void *scratch(struct frame *frame, size_t bytes);

#endif
