// fma_kernels: loops of fused multiply-adds only.
//
// Twelve independent sums, so that no multiplication waits for the previous one: the latency is
// four or five cycles, and two start per cycle. They are twelve variables, because an array would
// be in memory.
#include "fma_kernels.h"

enum { STEPS = 1024, SUMS = 12 };

#define EACH(act) \
    act(0) act(1) act(2) act(3) act(4) act(5) act(6) act(7) act(8) act(9) act(10) act(11)
#define START(k) sum##k = term - (float)(k) * zero,
#define STEP(k) sum##k = sum##k * factor + term;
#define TAKE(k) sink += sum##k[0];

// Factors near 1 keep the sums finite. The compiler does not know them.
#define KERNEL(name, lanes, target)                                        \
    typedef float name##_vector __attribute__((vector_size(4 * (lanes)))); \
    target static double name(uint64_t rounds)                             \
    {                                                                      \
        volatile float near_one = 0.999f, small = 0.001f, nothing = 0;     \
        float sink = 0, zero = nothing;                                    \
        name##_vector factor = near_one - (name##_vector){0};              \
        name##_vector term = small - (name##_vector){0};                   \
        name##_vector EACH(START) unused = term;                           \
        for (uint64_t i = 0; i < rounds * STEPS; i++) {                    \
            EACH(STEP)                                                     \
        }                                                                  \
        EACH(TAKE)                                                         \
        nothing = sink + unused[0];                                        \
        return 2.0 * SUMS * (lanes) * STEPS * (double)rounds;              \
    }

#if defined(__x86_64__)
KERNEL(with_avx512, 16, __attribute__((target("avx512f"))))
KERNEL(with_avx2, 8, __attribute__((target("avx2,fma"))))
#endif
KERNEL(with_any, 4, )

double fma_run(uint64_t rounds)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return with_avx512(rounds);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return with_avx2(rounds);
#endif
    return with_any(rounds);
}
