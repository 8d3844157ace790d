// A third-party program, built against the installed library; it uses names that we also use.
#include <bilanx/bench.h>
#include <string.h>

void text_add(void);
void mem_zeroed(void);
void text_add(void)
{
}
void mem_zeroed(void)
{
}

BILANX_BENCH(copy, 64, 4096)
{
    char from[4096] = {0}, to[4096];
    size_t n = bilanx_arg(b, 0);
    BILANX_LOOP(b) {
        memcpy(to, from, n);
        BILANX_KEEP(to);
        BILANX_CLOBBER();
    }
}

BILANX_MAIN()
