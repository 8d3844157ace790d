// hwcaps: controls which variants of its functions glibc chooses in a counted process.
//
// glibc's selectors (sysdeps/x86_64/multiarch/ifunc-*.h) query two kinds of properties. Features
// are instructions that a processor has; they can be disabled, but not enabled. Preferences, such
// as Fast_Unaligned_Copy, are set by vendor and model; they can be set either way. So both lists
// below disable all features above their level, and set every preference that a selector reads, to
// what most processors have. Names that a version of glibc does not know are ignored: those that
// end in _Usable are for glibc before 2.32, Avoid_Non_Temporal_Memset for glibc since 2.40.
//
// ERMS is disabled at every level: callgrind counts each byte of a "rep movsb" as an instruction,
// and the sizes from which glibc uses it depend on vendor and cache.
#include "hwcaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char *const words[] = {
    [HWCAPS_V2] = "x86-64-v2", [HWCAPS_V3] = "x86-64-v3", [HWCAPS_NATIVE] = "native"};

#define ABOVE_V3                                                                            \
    "-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512ER,-AVX512PF,-AVX512F_Usable," \
    "-AVX512DQ_Usable,-ERMS,-RTM,-FMA4,-FMA4_Usable"
#define ABOVE_V2 \
    "-AVX,-AVX2,-FMA,-BMI1,-BMI2,-LZCNT,-MOVBE,-AVX_Usable,-AVX2_Usable,-FMA_Usable," ABOVE_V3
#define PREFERENCES                                                                             \
    "-Prefer_No_AVX512,-Prefer_No_VZEROUPPER,-Prefer_ERMS,-Prefer_FSRM,-Slow_BSF,-Slow_SSE4_2," \
    "-Fast_Rep_String,-Fast_Copy_Backward,Fast_Unaligned_Load,Fast_Unaligned_Copy,"             \
    "Prefer_PMINUB_for_stringop,Avoid_Non_Temporal_Memset"

// The size from which memcpy avoids the cache (with other loops) depends on the sizes of caches, as
// does the size at which some older variants change their loop. These are the cache sizes of a
// small server's core.
static const struct {
    const char *name, *values[2];  // at x86-64-v2 and x86-64-v3
} pinned[] = {
    {"glibc.cpu.hwcaps",
     {ABOVE_V2 "," PREFERENCES ",-AVX_Fast_Unaligned_Load",
      ABOVE_V3 "," PREFERENCES ",AVX_Fast_Unaligned_Load"}},
    {"glibc.cpu.x86_data_cache_size", {"0x8000", "0x8000"}},
    {"glibc.cpu.x86_shared_cache_size", {"0x100000", "0x100000"}},
    {"glibc.cpu.x86_non_temporal_threshold", {"0xc0000", "0xc0000"}},
};
enum { PINNED = sizeof pinned / sizeof *pinned };

static const char VARIABLE[] = "GLIBC_TUNABLES=";

struct bilanx_error hwcaps_read(const char *word, enum hwcaps *out)
{
    if (!word) {
        *out = HWCAPS_V2;
        return BILANX_SUCCESS;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (enum hwcaps)i;
            return BILANX_SUCCESS;
        }
    if (strcmp(word, "x86-64-v4") == 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--hwcaps x86-64-v4 cannot be counted: valgrind does not support "
                                 "AVX-512; use x86-64-v3");
    return bilanx_error_make(BILANX_E_USAGE,
                             "--hwcaps takes x86-64-v2, x86-64-v3 or native, not '%s'", word);
}

// One "name=value" of a list that colons separate.
struct tunable {
    const char *text;
    size_t size, name_size;
};

