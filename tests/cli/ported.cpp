// Programs in the manner of Google Benchmark's documentation, ported, for run_cplusplus.sh.
#include <algorithm>
#include <bilanx/bench.hpp>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

// BENCHMARK(copy)->RangeMultiplier(8)->Range(8, 512) with SetBytesProcessed, and once more.
static void copy(bilanx_bench *b)
{
    size_t n = size_t(bilanx_arg(b, 0));
    std::unique_ptr<char[]> from(new char[n]()), to(new char[n]);
    for (auto _ : bilanx::loop(b)) {
        std::memcpy(to.get(), from.get(), n);
        BILANX_CLOBBER();
    }
    bilanx_bytes(b, double(n));
}
BILANX_ADD(copy).range("n", 8, 512).complexity();
BILANX_ADD(copy).arg(4096).unit("us");

// ->ArgsProduct({{100, 200}, {1, 64}}) with PauseTiming.
static void insert(bilanx_bench *b)
{
    std::set<int> data;
    BILANX_LOOP(b) {
        bilanx_pause(b);
        data.clear();
        for (int i = 0; i < bilanx_arg(b, 0); i++)
            data.insert(i * 7);
        bilanx_resume(b);
        for (int j = 0; j < bilanx_arg(b, 1); j++)
            data.insert(j * 3);
    }
    bilanx_items(b, double(bilanx_arg(b, 1)));
}
BILANX_ADD(insert).axis("size", {100, 200}).axis("added", {1, 64});

// BENCHMARK_TEMPLATE, with a counter as a rate and SetLabel.
template <class Queue> void sequential(bilanx_bench *b)
{
    Queue queue;
    BILANX_LOOP(b) {
        for (int i = 0; i < 100; i++)
            queue.push_back(i);
        for (int i = 100; i-- > 0;)
            queue.pop_back();
        BILANX_KEEP(queue);
    }
    bilanx_rate(b, "pushed", 100);
    bilanx_remark(b, "%zu bytes", sizeof(Queue));
}
BILANX_FOR_TYPE(sequential, std::vector<int>);
BILANX_FOR_TYPE(sequential, std::deque<int>).min_time(.01);

// BENCHMARK_TEMPLATE_DEFINE_F and BENCHMARK_REGISTER_F(...)->DenseRange: SetUp sees the state.
template <class T> struct sorted_fixture {
    std::vector<T> values;
    explicit sorted_fixture(bilanx_bench *b) : values(size_t(bilanx_arg_named(b, "n")))
    {
        for (size_t i = 0; i < values.size(); i++)
            values[i] = T(i);
    }
};
BILANX_WITH(sorted_fixture<int>, search, .steps("n", 10, 30, 10))
{
    if (values.size() != size_t(bilanx_arg(b, 0)))
        bilanx_fail(b, "the fixture has %zu values", values.size());
    BILANX_LOOP(b)
        BILANX_KEEP(std::binary_search(values.begin(), values.end(), 7));
}

// ->ThreadRange(1, 2), with work for one of the threads. What threads share is static.
struct locked_fixture {
    static std::mutex mutex;
};
std::mutex locked_fixture::mutex;
BILANX_WITH(locked_fixture, lock, .thread_range(1, 2))
{
    if (bilanx_thread_index(b) == 0)
        bilanx_counter(b, "threads", bilanx_thread_count(b));
    for (auto _ : bilanx::loop(b))
        std::lock_guard<std::mutex> guard(mutex);
}

// ->UseManualTime()
static void pretended(bilanx_bench *b)
{
    for (auto _ : bilanx::loop(b))
        bilanx_manual_time(b, 1e-6);
}
BILANX_ADD(pretended);

// BENCHMARK_CAPTURE
static void find(bilanx_bench *b, const std::string &text, char letter)
{
    BILANX_LOOP(b)
        BILANX_KEEP(text.find(letter));
}
BILANX_CAPTURE(find, late, std::string(100, 'x') + "y", 'y');

// ... of a template, as in Google Benchmark's guide: the arguments can be moved from.
template <class... Args> void takes_args(bilanx_bench *b, Args &&...args)
{
    auto values = std::make_tuple(std::move(args)...);
    BILANX_LOOP(b)
        BILANX_KEEP(values);
    bilanx_remark(b, "%d %s", std::get<0>(values), std::get<1>(values).c_str());
}
BILANX_CAPTURE(takes_args, int_string_test, 42, std::string("abc"));

// ... of overloaded functions, and of a lambda.
static void overloaded(bilanx_bench *b, int)
{
    BILANX_LOOP(b)
        BILANX_CLOBBER();
    bilanx_remark(b, "an int");
}
static void overloaded(bilanx_bench *b, const char *)
{
    BILANX_LOOP(b)
        BILANX_CLOBBER();
    bilanx_remark(b, "a text");
}
BILANX_CAPTURE(overloaded, number, 42).threads(2);
BILANX_CAPTURE(overloaded, text, "abc").threads({2});
static const auto lambda = [](bilanx_bench *b, int value) {
    BILANX_LOOP(b)
        BILANX_KEEP(value);
    bilanx_remark(b, "the lambda's %d", value);
};
BILANX_CAPTURE(lambda, captured, 7);

// ->Args({1, 2})->ArgNames({"rows", "columns"}), and ->Name()
BILANX_NAMED("a table", .args({1, 2}).args({3, 4}).names({"rows", "columns"}))
{
    BILANX_LOOP(b)
        BILANX_KEEP(bilanx_arg_named(b, "columns"));
}

// SkipWithError, as SkipWithMessage: this machine cannot run it.
BILANX_NAMED("elsewhere")
{
    bilanx_skip(b, "no device");
}

int main(int argc, char **argv)
{
    for (int power : {1, 2})  // RegisterBenchmark with a lambda, before RunSpecifiedBenchmarks
        bilanx::add("lambda/" + std::to_string(power), [power](bilanx_bench *b) {
            BILANX_LOOP(b)
                BILANX_KEEP(power * power);
        });
    return bilanx_bench_main(argc, argv);
}
