// aliases: a table indexed by numbers of any size: a file may contain "(4000000000)".
#include "aliases.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

// With --compress-mangled=yes a line of ten bytes may expand to a name of any length.
static const size_t MOST_EXPANDED = (size_t)64 << 20;

void aliases_done(struct aliases *aliases)
{
    free(aliases->slots);
    *aliases = (struct aliases){0};
}

bool callgrind_number(const char **at, uint64_t *out)
{
    const char *digits = *at;
    unsigned base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    digits += base == 16 ? 2 : 0;
    const char *end = digits;
    uint64_t number = 0;
    for (; base == 16 ? isxdigit((unsigned char)*end) : isdigit((unsigned char)*end); end++) {
        unsigned digit = isdigit((unsigned char)*end) ? (unsigned)(*end - '0')
                                                      : (unsigned)(tolower(*end) - 'a') + 10;
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
    }
    if (end == digits)
        return false;
    *at = end;
    *out = number;
    return true;
}

static struct alias *find(const struct aliases *aliases, uint64_t id)
{
    uint64_t mixed = id * 0x9E3779B97F4A7C15u;
    for (size_t i = mixed ^ mixed >> 32;; i++) {
        struct alias *slot = &aliases->slots[i & (aliases->room - 1)];
        if (!slot->name || slot->id == id)
            return slot;
    }
}

static const char *lookup(const struct aliases *aliases, uint64_t id)
{
    return aliases->room ? find(aliases, id)->name : NULL;
}

static void define(struct aliases *aliases, uint64_t id, const char *name)
{
    if (aliases->room <= 2 * aliases->count) {
        struct aliases old = *aliases;
        aliases->room = old.room ? 2 * old.room : 64;
        aliases->slots = mem_array(struct alias, aliases->room);
        for (size_t i = 0; i < old.room; i++)
            if (old.slots[i].name)
                *find(aliases, old.slots[i].id) = old.slots[i];
        free(old.slots);
    }
    struct alias *slot = find(aliases, id);
    aliases->count += !slot->name;
    *slot = (struct alias){id, name};
}

// Reads "(12)", but not "(anonymous namespace)".
static bool read_id(const char **at, uint64_t *id)
{
    const char *end = *at + 1;
    if (**at != '(' || !isdigit((unsigned char)*end) || !callgrind_number(&end, id) || *end != ')')
        return false;
    *at = end + 1;
    return true;
}

static struct bilanx_error undefined(uint64_t id)
{
    return bilanx_error_make(BILANX_E_INPUT, "the name (%llu) is used before it is defined",
                             (unsigned long long)id);
}

// A caller context: "(12)'2'(7)" is the second level of 12 called from 7.
static struct bilanx_error expand(struct aliases *aliases, const char *text, struct text *out)
{
    while (*text) {
        uint64_t id;
        if (*text == '(' && read_id(&text, &id)) {
            const char *name = lookup(aliases, id);
            if (!name)
                return undefined(id);
            text_add(out, name);
            aliases->expanded += strlen(name);
            if (aliases->expanded > MOST_EXPANDED)
                return bilanx_error_make(BILANX_E_INPUT, "compressed names expand to over %zu MB",
                                         MOST_EXPANDED >> 20);
        } else {
            text_add_char(out, *text++);
        }
    }
    return BILANX_SUCCESS;
}

struct bilanx_error aliases_read(struct aliases *aliases, struct name_pool *names, const char *text,
                                 const char **out)
{
    uint64_t id;
    text += strspn(text, " \t");
    bool aliased = read_id(&text, &id);
    if (!aliased && *text == '(' && isdigit((unsigned char)text[1]))
        return bilanx_error_make(BILANX_E_INPUT, "a name's number must look like '(12)'");
    text += strspn(text, " \t");
    if (aliased && !*text) {
        const char *name = lookup(aliases, id);
        if (!name)
            return undefined(id);
        *out = name;
        return BILANX_SUCCESS;
    }
    if (*text == '(' && isdigit((unsigned char)text[1])) {
        AUTO(text) struct text whole = {0};
        BILANX_TRY(expand(aliases, text, &whole));
        *out = name_pool_add(names, text_get(&whole));
    } else {
        *out = name_pool_add(names, text);
    }
    if (aliased)
        define(aliases, id, *out);
    return BILANX_SUCCESS;
}
