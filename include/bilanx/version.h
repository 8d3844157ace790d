// version: the version of the linked library.
//
//     printf("bilanx %s\n", bilanx_version());  // bilanx 1.2.3
#ifndef BILANX_VERSION_H
#define BILANX_VERSION_H

#include "bilanx/error.h"

#ifdef __cplusplus
extern "C" {
#endif

BILANX_API const char *bilanx_version(void);

#ifdef __cplusplus
}
#endif

#endif
