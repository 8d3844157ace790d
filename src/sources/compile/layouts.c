// layouts: one object that contains compiled code in several layouts.
#include "layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

enum {
    STEP_BYTES = 16,  // alignment of functions
    STEPS = 4,        // up to a cache line
    MOST_BYTES = 32 << 20,
    FEWEST = 12,  // a verdict needs about ten layouts
    HIGHEST = 999,
};

static const char INIT_SECTION[] = "bilanx_init";

static struct hash name_key(const char *name)
{
    struct hash key = hash_start();
    hash_add_text(&key, name);
    return key;
}

static bool is_in(const struct index *index, const char *name)
{
    return index_find(index, name_key(name)) != SIZE_MAX;
}

static void put_in(struct index *index, const char *name, bool *added)
{
    index_find_or_add(index, name_key(name), 0, added);
}

void layouts_done(struct layouts *layouts)
{
    for (size_t i = 0; i < layouts->file_count; i++) {
        free(layouts->files[i].name);
        free(layouts->files[i].is_signature);
        relocatable_done(&layouts->files[i].object);
    }
    free(layouts->files);
    index_done(&layouts->own);
    index_done(&layouts->common);
    list_done(&layouts->shared);
    *layouts = (struct layouts){0};
}

// Visible data of inline functions and templates that a library may also define: the loader merges
// them.
static bool is_shared(const Elf64_Sym *symbol)
{
    unsigned binding = ELF64_ST_BIND(symbol->st_info), type = ELF64_ST_TYPE(symbol->st_info);
    return ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT && symbol->st_shndx != SHN_UNDEF &&
           (binding == STB_GNU_UNIQUE || (binding == STB_WEAK && type == STT_OBJECT));
}

static bool is_defined(const Elf64_Sym *symbol)
{
    return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && symbol->st_shndx != SHN_UNDEF;
}

static bool is_boundary(const char *name)
{
    return (text_starts(name, "__start_") || text_starts(name, "__stop_")) &&
           !strstr(name, INIT_SECTION);
}

static void survey_symbols(struct layouts *layouts, const struct relocatable *object, bool shares)
{
    for (size_t i = 1; i < object->symbol_count; i++) {
        const Elf64_Sym *symbol = &object->symbols[i];
        const char *name = relocatable_symbol_name(object, symbol);
        bool added;
        if (shares && is_shared(symbol)) {
            put_in(&layouts->common, name, &added);
            if (added)
                list_add(&layouts->shared, name);
        } else if (is_defined(symbol)) {
            put_in(&layouts->own, name, &added);
        } else if (symbol->st_shndx == SHN_UNDEF && is_boundary(name)) {
            layouts->fixed = "it collects its parts in its own section";
        }
    }
}

static void survey_sections(struct layouts *layouts, struct layout_file *file)
{
    const struct relocatable *object = &file->object;
    file->is_signature = mem_array(bool, object->symbol_count + 1);
    for (size_t i = 1; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        const char *name = relocatable_section_name(object, section);
        if (relocatable_is_code(section))
            layouts->code_bytes += section->sh_size;
        if (section->sh_type == SHT_GROUP && section->sh_info < object->symbol_count)
            file->is_signature[section->sh_info] = true;
        if (strcmp(name, ".init_array") == 0)
            layouts->constructs = true;
        else if (text_starts(name, ".init_array.") || text_starts(name, ".ctors"))
            layouts->fixed = "its constructors have priorities";
        else if (text_starts(name, ".fini_array") || text_starts(name, ".dtors"))
            layouts->fixed = "it defines destructors";
        else if (text_starts(name, ".gnu.lto_"))
            layouts->fixed = "link-time optimisation leaves nothing to move";
    }
}

struct bilanx_error layouts_read(const struct list *objects, size_t sharing, struct layouts *out)
{
    AUTO(layouts) struct layouts layouts = {.files = mem_array(struct layout_file, objects->count)};
    for (size_t i = 0; i < objects->count; i++) {
        struct layout_file *file = &layouts.files[layouts.file_count];
        const char *slash = strrchr(objects->items[i], '/');
        BILANX_TRY(relocatable_read(objects->items[i], &file->object));
        file->name = mem_text(slash ? slash + 1 : objects->items[i]);
        layouts.file_count++;
        survey_sections(&layouts, file);
        survey_symbols(&layouts, &file->object, i < sharing);
    }
    *out = layouts;
    layouts = (struct layouts){0};
    return BILANX_SUCCESS;
}

