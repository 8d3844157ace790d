// standard: names that do not depend on where, when and how exactly a program was built.
//
// A file is reduced to its base name: folders differ in ways that no list of prefixes covers, and
// it is rare that two files of the same name have a function of the same name.
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "functions.h"

// Suffixes that compilers append to copies of functions, optionally followed by a number. An
// `inside` copy is called by the function it was split from, whose inclusive count contains it.
static const struct clone {
    const char *suffix;
    bool inside;
} clones[] = {
    {".constprop", false}, {".isra", false},       {".part", true},   {".cold", true},
    {".lto_priv", false},  {".localalias", false}, {".clone", false}, {".llvm", false},
    {".sra", false},       {".ipa", false},        {".warm", true},
};

static bool ends_with(const struct text *name, size_t size, const char *suffix)
{
    size_t length = strlen(suffix);
    return size >= length && memcmp(name->data + size - length, suffix, length) == 0;
}

static size_t without_digits(const struct text *name, size_t size)
{
    while (size && isdigit((unsigned char)name->data[size - 1]))
        size--;
    return size;
}

// The length of the name without one clone suffix at the end of its first `size` bytes.
static size_t cut_clone(const struct text *name, size_t size, bool *inside)
{
    size_t word = without_digits(name, size);
    word = word < size && word && name->data[word - 1] == '.' ? word - 1 : size;
    for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
        if (ends_with(name, word, clones[i].suffix) && word > strlen(clones[i].suffix)) {
            *inside |= clones[i].inside;
            return word - strlen(clones[i].suffix);
        }
    return size;
}

// "f(int) [clone .isra.0]", as shown by demanglers.
static size_t cut_shown_clone(const struct text *name, size_t size, bool *inside)
{
    static const char opening[] = " [clone ";
    size_t length = sizeof opening - 1;
    if (size == 0 || name->data[size - 1] != ']')
        return size;
    for (size_t at = size - 1; at-- > 0;)
        if (size - at > length && memcmp(name->data + at, opening, length) == 0) {
            size_t rest = size - 1, cut;
            while ((cut = cut_clone(name, rest, inside)) < rest)
                rest = cut;
            return at;
        }
    return size;
}

static size_t cut_recursion(const struct text *name, size_t size, bool *inside)
{
    size_t digits = without_digits(name, size);
    if (digits == size || digits < 2 || name->data[digits - 1] != '\'')
        return size;
    *inside = true;
    return digits - 1;
}

// Rust's "::h0123456789abcdef".
static size_t cut_hash(const struct text *name, size_t size)
{
    enum { DIGITS = 16 };
    if (size <= DIGITS + 3 || memcmp(name->data + size - DIGITS - 3, "::h", 3) != 0)
        return size;
    for (size_t i = size - DIGITS; i < size; i++)
        if (!isdigit((unsigned char)name->data[i]) && (name->data[i] < 'a' || name->data[i] > 'f'))
            return size;
    return size - DIGITS - 3;
}

static size_t cut_version(const struct text *name, size_t size)
{
    const char *at = size ? memchr(name->data, '@', size) : NULL;
    return at && at > name->data ? (size_t)(at - name->data) : size;
}

static bool is_address(const char *name)
{
    return text_starts(name, "0x") && name[2] &&
           strspn(name + 2, "0123456789abcdefABCDEF") == strlen(name + 2);
}

// Writes the function's standard name to `out`; returns whether its inclusive count is already part
// of that of the function it was split from.
static bool standardize(const char *function, struct text *out)
{
    bool inside = false;
    text_clear(out);
    text_add(out, is_address(function) ? "???" : function);
    size_t size = out->size, before;
    do {
        before = size;
        size = cut_recursion(out, size, &inside);
        size = cut_shown_clone(out, size, &inside);
        size = cut_clone(out, size, &inside);
        size = cut_version(out, size);
        size = cut_hash(out, size);
    } while (size < before);
    if (out->data) {
        out->data[size] = '\0';
        out->size = size;
    }
    return inside;
}

static const char *own_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash && slash[1] ? slash + 1 : file;
}

static void add_standardized(struct tally *tally, const struct bilanx_functions *functions,
                             bool in_objects, bool inside_ones)
{
    AUTO(text) struct text name = {0};
    for (size_t i = 0; i < functions->count; i++) {
        const struct bilanx_function_count *item = &functions->items[i];
        bool inside = item->function && standardize(item->function, &name) && functions->inclusive;
        if (inside != inside_ones)
            continue;
        double *count =
            tally_count(tally, own_name(item->file), item->function ? text_get(&name) : NULL,
                        in_objects ? own_name(item->object) : NULL);
        if (!inside)
            *count += item->count;
        else if (*count < item->count)
            *count = item->count;
    }
}

static struct bilanx_functions standardized(const struct bilanx_functions *functions,
                                            bool in_objects)
{
    struct tally tally;
    tally_start(&tally);
    add_standardized(&tally, functions, in_objects, false);
    add_standardized(&tally, functions, in_objects, true);
    return tally_finish(&tally, functions->inclusive);
}

struct bilanx_functions bilanx_functions_standardized(const struct bilanx_functions *functions)
{
    return functions ? standardized(functions, false) : (struct bilanx_functions){0};
}

struct bilanx_functions functions_standardized_in_objects(const struct bilanx_functions *functions)
{
    return standardized(functions, true);
}
