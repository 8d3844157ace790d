// storage: memory from the C library, or mapped in huge pages.
#include "storage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"

#define HUGE_PAGE ((size_t)STORAGE_HUGE_PAGE)
#ifndef MADV_POPULATE_WRITE  // Linux 5.14; others refuse it, which is harmless
#define MADV_POPULATE_WRITE 23
#endif
static const uint64_t LARGEST = (uint64_t)1 << 46;    // bytes; more than any process can have
static const uint64_t SUSPECT = (uint64_t)256 << 20;  // bytes; before it, checking costs more

static struct bilanx_error out_of_memory(uint64_t bytes, const char *cause)
{
    return bilanx_error_make(BILANX_E_MEMORY, "cannot allocate %.6g MB for a tensor: %s",
                             (double)bytes / 1e6, cause);
}

// The kernel grants more memory than there is, and then kills the process that uses it.
static struct bilanx_error check_available(uint64_t bytes)
{
    static const char key[] = "MemAvailable:";
    AUTO(text) struct text facts = {0};
    if (bytes < SUSPECT || file_read("/proc/meminfo", &facts).status != BILANX_OK)
        return BILANX_SUCCESS;
    const char *found = strstr(text_get(&facts), key);
    uint64_t available = found ? strtoull(found + strlen(key), NULL, 10) * 1024 : UINT64_MAX;
    if (bytes > available) {
        char cause[64];
        snprintf(cause, sizeof cause, "%.6g MB are available", (double)available / 1e6);
        return out_of_memory(bytes, cause);
    }
    return BILANX_SUCCESS;
}

// Starts at a multiple of a huge page: maps one page more, and unmaps the rest before and after.
static struct bilanx_error map(size_t bytes, enum storage_pages pages, struct storage *out)
{
    size_t wanted = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    size_t mapped = wanted + HUGE_PAGE;
    char *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return out_of_memory(bytes, strerror(errno));
    size_t before = -(uintptr_t)start % HUGE_PAGE, after = HUGE_PAGE - before;
    if (before)
        munmap(start, before);
    if (after)
        munmap(start + before + wanted, after);
    // Only a hint; other pages work as well.
    if (pages != STORAGE_USUAL)
        madvise(start + before, wanted, pages == STORAGE_SMALL ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    *out = (struct storage){start + before, wanted, true, pages};
    return BILANX_SUCCESS;
}

struct bilanx_error storage_make(uint64_t bytes, enum storage_pages pages, struct storage *out)
{
    if (bytes > LARGEST)
        return out_of_memory(bytes, "no process can have that much");
    BILANX_TRY(check_available(bytes));
    if (bytes >= HUGE_PAGE)
        return map((size_t)bytes, pages, out);
    size_t rounded = ((size_t)bytes / STORAGE_ALIGNMENT + 1) * STORAGE_ALIGNMENT;
    void *memory = aligned_alloc(STORAGE_ALIGNMENT, rounded);
    if (!memory)
        return out_of_memory(bytes, strerror(ENOMEM));
    *out = (struct storage){memory, rounded, false, pages};
    return BILANX_SUCCESS;
}

void storage_provide(const struct storage *storage, const void *start, size_t bytes)
{
    uintptr_t page = STORAGE_SMALL_PAGE, first = (uintptr_t)start / page * page;
    uintptr_t end = ((uintptr_t)start + bytes + page - 1) / page * page;
    if (storage->is_mapped && storage->pages != STORAGE_HUGE && end - first > page)
        madvise((void *)first, end - first, MADV_POPULATE_WRITE);
}

void storage_done(struct storage *storage)
{
    if (storage->is_mapped)
        munmap(storage->memory, storage->bytes);
    else
        free(storage->memory);
    *storage = (struct storage){0};
}
