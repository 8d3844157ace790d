// pages: fresh physical pages under code and constants.
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include "base/scope.h"

bool pages_wanted(void)
{
    const char *asked = getenv("BILANX_PAGES");
    return !(asked && strcmp(asked, "keep") == 0) && !RUNNING_ON_VALGRIND;
}

// A page more than an object's own may be another's; rounding outwards stays within its mappings.
bool pages_draw(const void *start, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)start & ~(page - 1),
              end = ((uintptr_t)start + size + page - 1) & ~(page - 1);
    AUTO(fd) int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (memory < 0)
        return false;
    while (at < end) {
        ssize_t written = pwrite(memory, (const void *)at, end - at, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += (uintptr_t)written;
    }
    __builtin___clear_cache((char *)start, (char *)start + size);  // for who has to be told
    return true;
}

struct search {
    const struct pages_part *part;
    bool found, drawn;
};

static bool holds(const struct dl_phdr_info *info, const void *address)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && (uintptr_t)address - start < header->p_memsz)
            return true;
    }
    return false;
}

static int draw_if_it_is(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    const struct pages_part *part = search->part;
    if (!holds(info, part->address))
        return 0;
    search->found = search->drawn = true;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const void *start = (const void *)(info->dlpi_addr + header->p_vaddr);
        size_t bytes = header->p_filesz;
        if (header->p_type != PT_LOAD || bytes == 0)
            continue;
        if ((header->p_flags & PF_X) && part->code_bytes) {
            start = part->code;
            bytes = part->code_bytes;
        }
        search->drawn &= bytes <= part->most_bytes && pages_draw(start, bytes);
    }
    return 1;
}

bool pages_draw_object(const struct pages_part *part)
{
    struct search search = {.part = part};
    dl_iterate_phdr(draw_if_it_is, &search);
    return search.found && search.drawn;
}
