// flame_label: texts of a graph: escaped, cut to a width, and numbers with their units.
#ifndef FLAME_FLAME_LABEL_H
#define FLAME_FLAME_LABEL_H

#include "base/text.h"
#include "profile/stacks/stacks.h"

enum { NAME_LONGEST = 2000 };  // bytes of a name that are shown anywhere

// Adds text to XML. What XML cannot contain, even escaped, is shown as \x1b.
void xml_add(struct text *out, const char *text);

// The name of a function without the mark of its kind: "read_[k]" is "read".
void label_name(struct text *out, const struct stack_frame *frame);

// Adds where a function is: its file, or else its object unless that is NULL; "inlined, strlib.c"
// if it was inlined. Nothing if that is unknown.
void label_where(struct text *out, const struct stack_frame *frame, const char *object);

// Adds a name in at most `width` columns. If it does not fit, leading namespaces and packages are
// dropped first: "at::native::add" becomes "…native::add" or "…add". Otherwise its end is.
void label_fit(struct text *out, const char *name, size_t width);

// Adds a weight with its unit: "12,345 samples", "1.234 ms".
void label_weight(struct text *out, const char *unit, double weight);

// The same for a table whose title names the unit: "12,345", "1.234 ms".
void label_amount(struct text *out, const char *unit, double weight);

// Adds a share: "12.3 %".
void label_share(struct text *out, double part, double whole);

// Adds a signed change: "+12.3 %"; "new" or "gone" if one side is 0.
void label_change(struct text *out, double before, double after);

// Adds a number with separators: "12,345".
void label_number(struct text *out, double number);

#endif
