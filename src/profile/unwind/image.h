// image: an executable file or library, with what is needed to unwind and name its code.
//
// Addresses are those in the file, so one image serves all processes that have it loaded. Reads
// symbols, unwinding rules and debug information with libdw, each when first needed. Separate debug
// files are found by build ID or name, as by gdb; $DEBUGINFOD_URLS is respected.
//
// Threads: one image, one thread.
#ifndef UNWIND_IMAGE_H
#define UNWIND_IMAGE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct demangler;

struct image;
// Opens a file. NULL if it cannot be read or is not ELF. "[vdso]" is the kernel's own library.
struct image *image_open(const char *path, struct demangler *demangler);
void image_free(struct image *image);
const char *image_path(const struct image *image);

// The address of what the file has at this offset. Returns false if it is not loaded.
bool image_address(const struct image *image, uint64_t offset, uint64_t *address);

// The rules for finding the caller of the code at an address; NULL: none. Belongs to the image.
Dwarf_Frame *image_frame(struct image *image, uint64_t address);

// Whether an address is in the function where a process begins, which has no caller.
bool image_is_entry(struct image *image, uint64_t address);

// A name of a place: its function, or a function that was inlined there.
struct image_name {
    char *name;  // demangled, or the address of the function such as "0x1136"
    char *file;  // source file; NULL: unknown
    bool inlined;
};

struct image_place {
    uint64_t function;         // address of the function that contains it; 0: unknown
    bool known;                // there is a symbol or debug information for it
    struct image_name *names;  // outermost first; at least one
    size_t count;
};

// Never NULL. Belongs to the image.
const struct image_place *image_place(struct image *image, uint64_t address);

// Finds a function by the name of its symbol. Returns false if there is none of known size.
bool image_function(struct image *image, const char *name, uint64_t *start, uint64_t *size);

// Visits the lines of source that code between two addresses was compiled from.
struct image_line {
    uint64_t address;
    const char *file;
    int line;
};
void image_lines(struct image *image, uint64_t start, uint64_t end,
                 void (*visit)(void *context, const struct image_line *line), void *context);

#endif
