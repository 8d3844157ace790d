// symbols: the functions of an image by address, and their names as a person writes them.
#include "symbols.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

// Prefers names that programs use: functions to labels, global to local, malloc to __libc_malloc.
static unsigned rank_of(const GElf_Sym *symbol, const char *name)
{
    unsigned rank = 0;
    if (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE)
        rank += 8;
    if (symbol->st_size)
        rank += 4;
    if (GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
        rank += 2;
    if (name[0] != '_' || text_starts(name, "_Z"))
        rank += 1;
    return rank;
}

static bool is_code(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if (!name || !*name || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    // Labels in assembly have no type. "$x" and ".L1" mark places for tools.
    return type == STT_NOTYPE && name[0] != '$' && name[0] != '.';
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank > right->rank ? -1 : 1;
    return strcmp(left->name, right->name);
}

static bool is_executable(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;
    Elf_Scn *found = elf && section < SHN_LORESERVE ? elf_getscn(elf, section) : NULL;
    return !found || !gelf_getshdr(found, &header) || header.sh_flags & SHF_EXECINSTR;
}

static void add(struct symbols *symbols, struct symbol symbol)
{
    mem_grow(symbols->items, symbols->count, &symbols->room);
    symbols->items[symbols->count++] = symbol;
}

// The jumps to functions of other files have no names of their own.
static void add_jumps(struct symbols *symbols, Dwfl_Module *module)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && text_starts(name, ".plt") && header.sh_flags & SHF_EXECINSTR)
            add(symbols, (struct symbol){header.sh_addr, header.sh_size, "[plt]", 0});
    }
}

struct symbols *symbols_read(Dwfl_Module *module)
{
    struct symbols *symbols = mem_new(struct symbols);
    add_jumps(symbols, module);
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf = NULL;
        const char *name =
            dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, NULL);
        if (!is_code(&symbol, name) || !is_executable(elf, section))
            continue;
        add(symbols, (struct symbol){address, symbol.st_size, name, rank_of(&symbol, name)});
    }
    if (symbols->count)
        qsort(symbols->items, symbols->count, sizeof *symbols->items, by_address);
    size_t kept = 0;
    for (size_t i = 0; i < symbols->count; i++)
        if (kept == 0 || symbols->items[kept - 1].start != symbols->items[i].start)
            symbols->items[kept++] = symbols->items[i];
    symbols->count = kept;
    return symbols;
}

void symbols_free(struct symbols *symbols)
{
    if (!symbols)
        return;
    free(symbols->items);
    free(symbols);
}

// The last symbol that begins at or before the address; `count`: none.
static size_t last_before(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : symbols->count;
}

// A label inside a function hides the function, so a few symbols before the last one are tried too.
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    enum { NEARBY = 8 };
    size_t last = last_before(symbols, address);
    if (last == symbols->count)
        return NULL;
    for (size_t i = last + 1, tries = 0; i-- > 0 && tries < NEARBY; tries++) {
        const struct symbol *symbol = &symbols->items[i];
        if (symbol->size && address - symbol->start < symbol->size)
            return symbol;
    }
    const struct symbol *nearest = &symbols->items[last];
    return nearest->size == 0 ? nearest : NULL;
}

struct demangler {
    void *library;
    char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
};

struct demangler *demangler_new(void)
{
    struct demangler *demangler = mem_new(struct demangler);
    demangler->library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (demangler->library)
        *(void **)&demangler->demangle = dlsym(demangler->library, "__cxa_demangle");
    return demangler;
}

void demangler_free(struct demangler *demangler)
{
    if (demangler && demangler->library)
        dlclose(demangler->library);
    free(demangler);
}

// A name may have a version: "__libc_start_main@@GLIBC_2.34".
char *demangle(struct demangler *demangler, const char *versioned)
{
    int status = -1;
    size_t size = strcspn(versioned, "@");
    AUTO(memory) char *name = mem_text_n(versioned, size ? size : strlen(versioned));
    char *shown = demangler && demangler->demangle && text_starts(name, "_Z")
                      ? demangler->demangle(name, NULL, NULL, &status)
                      : NULL;
    if (shown && status == 0)
        return shown;
    free(shown);
    return TAKE(name);
}
