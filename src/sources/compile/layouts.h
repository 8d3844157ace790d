// layouts: compiled code several times in one object, each time laid out anew.
//
// How fast code is may depend on where it happens to lie: the same function in another order of
// functions, or 16 bytes further, can take half as long again. So the object that measures a
// statement has its functions, and those of the user's sources and archives, in it as often as
// there are layouts, and an epoch picks one.
//
// Every layout has the compiled files for itself: names that they define get its number as an
// ending, and references among them follow. Sections get names by which the linker sorts them, and
// padding in steps of 16 bytes. Linking 32 layouts of a small file takes as long as linking one,
// while 32 links would take half a second; no compiler and no linker runs between epochs.
//
// Order and padding follow from the names of functions and the layout's number alone: two versions
// of a file have the functions that they share in the same order.
#ifndef LANG_LAYOUTS_H
#define LANG_LAYOUTS_H

#include "base/index.h"
#include "base/list.h"
#include "relocatable.h"

struct layouts {
    struct layout_file {
        char *name;  // without its folder
        struct relocatable object;
        bool *is_signature;  // of a group of sections, by symbol
    } *files;
    size_t file_count;
    struct index own;     // names that a layout has for itself
    struct index common;  // data that the whole process has once
    struct list shared;   // the names of those
    size_t code_bytes;
    bool constructs;    // something is to run before anything else
    const char *fixed;  // why there is only the layout that the linker gives; NULL: there are more
};
// Only the first `sharing` objects have data that is shared: what is in archives may have been
// compiled in the belief that everything it defines stays its own.
struct bilanx_error layouts_read(const struct list *objects, size_t sharing, struct layouts *out);
void layouts_done(struct layouts *layouts);
SCOPE_VALUE(layouts, layouts_done)

// How many of `wanted` are worth their size.
unsigned layouts_count(const struct layouts *layouts, unsigned wanted);

// Writes a file as it is in a layout. Layout 0 is as the compiler has it, but for constructors:
// only those of the layout that is picked shall run.
struct bilanx_error layouts_write(const struct layouts *layouts, size_t file, unsigned layout,
                                  const char *path);

// A version script: what the object exports, which is our entries and data that is shared.
void layouts_write_exports(const struct layouts *layouts, struct text *out);

#endif
