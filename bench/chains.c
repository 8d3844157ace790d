// chains: k dependent multiplications for k = 1 to 64. They take k times as long as one.
#include <bilanx/bench.h>

#if defined(__x86_64__)
#define MULTIPLY "imul %0, %0\n"
#elif defined(__aarch64__)
#define MULTIPLY "mul %0, %0, %0\n"
#endif

#define CHAIN(k)                                                             \
    BILANX_BENCH(chain_##k)                                                  \
    {                                                                        \
        uint64_t x = 3;                                                      \
        BILANX_LOOP(b)                                                       \
            __asm__ volatile(".rept " #k "\n" MULTIPLY ".endr\n" : "+r"(x)); \
    }                                                                        \
    BILANX_CASES(chain_##k)                                                  \
    {                                                                        \
        bilanx_axis(d, "k", k);                                              \
    }
#define CHAINS(tens) \
    CHAIN(tens##0)   \
    CHAIN(tens##1)   \
    CHAIN(tens##2)   \
    CHAIN(tens##3)   \
    CHAIN(tens##4)   \
    CHAIN(tens##5)   \
    CHAIN(tens##6)   \
    CHAIN(tens##7)   \
    CHAIN(tens##8)   \
    CHAIN(tens##9)

CHAIN(1)
CHAIN(2)
CHAIN(3)
CHAIN(4)
CHAIN(5)
CHAIN(6)
CHAIN(7)
CHAIN(8)
CHAIN(9)
CHAINS(1)
CHAINS(2)
CHAINS(3)
CHAINS(4)
CHAINS(5)
CHAIN(60)
CHAIN(61)
CHAIN(62)
CHAIN(63)
CHAIN(64)

BILANX_MAIN()
