// relocatable: reads and rewrites a compiled object file.
#include "relocatable.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OUR_ORDER = ELFDATA2LSB };
#else
enum { OUR_ORDER = ELFDATA2MSB };
#endif

#if defined(__x86_64__)
enum { NO_OPERATION = 0x90 };
#else
enum { NO_OPERATION = 0 };
#endif

void relocatable_done(struct relocatable *file)
{
    text_done(&file->bytes);
    *file = (struct relocatable){0};
}

static bool lies_within(const struct relocatable *file, uint64_t offset, uint64_t size)
{
    return offset <= file->bytes.size && size <= file->bytes.size - offset;
}

// A string table ends in a zero, so no name can extend beyond the file.
static bool is_names(const struct relocatable *file, size_t index)
{
    if (index >= file->section_count)
        return false;
    const Elf64_Shdr *section = &file->sections[index];
    return section->sh_type == SHT_STRTAB && section->sh_size > 0 &&
           lies_within(file, section->sh_offset, section->sh_size) &&
           file->bytes.data[section->sh_offset + section->sh_size - 1] == '\0';
}

static bool find_symbols(struct relocatable *file)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_NOBITS &&
            !lies_within(file, section->sh_offset, section->sh_size))
            return false;
        if (section->sh_type == SHT_SYMTAB_SHNDX)  // over 65,000 sections
            return false;
        if (section->sh_type != SHT_SYMTAB)
            continue;
        if (!is_names(file, section->sh_link) || section->sh_offset % sizeof(uint64_t))
            return false;
        file->symbols = (Elf64_Sym *)(file->bytes.data + section->sh_offset);
        file->symbol_count = section->sh_size / sizeof *file->symbols;
        file->symbol_names = section->sh_link;
    }
    return true;
}

