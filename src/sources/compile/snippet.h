// snippet: a statement to measure, and the program text that measures it.
#ifndef LANG_SNIPPET_H
#define LANG_SNIPPET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/text.h"

struct snippet {  // texts may be NULL
    bool cplusplus;
    const char *stmt, *setup, *global_setup, *sync;
    const char *source;    // file whose static functions the statement may use
    bool single;           // generate one function only: enough to get the compiler's messages
    bool headers;          // include the usual headers even if nothing seems to need them
    uint64_t named;        // bits of headers that other snippets need, in addition to its own
    unsigned without;      // bits of usual headers to omit because they conflict
    bool plain;            // no laundering or keeping: as the optimiser sees it
    bool lean;             // no copies: they would take seconds to compile
    const char *recipe;    // headers of the recipes
    const char *includes;  // further lines that include headers of the recipes; NULL: none
    const char *inputs;    // names in scope, as snippet_inputs.h describes; NULL: none
};

// The functions that a snippet is compiled to. `copies` is how often the loop repeats the
// statement.
struct snippet_variant {
    unsigned copies;
    bool barrier;  // an empty asm replaces the statement: a loop that cannot be removed
};
extern const struct snippet_variant snippet_variants[];
extern const size_t snippet_variant_count;

// The name of a variant's function: "bilanx_copies1", or "bilanx_at3_copies1" for the snippet at
// `place` 3 of several in one object. Layouts other than 0 add the suffix ".LAYOUT".
const char *snippet_symbol(const struct snippet_variant *variant, size_t place, char out[64]);

// Long snippets are compiled only once: eight copies of a megabyte would take minutes.
bool snippet_has_variant(const struct snippet *snippet, const struct snippet_variant *variant);

// Which of our usual headers and settings conflict according to the compiler's messages, as bits
// for `without`; 0: none. A user's function may have the same name as one of libc's, and our
// headers must not break its compilation.
unsigned snippet_conflicts(const char *diagnostics);
extern const unsigned snippet_all_headers;  // all headers that may be omitted

// Whether the statement is empty: measured is the loop itself.
bool snippet_says_nothing(const char *stmt);

// The headers needed for the names it uses, as bits for `named`.
uint64_t snippet_named(const struct snippet *snippet);

// Whether its tensors are torch's: C++ with torch's headers.
bool snippet_has_torch(const struct snippet *snippet);

// Whether the usual libc headers are included: not if nothing is called.
bool snippet_has_headers(const struct snippet *snippet);

void snippet_write(const struct snippet *snippet, struct text *out);

// The same in parts: what all snippets with these headers and recipes share, and what follows.
// Several snippets may follow one prelude if all may be joined; each has its own place.
void snippet_write_prelude(const struct snippet *snippet, struct text *out);
void snippet_write_globals(const struct snippet *snippet, struct text *out);
void snippet_write_functions(const struct snippet *snippet, size_t place, struct text *out);

// Whether the snippet compiles to the same code next to others. It does not if it has definitions
// outside its function: macros affect the text that follows, and inlining of a function depends on
// how often it is called.
bool snippet_may_be_joined(const struct snippet *snippet);

#endif
