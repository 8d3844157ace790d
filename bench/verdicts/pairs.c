// pairs: calls two functions in turns, in random order within each pair. Prints both times of every
// pair, in ns.
//
//     pairs OBJECT FUNCTION WORK OBJECT FUNCTION WORK SECONDS SEED
#include <stdint.h>
#include <time.h>

#include "sides.h"

enum { WARM_UP = 20, MOST = 1 << 20 };

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t time_call(const struct side *side)
{
    uint64_t start = now();
    side->function(side->work);
    return now() - start;
}

int main(int argc, char **argv)
{
    if (argc != 9)
        return 2;
    uint64_t start = now(), budget = (uint64_t)(strtod(argv[7], NULL) * 1e9);
    uint64_t coin = strtoull(argv[8], NULL, 10) * 2 + 1;
    struct side sides[2] = {side_load(argv + 1), side_load(argv + 4)};
    static uint64_t times[MOST][2];
    for (int i = 0; i < 2 * WARM_UP; i++)
        time_call(&sides[i % 2]);
    size_t count = 0;
    for (; count < MOST && now() - start < budget; count++) {
        coin = coin * 6364136223846793005u + 1442695040888963407u;
        size_t first = coin >> 63;
        times[count][first] = time_call(&sides[first]);
        times[count][!first] = time_call(&sides[!first]);
    }
    for (size_t i = 0; i < count; i++)
        printf("%llu %llu\n", (unsigned long long)times[i][0], (unsigned long long)times[i][1]);
    return 0;
}
