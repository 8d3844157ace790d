// The same program as C++.
#include "measured.c"
