// languages: the table of languages.
#include "languages.h"

#include <string.h>

#include "base/text.h"

#define IN(member) offsetof(struct bilanx_suite_code, member)
const struct suite_language suite_languages[] = {
    {"python", "Python", "#", IN(python), .torch = true},
    {"c++", "C++", "//", IN(cxx), .compiled = true, .torch = true},
    {"c", "C", "//", IN(c), .compiled = true},
};
_Static_assert(sizeof suite_languages / sizeof *suite_languages == LANGUAGE_COUNT,
               "count the languages");

const struct suite_language *suite_language_find(const char *name)
{
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        if (strcmp(suite_languages[i].name, name) == 0)
            return &suite_languages[i];
    return NULL;
}

const char *suite_language_nearest(const char *word)
{
    const char *names[LANGUAGE_COUNT];
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        names[i] = suite_languages[i].name;
    return text_nearest(word, names, LANGUAGE_COUNT);
}

const char *code_in(const struct bilanx_suite_code *code, const struct suite_language *language)
{
    return *(const char *const *)((const char *)code + language->offset);
}

void code_set(struct bilanx_suite_code *code, const struct suite_language *language,
              const char *text)
{
    *(const char **)((char *)code + language->offset) = text;
}

bool code_given(const struct bilanx_suite_code *code)
{
    return code->c || code->cxx || code->python;
}
