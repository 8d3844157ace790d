// peek: reads memory of this process that may not be there.
#include "peek.h"

#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_PIECES = 66 };  // 256 kB, and a piece at either end

// The kernel stops between two pieces, so each piece must lie in one page.
size_t peek(void *to, const void *from, size_t size)
{
    struct iovec pieces[MOST_PIECES];
    size_t count = 0, added = 0;
    while (added < size && count < MOST_PIECES) {
        const char *at = (const char *)from + added;
        size_t rest = PAGE - (uintptr_t)at % PAGE;
        rest = rest < size - added ? rest : size - added;
        pieces[count++] = (struct iovec){(void *)at, rest};
        added += rest;
    }
    struct iovec whole = {to, added};
    ssize_t got = process_vm_readv(getpid(), &whole, 1, pieces, count, 0);
    return got > 0 ? (size_t)got : 0;
}

bool peek_works(void)
{
    static const char original[] = "peek";
    char copy[sizeof original];
    return peek(copy, original, sizeof copy) == sizeof copy;
}
