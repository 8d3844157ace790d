// operator_names: the parts of an operator's name.
#ifndef OPERATORS_OPERATOR_NAMES_H
#define OPERATORS_OPERATOR_NAMES_H

#include <stdbool.h>

struct operator_name {
    char base[64];         // of "aten.add_.Tensor": "add_"
    char stem[64];         // "add"
    const char *overload;  // "Tensor"; points into the name
    bool is_in_place;
};

struct operator_name operator_name_split(const char *name);

#endif
