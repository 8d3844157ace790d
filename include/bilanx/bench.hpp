// bench.hpp: benchmarks in C++: with any name, for several types, with fixtures, captured values,
// or registered at run time.
//
//     #include <bilanx/bench.hpp>
//     #include <string>
//     #include <vector>
//
//     BILANX_NAMED("join two strings")  // any text; b is the benchmark
//     {
//         std::string s = "abc";
//         for (auto _ : bilanx::loop(b)) BILANX_KEEP(s + s);
//     }
//
//     template <class T> void grow(bilanx_bench *b)
//     {
//         BILANX_LOOP(b) { T v; for (int i = 0; i < 100; i++) v.push_back(i); BILANX_KEEP(v); }
//     }
//     BILANX_FOR_TYPE(grow, std::vector<int>).unit("us");
//     BILANX_FOR_TYPE(grow, std::vector<double>);
//
//     struct text_fixture {  // its constructor sets up, its destructor cleans up
//         std::string text;
//         explicit text_fixture(bilanx_bench *b) : text(size_t(bilanx_arg(b, 0)), 'x') {}
//     };
//     BILANX_WITH(text_fixture, find, .range("n", 10, 1000, 10))
//     {
//         BILANX_LOOP(b) BILANX_KEEP(text.find('y'));
//     }
//
//     int main(int argc, char **argv)
//     {
//         for (std::string word : {"short", "a little longer"})  // captured: any type
//             bilanx::add("copy/" + word, [word](bilanx_bench *b) {
//                 BILANX_LOOP(b) BILANX_KEEP(std::string(word));
//                 bilanx_rate(b, "letters", double(word.size()));
//             }).min_time(0.1);
//         return bilanx_bench_main(argc, argv);
//     }
//
//     c++ -O2 strings.cpp -lbilanx-bench && ./a.out
//
// Needs C++11. Everything of bench.h works in the bodies. If an exception leaves a body, its case
// fails.
#ifndef BILANX_BENCH_HPP
#define BILANX_BENCH_HPP

#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bilanx/bench.h"

namespace bilanx
{

// for (auto _ : bilanx::loop(b)) { ... } is BILANX_LOOP(b) { ... }.
class loop
{
  public:
    struct __attribute__((unused)) nothing {
    };
    class iterator
    {
      public:
        explicit iterator(bilanx_bench *b) : b_(b), left_(0)
        {
        }
        bool operator!=(const iterator &)
        {
            return left_ != 0 || (left_ = bilanx_bench_next(b_, 0));
        }
        void operator++()
        {
            left_--;
        }
        nothing operator*() const
        {
            return nothing();
        }

      private:
        bilanx_bench *b_;
        uint64_t left_;
    };
    explicit loop(bilanx_bench *b) : b_(b)
    {
    }
    iterator begin() const
    {
        return iterator(b_);
    }
    iterator end() const
    {
        return iterator(b_);
    }

  private:
    bilanx_bench *b_;
};

// A registered benchmark. Its functions add cases and settings, as those of bench.h do in
// BILANX_CASES, and return it, so that calls can be chained.
class benchmark
{
  public:
    typedef std::vector<int64_t> values;

    benchmark(const std::string &name, std::function<void(bilanx_bench *)> body)
        : body_(std::move(body))
    {
        bilanx_add(name.c_str(), call, define, this);
    }
    benchmark(const benchmark &) = delete;
    benchmark &operator=(const benchmark &) = delete;

    benchmark &arg(int64_t value)
    {
        return args({value});
    }
    benchmark &args(values tuple)
    {
        return then(
            [tuple](bilanx_definition *d) { bilanx_case_values(d, tuple.data(), tuple.size()); });
    }
    benchmark &names(std::vector<std::string> of_args)
    {
        return then([of_args](bilanx_definition *d) {
            std::vector<const char *> texts;
            for (const std::string &name : of_args)
                texts.push_back(name.c_str());
            bilanx_name_values(d, texts.data(), texts.size());
        });
    }
    benchmark &axis(std::string name, values list)
    {
        return then([name, list](bilanx_definition *d) {
            bilanx_axis_values(d, name.c_str(), list.data(), list.size());
        });
    }
    benchmark &range(std::string name, int64_t from, int64_t to, int64_t factor = 8)
    {
        return then([name, from, to, factor](bilanx_definition *d) {
            bilanx_range(d, name.c_str(), from, to, factor);
        });
    }
    benchmark &steps(std::string name, int64_t from, int64_t to, int64_t step)
    {
        return then([name, from, to, step](bilanx_definition *d) {
            bilanx_steps(d, name.c_str(), from, to, step);
        });
    }
    benchmark &threads(values counts)
    {
        return then([counts](bilanx_definition *d) {
            bilanx_thread_values(d, counts.data(), counts.size());
        });
    }
    template <class Count, class = typename std::enable_if<std::is_integral<Count>::value>::type>
    benchmark &threads(Count count)  // {2} is a list, not a Count
    {
        return threads(values(1, int64_t(count)));
    }
    benchmark &thread_range(int64_t from, int64_t to)  // 1, 2, 4, 8
    {
        values counts;
        for (; from < to; from *= 2)
            counts.push_back(from);
        counts.push_back(to);
        return threads(counts);
    }
    benchmark &label(std::string text)
    {
        return with_text(bilanx_label, text);
    }
    benchmark &sub_label(std::string text)
    {
        return with_text(bilanx_sub_label, text);
    }
    benchmark &description(std::string text)
    {
        return with_text(bilanx_description, text);
    }
    benchmark &complexity(std::string argument = "0")  // the first
    {
        return with_text(bilanx_complexity, argument);
    }
    benchmark &unit(std::string name)
    {
        return with_text(bilanx_unit, name);
    }
    benchmark &min_time(double seconds)
    {
        return then([seconds](bilanx_definition *d) { bilanx_min_time(d, seconds); });
    }

