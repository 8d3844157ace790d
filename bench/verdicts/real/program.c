// program: a workload as a benchmark program.
#include <bilanx/bench.h>

#include "work.h"

BILANX_BENCH(workload)
{
    unsigned long times = WORK;
    prepare();
    BILANX_LOOP(b) {
        BILANX_KEEP(times);
        work(times);
    }
}

BILANX_MAIN()
