// space: which images a process has mapped, and where.
#ifndef UNWIND_SPACE_H
#define UNWIND_SPACE_H

#include <sys/types.h>

#include "image.h"

// The images of all processes, each opened once.
struct images {
    struct demangler *demangler;
    struct images_entry {  // at a fixed address
        char *path;
        struct image *image;  // NULL: cannot be read
    } **items;
    size_t count, room;
};
struct images *images_new(void);
void images_free(struct images *images);
SCOPE_POINTER(images, images_free)

struct mapping {
    uint64_t start, end, offset;
    const struct images_entry *file;  // NULL: code that no file contains
};

struct space {
    struct images *images;
    struct mapping *items;  // sorted, disjoint
    size_t count, room;
};
void space_done(struct space *space);

// Adds a mapping, which replaces what was there. `path` as in /proc/PID/maps.
void space_add(struct space *space, uint64_t start, uint64_t end, uint64_t offset,
               const char *path);

// Adds what a process has mapped now. Nothing if it is gone.
void space_read(struct space *space, pid_t process);

void space_copy(struct space *space, const struct space *from);

const struct mapping *space_find(const struct space *space, uint64_t address);

// The image at an address, and the address in its file; NULL: none.
struct image *space_image(const struct space *space, uint64_t address, uint64_t *in_file);

#endif
