// derive: generates the code of one case: a statement, module or variant in one language and mode.
#ifndef SUITE_DERIVE_H
#define SUITE_DERIVE_H

#include "base/scope.h"
#include "languages.h"
#include "signature.h"

struct derivation {  // texts may be NULL
    const struct bilanx_suite_code *stmt, *module, *setup;
    const struct bilanx_suite_code *global_setup, *suite_setup;  // of the entry and of the suite
    const struct signature *signature;                           // NULL: none
    const char *signature_text;
};

struct derived {  // owned by the caller
    char *stmt, *setup, *global_setup;
    struct bilanx_suite_model *model;
};
void derived_done(struct derived *derived);
SCOPE_VALUE(derived, derived_done)

// Whether the mode exists in the language: TorchScript needs torch, calls need a compiler.
bool suite_derivable(const struct suite_language *language, enum bilanx_suite_mode mode,
                     enum bilanx_suite_autograd autograd);

struct bilanx_error suite_derive(const struct derivation *from,
                                 const struct suite_language *language, enum bilanx_suite_mode mode,
                                 enum bilanx_suite_autograd autograd, struct derived *out);

#endif
