// scope: releases what a function owns when it returns, on every path.
//
//     AUTO(fd) int fd = open(path, O_RDONLY);
//     AUTO(text) struct text line = {0};
//     *out = TAKE(snippet);                  // the caller owns it now
//
// To support AUTO for a type, add one line next to its free function: SCOPE_POINTER(record,
// record_free).
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(kind) __attribute__((cleanup(scope_##kind)))

#define TAKE(pointer)                           \
    __extension__({                             \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

// For a heap object `struct kind *`, freed by free_function(pointer).
#define SCOPE_POINTER(kind, free_function)                \
    static inline void scope_##kind(struct kind **object) \
    {                                                     \
        free_function(*object);                           \
    }

// For a `struct kind` in the caller's memory, released by done_function(&object).
#define SCOPE_VALUE(kind, done_function)                 \
    static inline void scope_##kind(struct kind *object) \
    {                                                    \
        done_function(object);                           \
    }

static inline void scope_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void scope_file(FILE **file)
{
    if (*file)
        fclose(*file);
}

static inline void scope_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static inline void scope_memory(void *pointer)
{
    free(*(void **)pointer);
}

#endif
