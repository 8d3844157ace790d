// sources: the statements to compile: of equal ones, which differ in their number of threads, the
// first. Two compilers at the same one would leave an object and words about another.
#ifndef STATEMENTS_SOURCES_H
#define STATEMENTS_SOURCES_H

#include "sources/statements/statements.h"

struct sources {
    struct statement_text *texts;
    size_t *places;  // of each among the cases
    size_t count;
    size_t *of_case;  // which one is that of a case
};
void sources_done(struct sources *sources);
SCOPE_VALUE(sources, sources_done)

void sources_find(const struct statement_text *texts, size_t count, struct sources *out);

// Has a case be opened, or have failed, as another that was prepared.
void sources_copy(struct statements *statements, size_t from, size_t to);

#endif
