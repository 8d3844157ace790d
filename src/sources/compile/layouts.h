// layouts: one object that contains compiled code several times, each time in a different layout.
//
// The speed of code can depend on where it lies in memory: the same function in a different order,
// or 16 bytes further on, can take half as long again. So the object that measures a statement
// contains its functions, and those of the user's sources and archives, once per layout. Each epoch
// picks one layout.
//
// Each layout has its own copy of the compiled files. The names they define get the layout's number
// as a suffix, and references among them follow. Sections get names by which the linker sorts them,
// and padding in steps of 16 bytes. Linking 32 layouts of a small file takes as long as linking
// one; 32 separate links would take half a second. No compiler or linker runs between epochs.
//
// Order and padding depend only on function names and the layout's number, so two versions of a
// file have their common functions in the same order.
#ifndef LANG_LAYOUTS_H
#define LANG_LAYOUTS_H

#include "base/index.h"
#include "base/list.h"
#include "relocatable.h"

struct layouts {
    struct layout_file {
        char *name;  // without folder
        struct relocatable object;
        bool *is_signature;  // by symbol: signature of a section group
    } *files;
    size_t file_count;
    struct index own;     // names that each layout defines separately
    struct index common;  // data that exists once per process
    struct list shared;   // names of the common data
    size_t code_bytes;
    bool constructs;    // there are constructors to run
    const char *fixed;  // why there is only the linker's layout; NULL: there are more
};
// Only the first `sharing` objects have shared data: code in archives may have been compiled on the
// assumption that nothing it defines is shared.
struct bilanx_error layouts_read(const struct list *objects, size_t sharing, struct layouts *out);
void layouts_done(struct layouts *layouts);
SCOPE_VALUE(layouts, layouts_done)

// How many of the `wanted` layouts are worth their size.
unsigned layouts_count(const struct layouts *layouts, unsigned wanted);

// Writes a file for one layout. Layout 0 is as compiled, except for constructors: only those of the
// selected layout may run.
struct bilanx_error layouts_write(const struct layouts *layouts, size_t file, unsigned layout,
                                  const char *path);

// Writes a version script that exports our entry points and the shared data.
void layouts_write_exports(const struct layouts *layouts, struct text *out);

#endif
