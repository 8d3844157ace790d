// pages: fresh physical pages under code and constants that are mapped already.
//
// A file's pages lie in physical memory where the page cache put them, once, for every process that
// maps it; caches are indexed by physical addresses. So two byte-identical files can differ by 4 %
// in every run, and a process that starts anew draws nothing of that again.
//
// A page of a private mapping that is written to becomes the process's own, wherever there is room.
// Writing every page's own contents to it through /proc/self/mem does that without asking for
// permission to write: addresses, contents, protection and the name of the mapping stay, so that
// debuggers and profilers still find its symbols, and code may do it to itself.
#ifndef WORKER_PAGES_H
#define WORKER_PAGES_H

#include <stdbool.h>
#include <stddef.h>

// What became of the pages under some code. They stay where nobody wants others: under valgrind,
// which runs a translation of the code, and where BILANX_PAGES=keep asks for it.
enum pages { PAGES_STAY, PAGES_FRESH, PAGES_REFUSED };
enum pages pages_worst(enum pages a, enum pages b);

// Gives [start, start + size), widened to whole pages, fresh ones. False: some stay where they are,
// as the kernel refuses, or there is no memory.
bool pages_draw(const void *start, size_t size);

// The same for what is loaded of the object that `address` lies in. Of segments of code only
// [code, code + code_bytes), if code_bytes is not 0. What exceeds `most_bytes` is left as it is.
struct pages_part {
    const void *address;
    const void *code;
    size_t code_bytes, most_bytes;
};
enum pages pages_draw_object(const struct pages_part *part);

// The same for the pages of files, a path a line, that this process has touched so far. Refused
// also where they are more than it takes a few hundredths of a second to copy.
enum pages pages_draw_files(const char *paths);

#endif
