// call_tensors: the tensors of a call, one by one, wherever they are.
#ifndef OPERATORS_CALL_TENSORS_H
#define OPERATORS_CALL_TENSORS_H

#include "bilanx/backend.h"

// Where a value is.
struct value_place {
    size_t argument;      // its number; SIZE_MAX: a keyword
    const char *keyword;  // NULL: an argument
    size_t item;          // in the list that is the argument; SIZE_MAX: it is no list
};

// Calls `visit` for every value that is not a list, in order, until one returns false. The room
// owns what a call points to, so values may be changed.
bool call_each_value(const struct bilanx_call *call,
                     bool (*visit)(struct bilanx_value *value, const struct value_place *place,
                                   void *context),
                     void *context);

// The elements of memory from the first to the last, gaps included; 0: it has no elements.
uint64_t tensor_span(const DLTensor *tensor);

#endif
