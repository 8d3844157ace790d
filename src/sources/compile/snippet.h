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
    const char *source;  // a file whose static functions the statement may use
    bool single;         // one function only: enough to hear what the compiler has to say
    bool headers;        // the usual ones even where nothing seems to need them
    uint64_t named;      // bits of headers that others need, beside those that it names itself
    unsigned without;    // bits of what of the usual is left out, as it conflicts
    bool plain;          // nothing is laundered or kept: what the optimiser makes of it
    bool lean;           // no copies: they would take seconds to compile
    const char *recipe;  // the headers of recipes
};

// The functions that a snippet is compiled to. `copies` is how often the statement stands in the
// loop.
struct snippet_variant {
    unsigned copies;
    bool barrier;  // an empty asm stands in for the statement: the loop that nothing can remove
};
extern const struct snippet_variant snippet_variants[];
extern const size_t snippet_variant_count;

// The name of a variant's function: "bilanx_copies1", for the snippet at `place` of several in one
// object "bilanx_at3_copies1". In layouts other than 0 it has ".LAYOUT" behind it.
const char *snippet_symbol(const struct snippet_variant *variant, size_t place, char out[64]);

// Long ones are compiled once: eight copies of a megabyte would take minutes.
bool snippet_has_variant(const struct snippet *snippet, const struct snippet_variant *variant);

// What of the usual the compiler's messages speak of, as bits for `without`: where a user's
// function is called like one of libc's, our headers must not be the reason that it does not
// compile. 0: none.
unsigned snippet_conflicts(const char *diagnostics);
extern const unsigned snippet_all_headers;  // all that may be left out

// The headers that it needs by the names in it, as bits for `named`.
uint64_t snippet_named(const struct snippet *snippet);

// Whether the usual headers of libc are included: not where nothing is called.
bool snippet_has_headers(const struct snippet *snippet);

void snippet_write(const struct snippet *snippet, struct text *out);

// The same in parts: what is common to all snippets with these headers and recipes, and what
// follows it. Several snippets can follow one another if all may be joined; each has its place.
void snippet_write_prelude(const struct snippet *snippet, struct text *out);
void snippet_write_globals(const struct snippet *snippet, struct text *out);
void snippet_write_functions(const struct snippet *snippet, size_t place, struct text *out);

// Whether the snippet compiles to the same code beside others. Not with definitions of its own
// outside of its function: macros reach what follows, and whether a function is inlined depends on
// how often it is called.
bool snippet_may_be_joined(const struct snippet *snippet);

#endif
