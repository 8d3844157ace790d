// google: runs the two functions under Google Benchmark, as A and B.
//
//     google OBJECT FUNCTION WORK OBJECT FUNCTION WORK --benchmark_...
#include <benchmark/benchmark.h>

#include "sides.h"

static void run(benchmark::State &state, side which)
{
    for (auto _ : state)
        which.function(which.work);
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    benchmark::RegisterBenchmark("A", run, side_load(argv + 1));
    benchmark::RegisterBenchmark("B", run, side_load(argv + 4));
    int count = argc - 6;
    argv[6] = argv[0];
    benchmark::Initialize(&count, argv + 6);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
