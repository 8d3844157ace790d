// shared_data: the tensors of a call in a file that several processes map.
//
// The file ends with a mark, which is written last: a process that dies while making the tensors
// leaves no mark.
#include "shared_data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "call_tensors.h"
#include "inputs/tensors/dtype.h"

static const uint64_t MARK = 1;
enum { PAGE_BYTES = 4096 };

static size_t pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static bool add_size(struct bilanx_value *value, const struct value_place *place, void *context)
{
    (void)place;
    size_t *sum = context;
    if (value->kind == BILANX_TENSOR && !value->sparse)
        *sum += pages(tensor_span(value->tensor) * (value->tensor->dtype.bits / 8u));
    return true;
}

struct bilanx_error shared_data_open(const char *path, const struct bilanx_call *call,
                                     struct shared_data *out)
{
    size_t size = PAGE_BYTES;  // of the mark
    call_each_value(call, add_size, &size);
    AUTO(fd) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    // Pages for which the file system has no room would cause a SIGBUS later.
    int failed = posix_fallocate(fd, 0, (off_t)size);
    if (failed)
        return bilanx_error_make(BILANX_E_SYSTEM, "no room for tensors of %.6g MB in '%s': %s",
                                 (double)size / 1e6, path, strerror(failed));
    char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (start == MAP_FAILED)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot map '%s': %s", path, strerror(errno));
    uint64_t mark;
    memcpy(&mark, start + size - PAGE_BYTES, sizeof mark);
    *out = (struct shared_data){.start = start, .size = size, .is_made = mark == MARK};
    return BILANX_SUCCESS;
}

void shared_data_done(struct shared_data *shared)
{
    if (shared->start)
        munmap(shared->start, shared->size);
    *shared = (struct shared_data){0};
}

void *shared_data_place(struct shared_data *shared, size_t bytes)
{
    void *place = shared->start + shared->used;
    shared->used += pages(bytes);
    return place;
}

void shared_data_finish(struct shared_data *shared)
{
    memcpy(shared->start + shared->size - PAGE_BYTES, &MARK, sizeof MARK);
}
