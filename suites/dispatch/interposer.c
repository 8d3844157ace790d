// Comes before target.c in LD_PRELOAD, so it gets its calls, and passes them on.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "target.h"

long dispatch_target(long x)
{
    static long (*next)(long);
    if (!next)
        next = (long (*)(long))dlsym(RTLD_NEXT, "dispatch_target");
    return next(x);
}
