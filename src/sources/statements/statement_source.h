// statement_source: statements as a source of cases.
#ifndef STATEMENTS_STATEMENT_SOURCE_H
#define STATEMENTS_STATEMENT_SOURCE_H

#include "sources/source/source.h"
#include "sources/statements/statements.h"

// The statements of a source of this kind; parallel to its cases once prepared.
struct statements *statement_source_get(const struct source *source);

#endif
