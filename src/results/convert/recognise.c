// recognise: finds a format by its name, or by how a file begins.
#include "recognise.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void list_names(const struct recogniser *recogniser, struct text *out)
{
    for (size_t i = 0; i < recogniser->count; i++)
        text_format(out, "%s%s", i ? ", " : "", recogniser->name(i));
}

struct bilanx_error recogniser_find(const struct recogniser *recogniser, const char *name,
                                    size_t *out)
{
    AUTO(memory) const char **names = mem_array(const char *, recogniser->count);
    for (size_t i = 0; i < recogniser->count; i++) {
        names[i] = recogniser->name(i);
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return BILANX_SUCCESS;
        }
    }
    const char *nearest = text_nearest(name, names, recogniser->count);
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE, "unknown format '%.60s' (did you mean '%s'?)",
                                 name, nearest);
    AUTO(text) struct text known = {0};
    list_names(recogniser, &known);
    return bilanx_error_make(BILANX_E_USAGE, "unknown format '%.60s': use one of %s", name,
                             text_get(&known));
}

struct bilanx_error recogniser_look(const struct recogniser *recogniser, struct lines *lines,
                                    size_t *out)
{
    enum { LOOK = 1 << 16 };
    const char *bytes;
    size_t size;
    BILANX_TRY(lines_peek(lines, LOOK, &bytes, &size));
    if (size == 0)
        return bilanx_error_make(BILANX_E_INPUT, "%s: is empty", lines->name);
    AUTO(memory) char *start = mem_text_n(bytes, size);
    for (char *nul = start;
         recogniser->skips_nuls && (nul = memchr(nul, '\0', size - (size_t)(nul - start)));)
        *nul = ' ';
    for (size_t i = 0; i < recogniser->count; i++)
        if (recogniser->recognises(i, start, size)) {
            *out = i;
            return BILANX_SUCCESS;
        }
    AUTO(text) struct text known = {0};
    list_names(recogniser, &known);
    return bilanx_error_make(
        BILANX_E_INPUT, "%s:1: %s. Known formats: %s. If it is one of these, use '%s'", lines->name,
        recogniser->unknown, text_get(&known), recogniser->option);
}
