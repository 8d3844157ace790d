// sources: the distinct statements to compile. Statements that differ only in their number of
// threads or in the values of their inputs are compiled once: two compilers could leave an object
// that does not match the answer.
#ifndef STATEMENTS_SOURCES_H
#define STATEMENTS_SOURCES_H

#include "sources/statements/statements.h"

struct sources {
    struct statement_text *texts;
    size_t *places;  // index of each among the cases
    size_t count;
    size_t *of_case;  // the index in texts for each case
};
void sources_done(struct sources *sources);
SCOPE_VALUE(sources, sources_done)

void sources_find(const struct statement_text *texts, size_t count, struct sources *out);

// Copies to a case how another, prepared one is opened, or its failure.
void sources_copy(struct statements *statements, size_t from, size_t to);

#endif
