// language: what differs between the languages of statements.
#ifndef STATEMENTS_LANGUAGE_H
#define STATEMENTS_LANGUAGE_H

#include "sources/statements/statements.h"

struct language {
    const char *name;
    // Starts a worker with the canary, if there is one. NULL: there is nothing to start.
    struct bilanx_error (*begin)(const struct statement_text *canary,
                                 const struct statement_options *options, struct statements *out);
    // Sets up the worker, and for each case either the words that open it or its failure.
    struct bilanx_error (*prepare)(const struct statement_text *texts, size_t count,
                                   const struct statement_options *options, struct statements *out);
    // Sets statements->barrier, the words that open the empty loop.
    struct bilanx_error (*add_barrier)(const struct statement_options *options,
                                       struct statements *statements);
};
extern const struct language language_c, language_cplusplus, language_python;

const struct language *languages_find(const char *name);  // NULL: there is none

// Finds a part of bilanx: next to this program, as in a build, or where it is installed.
// `variable`, if set in the surroundings, overrides the path. The caller frees it.
struct bilanx_error language_find_part(const char *name, const char *variable,
                                       const struct surroundings *surroundings, char **out);

// Marks the case as failed because the worker refused to prepare it.
void language_refused(struct run_case *item, const struct bilanx_error *error, const char *phase,
                      const char *output);

#endif
