// functions_table: where functions begin, from the index of an image's unwinding rules.
#include "functions_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// The usual form: version 1, 32-bit counts, and a table of pairs relative to the header itself.
struct table_header {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
};
enum { VERSION = 1, UNSIGNED_4 = 0x03, RELATIVE_SIGNED_4 = 0x3b };

struct table_row {
    int32_t start, rules;  // relative to the header
};

void functions_table_read(struct functions_table *table, Elf *elf, const GElf_Phdr *header)
{
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_BYTE);
    struct table_header start;
    if (table->starts || !data || data->d_size < sizeof start)
        return;
    memcpy(&start, data->d_buf, sizeof start);
    size_t room = (data->d_size - sizeof start) / sizeof(struct table_row);
    if (start.version != VERSION || start.count_encoding != UNSIGNED_4 ||
        start.table_encoding != RELATIVE_SIGNED_4 || start.count > room)
        return;
    table->starts = mem_array(uint64_t, start.count + 1);
    table->count = start.count;
    for (size_t i = 0; i < table->count; i++) {
        struct table_row row;
        memcpy(&row, (const char *)data->d_buf + sizeof start + i * sizeof row, sizeof row);
        table->starts[i] = header->p_vaddr + (uint64_t)(int64_t)row.start;
    }
}

void functions_table_done(struct functions_table *table)
{
    free(table->starts);
    *table = (struct functions_table){0};
}

uint64_t functions_table_find(const struct functions_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? table->starts[low - 1] : 0;
}
