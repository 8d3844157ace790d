// jumps: the speed of a loop depends on what the interpreter executed before it.
//
// Times a loop of eight instructions in an interpreter of twelve lines: after a sleep, and after
// the same interpreter executed the first 2, 4, 6 or 8 of them in random order. The loop and all
// addresses are the same. There is no goal, because no claim depends on this.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "core/stats/stats.h"

enum { INSTRUCTIONS = 8, AGAIN = INSTRUCTIONS, STOP, DRAWS = 40, BLOCKS = 20, SHOWN = 5 };

// As in CPython, every instruction ends in a separate jump.
#define NEXT goto *places[*at++]
#define ADD(n)                                           \
    do {                                                 \
        __asm__ volatile("add $" #n ", %0" : "+r"(sum)); \
        NEXT;                                            \
    } while (0)

__attribute__((noinline)) static uint64_t interpret(const uint8_t *code, long iterations)
{
    static const void *const places[] = {&&add_0, &&add_1, &&add_2, &&add_3, &&add_4,
                                         &&add_5, &&add_6, &&add_7, &&again, &&stop};
    const uint8_t *at = code;
    uint64_t sum = 0;
    NEXT;
add_0:
    ADD(0);
add_1:
    ADD(1);
add_2:
    ADD(2);
add_3:
    ADD(3);
add_4:
    ADD(4);
add_5:
    ADD(5);
add_6:
    ADD(6);
add_7:
    ADD(7);
again:
    if (--iterations > 0)
        at = code;
    NEXT;
stop:
    return sum;
}

static void mix(int instructions)
{
    for (int times = 0; instructions && times < 200; times++) {
        uint8_t code[64];
        for (int i = 0; i < 40; i++)
            code[i] = (uint8_t)(rand() % instructions);
        code[40] = AGAIN;
        code[41] = STOP;
        interpret(code, 1);
    }
}

static double time_loop(long iterations)
{
    static const uint8_t loop[] = {0, 1, 2, 3, 4, 5, 6, 7, AGAIN, STOP};
    double ns[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        uint64_t start = monotonic_ns();
        interpret(loop, iterations);
        ns[i] = (double)(monotonic_ns() - start) / (double)iterations;
    }
    stats_sort(ns, BLOCKS);
    return stats_quantile(ns, BLOCKS, .25);  // most blocks fit between two interruptions
}

int main(void)
{
    static double ns[SHOWN][DRAWS];
    for (int draw = 0; draw < DRAWS; draw++)
        for (int i = 0; i < SHOWN; i++) {
            usleep(2000);
            mix(2 * i);
            ns[i][draw] = time_loop(20000);
        }
    printf("an iteration of eight instructions   25 %%   median     75 %%\n");
    for (int i = 0; i < SHOWN; i++) {
        stats_sort(ns[i], DRAWS);
        printf(i ? "%d of them mixed before           " : "after a sleep                    ",
               2 * i);
        for (int quarter = 1; quarter <= 3; quarter++)
            printf(" %5.2f ns", stats_quantile(ns[i], DRAWS, quarter / 4.));
        printf("\n");
    }
    return 0;
}
