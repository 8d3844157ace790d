// storage: memory for a tensor's elements.
#ifndef TENSORS_STORAGE_H
#define TENSORS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"

enum { STORAGE_ALIGNMENT = 256 };  // as DLPack asks for

struct storage {
    void *memory;  // NULL: none
    size_t bytes;
    bool is_mapped;
};

// Memory whose contents are undefined. Large ones are made of huge pages where the system has them.
// What exceeds the memory that is available is an error, even if the system would promise it.
struct bilanx_error storage_make(uint64_t bytes, struct storage *out);
void storage_done(struct storage *storage);
SCOPE_VALUE(storage, storage_done)

#endif
