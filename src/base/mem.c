// mem: allocation that cannot fail.
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_abort(void *memory)
{
    if (!memory) {
        static const char message[] = "bilanx: out of memory\n";
        fwrite(message, 1, sizeof message - 1, stderr);
        abort();
    }
    return memory;
}

void *mem_zeroed(size_t count, size_t size)
{
    return or_abort(calloc(count ? count : 1, size));
}

void *mem_resized(void *memory, size_t size)
{
    return or_abort(realloc(memory, size ? size : 1));
}

void *mem_grown(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t more = *room ? *room * 2 : 8;
    if (more > SIZE_MAX / size)
        or_abort(NULL);
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
    return or_abort(length < 0 ? NULL : text);
}
