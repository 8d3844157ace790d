// The same program as C++.
#include "verdict.c"
