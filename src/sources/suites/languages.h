// languages: the languages that suites can use for statements. One line each.
#ifndef SUITE_LANGUAGES_H
#define SUITE_LANGUAGES_H

#include <stdbool.h>

#include "bilanx/suite.h"

struct suite_language {
    const char *name;     // "c++"
    const char *word;     // "C++", for display
    const char *comment;  // starts a comment
    size_t offset;        // in struct bilanx_suite_code
    bool compiled;
    bool torch;  // has TorchScript, autograd and modules
};
extern const struct suite_language suite_languages[];  // in the order of columns
enum { LANGUAGE_COUNT = 3 };

const struct suite_language *suite_language_find(const char *name);  // NULL: none
const char *suite_language_nearest(const char *word);                // NULL: none is near
const char *code_in(const struct bilanx_suite_code *code, const struct suite_language *language);
void code_set(struct bilanx_suite_code *code, const struct suite_language *language,
              const char *text);
bool code_given(const struct bilanx_suite_code *code);  // in any language

#endif
