// inlining: which functions were inlined at an address, from debug information.
#include "inlining.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"

void inlining_done(struct inlining *inlining)
{
    free(inlining->items);
    *inlining = (struct inlining){0};
}

static const char *name_of(Dwarf_Die *die)
{
    static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
    for (size_t i = 0; i < sizeof linkage / sizeof *linkage; i++) {
        Dwarf_Attribute attribute;
        const char *name =
            dwarf_attr_integrate(die, linkage[i], &attribute) ? dwarf_formstring(&attribute) : NULL;
        if (name)
            return name;
    }
    return dwarf_diename(die);
}

// Not every compiler writes the index of addresses that libdw looks in first.
Dwarf_Die *inlining_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

// The scopes are those around the innermost one, up to the function whose code it is.
static void take_scopes(struct inlining *inlining, Dwarf_Die *scopes, int count)
{
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        const char *name = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram
                               ? name_of(&scopes[i])
                               : NULL;
        if (!name)
            continue;
        if (tag == DW_TAG_subprogram) {
            inlining->function = name;
            inlining->file = dwarf_decl_file(&scopes[i]);
            return;
        }
        mem_grow(inlining->items, inlining->count, &inlining->room);
        inlining->items[inlining->count++] = (struct inlined){name, dwarf_decl_file(&scopes[i])};
    }
}

void inlining_find(struct inlining *inlining, Dwfl_Module *module, uint64_t address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = inlining_unit(module, address, &bias);
    Dwarf_Die *around = NULL, *scopes = NULL;
    if (unit && dwarf_getscopes(unit, address - bias, &around) > 0) {
        int count = dwarf_getscopes_die(&around[0], &scopes);
        take_scopes(inlining, scopes, count);
    }
    free(scopes);
    free(around);
}
