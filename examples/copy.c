// copy: the speed of memcpy by size. The example in the README.
#include <bilanx/bench.h>
#include <stdlib.h>
#include <string.h>

BILANX_BENCH(copy, 64, 4096, 1 << 20)
{
    size_t n = bilanx_arg(b, 0);
    char *from = calloc(1, n), *to = calloc(1, n);
    BILANX_LOOP(b) {
        memcpy(to, from, n);
        BILANX_KEEP(to);
        BILANX_CLOBBER();
    }
    bilanx_bytes(b, n);
    free(from);
    free(to);
}

BILANX_MAIN()
