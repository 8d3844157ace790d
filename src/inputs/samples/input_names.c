// input_names: whether statements can use the names of a specification.
#include <ctype.h>
#include <string.h>

#include "base/list.h"
#include "samples.h"

static const char c_words[] =
    " alignas alignof asm auto bool break case char const continue default do double else enum "
    "extern false float for goto if inline int long register restrict return short signed sizeof "
    "static struct switch true typedef typeof union unsigned void volatile while ";
static const char cplusplus_words[] =
    " and catch class const_cast constexpr decltype delete dynamic_cast explicit export friend "
    "mutable namespace new noexcept not nullptr operator or private protected public "
    "reinterpret_cast static_assert static_cast template this throw try typeid typename using "
    "virtual wchar_t xor ";
static const char python_words[] =
    " False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield ";

static bool is_among(const char *words, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[size] == ' ')
            return true;
    return false;
}

static bool is_identifier(const char *name)
{
    if (!*name || isdigit((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static bool is_reserved(const char *name, const char *language)
{
    if (strcmp(language, "python") == 0)
        return is_among(python_words, name);
    return is_among(c_words, name) ||
           (strcmp(language, "c++") == 0 && is_among(cplusplus_words, name));
}

struct bilanx_error samples_check_names(const struct samples *samples, const char *language)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, samples->names);
    for (size_t i = 0; i < lines.count; i++) {
        const char *name = strchr(lines.items[i], ' ') + 1;
        if (!is_identifier(name))
            return bilanx_error_make(BILANX_E_INPUT,
                                     "statements cannot use the input '%s': rename it, with "
                                     "letters, digits and _",
                                     name);
        if (is_reserved(name, language))
            return bilanx_error_make(BILANX_E_INPUT,
                                     "statements cannot use the input '%s', which is a word of "
                                     "their language: rename it",
                                     name);
    }
    return BILANX_SUCCESS;
}
