// entry_names: names of files for names of cases.
#include "entry_names.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void entry_names_done(struct entry_names *names)
{
    index_done(&names->taken);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Marks that no file system, shell or link gives a meaning to, as long as they are not first.
static bool is_mark(char c)
{
    return c && strchr("_.=+", c);
}

// A visible character beyond ASCII that does not reorder its neighbours.
static size_t visible_size(const char *at)
{
    size_t size = text_character((const unsigned char *)at, NULL);
    if (size < 2)
        return 0;
    AUTO(memory) char *character = mem_text_n(at, size);
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, character);
    return text_equal(character, text_get(&harmless)) && text_width(character) > 0 ? size : 0;
}

static bool ends_in_separator(const struct text *text)
{
    return !text->size || text->data[text->size - 1] == '-' || is_mark(text->data[text->size - 1]);
}

static void drop_separators(struct text *text)
{
    while (text->size && ends_in_separator(text))
        text->data[--text->size] = '\0';
}

char *entry_name(const char *name)
{
    struct text out = {0};
    for (const char *at = name; *at;) {
        size_t size = is_letter(*at) ? 1 : visible_size(at);
        if (out.size + (size ? size : 1) > ENTRY_NAME_LONGEST)
            break;
        if (size)
            text_add_n(&out, at, size);
        else if (!ends_in_separator(&out))
            text_add_char(&out, is_mark(*at) ? *at : '-');
        at += size ? size : 1;
    }
    drop_separators(&out);
    if (!out.size)
        text_add(&out, "case");
    return text_take(&out);
}

// Two names that differ in case only are the same file on some systems.
static bool is_taken(struct entry_names *names, const char *name)
{
    AUTO(memory) char *lower = mem_text(name);
    for (char *at = lower; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    struct hash key = hash_start();
    hash_add_text(&key, lower);
    bool added = false;
    index_find_or_add(&names->taken, key, 0, &added);
    return !added;
}

char *entry_names_add(struct entry_names *names, const char *name)
{
    char *unique = mem_text(name);
    for (size_t number = 2; is_taken(names, unique); number++) {
        free(unique);
        unique = mem_format("%s-%zu", name, number);
    }
    return unique;
}
