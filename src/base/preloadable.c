// preloadable: whether a program can be started with one more library, by LD_PRELOAD.
#include "preloadable.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 32, MOST_ENTRIES = 512, LONGEST_PATH = 256 };

// The parts of a program that are read.
struct program {
    int fd;
    ElfW(Phdr) segments[MOST_SEGMENTS];
    size_t count;
};

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
    return pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

static bool read_text(int fd, char out[LONGEST_PATH], uint64_t offset)
{
    ssize_t got = pread(fd, out, LONGEST_PATH - 1, (off_t)offset);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static const ElfW(Phdr) * find(const ElfW(Phdr) * segments, size_t count, uint32_t type)
{
    for (size_t i = 0; i < count; i++)
        if (segments[i].p_type == type)
            return &segments[i];
    return NULL;
}

// The dynamic loader of this process; NULL: it is static.
static const char *own_loader(void)
{
    const ElfW(Phdr) *segments = (const void *)(uintptr_t)getauxval(AT_PHDR);
    size_t count = (size_t)getauxval(AT_PHNUM);
    const ElfW(Phdr) *self = segments ? find(segments, count, PT_PHDR) : NULL;
    const ElfW(Phdr) *loader = segments ? find(segments, count, PT_INTERP) : NULL;
    if (!self || !loader)
        return NULL;
    return (const char *)((uintptr_t)segments - self->p_vaddr + loader->p_vaddr);
}

static bool read_program(struct program *program)
{
    ElfW(Ehdr) header;
    if (!read_at(program->fd, &header, sizeof header, 0) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header.e_phentsize != sizeof *program->segments || header.e_phnum > MOST_SEGMENTS)
        return false;
    program->count = header.e_phnum;
    return read_at(program->fd, program->segments, program->count * sizeof *program->segments,
                   header.e_phoff);
}

static bool has_loader(const struct program *program, const char *loader)
{
    char path[LONGEST_PATH];
    const ElfW(Phdr) *segment = find(program->segments, program->count, PT_INTERP);
    return segment && read_text(program->fd, path, segment->p_offset) && strcmp(path, loader) == 0;
}

static bool is_sanitizer(const char *library)
{
    static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so",
                                        "libclang_rt."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(library, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static uint64_t offset_of(const struct program *program, uint64_t address)
{
    for (size_t i = 0; i < program->count; i++) {
        const ElfW(Phdr) *segment = &program->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

static bool needs_sanitizer(const struct program *program)
{
    ElfW(Dyn) entries[MOST_ENTRIES];
    char name[LONGEST_PATH];
    const ElfW(Phdr) *segment = find(program->segments, program->count, PT_DYNAMIC);
    size_t count = segment ? segment->p_filesz / sizeof *entries : 0;
    uint64_t strings = 0;
    count = count < MOST_ENTRIES ? count : MOST_ENTRIES;
    if (!count || !read_at(program->fd, entries, count * sizeof *entries, segment->p_offset))
        return false;
    for (size_t i = 0; i < count; i++)
        if (entries[i].d_tag == DT_STRTAB)
            strings = offset_of(program, entries[i].d_un.d_ptr);
    for (size_t i = 0; strings && i < count; i++)
        if (entries[i].d_tag == DT_NEEDED &&
            read_text(program->fd, name, strings + entries[i].d_un.d_val) && is_sanitizer(name))
            return true;
    return false;
}

// The interpreter that a script names in its first line.
static bool read_interpreter(int fd, char out[LONGEST_PATH])
{
    char line[LONGEST_PATH];
    if (!read_text(fd, line, 0) || strncmp(line, "#!", 2) != 0)
        return false;
    const char *start = line + 2 + strspn(line + 2, " \t");
    snprintf(out, LONGEST_PATH, "%.*s", (int)strcspn(start, " \t\r\n"), start);
    return true;
}

bool preloadable(const char *path)
{
    enum { MOST_SCRIPTS = 4 };  // one may be the interpreter of the next
    const char *loader = own_loader();
    char interpreter[LONGEST_PATH];
    for (size_t i = 0; loader && i < MOST_SCRIPTS; i++) {
        struct program program = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
        if (program.fd < 0)
            return false;
        bool can =
            read_program(&program) && has_loader(&program, loader) && !needs_sanitizer(&program);
        bool script = !can && read_interpreter(program.fd, interpreter);
        close(program.fd);
        if (!script)
            return can;
        path = interpreter;
    }
    return false;
}
