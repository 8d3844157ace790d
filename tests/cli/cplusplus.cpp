// Benchmarks that use all of bench.hpp, for run_cplusplus.sh.
#include <bilanx/bench.hpp>
#include <map>
#include <stdexcept>

static void captured(bilanx_bench *b, const std::string &text, int times)
{
    BILANX_LOOP(b)
        BILANX_KEEP(text + text);
    bilanx_remark(b, "%s x %d", text.c_str(), times);
    bilanx_rate(b, "letters", 2.0 * double(text.size()));
    bilanx_counter(b, "times", times);
}

template <class Map, class Key> void look_up(bilanx_bench *b)
{
    Map map;
    map[Key()] = 1;
    BILANX_LOOP(b)
        BILANX_KEEP(map.find(Key()));
}
BILANX_FOR_TYPE(look_up, std::map<int, int>, int);
BILANX_FOR_TYPE(look_up, std::map<long, int>, long).description("longs");

struct counted {
    int constructed = 1;
    ~counted()
    {
        constructed = 0;
    }
};
BILANX_WITH(counted, is_set_up)
{
    if (constructed != 1)
        bilanx_fail(b, "the fixture was not constructed");
    BILANX_LOOP(b)
        BILANX_KEEP(constructed);
}

BILANX_NAMED("leaves \"early\"/../..")
{
    for (auto _ : bilanx::loop(b))
        break;
}

BILANX_NAMED("throws")
{
    throw std::runtime_error("no luck");
}

int main(int argc, char **argv)
{
    bilanx::add("captured", captured, std::string("abc"), 3).unit("us").min_time(0.02);
    bilanx::add("cases",
                [](bilanx_bench *b) {
                    int64_t n = bilanx_arg_named(b, "n");
                    BILANX_LOOP(b)
                        BILANX_KEEP(n);
                })
        .axis("n", {1, 2})
        .steps("m", 1, 3, 1)
        .threads({1, 2})
        .sub_label("$n of $m");
    bilanx::add("tuples",
                [](bilanx_bench *b) {
                    BILANX_LOOP(b)
                        BILANX_CLOBBER();
                })
        .args({1, 2})
        .args({3, 4});
    return bilanx_bench_main(argc, argv);
}
