// relocatable: reads a compiled object file and writes it with changed names.
//
// Only names and lengths change: symbols and sections may be renamed, and sections padded at the
// end. Relocations need no changes, so one reader works for every 64-bit machine. Written by hand
// because loading libelf would add a fifth to the start-up time of the worker, which starts for
// every epoch.
#ifndef LANG_RELOCATABLE_H
#define LANG_RELOCATABLE_H

#include <elf.h>

#include "base/text.h"
#include "bilanx/error.h"

struct relocatable {
    struct text bytes;
    Elf64_Shdr *sections;  // points into bytes
    size_t section_count;
    Elf64_Sym *symbols;  // points into bytes; may be NULL
    size_t symbol_count;
    size_t section_names, symbol_names;  // indices of the string tables
};

// Fails unless the file is a 64-bit object in this machine's byte order.
struct bilanx_error relocatable_read(const char *path, struct relocatable *out);
void relocatable_done(struct relocatable *file);
SCOPE_VALUE(relocatable, relocatable_done)

const char *relocatable_section_name(const struct relocatable *file, const Elf64_Shdr *section);
const char *relocatable_symbol_name(const struct relocatable *file, const Elf64_Sym *symbol);

static inline bool relocatable_is_code(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_EXECINSTR) && section->sh_type == SHT_PROGBITS;
}

// Called for each symbol and section. A name left empty is kept; new names are copied.
struct relocatable_change {
    void *context;
    void (*symbol)(void *context, const Elf64_Sym *symbol, const char *name, struct text *new_name);
    // May also change the type.
    void (*section)(void *context, Elf64_Shdr *section, const char *name, struct text *new_name,
                    size_t *padding_bytes);
};
struct bilanx_error relocatable_write(const struct relocatable *file,
                                      const struct relocatable_change *change, const char *path);

#endif
