// image: an executable file or library, with what is needed to unwind and name its code.
#include "image.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "functions_table.h"
#include "inlining.h"
#include "symbols.h"

struct segment {
    uint64_t offset, size, address;
};

struct image {
    char *path;
    struct demangler *demangler;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct segment *segments;
    size_t segment_count, segment_room;
    uint64_t entry;                    // where a process begins
    struct symbols *symbols;           // NULL: not read yet
    struct functions_table functions;  // of .eh_frame_hdr
    struct index frame_index, place_index;
    Dwarf_Frame **frames;
    struct image_place **places;
    size_t frame_count, frame_room, place_count, place_room;
};

void image_free(struct image *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->frame_count; i++)
        free(image->frames[i]);
    for (size_t i = 0; i < image->place_count; i++) {
        for (size_t j = 0; j < image->places[i]->count; j++) {
            free(image->places[i]->names[j].name);
            free(image->places[i]->names[j].file);
        }
        free(image->places[i]->names);
        free(image->places[i]);
    }
    free(image->frames);
    free(image->places);
    index_done(&image->frame_index);
    index_done(&image->place_index);
    functions_table_done(&image->functions);
    symbols_free(image->symbols);
    free(image->segments);
    if (image->dwfl)
        dwfl_end(image->dwfl);
    free(image->path);
    free(image);
}
SCOPE_POINTER(image, image_free)

const char *image_path(const struct image *image)
{
    return image->path;
}

// All processes of this machine have the same one, and this process has it in memory.
static int open_vdso(void)
{
    const char *start = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    if (!start)
        return -1;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, start, size) != (ssize_t)size) {
        close(fd);
        return -1;
    }
    return fd;
}

static void read_segments(struct image *image, Elf *elf)
{
    size_t count = 0;
    GElf_Ehdr start;
    if (gelf_getehdr(elf, &start))
        image->entry = start.e_entry;
    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        if (header.p_type == PT_GNU_EH_FRAME)
            functions_table_read(&image->functions, elf, &header);
        if (header.p_type != PT_LOAD)
            continue;
        mem_grow(image->segments, image->segment_count, &image->segment_room);
        image->segments[image->segment_count++] =
            (struct segment){header.p_offset, header.p_filesz, header.p_vaddr};
    }
}

// The vdso is not a file: libdw would look for one of that name in the current directory, which may
// be anybody's.
static int find_debuginfo(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word checksum, char **out)
{
    if (!file || file[0] != '/')
        return -1;
    return dwfl_standard_find_debuginfo(module, context, name, base, file, link, checksum, out);
}

struct image *image_open(const char *path, struct demangler *demangler)
{
    static char *default_path;  // NULL: libdw's
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_debuginfo,
                                             .debuginfo_path = &default_path,
                                             .section_address = dwfl_offline_section_address};
    bool vdso = strcmp(path, "[vdso]") == 0;
    int fd = vdso ? open_vdso() : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return NULL;
    }
    AUTO(image) struct image *image = mem_new(struct image);
    image->path = mem_text(path);
    image->demangler = demangler;
    image->dwfl = dwfl_begin(&callbacks);
    if (!image->dwfl) {
        close(fd);
        return NULL;
    }
    dwfl_report_begin(image->dwfl);
    // With base 0, addresses are those in the file. libdw closes the descriptor, unless it fails.
    image->module = dwfl_report_elf(image->dwfl, path, path, fd, 0, true);
    dwfl_report_end(image->dwfl, NULL, NULL);
    GElf_Addr bias = 0;
    Elf *elf = image->module ? dwfl_module_getelf(image->module, &bias) : NULL;
    if (!image->module)
        close(fd);
    if (!elf || bias != 0)
        return NULL;
    read_segments(image, elf);
    return TAKE(image);
}

bool image_address(const struct image *image, uint64_t offset, uint64_t *address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct segment *segment = &image->segments[i];
        if (offset - segment->offset < segment->size) {
            *address = offset - segment->offset + segment->address;
            return true;
        }
    }
    return false;
}

