// mem: allocation that cannot fail.
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int exit_status;  // 0: abort

void mem_exit_if_out(int status)
{
    exit_status = status;
}

static void *or_end(void *memory, double bytes)
{
    if (memory)
        return memory;
    char message[120];
    int size = snprintf(message, sizeof message,
                        "bilanx: out of memory: there is no room for %.0f more bytes\n", bytes);
    ssize_t ignored = write(STDERR_FILENO, message, size > 0 ? (size_t)size : 0);
    (void)ignored;
    if (exit_status)
        _exit(exit_status);
    abort();
}

void *mem_zeroed(size_t count, size_t size)
{
    return or_end(calloc(count ? count : 1, size), (double)count * (double)size);
}

void *mem_resized(void *memory, size_t size)
{
    return or_end(realloc(memory, size ? size : 1), (double)size);
}

void *mem_grown(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t more = *room ? *room * 2 : 8;
    if (more > SIZE_MAX / size)
        or_end(NULL, (double)more * (double)size);
    *room = more;
    return mem_resized(array, more * size);
}

char *mem_text_n(const char *text, size_t size)
{
    char *copy = mem_zeroed(size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

char *mem_text(const char *text)
{
    return text ? mem_text_n(text, strlen(text)) : NULL;
}

char *mem_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return or_end(length < 0 ? NULL : text, 1);
}
