// fingerprint: identifies the content that a program or compiled statement of a revision loads.
#include "fingerprint.h"

#include <elf.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"

// An ELF image whose section headers are valid.
struct image {
    char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

static bool is_within(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

static bool image_init(struct image *image, const struct text *bytes)
{
    static const unsigned char native =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    *image = (struct image){.bytes = bytes->data, .size = bytes->size};
    if (bytes->size < sizeof image->header)
        return false;
    memcpy(&image->header, bytes->data, sizeof image->header);
    const Elf64_Ehdr *header = &image->header;
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == native &&
           header->e_shnum > 0 && header->e_shentsize == sizeof(Elf64_Shdr) &&
           is_within(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

// Returns false if there is none, or it is not in the file.
static bool section_at(const struct image *image, size_t index, Elf64_Shdr *out)
{
    if (index >= image->header.e_shnum)
        return false;
    memcpy(out, image->bytes + image->header.e_shoff + index * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS || is_within(image, out->sh_offset, out->sh_size);
}

static bool digest_sections(const struct image *image, struct digester *digester)
{
    for (size_t i = 0; i < image->header.e_shnum; i++) {
        Elf64_Shdr section;
        if (!section_at(image, i, &section))
            return false;
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_type == SHT_NOTE)
            continue;
        uint64_t facts[] = {section.sh_type, section.sh_flags, section.sh_addr, section.sh_size};
        digester_add(digester, facts, sizeof facts);
        if (section.sh_type != SHT_NOBITS)
            digester_add(digester, image->bytes + section.sh_offset, section.sh_size);
    }
    return true;
}

// Hides the checkout's path, which source file names in the data may contain.
static void mask(const struct image *image, const char *folder)
{
    size_t size = strlen(folder);
    char *end = image->bytes + image->size;
    for (char *at = image->bytes; (at = memmem(at, (size_t)(end - at), folder, size)); at += size)
        memset(at, 0, size);
}

// The libraries and sections that a file needs from the loader.
struct wishes {
    struct list names, folders;
};

static void wishes_done(struct wishes *wishes)
{
    list_done(&wishes->names);
    list_done(&wishes->folders);
}
SCOPE_VALUE(wishes, wishes_done)

// Adds colon-separated folders; $ORIGIN is the folder of `file`.
static void add_folders(const char *texts, const char *file, struct list *out)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    AUTO(memory) char *real = realpath(file, NULL);
    const char *origin = real ? dirname(real) : ".";
    while (texts && *texts) {
        size_t size = strcspn(texts, ":");
        AUTO(memory) char *folder = mem_text_n(texts, size);
        const char *rest = folder;
        for (size_t i = 0; i < 2 && rest == folder; i++)
            if (text_starts(folder, origins[i]))
                rest = folder + strlen(origins[i]);
        list_take(out, rest == folder ? mem_text(folder) : mem_format("%s%s", origin, rest));
        texts += size + (texts[size] == ':');
    }
}

static void read_wishes(const struct image *image, const char *file,
                        const struct surroundings *surroundings, struct wishes *out)
{
    Elf64_Shdr dynamic, strings;
    size_t at = 0;
    while (section_at(image, at, &dynamic) && dynamic.sh_type != SHT_DYNAMIC)
        at++;
    if (!section_at(image, at, &dynamic) || !section_at(image, dynamic.sh_link, &strings) ||
        strings.sh_type != SHT_STRTAB || strings.sh_size == 0)
        return;
    const char *text = image->bytes + strings.sh_offset;
    for (size_t i = 0; i < dynamic.sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn entry;
        memcpy(&entry, image->bytes + dynamic.sh_offset + i * sizeof entry, sizeof entry);
        if (entry.d_un.d_val >= strings.sh_size || text[strings.sh_size - 1])
            continue;
        if (entry.d_tag == DT_NEEDED)
            list_add(&out->names, text + entry.d_un.d_val);
        else if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
            add_folders(text + entry.d_un.d_val, file, &out->folders);
    }
    add_folders(surroundings_variable(surroundings, "LD_LIBRARY_PATH"), file, &out->folders);
}

// Files being read or done, and their checkout.
struct reading {
    const struct surroundings *surroundings;
    const char *folder;
    struct digester *digester;
    struct list known;  // real paths
};

static bool is_known(const struct reading *reading, const char *path)
{
    for (size_t i = 0; i < reading->known.count; i++)
        if (strcmp(reading->known.items[i], path) == 0)
            return true;
    return false;
}

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && path[size] == '/';
}

static bool add_file(struct reading *reading, const char *path);

// Adds every file of the checkout that the loader might find by that name.
static bool add_libraries(struct reading *reading, const struct wishes *wishes)
{
    for (size_t i = 0; i < wishes->names.count; i++)
        for (size_t j = 0; j < wishes->folders.count; j++) {
            AUTO(memory) char *name =
                mem_format("%s/%s", wishes->folders.items[j], wishes->names.items[i]);
            AUTO(memory) char *path = surroundings_path(reading->surroundings, name);
            AUTO(memory) char *real = realpath(path, NULL);
            if (real && is_below(real, reading->folder) && !is_known(reading, real) &&
                !add_file(reading, real))
                return false;
        }
    return true;
}

static bool add_file(struct reading *reading, const char *path)
{
    AUTO(text) struct text bytes = {0};
    AUTO(wishes) struct wishes wishes = {0};
    struct image image;
    list_add(&reading->known, path);
    if (file_read(path, &bytes).status != BILANX_OK || !image_init(&image, &bytes))
        return false;
    read_wishes(&image, path, reading->surroundings, &wishes);
    mask(&image, reading->folder);
    return digest_sections(&image, reading->digester) && add_libraries(reading, &wishes);
}

bool side_fingerprint(const struct side *side, const char *file, char out[DIGEST_TEXT])
{
    AUTO(memory) char *folder = side->tree ? realpath(side->tree, NULL) : NULL;
    AUTO(digester) struct digester *digester = digester_new();
    struct reading reading = {&side->surroundings, .folder = folder, .digester = digester};
    if (!folder)
        return false;
    AUTO(memory) char *path = surroundings_path(&side->surroundings, file);
    bool known = add_file(&reading, path);
    list_done(&reading.known);
    struct digest digest = digester_get(digester);
    if (known)
        digest_text(&digest, out);
    return known;
}
