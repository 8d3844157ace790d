// page_parts: parts of the page of a bundle; for this room only. Whatever comes from a user is
// escaped with xml_add(), and attributes are in double quotes.
#ifndef BUNDLE_PAGE_PARTS_H
#define BUNDLE_PAGE_PARTS_H

#include "bundle_parts.h"

// The table of verdicts, one row per case and side.
void page_add_verdicts(const struct bundle *bundle, struct text *out);

// A section for each case that was examined: graphs and counts.
void page_add_cases(const struct bundle *bundle, struct text *out);

#endif