// Gets the next one. Newer versions of glibc ignore the whole variable if one is malformed, so
// those are skipped.
static bool next_tunable(const char **rest, struct tunable *out)
{
    while (*rest && **rest) {
        const char *text = *rest;
        size_t size = strcspn(text, ":"), name_size = strcspn(text, "=:");
        *rest = text + size + (text[size] == ':');
        bool valid = name_size > 0 && name_size < size &&
                     !memchr(text + name_size + 1, '=', size - name_size - 1);
        *out = (struct tunable){text, size, name_size};
        if (valid)
            return true;
    }
    return false;
}

static bool is_named(const struct tunable *tunable, const char *name)
{
    return strlen(name) == tunable->name_size &&
           memcmp(tunable->text, name, tunable->name_size) == 0;
}

static bool has(const char *given, const char *name)
{
    struct tunable tunable;
    while (next_tunable(&given, &tunable))
        if (is_named(&tunable, name))
            return true;
    return false;
}

static void add_tunable(struct text *out, const char *separator, const struct tunable *tunable)
{
    text_add(out, separator);
    text_add_n(out, tunable->text, tunable->size);
}

char *hwcaps_tunables(enum hwcaps hwcaps, const char *given)
{
    struct text out = {0};
    struct tunable tunable;
    for (const char *rest = given; next_tunable(&rest, &tunable);)
        if (!is_named(&tunable, pinned[0].name))
            add_tunable(&out, out.size ? ":" : "", &tunable);
    for (size_t i = 0; i < PINNED; i++)
        if (i == 0 || !has(given, pinned[i].name))
            text_format(&out, "%s%s=%s", out.size ? ":" : "", pinned[i].name,
                        pinned[i].values[hwcaps]);
    return text_take(&out);
}

char *hwcaps_recorded(enum hwcaps hwcaps, const char *given)
{
    struct text out = {0};
    struct tunable tunable;
    text_add(&out, words[hwcaps]);
    const char *separator = " with ";
    while (next_tunable(&given, &tunable)) {
        bool replaced = hwcaps != HWCAPS_NATIVE && is_named(&tunable, pinned[0].name);
        if (!text_starts(tunable.text, "glibc.cpu.") || replaced)
            continue;
        add_tunable(&out, separator, &tunable);
        separator = ":";
    }
    return text_take(&out);
}

static struct bilanx_error check(enum hwcaps hwcaps)
{
#if defined(__x86_64__)
    if (hwcaps == HWCAPS_V3 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                                 __builtin_cpu_supports("fma")))
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "--hwcaps x86-64-v3 needs a processor with AVX2: use x86-64-v2");
#else
    if (hwcaps == HWCAPS_V3)
        return bilanx_error_make(BILANX_E_SYSTEM, "--hwcaps x86-64-v3 needs an x86-64 processor");
#endif
    return BILANX_SUCCESS;
}

// Elsewhere glibc has other features, and the default leaves the choice to it.
static enum hwcaps possible(enum hwcaps hwcaps)
{
#if defined(__x86_64__)
    return hwcaps;
#else
    return HWCAPS_NATIVE;
#endif
}

struct bilanx_error hwcaps_pin(enum hwcaps hwcaps, const struct surroundings *surroundings,
                               struct list *environment, char **recorded)
{
    BILANX_TRY(check(hwcaps));
    hwcaps = possible(hwcaps);
    char **own = NULL;
    for (size_t i = 0; i < environment->count && !own; i++)
        if (text_starts(environment->items[i], VARIABLE))
            own = &environment->items[i];
    const char *given =
        own ? *own + strlen(VARIABLE) : surroundings_variable(surroundings, "GLIBC_TUNABLES");
    *recorded = hwcaps_recorded(hwcaps, given);
    if (hwcaps == HWCAPS_NATIVE)
        return BILANX_SUCCESS;
    AUTO(memory) char *tunables = hwcaps_tunables(hwcaps, given);
    char *variable = mem_format("%s%s", VARIABLE, tunables);
    if (own) {
        free(*own);
        *own = variable;
    } else {
        list_take(environment, variable);
    }
    return BILANX_SUCCESS;
}
