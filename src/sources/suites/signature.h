// signature: "f(x, w) -> y": the inputs and the result of a statement.
//
// A parameter may have a type, in C syntax ("const char *s") or in Python syntax ("n: int").
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
    struct parameter result;  // no name: None
};
void signature_done(struct signature *signature);
SCOPE_VALUE(signature, signature_done)

// On an error, `*fault` is its offset in the text; the error does not include a location.
struct bilanx_error signature_parse(const char *text, struct signature *out, size_t *fault);

// Whether code, in which `comment` starts a comment, uses every parameter and assigns the result.
struct bilanx_error signature_fits(const struct signature *signature, const char *code,
                                   const char *comment);

#endif
