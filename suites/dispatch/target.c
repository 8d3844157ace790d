// A function in a library, and one that calls it through the library's own table of links.
#include "target.h"

long dispatch_target(long x)
{
    return x + 1;
}

long dispatch_caller(long x)
{
    return dispatch_target(x) + 1;
}
