// sample_memory: samples that a worker takes of itself, in memory that it shares with its
// controller.
#include "sample_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// All pages at once: page faults would be a part of what is measured.
static struct bilanx_error map(int fd, struct sample_memory **out)
{
    void *memory =
        mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (memory == MAP_FAILED)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot map memory for samples: %s",
                                 strerror(errno));
    *out = memory;
    return BILANX_SUCCESS;
}

struct bilanx_error sample_memory_open(const char *path, struct sample_memory **out)
{
    AUTO(fd) int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size != sizeof **out)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' is not memory for samples", path);
    return map(fd, out);
}

void sample_memory_close(struct sample_memory *memory)
{
    if (memory)
        munmap(memory, sizeof *memory);
}

struct bilanx_error sample_mapping_init(struct sample_mapping *mapping)
{
    *mapping = (struct sample_mapping){.fd = memfd_create("bilanx-samples", MFD_CLOEXEC)};
    if (mapping->fd < 0 || ftruncate(mapping->fd, sizeof *mapping->memory) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot create memory for samples: %s",
                                 strerror(errno));
    snprintf(mapping->path, sizeof mapping->path, "/proc/%d/fd/%d", (int)getpid(), mapping->fd);
    return map(mapping->fd, &mapping->memory);
}

void sample_mapping_done(struct sample_mapping *mapping)
{
    sample_memory_close(mapping->memory);
    if (mapping->fd > 0)
        close(mapping->fd);
    *mapping = (struct sample_mapping){0};
}

static size_t rounded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static struct sample_head *head_at(struct sample_memory *memory, uint64_t position)
{
    return (struct sample_head *)(memory->data + position % SAMPLE_MEMORY_BYTES);
}

// A record does not wrap around: if it does not fit in the rest of the memory, the rest is padding.
void *sample_memory_reserve(struct sample_memory *memory, size_t size, enum sample_kind kind)
{
    uint64_t at = atomic_load(&memory->head), rest, needed;
    size = rounded(size);
    do {
        rest = SAMPLE_MEMORY_BYTES - at % SAMPLE_MEMORY_BYTES;
        needed = rest < size ? rest + size : size;
        if (at + needed - atomic_load(&memory->tail) > SAMPLE_MEMORY_BYTES)
            return NULL;
    } while (!atomic_compare_exchange_weak(&memory->head, &at, at + needed));
    if (needed > size) {
        head_at(memory, at)->kind = SAMPLE_PADDING;
        atomic_store(&head_at(memory, at)->size, (uint32_t)rest);
    }
    struct sample_head *record = head_at(memory, at + needed - size);
    record->kind = kind;
    return record;
}

void sample_memory_complete(void *record, size_t size)
{
    struct sample_head *head = record;
    atomic_store(&head->size, (uint32_t)rounded(size));
}

const struct sample_head *sample_mapping_read(struct sample_mapping *mapping, size_t *size)
{
    for (;;) {
        uint64_t rest = SAMPLE_MEMORY_BYTES - mapping->tail % SAMPLE_MEMORY_BYTES;
        struct sample_head *record = head_at(mapping->memory, mapping->tail);
        *size = atomic_load(&record->size);
        if (*size < sizeof *record || *size > rest || *size % 8)
            return NULL;
        if (record->kind != SAMPLE_PADDING)
            return record;
        sample_mapping_free(mapping, *size);
    }
}

void sample_mapping_free(struct sample_mapping *mapping, size_t size)
{
    memset(head_at(mapping->memory, mapping->tail), 0, size);
    mapping->tail += size;
    atomic_store(&mapping->memory->tail, mapping->tail);
}
