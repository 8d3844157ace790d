// settings: the backend's configuration.
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned widest(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
#else
    return 16;
#endif
}

static struct bilanx_error refuse(const char *word, size_t size)
{
    return bilanx_backend_error(
        BILANX_E_USAGE,
        "codegen: unknown setting '%.*s' (known are autotune, apart, and cc=, vector=, "
        "unroll=, block=, stream=, swap=, cflags= with values)",
        (int)size, word);
}

static struct bilanx_error set(struct settings *settings, const char *word, size_t size)
{
    const char *equals = memchr(word, '=', size);
    size_t name = equals ? (size_t)(equals - word) : size;
    if (size == 5 && strncmp(word, "apart", 5) == 0) {
        settings->apart = true;
        return BILANX_SUCCESS;
    }
    if (size == 8 && strncmp(word, "autotune", 8) == 0) {
        settings->autotune = true;
        return BILANX_SUCCESS;
    }
    if (!equals)
        return refuse(word, size);
    const char *value = equals + 1;
    if (name == 2 && strncmp(word, "cc", 2) == 0) {
        snprintf(settings->cc, sizeof settings->cc, "%.*s", (int)(size - name - 1), value);
        return BILANX_SUCCESS;
    }
    if (name == 6 && strncmp(word, "cflags", 6) == 0) {
        size_t used = strlen(settings->cflags);
        snprintf(settings->cflags + used, sizeof settings->cflags - used, "%.*s ",
                 (int)(size - name - 1), value);
        return BILANX_SUCCESS;
    }
    struct tuning *tuning = &settings->tuning;
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (end != word + size || end == value || number > 1024)
        return bilanx_backend_error(BILANX_E_USAGE,
                                    "codegen: '%.*s' is not a number from 0 to 1024",
                                    (int)(size - name - 1), value);
    bool is_width = number == 16 || number == 32 || number == 64;
    if (strncmp(word, "vector=", 7) == 0 && is_width)
        tuning->vector_bytes = (unsigned)number;
    else if (strncmp(word, "vector=", 7) == 0)
        return bilanx_backend_error(BILANX_E_USAGE, "codegen: vectors have 16, 32 or 64 bytes");
    else if (strncmp(word, "unroll=", 7) == 0 && number)
        tuning->unroll = (unsigned)number;
    else if (strncmp(word, "block=", 6) == 0 && number)
        tuning->block = (unsigned)number;
    else if (strncmp(word, "stream=", 7) == 0)
        tuning->stream = number != 0;
    else if (strncmp(word, "swap=", 5) == 0)
        tuning->swap = number != 0;
    else
        return refuse(word, size);
    return BILANX_SUCCESS;
}

struct bilanx_error settings_read(const char *config, int threads, struct settings *out)
{
    *out = (struct settings){
        .tuning = {.vector_bytes = widest(), .unroll = 4, .block = 64, .threads = threads},
        .cc = "cc"};
    for (const char *word = config ? config : ""; *word; word += strspn(word, ",")) {
        size_t size = strcspn(word, ",");
        BILANX_TRY(set(out, word, size));
        word += size;
    }
    return BILANX_SUCCESS;
}
