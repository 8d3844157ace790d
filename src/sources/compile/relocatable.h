// relocatable: an object file of a compiler, read, and written again under other names.
//
// Only names and lengths change: symbols and sections may be renamed, and sections padded at their
// end. No relocation has to be looked at for that, so one reader serves every 64-bit machine. By
// hand and not by libelf: this is in the worker, which starts for every epoch, and loading libelf
// would add a fifth to its start.
#ifndef LANG_RELOCATABLE_H
#define LANG_RELOCATABLE_H

#include <elf.h>

#include "base/text.h"
#include "bilanx/error.h"

struct relocatable {
    struct text bytes;
    Elf64_Shdr *sections;  // within the bytes
    size_t section_count;
    Elf64_Sym *symbols;  // within the bytes; may be none
    size_t symbol_count;
    size_t section_names, symbol_names;  // the sections that hold them
};

// A file that is no 64-bit object of this machine's byte order is an error.
struct bilanx_error relocatable_read(const char *path, struct relocatable *out);
void relocatable_done(struct relocatable *file);
SCOPE_VALUE(relocatable, relocatable_done)

const char *relocatable_section_name(const struct relocatable *file, const Elf64_Shdr *section);
const char *relocatable_symbol_name(const struct relocatable *file, const Elf64_Sym *symbol);

static inline bool relocatable_is_code(const Elf64_Shdr *section)
{
    return (section->sh_flags & SHF_EXECINSTR) && section->sh_type == SHT_PROGBITS;
}

// What is written for each. A name that is not touched stays; the caller's text is copied.
struct relocatable_change {
    void *context;
    void (*symbol)(void *context, const Elf64_Sym *symbol, const char *name, struct text *new_name);
    // May change the type, too.
    void (*section)(void *context, Elf64_Shdr *section, const char *name, struct text *new_name,
                    size_t *padding_bytes);
};
struct bilanx_error relocatable_write(const struct relocatable *file,
                                      const struct relocatable_change *change, const char *path);

#endif
