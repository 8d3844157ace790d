// counting: compiler flags for code to be run under valgrind.
#include "counting.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

// Prefixes of flags that enable AVX-512.
static const char *const unknown[] = {
    "-mavx512",          "-march=x86-64-v4",      "-march=skylake-avx512", "-march=cascadelake",
    "-march=cooperlake", "-march=cannonlake",     "-march=icelake",        "-march=tigerlake",
    "-march=rocketlake", "-march=sapphirerapids", "-march=graniterapids",  "-march=knl",
    "-march=knm",        "-march=znver4",         "-march=znver5",         "-mavx10",
};

static struct bilanx_error check(const char *flag)
{
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (text_starts(flag, unknown[i]))
            return bilanx_error_make(BILANX_E_COMPILE,
                                     "valgrind does not support AVX-512, which '%s' enables: count "
                                     "without it (-march=x86-64-v3), or use --counter perf",
                                     flag);
    return BILANX_SUCCESS;
}

static const char *nearest_level(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return "-march=x86-64-v3";
    return __builtin_cpu_supports("sse4.2") ? "-march=x86-64-v2" : "-march=x86-64";
#else
    return NULL;
#endif
}

struct bilanx_error counting_flags(struct list *flags, bool *replaced)
{
    *replaced = false;
    for (size_t i = 0; i < flags->count; i++) {
        BILANX_TRY(check(flags->items[i]));
        if (strcmp(flags->items[i], "-march=native") != 0 || !nearest_level())
            continue;
        free(flags->items[i]);
        flags->items[i] = mem_text(nearest_level());
        *replaced = true;
    }
    list_add(flags, "-gdwarf-4");
    return BILANX_SUCCESS;
}
