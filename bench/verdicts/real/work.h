// work: the interface of each workload of bench/real. work(n) does the same small thing n times,
// with n 100 or 101, so 1 % more is exact.
//
// Every function is declared before the first definition, because bench/real also compiles these
// files with the definitions in another order and with unused functions before them.
#ifndef WORK_H
#define WORK_H

#include <stdio.h>
#include <stdlib.h>

void prepare(void);  // once per process; aborts if the library does not work as expected
void work(unsigned long times);

#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                            \
        }                                                                       \
    } while (0)

// Makes the optimiser assume that the value is used and that memory has changed.
#define KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

#define PROSE                                                                                     \
    "Placement is a draw. A function that starts at another address has other neighbours in the " \
    "caches, and the same instructions take another time: nothing in the source has changed."

#endif
