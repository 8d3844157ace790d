// loading: loads a compiled statement's object into this process.
#include "loading.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/sanitized.h"

enum { MOST_BYTES = 256 << 20 };

#if SANITIZED
enum { DEEP = 0 };  // AddressSanitizer rejects deep binding
#elif defined(RTLD_DEEPBIND)
enum { DEEP = RTLD_DEEPBIND };
#else
enum { DEEP = 0 };  // musl
#endif

static const char *provider_of(void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

// Whether two addresses are in the same loaded object. dladdr() would search all of its symbols.
struct pair {
    uintptr_t one, other;
    bool together;
};

static int holds_both(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct pair *pair = context;
    bool one = false, other = false;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        bool loaded = header->p_type == PT_LOAD;
        one |= loaded && pair->one - start < header->p_memsz;
        other |= loaded && pair->other - start < header->p_memsz;
    }
    pair->together |= one && other;
    return one || other;
}

// Whether malloc() comes from a different library than qsort().
static bool allocator_is_another(void)
{
    struct pair pair = {.one = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc"),
                        .other = (uintptr_t)dlsym(RTLD_DEFAULT, "qsort")};
    dl_iterate_phdr(holds_both, &pair);
    return !pair.together;
}

void *loading_open(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | (allocator_is_another() ? 0 : DEEP));
}

static int add_name(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    if (info->dlpi_name[0] == '/')  // neither the program nor what the kernel provides
        list_add(context, info->dlpi_name);
    return 0;
}

void loading_note_libraries(const char *path, const char *object)
{
    AUTO(list) struct list names = {0};
    AUTO(text) struct text lines = {0};
    AUTO(memory) char *aside = mem_format("%s.%ld", path, (long)getpid());
    dl_iterate_phdr(add_name, &names);
    for (size_t i = names.count; i-- > 0;)  // a library is listed before what it needs
        if (strcmp(names.items[i], object) != 0)
            text_format(&lines, "%s\n", names.items[i]);
    struct bilanx_error error = file_write(aside, text_get(&lines), lines.size);
    if (error.status != BILANX_OK || rename(aside, path) != 0)
        unlink(aside);
}

void loading_libraries(const char *path)
{
    AUTO(list) struct list names = {0};
    AUTO(text) struct text lines = {0};
    if (file_read(path, &lines).status == BILANX_OK)
        list_split_lines(&names, text_get(&lines));
    for (size_t i = 0; i < names.count; i++)
        loading_open(names.items[i]);
}

// The undefined symbols of an object come first in its table.
struct needed {
    const ElfW(Sym) * symbols;
    const char *names;
    size_t end;
};

static struct needed needed_by(void *handle)
{
    struct needed needed = {0};
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return needed;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            needed.symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB)
            needed.names = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_GNU_HASH)
            needed.end = ((const uint32_t *)entry->d_un.d_ptr)[1];
    }
    return needed;
}

const char *loading_taken_by_libc(void *handle)
{
    if (!allocator_is_another())
        return NULL;
    const char *libc = provider_of(dlsym(RTLD_DEFAULT, "qsort"));
    struct needed needed = needed_by(handle);
    for (size_t i = 1; needed.symbols && needed.names && libc && i < needed.end; i++) {
        const char *name = needed.names + needed.symbols[i].st_name;
        void *bound = dlsym(RTLD_DEFAULT, name), *wanted = dlsym(handle, name);
        const char *provider = provider_of(bound);
        if (bound && wanted && bound != wanted && provider && strcmp(provider, libc) == 0)
            return name;
    }
    return NULL;
}

void *loading_find(void *handle, const char *name, uint64_t layout)
{
    char symbol[96];
    if (layout)
        snprintf(symbol, sizeof symbol, "%s.%llu", name, (unsigned long long)layout);
    return dlsym(handle, layout ? symbol : name);
}

typedef void constructor(int argc, char **argv, char **environment);

void loading_construct(void *handle, uint64_t layout)
{
    constructor *const *const *bounds = loading_find(handle, "bilanx_constructors", layout);
    for (constructor *const *at = bounds ? bounds[0] : NULL; bounds && at != bounds[1]; at++)
        (*at)(0, (char *[]){NULL}, environ);
}

enum pages loading_draw_pages(void *handle, uint64_t layout, const void *entry)
{
    const char *first = loading_find(handle, "bilanx_first", layout);
    const char *last = loading_find(handle, "bilanx_last", layout);
    if (!first || !last)
        return PAGES_STAY;
    struct pages_part part = {.address = first, .most_bytes = MOST_BYTES};
    // In layout 0, or with a linker that does not sort, the code can be anywhere.
    bool around = first < (const char *)entry && (const char *)entry < last;
    if (layout && around) {
        part.code = first;
        part.code_bytes = (size_t)(last - first) + 1;
    }
    return pages_draw_object(&part);
}
