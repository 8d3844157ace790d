// planned: calls with their plans, from the description of the computation to compiled code.
#ifndef BACKENDS_CODEGEN_PLANNED_H
#define BACKENDS_CODEGEN_PLANNED_H

#include "base/scope.h"
#include "chain.h"
#include "settings.h"
#include "translation.h"

enum { COMPILERS = 2 };

struct codegen {
    struct table_backend backend;  // first: frame.h casts
    struct tuning usual;           // on this machine
    struct settings settings;
    struct translator translators[COMPILERS];  // the usual one, and the other, while tuning
    bool has[COMPILERS];
};

struct planned {
    struct frame *frame;
    struct plan *plan;    // the frame's
    struct chain *chain;  // of a chain
};
struct bilanx_error planned_open(struct codegen *codegen, const struct bilanx_call *call,
                                 struct planned *out);
void planned_done(struct planned *planned);
SCOPE_VALUE(planned, planned_done)

// Returns how to compile a plan with these settings; without a translator if their compiler is
// missing.
struct translation planned_translation(struct codegen *codegen, const struct plan *plan,
                                       const struct settings *settings);

// Returns the C of a plan, which identifies it.
void planned_write(const struct plan *plan, const struct settings *settings, struct text *out);

// The settings that autotune found for a plan before; the caller frees them. NULL: not known.
char *planned_recall(struct codegen *codegen, const struct plan *plan);

// A call that does nothing, so that the host can measure the cost of a call itself.
bool is_null_call(const struct bilanx_call *call);

#endif
