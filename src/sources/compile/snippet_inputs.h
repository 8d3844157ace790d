// snippet_inputs: parameters and tensors that are in a statement's scope by name.
//
// They are given as lines such as "integer k0", "real p", "tensor x" and "sparse y". Their values
// are not part of the text, so a statement is compiled once for all samples.
#ifndef LANG_SNIPPET_INPUTS_H
#define LANG_SNIPPET_INPUTS_H

#include "base/text.h"
#include "bilanx/error.h"
#include "sources/compile/declare.h"

// Adds the headers and types that inputs need. `torch`: torch's headers come before them.
void snippet_inputs_write_globals(bool torch, struct text *out);

// Adds a declaration for each: `long k0`, `double p`, `DLTensor *x`, `DLTensor *y_indices,
// *y_values`; with torch `at::Tensor x` and `at::Tensor y`.
void snippet_inputs_write(const char *inputs, bool torch, struct text *out);

// Adds the names that are declared.
void snippet_inputs_names(const char *inputs, bool torch, struct names *out);

// If the messages show that an input is at fault, returns an error that says so; otherwise `error`.
struct bilanx_error snippet_inputs_explain(const char *inputs, bool torch, const char *diagnostics,
                                           struct bilanx_error error);

#endif