unsigned layouts_count(const struct layouts *layouts, unsigned wanted)
{
    if (layouts->fixed || wanted < 1)
        return 1;
    size_t most = MOST_BYTES / (layouts->code_bytes + 1);
    most = most < FEWEST ? FEWEST : most;
    wanted = wanted > HIGHEST ? HIGHEST : wanted;
    return wanted < most ? wanted : (unsigned)most;
}

// One file in one layout.
struct placement {
    const struct layouts *layouts;
    const struct layout_file *file;
    unsigned layout;
};

static uint64_t draw(const struct placement *placement, const char *section)
{
    struct hash key = hash_start();
    hash_add(&key, &placement->layout, sizeof placement->layout);
    hash_add_text(&key, section);
    if (strcmp(section, ".text") == 0)  // code of a file compiled elsewhere
        hash_add_text(&key, placement->file->name);
    struct random random;  // hashes of names that differ in one letter would sort by that letter
    random_init(&random, key.a ^ key.b);
    return random_bits(&random);
}

// Keeps rarely executed parts of functions apart, as linkers do. Our marker sections go first and
// last.
static const char *rank_of(const char *name)
{
    if (strcmp(name, ".text.bilanx_first") == 0)
        return "!";
    if (strcmp(name, ".text.bilanx_last") == 0)
        return "~";
    return text_starts(name, ".text.unlikely") ? "z" : "";
}

static void place_code(const struct placement *placement, const char *name, struct text *new_name,
                       size_t *padding)
{
    uint64_t drawn = draw(placement, name);
    text_format(new_name, ".text.sorted.%03u.%s%08x", placement->layout, rank_of(name),
                (unsigned)(drawn & 0xffffffff));
    *padding = STEP_BYTES * (size_t)(drawn >> 32 & (STEPS - 1));
}

static void place_section(void *context, Elf64_Shdr *section, const char *name,
                          struct text *new_name, size_t *padding)
{
    const struct placement *placement = context;
    if (strcmp(name, ".init_array") == 0) {
        text_format(new_name, "%s_%u", INIT_SECTION, placement->layout);
        section->sh_type = SHT_PROGBITS;
    } else if (placement->layout && relocatable_is_code(section) && text_starts(name, ".text")) {
        place_code(placement, name, new_name, padding);
    }
}

static void place_symbol(void *context, const Elf64_Sym *symbol, const char *name,
                         struct text *new_name)
{
    const struct placement *placement = context;
    bool local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
    bool signature = placement->file->is_signature[symbol - placement->file->object.symbols];
    if (placement->layouts->constructs && strstr(name, INIT_SECTION) && text_starts(name, "__st"))
        text_format(new_name, "%s_%u", name, placement->layout);
    else if (placement->layout && *name && !is_in(&placement->layouts->common, name) &&
             (signature || (!local && is_in(&placement->layouts->own, name))))
        text_format(new_name, "%s.%u", name, placement->layout);
}

struct bilanx_error layouts_write(const struct layouts *layouts, size_t file, unsigned layout,
                                  const char *path)
{
    struct placement placement = {layouts, &layouts->files[file], layout};
    return relocatable_write(&layouts->files[file].object,
                             &(struct relocatable_change){&placement, place_symbol, place_section},
                             path);
}

// For layouts other than the first, exports only the statement: every name costs loader time.
void layouts_write_exports(const struct layouts *layouts, struct text *out)
{
    static const char *const ours[] = {
        "bilanx_constructors*", "bilanx_first*",      "bilanx_last*",       "bilanx_copies1*",
        "bilanx_copies8",       "bilanx_copies2",     "bilanx_barrier",     "bilanx_at*_copies1*",
        "bilanx_at*_copies2",   "bilanx_at*_copies8", "bilanx_at*_barrier",
    };
    text_add(out, "{\nglobal:\n");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        text_format(out, "    %s;\n", ours[i]);
    for (size_t i = 0; i < layouts->shared.count; i++)
        text_format(out, "    \"%s\";\n", layouts->shared.items[i]);
    text_add(out, "local:\n    *;\n};\n");
}
