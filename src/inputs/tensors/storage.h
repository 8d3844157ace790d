// storage: memory for a tensor's elements.
#ifndef TENSORS_STORAGE_H
#define TENSORS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"

enum {
    STORAGE_ALIGNMENT = 256,  // as DLPack asks for
    STORAGE_SMALL_PAGE = 4096,
    STORAGE_HUGE_PAGE = 2 << 20,
};

enum storage_pages {  // of large memory
    STORAGE_HUGE,     // huge pages if the system has them
    STORAGE_SMALL,    // for memory of which only a little will be used
    STORAGE_USUAL,    // the system's default: the pages that malloc() gets
};

struct storage {
    void *memory;  // NULL: none
    size_t bytes;
    bool is_mapped;  // and zero
    enum storage_pages pages;
};

// Memory with undefined contents. A request that exceeds the available memory is an error, even if
// the system would grant it.
struct bilanx_error storage_make(uint64_t bytes, enum storage_pages pages, struct storage *out);

// Populates the pages of a part that will be written to, which is faster than a page fault for
// each. Does nothing if it would not be faster.
void storage_provide(const struct storage *storage, const void *start, size_t bytes);

void storage_done(struct storage *storage);
SCOPE_VALUE(storage, storage_done)

#endif