  private:
    std::function<void(bilanx_bench *)> body_;
    std::vector<std::function<void(bilanx_definition *)>> settings_;

    benchmark &then(std::function<void(bilanx_definition *)> setting)
    {
        settings_.push_back(std::move(setting));
        return *this;
    }
    benchmark &with_text(void (*set)(bilanx_definition *, const char *), const std::string &text)
    {
        return then([set, text](bilanx_definition *d) { set(d, text.c_str()); });
    }
    static void call(bilanx_bench *b)
    {
        const benchmark *self = static_cast<benchmark *>(bilanx_context(b));
#ifdef __cpp_exceptions
        try {
            self->body_(b);
        } catch (const std::exception &exception) {
            bilanx_fail(b, "it threw an exception: %s", exception.what());
        } catch (...) {
            bilanx_fail(b, "it threw something that is not a std::exception");
        }
#else
        self->body_(b);
#endif
    }
    static void define(bilanx_definition *d, void *context)
    {
        for (const auto &setting : static_cast<benchmark *>(context)->settings_)
            setting(d);
    }
};

// A fixture's own constructors, and one that ignores the benchmark if it has none that takes it.
template <class Fixture, bool takes_it = std::is_constructible<Fixture, bilanx_bench *>::value>
struct with_constructors : Fixture {
    explicit with_constructors(bilanx_bench *b) : Fixture(b)
    {
    }
};
template <class Fixture> struct with_constructors<Fixture, false> : Fixture {
    explicit with_constructors(bilanx_bench *) : Fixture()
    {
    }
};
template <class Fixture> void call_with(bilanx_bench *b)
{
    Fixture fixture(b);
    fixture.bilanx_body_(b);
}

// Adds a benchmark before bilanx_bench_main() starts. The rest of the arguments are passed to the
// body after b. It lives as long as the program.
template <class Body> benchmark &add(const std::string &name, Body body)
{
    return *new benchmark(name, std::move(body));
}
template <class Body, class... Captured>
benchmark &add(const std::string &name, Body body, Captured... captured)
{
    return *new benchmark(name, [=](bilanx_bench *b) { body(b, captured...); });
}

}  // namespace bilanx

// ---- At namespace scope ----
//
// Cases and settings follow the macro or, if it starts a body, are its last argument:
//
//     BILANX_ADD(f).range("n", 8, 512).unit("us");            void f(bilanx_bench *b)
//     BILANX_CAPTURE(f, short_text, std::string("abc"), 3);   void f(bilanx_bench *b, std::string,
//                                                                    int), named f/short_text
//     BILANX_FOR_TYPE(f, std::map<int, int>, int).arg(8);     f<std::map<int, int>, int>
//     BILANX_NAMED("any text", .arg(8).threads({1, 2})) { ... }
//     BILANX_WITH(fixture, name, .range("n", 8, 512)) { ... }
#define BILANX_ADD(function) BILANX_REGISTERED_ = bilanx::add(#function, function)
// A lambda, because add() cannot take a template or an overloaded function. It evaluates the values
// at every call, so the function may move from them.
#define BILANX_CAPTURE(function, name, ...)                                                 \
    BILANX_REGISTERED_ = bilanx::add(#function "/" #name, [](bilanx_bench *bilanx_bench_) { \
        function(bilanx_bench_, __VA_ARGS__);                                               \
    })
#define BILANX_FOR_TYPE(function, ...) \
    BILANX_REGISTERED_ = bilanx::add(#function "<" #__VA_ARGS__ ">", function<__VA_ARGS__>)
#define BILANX_NAMED(...) BILANX_NAMED_(__COUNTER__, __VA_ARGS__, , )

// A fixture is constructed before the body in every process and thread, and destroyed after it. A
// constructor that takes a bilanx_bench * can ask for the arguments. Static members are shared by
// threads. A template with commas needs a typedef.
#define BILANX_WITH(...) BILANX_WITH_(__COUNTER__, __VA_ARGS__, , )

// ---- Behind the macros ----

#define BILANX_JOIN_(a, b) BILANX_JOIN_AGAIN_(a, b)
#define BILANX_JOIN_AGAIN_(a, b) a##b
#define BILANX_REGISTERED_ BILANX_REGISTERED_AS_(__COUNTER__)
#define BILANX_REGISTERED_AS_(id) \
    static bilanx::benchmark &BILANX_JOIN_(bilanx_benchmark_, id) __attribute__((unused))

#define BILANX_NAMED_(id, name, settings, ...)                                              \
    static void BILANX_JOIN_(bilanx_body_, id)(bilanx_bench * b);                           \
    BILANX_REGISTERED_AS_(id) = bilanx::add(name, BILANX_JOIN_(bilanx_body_, id)) settings; \
    static void BILANX_JOIN_(bilanx_body_, id)(bilanx_bench * b __attribute__((unused)))

#define BILANX_WITH_(id, fixture, name, settings, ...)                                        \
    struct BILANX_JOIN_(bilanx_fixture_, id) : bilanx::with_constructors<fixture> {           \
        using bilanx::with_constructors<fixture>::with_constructors;                          \
        void bilanx_body_(bilanx_bench *b);                                                   \
    };                                                                                        \
    BILANX_REGISTERED_AS_(id) =                                                               \
        bilanx::add(#fixture "/" #name, bilanx::call_with<BILANX_JOIN_(bilanx_fixture_, id)>) \
            settings;                                                                         \
    void BILANX_JOIN_(bilanx_fixture_, id)::bilanx_body_(bilanx_bench *b __attribute__((unused)))

#endif
