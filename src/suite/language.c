// language: the table of languages.
#include "language.h"

#include <string.h>

#include "base/text.h"

#define IN(member) offsetof(struct bilanx_suite_code, member)
const struct language languages[] = {
    {"python", "Python", "#", IN(python), .torch = true},
    {"c++", "C++", "//", IN(cxx), .compiled = true, .torch = true},
    {"c", "C", "//", IN(c), .compiled = true},
};
_Static_assert(sizeof languages / sizeof *languages == LANGUAGE_COUNT, "count the languages");

const struct language *language_find(const char *name)
{
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        if (strcmp(languages[i].name, name) == 0)
            return &languages[i];
    return NULL;
}

const char *language_nearest(const char *word)
{
    const char *names[LANGUAGE_COUNT];
    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        names[i] = languages[i].name;
    return text_nearest(word, names, LANGUAGE_COUNT);
}

const char *code_in(const struct bilanx_suite_code *code, const struct language *language)
{
    return *(const char *const *)((const char *)code + language->offset);
}

void code_set(struct bilanx_suite_code *code, const struct language *language, const char *text)
{
    *(const char **)((char *)code + language->offset) = text;
}

bool code_given(const struct bilanx_suite_code *code)
{
    return code->c || code->cxx || code->python;
}
