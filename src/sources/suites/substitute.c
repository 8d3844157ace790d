// substitute: replaces $name and ${name} in texts.
#include "substitute.h"

#include <string.h>

#include "base/mem.h"
#include "code.h"

// The name after a dollar at `at`, and where it ends; NULL if there is none.
static const char *name_behind(const char *at, size_t *size, const char **behind)
{
    bool braced = at[1] == '{';
    const char *name = at + 1 + braced;
    *size = 0;
    if (code_starts_word(*name))
        while (code_in_word(name[*size]))
            ++*size;
    *behind = name + *size + braced;
    if (*size == 0 || (braced && name[*size] != '}'))
        return NULL;
    return name;
}

static struct bilanx_error unknown(const struct bindings *bindings, const char *name, size_t size)
{
    AUTO(memory) char *word = mem_text_n(name, size);
    AUTO(memory) const char **names = mem_array(const char *, bindings->count + 1);
    for (size_t i = 0; i < bindings->count; i++)
        names[i] = bindings->items[i].name;
    const char *nearest = text_nearest(word, names, bindings->count);
    if (nearest)
        return bilanx_error_make(BILANX_E_INPUT, "unknown '$%.60s' (did you mean '$%s'?)", word,
                                 nearest);
    return bilanx_error_make(
        BILANX_E_INPUT, "unknown '$%.60s': 'each' gives it no values ($$ is a literal $)", word);
}

static struct binding *find(const struct bindings *bindings, const char *name, size_t size)
{
    for (size_t i = 0; i < bindings->count; i++)
        if (strlen(bindings->items[i].name) == size &&
            strncmp(bindings->items[i].name, name, size) == 0)
            return &bindings->items[i];
    return NULL;
}

struct bilanx_error suite_substitute(const char *text, const struct bindings *bindings,
                                     struct text *out, size_t *fault)
{
    for (const char *at = text; *at;) {
        size_t plain = strcspn(at, "$");
        text_add_n(out, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '$') {
            text_add_char(out, '$');
            at += 2;
            continue;
        }
        size_t size;
        *fault = (size_t)(at - text);
        const char *behind;
        const char *name = name_behind(at, &size, &behind);
        if (!name)
            return bilanx_error_make(BILANX_E_INPUT,
                                     "a '$' is not followed by a name ($$ is a literal $)");
        struct binding *binding = find(bindings, name, size);
        if (!binding)
            return unknown(bindings, name, size);
        binding->used = true;
        text_add(out, binding->value);
        at = behind;
    }
    return BILANX_SUCCESS;
}

bool suite_mentions(const char *text, const char *name)
{
    for (const char *at = text; at && (at = strchr(at, '$')) != NULL;) {
        size_t size;
        const char *behind;
        const char *found = at[1] == '$' ? NULL : name_behind(at, &size, &behind);
        if (found && strlen(name) == size && strncmp(found, name, size) == 0)
            return true;
        at += at[1] == '$' ? 2 : 1;
    }
    return false;
}
