/* everything: uses each feature of <bilanx/bench.h>, in code valid as C99 and as C++11. */
#include <bilanx/bench.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a;
    double b;
};
struct large {
    char bytes[200];
};
enum colour { RED, GREEN };

BILANX_BENCH(no_arguments)
{
    BILANX_LOOP(b)
        BILANX_CLOBBER();
}

BILANX_BENCH(arguments, 1, 1 << 20, sizeof(int))
{
    int64_t n = bilanx_arg(b, 0);
    BILANX_LOOP(b) {
        if (n == 1)
            continue;
        BILANX_KEEP(n);
    }
    bilanx_bytes(b, (double)n);
    bilanx_items(b, 1);
    bilanx_counter(b, "half", (double)n / 2);
}

BILANX_BENCH(keeps)
{
    char c = 1;
    short s = 2;
    int i = 3;
    long long ll = 4;
    unsigned long ul = 5;
    float f = 6;
    double d = 7;
    long double ld = 8;
    int array[4] = {1, 2, 3, 4};
    char eight[8] = {0};
    int *pointer = array;
    const char *text = "text";
    const int constant = 9;
    volatile int changing = 10;
    struct pair pair = {1, 2};
    struct large large;
    enum colour colour = GREEN;
    memset(&large, 0, sizeof large);
    BILANX_LOOP(b) {
        BILANX_KEEP(c);
        BILANX_KEEP(s);
        BILANX_KEEP(i);
        BILANX_KEEP(ll);
        BILANX_KEEP(ul);
        BILANX_KEEP(f);
        BILANX_KEEP(d);
        BILANX_KEEP(ld);
        BILANX_KEEP(array);
        BILANX_KEEP(eight);
        BILANX_KEEP(pointer);
        BILANX_KEEP(text);
        BILANX_KEEP("literal");
        BILANX_KEEP(constant);
        BILANX_KEEP(changing);
        BILANX_KEEP(pair);
        BILANX_KEEP(large);
        BILANX_KEEP(colour);
        BILANX_KEEP(i + 1);
        BILANX_KEEP(d * 2);
        BILANX_KEEP(&pair);
        BILANX_LAUNDER(c);
        BILANX_LAUNDER(s);
        BILANX_LAUNDER(i);
        BILANX_LAUNDER(ll);
        BILANX_LAUNDER(ul);
        BILANX_LAUNDER(f);
        BILANX_LAUNDER(d);
        BILANX_LAUNDER(ld);
        BILANX_LAUNDER(array);
        BILANX_LAUNDER(eight);
        BILANX_LAUNDER(pointer);
        BILANX_LAUNDER(text);
        BILANX_LAUNDER(pair);
        BILANX_LAUNDER(large);
        BILANX_LAUNDER(colour);
        BILANX_LAUNDER(array[1]);
        BILANX_LAUNDER(pair.b);
    }
}

BILANX_BENCH(batches)
{
    char buffer[256];
    BILANX_BATCHES(b) {
        memset(buffer, (int)bilanx_batch_size(b), sizeof buffer);
        BILANX_TIMED(b)
            BILANX_KEEP(buffer);
    }
}

BILANX_BENCH(clock_control)
{
    BILANX_LOOP(b) {
        bilanx_pause(b);
        bilanx_resume(b);
    }
}

BILANX_BENCH(manual)
{
    BILANX_LOOP(b)
        bilanx_manual_time(b, 1e-6);
}

BILANX_BENCH(axes)
{
    int64_t n = bilanx_arg_named(b, "n") * bilanx_arg_named(b, "m");
    BILANX_LOOP(b)
        BILANX_KEEP(n);
}
BILANX_CASES(axes)
{
    bilanx_range(d, "n", 1, 100, 10);
    bilanx_steps(d, "m", 1, 5, 2);
    bilanx_axis(d, "k", 7);
    bilanx_label(d, "axes $k");
    bilanx_sub_label(d, "$n by $m");
    bilanx_description(d, "for $$1");
    bilanx_complexity(d, "n");
}

BILANX_BENCH(tuples)
{
    int64_t sum = bilanx_arg(b, 0) + bilanx_arg(b, 1);
    BILANX_LOOP(b)
        BILANX_KEEP(sum);
}
BILANX_CASES(tuples)
{
    bilanx_names(d, "width", "height");
    bilanx_case(d, 640, 480);
    bilanx_case(d, 1920, 1080);
}

BILANX_BENCH(threads)
{
    if (bilanx_thread_index(b) >= bilanx_thread_count(b))
        bilanx_fail(b, "thread %u of %u", bilanx_thread_index(b), bilanx_thread_count(b));
    BILANX_LOOP(b)
        BILANX_CLOBBER();
}
BILANX_CASES(threads)
{
    bilanx_threads(d, 1, 2);
}

BILANX_BENCH(skipped)
{
    bilanx_skip(b, "on purpose: %s", "for this test");
}

BILANX_MAIN()
