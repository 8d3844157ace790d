// looks: ways to print filled tables.
#ifndef COMPARE_LOOKS_H
#define COMPARE_LOOKS_H

#include "bilanx/compare.h"
#include "results/compare/cells.h"
#include "results/compare/verdicts.h"

// Our tables, for people or as Markdown.
void look_own(const struct sheets *sheets, const struct bilanx_compare_options *options, FILE *out);

// Like torch.utils.benchmark.Compare, which formats cells in its own way.
void look_torch(const struct layout *layout, const struct bilanx_compare_options *options,
                FILE *out);

// For programs: a line per cell and per verdict, or one JSON document.
void look_csv(const struct sheets *sheets, const struct verdicts *verdicts, bool safe, FILE *out);
void look_json(const struct sheets *sheets, const struct verdicts *verdicts,
               const struct bilanx_compare_options *options, FILE *out);

// "timed out" for the code "timed-out".
void look_add_failure(const char *code, struct text *out);

#endif
