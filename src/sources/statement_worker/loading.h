// loading: loads a compiled statement's object into this process.
#ifndef SNIPPETS_LOADING_H
#define SNIPPETS_LOADING_H

#include <stdint.h>

#include "core/worker/pages.h"

// Like dlopen(). Libraries linked to the object take precedence over libc, as in a program. This
// uses deep binding, unless a foreign allocator is in use: libc would then free that allocator's
// memory.
void *loading_open(const char *path);

// Writes the paths of the libraries that are loaded, other than `object`, to a file: a line each,
// dependencies first. Not being able to write it is no error.
void loading_note_libraries(const char *path, const char *object);

// Loads libraries that were noted in such a file, one by one. That takes three quarters of the time
// that loading them all at once takes, because the loader searches for the symbols of each only in
// its own dependencies. Those that cannot be loaded are left to loading_open().
void loading_libraries(const char *path);

// For a preloaded allocator without deep binding: a name that both a library of the object and libc
// define and that was bound to libc. NULL: none.
const char *loading_taken_by_libc(void *handle);

// A function of the object in one of its layouts; NULL: no such function.
void *loading_find(void *handle, const char *name, uint64_t layout);

// Runs the constructors of a layout.
void loading_construct(void *handle, uint64_t layout);

// Moves a layout's code, which contains `entry`, and the object's data to fresh physical pages.
enum pages loading_draw_pages(void *handle, uint64_t layout, const void *entry);

#endif
