// pages: moves code and constants to fresh physical pages.
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/scope.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

static bool are_wanted(void)
{
    const char *asked = getenv("BILANX_PAGES");
    return !(asked && strcmp(asked, "keep") == 0) && !RUNNING_ON_VALGRIND;
}

// Under an emulator, the addresses in /proc/self/mem are the emulator's, not ours. AddressSanitizer
// is off here because pages hold more than variables.
__attribute__((no_sanitize("address"))) static bool is_our_memory(int memory, uintptr_t at)
{
    char seen[64];
    bool same = pread(memory, seen, sizeof seen, (off_t)at) == (ssize_t)sizeof seen;
    for (size_t i = 0; same && i < sizeof seen; i++)
        same = seen[i] == ((const volatile char *)at)[i];
    return same;
}

static ssize_t write_onto_itself(int memory, uintptr_t at, size_t size)
{
    return syscall(SYS_pwrite64, memory, (const void *)at, size, (off_t)at);
}

// Rounding outward stays within the object's mappings.
bool pages_draw(const void *start, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)start & ~(page - 1),
              end = ((uintptr_t)start + size + page - 1) & ~(page - 1);
    AUTO(fd) int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (memory < 0 || !is_our_memory(memory, at))
        return false;
    while (at < end) {
        ssize_t written = write_onto_itself(memory, at, end - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += (uintptr_t)written;
    }
    __builtin___clear_cache((char *)start, (char *)start + size);  // some architectures need this
    return true;
}

struct search {
    const struct pages_part *part;
    bool drawn;
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

// Returns how much of a segment is constants. They end where the unwind tables start. If an object
// has unwind tables, a segment without them holds only names and relocations, which are no longer
// used.
static size_t constant_bytes(const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_GNU_EH_FRAME)
            continue;
        size_t before = header->p_vaddr - segment->p_vaddr;
        return before < segment->p_filesz ? before : 0;
    }
    return segment->p_filesz;
}

static int draw_if_it_is(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *search = context;
    const struct pages_part *part = search->part;
    if (!holds(info, part->address))
        return 0;
    search->drawn = true;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const void *start = (const void *)(info->dlpi_addr + header->p_vaddr);
        bool constant = !(header->p_flags & (PF_X | PF_W));
        size_t bytes = constant ? constant_bytes(info, header) : header->p_filesz;
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

enum pages pages_draw_object(const struct pages_part *part)
{
    struct search search = {.part = part};
    if (!are_wanted())
        return PAGES_STAY;
    dl_iterate_phdr(draw_if_it_is, &search);
    return search.drawn ? PAGES_FRESH : PAGES_REFUSED;
}

enum pages pages_worst(enum pages a, enum pages b)
{
    return a > b ? a : b;
}

// A file mapping: "7f12a000-7f12b000 r-xp 00001000 08:01 123456  /usr/lib/libm.so.6".
struct mapping {
    uintptr_t start, end;
    const char *path;
};

static bool read_mapping(char *line, struct mapping *out)
{
    int path = 0;
    char flags[5] = "";
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %n", &out->start, &out->end, flags,
               &path) < 3 ||
        path == 0 || line[path] != '/' || flags[0] != 'r' || flags[3] != 'p')
        return false;
    out->path = line + path;
    return true;
}

// Returns whether one of the lines equals the text.
static bool has_line(const char *lines, const char *text)
{
    size_t size = strlen(text);
    for (const char *at = lines; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, text, size) == 0 && (at[size] == '\n' || at[size] == '\0'))
            return true;
    }
    return false;
}

// Moves runs of pages that are present and still the file's. `room` is what may still be copied.
static bool draw_present(const struct mapping *mapping, int pagemap, size_t *room)
{
    enum { AT_ONCE = 512 };
    static const uint64_t PRESENT_OF_FILE = (uint64_t)1 << 63 | (uint64_t)1 << 61;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t at = mapping->start; at < mapping->end; at += AT_ONCE * page) {
        uint64_t entries[AT_ONCE];
        size_t count = (mapping->end - at) / page < AT_ONCE ? (mapping->end - at) / page : AT_ONCE;
        ssize_t got =
            pread(pagemap, entries, count * sizeof *entries, (off_t)(at / page * sizeof *entries));
        if (got != (ssize_t)(count * sizeof *entries))
            return false;
        for (size_t first = 0, end; first < count; first = end + 1) {
            for (end = first; end < count && (entries[end] & PRESENT_OF_FILE) == PRESENT_OF_FILE;)
                end++;
            size_t bytes = (end - first) * page;
            if (bytes > *room || (bytes && !pages_draw((const void *)(at + first * page), bytes)))
                return false;
            *room -= bytes;
        }
    }
    return true;
}

enum pages pages_draw_files(const char *paths)
{
    enum { LONGEST = 4500 };
    size_t room = (size_t)64 << 20;
    bool drawn = true;
    char line[LONGEST];
    AUTO(fd) int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    AUTO(file) FILE *maps = fopen("/proc/self/maps", "re");
    if (!are_wanted())
        return PAGES_STAY;
    if (pagemap < 0 || !maps)
        return PAGES_REFUSED;
    while (drawn && fgets(line, sizeof line, maps)) {
        struct mapping mapping;
        if (read_mapping(line, &mapping) && has_line(paths, mapping.path))
            drawn = draw_present(&mapping, pagemap, &room);
    }
    return drawn ? PAGES_FRESH : PAGES_REFUSED;
}
