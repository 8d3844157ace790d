// space: which images a process has mapped, and where.
#include "space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "symbols.h"

struct images *images_new(void)
{
    struct images *images = mem_new(struct images);
    images->demangler = demangler_new();
    return images;
}

void images_free(struct images *images)
{
    if (!images)
        return;
    for (size_t i = 0; i < images->count; i++) {
        image_free(images->items[i]->image);
        free(images->items[i]->path);
        free(images->items[i]);
    }
    free(images->items);
    demangler_free(images->demangler);
    free(images);
}

static const struct images_entry *entry_for(struct images *images, const char *path)
{
    // Memory without a file has no path in /proc, and "//anon" in the kernel's records.
    bool is_file = path[0] == '/' && path[1] != '/';
    if (!is_file && strcmp(path, "[vdso]") != 0)
        return NULL;
    for (size_t i = 0; i < images->count; i++)
        if (strcmp(images->items[i]->path, path) == 0)
            return images->items[i];
    struct images_entry *entry = mem_new(struct images_entry);
    entry->path = mem_text(path);
    entry->image = image_open(path, images->demangler);
    mem_grow(images->items, images->count, &images->room);
    return images->items[images->count++] = entry;
}

void space_done(struct space *space)
{
    free(space->items);
    *space = (struct space){.images = space->images};
}

// The first mapping that ends after the address.
static size_t place_of(const struct space *space, uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct space *space, size_t at, struct mapping mapping)
{
    mem_grow(space->items, space->count, &space->room);
    memmove(space->items + at + 1, space->items + at, (space->count - at) * sizeof mapping);
    space->items[at] = mapping;
    space->count++;
}

static void clear(struct space *space, uint64_t start, uint64_t end)
{
    size_t at = place_of(space, start);
    if (at < space->count && space->items[at].start < start) {
        struct mapping rest = space->items[at];
        space->items[at++].end = start;
        if (rest.end > end) {
            rest.offset += end - rest.start;
            rest.start = end;
            insert(space, at, rest);
            return;
        }
    }
    size_t last = at;
    while (last < space->count && space->items[last].end <= end)
        last++;
    memmove(space->items + at, space->items + last, (space->count - last) * sizeof *space->items);
    space->count -= last - at;
    if (at < space->count && space->items[at].start < end) {
        space->items[at].offset += end - space->items[at].start;
        space->items[at].start = end;
    }
}

void space_add(struct space *space, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
    if (start >= end)
        return;
    if (space->count)
        clear(space, start, end);
    insert(space, place_of(space, start),
           (struct mapping){start, end, offset, entry_for(space->images, path)});
}

void space_read(struct space *space, pid_t process)
{
    AUTO(text) struct text maps = {0};
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    if (file_read(path, &maps).status != BILANX_OK || !maps.size)
        return;
    char *rest = NULL;
    for (char *line = strtok_r(maps.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        uint64_t start, end, offset;
        char rights[5] = "";
        int name = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, rights,
                   &offset, &name) == 4 &&
            rights[2] == 'x')
            space_add(space, start, end, offset, name ? line + name : "");
    }
}

void space_copy(struct space *space, const struct space *from)
{
    space_done(space);
    space->images = from->images;
    space->items = mem_array(struct mapping, from->count + 1);
    space->count = space->room = from->count;
    if (from->count)
        memcpy(space->items, from->items, from->count * sizeof *space->items);
}

const struct mapping *space_find(const struct space *space, uint64_t address)
{
    size_t at = place_of(space, address);
    return at < space->count && space->items[at].start <= address ? &space->items[at] : NULL;
}

struct image *space_image(const struct space *space, uint64_t address, uint64_t *in_file)
{
    const struct mapping *mapping = space_find(space, address);
    struct image *image = mapping && mapping->file ? mapping->file->image : NULL;
    if (!image || !image_address(image, address - mapping->start + mapping->offset, in_file))
        return NULL;
    return image;
}
