// functions_table: where functions begin, from the index of an image's unwinding rules.
//
// A stripped program keeps it, so an address without a name can still be told from those of other
// functions.
#ifndef UNWIND_FUNCTIONS_TABLE_H
#define UNWIND_FUNCTIONS_TABLE_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

struct functions_table {
    uint64_t *starts;  // sorted
    size_t count;
};

// Reads .eh_frame_hdr. If it has another form than linkers give it, the table stays empty.
void functions_table_read(struct functions_table *table, Elf *elf, const GElf_Phdr *header);
void functions_table_done(struct functions_table *table);

// The function that the address belongs to, if it belongs to one; 0: unknown.
uint64_t functions_table_find(const struct functions_table *table, uint64_t address);

#endif
