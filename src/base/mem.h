// mem: allocation that cannot fail. Out of memory ends the process, here and nowhere else.
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

#define mem_new(type) ((type *)mem_zeroed(1, sizeof(type)))
#define mem_array(type, count) ((type *)mem_zeroed((count), sizeof(type)))

// Makes room for at least `count` + 1 elements in a heap array that has room for `*room`.
#define mem_grow(array, count, room) \
    ((array) = (__typeof__(array))mem_grown((array), (count), (room), sizeof *(array)))

// For our own programs: exit with this status at once, instead of aborting. Complete results have
// been written by then.
void mem_exit_if_out(int status);

void *mem_zeroed(size_t count, size_t size);
void *mem_grown(void *array, size_t count, size_t *room, size_t size);
void *mem_resized(void *memory, size_t size);
char *mem_text(const char *text);  // a copy; NULL stays NULL
char *mem_text_n(const char *text, size_t size);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
