// want: checks the pointers that a C program passes to a public function.
#ifndef BASE_WANT_H
#define BASE_WANT_H

#include "bilanx/error.h"

// Returns an error from the calling function if the pointer is NULL.
#define WANT(pointer)                                                                    \
    do {                                                                                 \
        if (!(pointer))                                                                  \
            return bilanx_error_make(BILANX_E_USAGE, "'" #pointer "' must not be NULL"); \
    } while (0)

#endif
