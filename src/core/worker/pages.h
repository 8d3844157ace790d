// pages: moves code and constants that are already mapped to fresh physical pages.
//
// The page cache places a file's pages in physical memory once, for all processes that map it, and
// CPU caches are indexed by physical addresses. So two byte-identical files can differ by 4 % in
// every run, and starting a new process does not change that.
//
// Writing to a page of a private mapping gives the process its own copy, at a new physical address.
// We write each page's contents to itself through /proc/self/mem, which works without write
// permission. Addresses, contents, protection and the mapping's name stay the same, so debuggers
// and profilers still find symbols, and code can do this to itself.
#ifndef WORKER_PAGES_H
#define WORKER_PAGES_H

#include <stdbool.h>
#include <stddef.h>

// What happened to the pages under some code. They stay if moving them is not wanted: under
// valgrind, which runs a translation of the code, and with BILANX_PAGES=keep.
enum pages { PAGES_STAY, PAGES_FRESH, PAGES_REFUSED };
enum pages pages_worst(enum pages a, enum pages b);

// Moves [start, start + size), rounded outward to whole pages. Returns false if some pages were not
// moved because the kernel refused or there was no memory.
bool pages_draw(const void *start, size_t size);

// Moves the loaded segments of the object that contains `address`. In code segments, moves only
// [code, code + code_bytes), unless code_bytes is 0. Leaves alone whatever exceeds `most_bytes`.
struct pages_part {
    const void *address;
    const void *code;
    size_t code_bytes, most_bytes;
};
enum pages pages_draw_object(const struct pages_part *part);

// Moves the pages of the given files, one path per line, that this process has touched so far. Also
// refuses if copying them would take more than a few hundredths of a second.
enum pages pages_draw_files(const char *paths);

#endif
