// signature: "f(x, w) -> y": what a statement takes, and what it makes.
//
// A parameter may have a type, as C writes it ("const char *s") or as Python does ("n: int").
#ifndef SUITE_SIGNATURE_H
#define SUITE_SIGNATURE_H

#include <stdbool.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct parameter {
    char *name;
    char *c_type;       // "const char *"; NULL: not given
    char *python_type;  // "int"; NULL: not given
};

struct signature {
    char *name;
    struct parameter *parameters;
    size_t count, room;
    struct parameter result;  // without a name: None
};
void signature_done(struct signature *signature);
SCOPE_VALUE(signature, signature_done)

// On an error, which has no place, `*fault` is where in the text it is.
struct bilanx_error signature_parse(const char *text, struct signature *out, size_t *fault);

// Whether code, in which `comment` starts a comment, uses every parameter and gives the result its
// value.
struct bilanx_error signature_fits(const struct signature *signature, const char *code,
                                   const char *comment);

#endif
