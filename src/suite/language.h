// language: what a suite knows of the languages it writes statements in. One line for each.
#ifndef SUITE_LANGUAGE_H
#define SUITE_LANGUAGE_H

#include <stdbool.h>

#include "bilanx/suite.h"

struct language {
    const char *name;     // "c++"
    const char *word;     // "C++", for people
    const char *comment;  // what starts one
    size_t offset;        // in struct bilanx_suite_code
    bool compiled;
    bool torch;  // has TorchScript, autograd and modules
};
extern const struct language languages[];  // in the order of columns
enum { LANGUAGE_COUNT = 3 };

const struct language *language_find(const char *name);  // NULL: none
const char *language_nearest(const char *word);          // NULL: none is near
const char *code_in(const struct bilanx_suite_code *code, const struct language *language);
void code_set(struct bilanx_suite_code *code, const struct language *language, const char *text);
bool code_given(const struct bilanx_suite_code *code);  // in any language

#endif
