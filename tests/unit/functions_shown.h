// functions_shown: function counts as text, for unit tests.
#ifndef UNIT_FUNCTIONS_SHOWN_H
#define UNIT_FUNCTIONS_SHOWN_H

#include "base/mem.h"
#include "base/text.h"
#include "count/counts/functions.h"
#include "unit.h"

#define ITEMS(...)                                                    \
    (const struct bilanx_function_count[]){__VA_ARGS__},              \
        sizeof((const struct bilanx_function_count[]){__VA_ARGS__}) / \
            sizeof(struct bilanx_function_count)
#define EXCLUSIVE(...) bilanx_functions_make(ITEMS(__VA_ARGS__), false)
#define INCLUSIVE(...) bilanx_functions_make(ITEMS(__VA_ARGS__), true)

// Releases the value.
static inline void assert_functions(struct bilanx_functions functions, const char *expected)
{
    AUTO(text) struct text shown = {0};
    for (size_t i = 0; i < functions.count; i++) {
        AUTO(memory) char *name = bilanx_function_name(&functions.items[i]);
        text_format(&shown, "%s%g %s", i ? "; " : "", functions.items[i].count, name);
    }
    assert_string_equal(text_get(&shown), expected);
    bilanx_functions_done(&functions);
}

#endif
