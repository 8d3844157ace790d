// places: a benchmark program that executes the same number of instructions under any name except
// "more". Under the name "far" it takes longer, because the data it reads is spread out.
#include <bilanx/bench.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_called(const char *name)
{
    return strcmp(program_invocation_short_name, name) == 0;
}

BILANX_BENCH(chase)
{
    enum { COUNT = 1 << 21, STEPS = 64 };
    static unsigned next[COUNT];
    unsigned step = is_called("far") ? 611953 : 1, at = 0;
    unsigned steps = is_called("more") ? 2 * STEPS : STEPS;
    for (unsigned i = 0; i < COUNT; i++)
        next[i] = (i + step) % COUNT;
    BILANX_LOOP(b) {
        for (unsigned i = 0; i < steps; i++)
            at = next[at];
        BILANX_KEEP(at);
    }
}
BILANX_MAIN()
