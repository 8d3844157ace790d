// A Google Benchmark program, for its JSON: every key that an entry can have.
#include <benchmark/benchmark.h>

#include <cmath>

static void plain(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::ClobberMemory();
}
BENCHMARK(plain)->Iterations(1000);
BENCHMARK(plain)->Name("repeated")->Iterations(1000)->Repetitions(3);
BENCHMARK(plain)->Name("threads")->Iterations(1000)->Threads(2)->UseRealTime();
BENCHMARK(plain)->Name("millis")->Iterations(1000)->Unit(benchmark::kMillisecond);

static void counted(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::ClobberMemory();
    state.SetBytesProcessed(state.iterations() * state.range(0));
    state.SetItemsProcessed(state.iterations() * 3);
    state.SetComplexityN(state.range(0));
    state.SetLabel("a \"label\", NaN");
    state.counters["plain"] = 3;
    state.counters["rate"] = benchmark::Counter(10, benchmark::Counter::kIsRate);
    state.counters["nan"] = NAN;
    state.counters["up"] = INFINITY;
    state.counters["down"] = -INFINITY;
}
BENCHMARK(counted)->Arg(8)->Arg(64)->Iterations(1000)->Complexity();

static void broken(benchmark::State &state)
{
    state.SkipWithError("no \"device\"");
    for (auto _ : state) {
    }
}
BENCHMARK(broken);

int main(int argc, char **argv)
{
    benchmark::AddCustomContext("compiler", "gcc 12");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
