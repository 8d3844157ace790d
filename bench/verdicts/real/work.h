// work: what each workload of bench/real is. work(n) does the same small thing n times, so that 1 %
// more is exact: n is 100 or 101.
//
// Every function is declared before the first definition: bench/real also compiles these files with
// their definitions in another order, and with functions before them that nobody calls.
#ifndef WORK_H
#define WORK_H

#include <stdio.h>
#include <stdlib.h>

void prepare(void);  // once in a process; ends it where the library does not do what it should
void work(unsigned long times);

#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                            \
        }                                                                       \
    } while (0)

// The optimiser must take this for used, and memory for changed.
#define KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

#define PROSE                                                                                     \
    "Placement is a draw. A function that starts at another address has other neighbours in the " \
    "caches, and the same instructions take another time: nothing in the source has changed."

#endif
