// good: a benchmark program that uses every feature and never fails.
#include <bilanx/bench.h>
#include <stdio.h>
#include <string.h>

#include "marks.h"

// Reports how often it was called, warm-up included.
BILANX_BENCH(calls)
{
    uint64_t calls = 0;
    mark("calls");
    BILANX_LOOP(b) {
        calls++;
        BILANX_LAUNDER(calls);
    }
    bilanx_counter(b, "calls made", (double)calls);
}

BILANX_BENCH(sum)
{
    int64_t n = bilanx_arg_named(b, "n"), k = bilanx_arg_named(b, "by k");
    char label[32];
    snprintf(label, sizeof label, "n=%d,k=%d", (int)n, (int)k);
    mark(label);
    BILANX_LOOP(b) {
        int64_t sum = 0;
        for (int64_t i = 0; i < n * k; i++) {
            sum += i;
            BILANX_LAUNDER(sum);
        }
    }
    bilanx_items(b, (double)(n * k));
}
BILANX_CASES(sum)
{
    bilanx_range(d, "n", 64, 4096, 4);
    bilanx_axis(d, "by k", 1, 3);
    bilanx_sub_label(d, "$n of them");
    bilanx_description(d, "k is $1");
    bilanx_complexity(d, "n");
}

BILANX_BENCH(copy, 64, 4096)
{
    static char from[4096], to[4096];
    size_t n = (size_t)bilanx_arg(b, 0);
    BILANX_LOOP(b) {
        memcpy(to, from, n);
        BILANX_KEEP(to);
        BILANX_CLOBBER();
    }
    bilanx_bytes(b, (double)n);
}

BILANX_BENCH(paused)
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

BILANX_BENCH(batches)
{
    char bytes[4096];
    uint64_t prepared = 0, used = 0;
    BILANX_BATCHES(b) {
        memset(bytes, 1, sizeof bytes);
        prepared += bilanx_batch_size(b);
        BILANX_TIMED(b) {
            BILANX_KEEP(bytes);
            used++;
        }
    }
    bilanx_items(b, 2);
    if (prepared != used)
        bilanx_fail(b, "prepared %d, used %d", (int)prepared, (int)used);
}

BILANX_BENCH(threads)
{
    double x = 1;
    BILANX_LOOP(b) {
        x *= 1.0000001;
        BILANX_KEEP(x);
    }
    bilanx_items(b, 1);
    bilanx_counter(b, "index", bilanx_thread_index(b));
    bilanx_counter(b, "count", bilanx_thread_count(b));
}
BILANX_CASES(threads)
{
    bilanx_threads(d, 1, 2, 4);
}

// Text that a shell, a terminal, printf, CSV, Markdown and JSON would each interpret.
BILANX_BENCH(texts)
{
    BILANX_LOOP(b)
        BILANX_CLOBBER();
}
BILANX_CASES(texts)
{
    bilanx_axis(d, "\033[31mn", 1);
    bilanx_label(d,
                 "Gr\xc3\xb6\xc3\x9f\x65 \xe2\x9c\x93 $(reboot) `x` %s%n | <b> \"q\" \\ \n\033[2J");
    bilanx_sub_label(d, "");
    bilanx_description(d, "a,b;c=d e%20f");
}

// Ten megabytes on each stream, none of it a result.
BILANX_BENCH(noisy)
{
    char line[101];
    memset(line, '#', sizeof line);
    line[100] = '\n';
    for (int i = 0; i < 50000; i++) {
        fwrite(line, sizeof line, 1, stdout);
        fwrite(line, sizeof line, 1, stderr);
    }
    BILANX_LOOP(b)
        BILANX_CLOBBER();
    printf("{\"schema\":\"bilanx/1\"}\n");
}

BILANX_MAIN()
