// loading: a compiled statement's object in this process.
#ifndef SNIPPETS_LOADING_H
#define SNIPPETS_LOADING_H

#include <stdint.h>

#include "core/worker/pages.h"

// As dlopen(). A library that the object was linked with comes before libc, as in a program: by
// deep binding, unless the allocator is not libc's, whose memory libc itself would then free.
void *loading_open(const char *path);

// Where an allocator is preloaded and nothing is bound deeply: a name that a library of the object
// and libc both have, and that libc's was taken for. NULL: there is none.
const char *loading_taken_by_libc(void *handle);

// A function of the object in one of its layouts; NULL: it has none of that name.
void *loading_find(void *handle, const char *name, uint64_t layout);

// Runs the constructors of a layout.
void loading_construct(void *handle, uint64_t layout);

// Gives a layout's code, of which `entry` is a part, and the object's data fresh physical pages.
enum pages loading_draw_pages(void *handle, uint64_t layout, const void *entry);

#endif
