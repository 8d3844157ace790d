// operators: calls of operators, from a log to arguments with data.
//
// A log lists operators and the arguments they were called with (docs/formats/operator_log.md):
//
//     Operator: aten.add.Tensor
//     cnt: 73, ((T([64, 128, 768], f16), 1.5), {})
//
// A call travels as text: one line of a log. The process that runs it parses it and makes the
// tensors; their data depends only on the text and on the seed, so every backend in every process
// sees the same bytes. Nothing in a log is ever executed.
#ifndef OPERATORS_OPERATORS_H
#define OPERATORS_OPERATORS_H

#include "base/scope.h"
#include "base/text.h"
#include "bilanx/backend.h"
#include "bilanx/error.h"

// One parsed call. Its tensors have shapes, types and strides, but no data.
struct operator_call {
    struct bilanx_call call;
    void *storage;  // owns everything that `call` points to
};
void operator_call_done(struct operator_call *call);
SCOPE_VALUE(operator_call, operator_call_done)

// `arguments` is the part after the count: "((T([2], f32), 1), {})". `file` and `line` are for
// messages; `file` may be NULL. The column of a mistake is part of the message.
struct bilanx_error operator_call_parse(const char *name, const char *arguments, const char *file,
                                        unsigned line, struct operator_call *out);

// One line of a log, in the order of first appearance.
struct operator_sample {
    char *arguments;   // as in the log, for operator_call_parse()
    uint64_t count;    // how often it was called, summed over all files
    const char *file;  // where it first appeared
    unsigned line;
};

struct logged_operator {
    char *name;  // "aten.add.Tensor"
    struct operator_sample *samples;
    size_t sample_count;
    uint64_t count;
};

struct operator_log {
    struct logged_operator *operators;
    size_t operator_count;
    void *storage;
};
void operator_log_done(struct operator_log *log);
SCOPE_VALUE(operator_log, operator_log_done)

// Adds a file, or all *.txt files of a folder in the order of their names. Equal samples are
// merged and their counts summed. Every line is parsed completely.
struct bilanx_error operator_log_add(struct operator_log *log, const char *path);

// Adds the folder of a suite: "huggingface", "timm" and "torchbench" are hf_train and so on; other
// names as they are. It is looked for under $BILANX_DATA.
struct bilanx_error operator_log_add_suite(struct operator_log *log, const char *suite);

// What an operator does to its arguments, from its name and schema conventions alone.
enum operator_role {
    OPERATOR_COMPUTES,
    OPERATOR_VIEWS,       // returns a view: view, transpose, expand, slice, ...
    OPERATOR_CONSTRUCTS,  // makes a tensor whose content does not depend on others: zeros, empty,
                          // ...
};
enum operator_role operator_role(const char *name);
bool operator_writes_arguments(const struct bilanx_call *call);  // add_, copy_, out=, batch norm
bool operator_result_is_undefined(const char *name);  // empty, new_empty, ...: nothing to compare
bool operator_result_is_random(const char *name);     // bernoulli_, dropout, randn, ...

struct operator_options {  // zeros are the defaults
    const char *dtype;     // floating tensors of the log become this: f32 (default), f16, bf16, f64
    bool channels_last;    // 4-D tensors get the channels-last layout
    uint64_t seed;
    uint64_t max_bytes;  // 0: no limit
    const char *shared;  // a file for the tensors, which other processes use, too; NULL: none
    bool huge_pages;     // large tensors get huge pages, not those that malloc() gets
};

// Adapts the call to the options: types and layouts. It still has no data.
struct bilanx_error operator_call_adapt(struct operator_call *call,
                                        const struct operator_options *options);

uint64_t operator_bytes(const struct bilanx_call *call);  // of all tensors; UINT64_MAX: more

// Gives an adapted call its data, which suits the operator: indices in range, positive for log and
// sqrt, probabilities where they are expected. `pristine` allows operator_data_restore().
struct operator_data {
    struct operator_call *call;
    void *storage;
};
struct bilanx_error operator_data_make(struct operator_call *call,
                                       const struct operator_options *options,
                                       struct operator_data *out);
void operator_data_done(struct operator_data *data);
SCOPE_VALUE(operator_data, operator_data_done)

// Restores the content of every tensor after an operator that writes to its arguments.
void operator_data_restore(struct operator_data *data);

// Data on which only results are compared, see far.h.
enum operator_draw {
    DRAW_USUAL,
    DRAW_LARGE,    // squares overflow; some elements are equal
    DRAW_TINY,     // squares underflow; some elements are equal
    DRAW_SPECIAL,  // NaN, infinities and both zeros among usual elements
    OPERATOR_DRAWS,
};
extern const char *const operator_draw_names[OPERATOR_DRAWS];

// Gives the same tensors other contents, in place. Sets `changed` if any of them differ from the
// usual ones in this draw. Processes that share tensors all make the same contents.
struct bilanx_error operator_data_redraw(struct operator_data *data, enum operator_draw draw,
                                         bool *changed);

// Copies the contents of the same call, which may have other types.
void operator_data_copy(struct operator_data *to, const struct operator_data *from);

#endif
