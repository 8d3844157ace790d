// mapped_files: whether the files of two sides can be loaded into one process.
#include "mapped_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

void mapped_files_read(pid_t process, struct list *out, struct hash *places)
{
    *places = hash_start();
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    AUTO(text) struct text maps = {0};
    if (file_read(path, &maps).status != BILANX_OK)
        return;
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(&maps));
    for (size_t i = 0; i < lines.count; i++) {
        // 7f12a000-7f12b000 r-xp 00001000 08:01 123456  /usr/lib/libm.so.6
        char device[32] = "", inode[32] = "";
        int at = 0;
        if (sscanf(lines.items[i], "%*s %*s %*s %31s %31s %n", device, inode, &at) < 2 || at == 0 ||
            lines.items[i][at] != '/')
            continue;
        char *file = mem_format("%s:%s %s", device, inode, lines.items[i] + at);
        hash_add(places, lines.items[i], strcspn(lines.items[i], "-"));
        hash_add_text(places, lines.items[i] + at);
        if (out->count && strcmp(out->items[out->count - 1], file) == 0)
            free(file);
        else
            list_take(out, file);
    }
}

static const char *name_of(const char *file)
{
    return strrchr(file, '/') + 1;
}

const char *mapped_files_clash(const struct list *a, const struct list *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (strcmp(name_of(a->items[i]), name_of(b->items[j])) == 0 &&
                strcmp(a->items[i], b->items[j]) != 0)
                return name_of(a->items[i]);
    return NULL;
}

static bool has(const struct list *list, const char *file)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], file) == 0)
            return true;
    return false;
}

char *mapped_files_unshared(const struct list *a, const struct list *b)
{
    const struct list *lists[] = {a, b};
    struct text lines = {0};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < lists[side]->count; i++)
            if (!has(lists[1 - side], lists[side]->items[i]))
                text_format(&lines, "%s\n", strchr(lists[side]->items[i], ' ') + 1);
    return lines.size ? text_take(&lines) : NULL;
}
