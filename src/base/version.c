// version: the version of this library.
#include "bilanx/version.h"

const char *bilanx_version(void)
{
    return BILANX_VERSION;
}
