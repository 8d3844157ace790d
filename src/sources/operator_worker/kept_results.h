// kept_results: the baseline's results, for comparison with others.
//
// They are copies, because an operator that writes to its arguments returns one of them. It can be
// stored in a file, for backends that run in another process.
#ifndef OPERATOR_WORKER_KEPT_RESULTS_H
#define OPERATOR_WORKER_KEPT_RESULTS_H

#include "base/scope.h"
#include "bilanx/backend.h"

struct kept_tensor {
    DLTensor tensor;  // contiguous
    bool is_bool;
};

struct kept_results {
    struct kept_tensor *tensors;
    size_t count, room;
};
void kept_results_done(struct kept_results *results);
SCOPE_VALUE(kept_results, kept_results_done)

// Copies all tensors of a value, in order. Numbers become tensors of one element.
struct bilanx_error kept_results_take(const struct bilanx_value *value, struct kept_results *out);
uint64_t kept_results_bytes(const struct kept_results *results);

struct bilanx_error kept_results_save(const struct kept_results *results, const char *path);
struct bilanx_error kept_results_load(const char *path, struct kept_results *out);

struct accuracy {
    bool agrees;
    double error;    // the largest that counts: absolute, relative to 1 or the tensor's magnitude
    char text[200];  // describes the difference; "" if there is none
};

// Compares with the baseline's results. The tolerance depends on the operator and on the type.
struct bilanx_error accuracy_check(const char *operator_name, const struct kept_results *actual,
                                   const struct kept_results *expected, struct accuracy *out);

// The same for extreme data. Elements count only where the baseline agrees with `exact`, which it
// computed in f64, because overflow in the type itself depends on the order of additions. If it
// could not compute that, `exact` has no tensors. Tiny results must not all pass as 0.
struct bilanx_error accuracy_check_far(const char *operator_name, const struct kept_results *actual,
                                       const struct kept_results *expected,
                                       const struct kept_results *exact, struct accuracy *out);

// The tolerance, relative and absolute, for elements of a type; 0: equal.
double accuracy_tolerance(const char *operator_name, DLDataType type);

#endif
