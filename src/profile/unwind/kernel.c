// kernel: names of the kernel's functions, from /proc/kallsyms.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

struct kernel {
    struct text text;  // the file, cut into strings
    struct kernel_symbol {
        uint64_t start;
        const char *name, *module;
    } *items;
    size_t count, room;
};

static int by_address(const void *a, const void *b)
{
    const struct kernel_symbol *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

// A line is "ffffffff81000000 T _text", for a module also "[ext4]" after a tab.
static void read_line(struct kernel *kernel, char *line)
{
    char *type;
    uint64_t start = strtoull(line, &type, 16);
    if (start == 0 || type[0] != ' ' || !strchr("tTwW", type[1]) || type[2] != ' ')
        return;
    char *name = type + 3, *tab = strchr(name, '\t');
    if (tab)
        *tab++ = '\0';
    mem_grow(kernel->items, kernel->count, &kernel->room);
    kernel->items[kernel->count++] = (struct kernel_symbol){start, name, tab};
}

struct kernel *kernel_new(void)
{
    struct kernel *kernel = mem_new(struct kernel);
    if (file_read("/proc/kallsyms", &kernel->text).status != BILANX_OK || !kernel->text.size)
        return kernel;
    char *rest = NULL;
    for (char *line = strtok_r(kernel->text.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(kernel, line);
    if (kernel->count)
        qsort(kernel->items, kernel->count, sizeof *kernel->items, by_address);
    return kernel;
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    text_done(&kernel->text);
    free(kernel->items);
    free(kernel);
}

const char *kernel_name(const struct kernel *kernel, uint64_t address, const char **module)
{
    size_t low = 0, high = kernel->count;
    *module = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kernel->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    *module = kernel->items[low - 1].module;
    return kernel->items[low - 1].name;
}
