// google_loop: an empty body in Google Benchmark's loop.
#include <benchmark/benchmark.h>

static void google(benchmark::State &state)
{
    for (auto _ : state)
        __asm__ volatile("");
}
BENCHMARK(google);

BENCHMARK_MAIN();
