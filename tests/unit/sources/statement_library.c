// statement_library: a library with a function that libc has as well, for statement_object.c.
#include <search.h>

__attribute__((visibility("default"))) void *lfind(const void *key, const void *base, size_t *count,
                                                   size_t size, comparison_fn_t compare)
{
    (void)key, (void)count, (void)size, (void)compare;
    return (void *)base;
}