static bool find_parts(struct relocatable *file)
{
    if (!lies_within(file, 0, sizeof(Elf64_Ehdr)))
        return false;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes.data;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != OUR_ORDER || head->e_type != ET_REL || head->e_shnum == 0 ||
        head->e_shoff % sizeof(uint64_t) ||
        !lies_within(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    file->sections = (Elf64_Shdr *)(file->bytes.data + head->e_shoff);
    file->section_count = head->e_shnum;
    file->section_names = head->e_shstrndx;
    return is_names(file, file->section_names) && find_symbols(file);
}

struct bilanx_error relocatable_read(const char *path, struct relocatable *out)
{
    AUTO(relocatable) struct relocatable file = {0};
    BILANX_TRY(file_read(path, &file.bytes));
    if (!find_parts(&file))
        return bilanx_error_make(BILANX_E_INPUT, "'%s' is not a 64-bit object file", path);
    *out = file;
    file = (struct relocatable){0};
    return BILANX_SUCCESS;
}

static const char *name_at(const struct relocatable *file, size_t names, size_t offset)
{
    const Elf64_Shdr *section = &file->sections[names];
    return offset < section->sh_size ? file->bytes.data + section->sh_offset + offset : "";
}

const char *relocatable_section_name(const struct relocatable *file, const Elf64_Shdr *section)
{
    return name_at(file, file->section_names, section->sh_name);
}

const char *relocatable_symbol_name(const struct relocatable *file, const Elf64_Sym *symbol)
{
    return name_at(file, file->symbol_names, symbol->st_name);
}

// A file being written: the original content, with longer parts appended.
struct rewriting {
    const struct relocatable *file;
    struct text bytes;
    struct text names[2];  // of sections and of symbols; some compilers use one table for both
    struct text *section_names, *symbol_names;
    Elf64_Shdr *sections;  // a copy
};

static void rewriting_done(struct rewriting *rewriting)
{
    text_done(&rewriting->bytes);
    text_done(&rewriting->names[0]);
    text_done(&rewriting->names[1]);
    free(rewriting->sections);
}
SCOPE_VALUE(rewriting, rewriting_done)

static void append_section(struct rewriting *rewriting, Elf64_Shdr *section, const char *content,
                           size_t size, size_t padding)
{
    size_t align = section->sh_addralign > 8 ? section->sh_addralign : 8;
    while (rewriting->bytes.size % align)
        text_add_char(&rewriting->bytes, '\0');
    section->sh_offset = rewriting->bytes.size;
    section->sh_size = size + padding;
    text_add_n(&rewriting->bytes, content, size);
    for (size_t i = 0; i < padding; i++)
        text_add_char(&rewriting->bytes, (char)NO_OPERATION);
}

static uint32_t add_name(struct text *names, const struct text *name)
{
    uint32_t at = (uint32_t)names->size;
    text_add_n(names, text_get(name), name->size + 1);
    return at;
}

static void start_names(struct rewriting *rewriting)
{
    const struct relocatable *file = rewriting->file;
    const size_t tables[] = {file->section_names, file->symbol_names};
    for (size_t i = 0; i < 2; i++) {
        const Elf64_Shdr *section = &file->sections[tables[i]];
        if (tables[i])
            text_add_n(&rewriting->names[i], file->bytes.data + section->sh_offset,
                       section->sh_size);
    }
    rewriting->section_names = &rewriting->names[0];
    rewriting->symbol_names = &rewriting->names[tables[0] == tables[1] ? 0 : 1];
}

static void change_sections(struct rewriting *rewriting, const struct relocatable_change *change)
{
    const struct relocatable *file = rewriting->file;
    for (size_t i = 1; i < file->section_count; i++) {
        AUTO(text) struct text name = {0};
        Elf64_Shdr *section = &rewriting->sections[i];
        size_t padding = 0;
        change->section(change->context, section,
                        relocatable_section_name(file, &file->sections[i]), &name, &padding);
        if (name.size)
            section->sh_name = add_name(rewriting->section_names, &name);
        if (padding)
            append_section(rewriting, section, file->bytes.data + file->sections[i].sh_offset,
                           file->sections[i].sh_size, padding);
    }
}

static void change_symbols(struct rewriting *rewriting, const struct relocatable_change *change)
{
    const struct relocatable *file = rewriting->file;
    if (file->symbol_count == 0)
        return;
    size_t at = (size_t)((const char *)file->symbols - file->bytes.data);
    for (size_t i = 1; i < file->symbol_count; i++) {
        AUTO(text) struct text name = {0};
        change->symbol(change->context, &file->symbols[i],
                       relocatable_symbol_name(file, &file->symbols[i]), &name);
        Elf64_Sym *symbol = (Elf64_Sym *)(rewriting->bytes.data + at) + i;
        if (name.size)
            symbol->st_name = add_name(rewriting->symbol_names, &name);
    }
}

static void put_names(struct rewriting *rewriting)
{
    const struct relocatable *file = rewriting->file;
    append_section(rewriting, &rewriting->sections[file->section_names],
                   text_get(rewriting->section_names), rewriting->section_names->size, 0);
    if (rewriting->symbol_names != rewriting->section_names && file->symbol_names)
        append_section(rewriting, &rewriting->sections[file->symbol_names],
                       text_get(rewriting->symbol_names), rewriting->symbol_names->size, 0);
}

struct bilanx_error relocatable_write(const struct relocatable *file,
                                      const struct relocatable_change *change, const char *path)
{
    AUTO(rewriting) struct rewriting rewriting = {.file = file};
    size_t headers_size = file->section_count * sizeof *file->sections;
    rewriting.sections = mem_array(Elf64_Shdr, file->section_count);
    memcpy(rewriting.sections, file->sections, headers_size);
    text_add_n(&rewriting.bytes, file->bytes.data, file->bytes.size);
    start_names(&rewriting);
    change_sections(&rewriting, change);
    change_symbols(&rewriting, change);
    put_names(&rewriting);
    size_t headers = (size_t)((const char *)file->sections - file->bytes.data);
    memcpy(rewriting.bytes.data + headers, rewriting.sections, headers_size);
    return file_write(path, rewriting.bytes.data, rewriting.bytes.size);
}
