// loops: an empty body in BILANX_LOOP and in a bare loop, timed by the same clock.
#include <bilanx/bench.h>

BILANX_BENCH(bilanx)
{
    BILANX_LOOP(b)
        __asm__ volatile("");
}

BILANX_BENCH(bare)
{
    BILANX_BATCHES(b) {
        uint64_t n = bilanx_bench_start(b);
        for (uint64_t i = 0; i < n; i++)
            __asm__ volatile("");
        bilanx_bench_stop(b);
    }
}

BILANX_MAIN()
