// language: what differs between the languages of statements.
#ifndef STATEMENTS_LANGUAGE_H
#define STATEMENTS_LANGUAGE_H

#include "sources/statements/statements.h"

struct language {
    const char *name;
    // Fills in the worker, and for each case what opens it, or its failure.
    struct bilanx_error (*prepare)(const struct statement_text *texts, size_t count,
                                   const struct statement_options *options, struct statements *out);
    // Sets statements->barrier, the words that open the empty loop.
    struct bilanx_error (*add_barrier)(const struct statement_options *options,
                                       struct statements *statements);
};
extern const struct language language_c, language_cplusplus, language_python;

const struct language *languages_find(const char *name);  // NULL: there is none

// A part of bilanx: beside this program, as in a build; or where it is installed. `variable`, if
// set in the surroundings, names it. The caller frees the path.
struct bilanx_error language_find_part(const char *name, const char *variable,
                                       const struct surroundings *surroundings, char **out);

// The request to prepare is refused for this case, and so the case has failed.
void language_refused(struct run_case *item, const struct bilanx_error *error, const char *phase,
                      const char *output);

#endif
