// places: a benchmark program whose code takes as many instructions whatever it is called, but for
// "more". Called "far" it takes longer, as what it reads lies apart.
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
