// empty: the smallest possible benchmark program.
#include <bilanx/bench.h>

BILANX_BENCH(empty)
{
    BILANX_LOOP(b)
        BILANX_CLOBBER();
}

BILANX_MAIN()
