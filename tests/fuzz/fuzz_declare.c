// For any setup and statement, names are words of it and an expression is part of it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sources/compile/declare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const char *text, bool cplusplus)
{
    AUTO(names) struct names names = {0};
    declare_names(text, cplusplus, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i].text;
        if (name[0] == '\0' || !strstr(text, name) || strpbrk(name, " \t\n;,=*&()[]{}<>\"'"))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(memory) char *text = mem_text_n((const char *)data, size);
    check_names(text, false);
    check_names(text, true);
    const char *start;
    size_t length;
    if (declare_expression(text, &start, &length) &&
        (length == 0 || start < text || start + length > text + strlen(text)))
        abort();
    return 0;
}