static struct hash key_of(uint64_t address)
{
    struct hash key = hash_start();
    hash_add(&key, &address, sizeof address);
    return key;
}

static Dwarf_Frame *find_frame(struct image *image, uint64_t address)
{
    Dwarf_CFI *(*const tables[])(Dwfl_Module *, Dwarf_Addr *) = {dwfl_module_eh_cfi,
                                                                 dwfl_module_dwarf_cfi};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        Dwarf_Addr bias = 0;
        Dwarf_Frame *frame = NULL;
        Dwarf_CFI *rules = tables[i](image->module, &bias);
        if (rules && dwarf_cfi_addrframe(rules, address - bias, &frame) == 0)
            return frame;
    }
    return NULL;
}

// Evaluating the rules takes microseconds, and samples share most of their addresses.
Dwarf_Frame *image_frame(struct image *image, uint64_t address)
{
    bool added = false;
    size_t place =
        index_find_or_add(&image->frame_index, key_of(address), image->frame_count, &added);
    if (!added)
        return image->frames[place];
    mem_grow(image->frames, image->frame_count, &image->frame_room);
    return image->frames[image->frame_count++] = find_frame(image, address);
}

static void add_name(struct image_place *place, char *name, char *file, bool inlined)
{
    place->names = mem_resized(place->names, (place->count + 1) * sizeof *place->names);
    place->names[place->count++] = (struct image_name){name, file, inlined};
}

static const struct symbols *symbols_of(struct image *image)
{
    if (!image->symbols)
        image->symbols = symbols_read(image->module);
    return image->symbols;
}

static struct image_place *find_place(struct image *image, uint64_t address)
{
    struct image_place *place = mem_new(struct image_place);
    AUTO(inlining) struct inlining inlining = {0};
    const struct symbol *symbol = symbols_find(symbols_of(image), address);
    inlining_find(&inlining, image->module, address);
    place->known = symbol || inlining.function;
    place->function = symbol ? symbol->start : functions_table_find(&image->functions, address);
    const char *mangled = symbol ? symbol->name : inlining.function;
    char *file = inlining.file ? mem_text(inlining.file) : NULL;
    add_name(place,
             mangled ? demangle(image->demangler, mangled)
                     : mem_format("0x%llx", (unsigned long long)(place->function ? place->function
                                                                                 : address)),
             file, false);
    for (size_t i = inlining.count; i-- > 0;)
        add_name(place, demangle(image->demangler, inlining.items[i].name),
                 inlining.items[i].file ? mem_text(inlining.items[i].file) : NULL, true);
    return place;
}

const struct image_place *image_place(struct image *image, uint64_t address)
{
    bool added = false;
    size_t at = index_find_or_add(&image->place_index, key_of(address), image->place_count, &added);
    if (!added)
        return image->places[at];
    mem_grow(image->places, image->place_count, &image->place_room);
    return image->places[image->place_count++] = find_place(image, address);
}

bool image_function(struct image *image, const char *name, uint64_t *start, uint64_t *size)
{
    const struct symbols *symbols = symbols_of(image);
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(symbols->items[i].name, name) == 0 && symbols->items[i].size) {
            *start = symbols->items[i].start;
            *size = symbols->items[i].size;
            return true;
        }
    return false;
}

void image_lines(struct image *image, uint64_t start, uint64_t end,
                 void (*visit)(void *context, const struct image_line *line), void *context)
{
    Dwarf_Addr bias = 0, address;
    Dwarf_Die *unit = inlining_unit(image->module, start, &bias);
    Dwarf_Lines *lines = NULL;
    size_t count = 0;
    if (!unit || dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        struct image_line found = {0};
        if (dwarf_lineaddr(line, &address) != 0 || address + bias < start || address + bias >= end)
            continue;
        found.address = address + bias;
        found.file = dwarf_linesrc(line, NULL, NULL);
        if (found.file && dwarf_lineno(line, &found.line) == 0)
            visit(context, &found);
    }
}

bool image_is_entry(struct image *image, uint64_t address)
{
    enum { NEARBY = 64 };  // it only calls the first real function
    return image->entry && address - image->entry < NEARBY;
}
