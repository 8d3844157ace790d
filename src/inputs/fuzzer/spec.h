// spec: a specification as the fuzzer draws from it.
//
// It is filled in by two producers: spec_yaml.c from a file, fuzzer_api.c from C. spec_check() then
// resolves names to indices and checks everything else, so that messages are the same for both.
// Anything that can be invalid records its file position; specs built in C have none.
#ifndef FUZZER_SPEC_H
#define FUZZER_SPEC_H

#include "base/list.h"
#include "expression.h"
#include "fuzzer.h"
#include "inputs/tensors/dtype.h"
#include "value.h"

enum {
    SPEC_MOST_PARAMETERS = 1000,
    SPEC_MOST_TENSORS = 100,
    SPEC_MOST_CONSTRAINTS = 100,
    SPEC_MOST_CHOICES = 10000,  // of one parameter
};

#define SPEC_NONE SIZE_MAX  // no parameter

struct position {
    unsigned line, column;  // line 0: unknown
};

enum spec_distribution {
    SPEC_UNIFORM,  // real if a bound is
    SPEC_LOGUNIFORM,
    SPEC_CHOICES,
    SPEC_CONSTANT,  // `min`; takes no draws
};

// All texts point into spec.texts.
struct spec_choice {
    const char *alias;  // the parameter whose value it takes; NULL: `value`
    struct value value;
    double probability;
    size_t target;  // index of `alias`, or SPEC_NONE
    struct position at;
};

// The values that a parameter can have.
struct spec_range {
    double low, high;
    bool is_real;  // some may be
};

struct spec_parameter {
    const char *name;
    enum spec_distribution distribution;
    struct value min, max;
    struct spec_choice *choices;
    size_t choice_count;
    bool strict;
    struct position at, bounds_at;

    double *cumulative;  // of the choices, as numpy normalises them
    double log_min, log_max;
    struct spec_range range;
    enum { SPEC_UNSEEN, SPEC_BEING_SEEN, SPEC_SEEN } seen;  // while looking for cycles
};

struct spec_term {     // a size, a step or the like
    const char *text;  // a parameter, or a number; NULL: not given
    struct position at;
    size_t parameter;  // SPEC_NONE: `literal`
    struct value literal;
};

struct spec_terms {
    struct spec_term items[TENSOR_DIMENSIONS];
    int count;
    bool given;
    struct position at;
};

enum spec_limit { SPEC_MAX_ELEMENTS, SPEC_MIN_ELEMENTS, SPEC_MAX_BYTES, SPEC_LIMITS };

struct spec_tensor {
    const char *name;
    struct spec_terms size, steps;
    struct spec_terms torch_steps;  // instead of `steps`, as torch draws
    double probability_contiguous;
    uint64_t limits[SPEC_LIMITS];  // 0: none
    struct spec_term dim, roll;
    const char *dtype_name;
    const struct dtype *dtype;
    bool may_be_empty;  // sizes of 0 are allowed

    bool is_sparse;
    struct spec_term sparse_dim, density, nonzeros, coalesced;

    enum tensor_fill fill;
    bool fill_given;
    double low, high;
    const char *indices_of;  // a parameter, a number, or a dimension of a tensor: "x.0"
    size_t indices_tensor;   // SPEC_NONE: `indices_bound`
    int indices_dimension;
    struct spec_term indices_bound;
    double nan_share, inf_share;

    struct position at, probability_at, limits_at[SPEC_LIMITS], dtype_at, fill_at, share_at,
        sparse_at;
};

struct spec_constraint {
    const char *text;    // an expression; NULL: a function
    const char *source;  // the same in spec.yaml
    struct expression expression;
    bool (*holds)(void *context, const struct value *values);
    void *context;
    struct position at;
};

struct spec {
    const char *file;  // for messages; NULL: from C
    const char *name;
    enum fuzzer_compat compat;
    uint64_t seed;
    struct position seed_at;
    struct spec_parameter *parameters;
    size_t parameter_count, parameter_room;
    struct spec_tensor *tensors;
    size_t tensor_count, tensor_room;
    struct spec_constraint *constraints;
    size_t constraint_count, constraint_room;
    struct list texts;        // owns them
    const struct yaml *yaml;  // the file while it is read; then NULL
};
void spec_done(struct spec *spec);
SCOPE_VALUE(spec, spec_done)

// Returns a copy that the specification owns; NULL stays NULL.
const char *spec_text(struct spec *spec, const char *text);

// Each adds one with its defaults.
struct spec_parameter *spec_add_parameter(struct spec *spec, const char *name);
struct spec_tensor *spec_add_tensor(struct spec *spec, const char *name);
struct spec_constraint *spec_add_constraint(struct spec *spec);

// Resolves and checks everything, once all is added.
struct bilanx_error spec_check(struct spec *spec);
struct bilanx_error spec_check_parameters(struct spec *spec);
struct bilanx_error spec_check_tensors(struct spec *spec);

// Reads a file into an empty specification, and checks it.
struct bilanx_error spec_read(const char *path, struct spec *out);
struct bilanx_error spec_read_text(const char *text, size_t size, const char *name,
                                   struct spec *out);

// Makes an error at a position: "file:3:7: text". Without a position, the text alone.
struct bilanx_error spec_error(const struct spec *spec, struct position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Finds a parameter or tensor by its name; SPEC_NONE if there is none.
size_t spec_find_parameter(const struct spec *spec, const char *name);
size_t spec_find_tensor(const struct spec *spec, const char *name);

// Makes the error that there is no such parameter, with the name it may be a misspelling of.
struct bilanx_error spec_no_parameter(const struct spec *spec, struct position at,
                                      const char *name);

extern const char *const spec_limit_words[SPEC_LIMITS];  // "max_elements"

#endif
