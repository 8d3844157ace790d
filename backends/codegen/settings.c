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

// Settings with a number. Those up to 1 are booleans.
static const struct {
    const char *name;
    size_t offset;
    unsigned least, most;
} numbers[] = {
    {"vector", offsetof(struct tuning, vector_bytes), 16, 64},
    {"unroll", offsetof(struct tuning, unroll), 1, 16},
    {"block", offsetof(struct tuning, block), 1, 1024},
    {"stream", offsetof(struct tuning, stream), 0, 1},
    {"swap", offsetof(struct tuning, swap), 0, 1},
};

static struct bilanx_error refuse(const char *word, size_t size)
{
    return bilanx_backend_error(BILANX_E_USAGE,
                                "codegen: unknown setting '%.*s' (known are autotune, apart, and "
                                "cc=, cflags=, vector=, unroll=, block=, stream=, swap=)",
                                (int)size, word);
}

static struct bilanx_error set_number(struct settings *settings, size_t which, const char *value,
                                      size_t size)
{
    char *end, *place = (char *)&settings->tuning + numbers[which].offset;
    unsigned long number = strtoul(value, &end, 10);
    bool fits = end == value + size && size && number >= numbers[which].least &&
                number <= numbers[which].most;
    if (numbers[which].offset == offsetof(struct tuning, vector_bytes) &&
        (!fits || (number & (number - 1))))
        return bilanx_backend_error(BILANX_E_USAGE, "codegen: vectors have 16, 32 or 64 bytes");
    if (!fits)
        return bilanx_backend_error(
            BILANX_E_USAGE, "codegen: %s is a number from %u to %u, not '%.*s'",
            numbers[which].name, numbers[which].least, numbers[which].most, (int)size, value);
    if (numbers[which].offset == offsetof(struct tuning, stream))
        settings->tuning.stream_most = 0;
    if (numbers[which].most == 1)
        *(bool *)place = number;
    else
        *(unsigned *)(void *)place = (unsigned)number;
    return BILANX_SUCCESS;
}

static void add_word(char *list, size_t room, const char *word, size_t size)
{
    size_t used = strlen(list);
    snprintf(list + used, room - used, "%.*s ", (int)size, word);
}

static bool is(const char *word, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

static struct bilanx_error set(struct settings *settings, const char *word, size_t size)
{
    const char *equals = memchr(word, '=', size);
    size_t name = equals ? (size_t)(equals - word) : size;
    const char *value = equals ? equals + 1 : word + size;
    size_t value_size = (size_t)(word + size - value);
    if (!equals && is(word, size, "autotune"))
        settings->autotune = true;
    else if (!equals && is(word, size, "apart"))
        settings->apart = true;
    else if (equals && is(word, name, "cc"))
        snprintf(settings->cc, sizeof settings->cc, "%.*s", (int)value_size, value);
    else if (equals && is(word, name, "cflags"))
        add_word(settings->cflags, sizeof settings->cflags, value, value_size);
    else {
        for (size_t i = 0; equals && i < sizeof numbers / sizeof *numbers; i++)
            if (is(word, name, numbers[i].name))
                return set_number(settings, i, value, value_size);
        return refuse(word, size);
    }
    return BILANX_SUCCESS;
}

struct tuning settings_usual(int threads)
{
    return (struct tuning){.vector_bytes = widest(), .unroll = 4, .block = 64, .threads = threads};
}

struct bilanx_error settings_read(const char *config, const struct tuning *usual,
                                  struct settings *out)
{
    *out = (struct settings){.tuning = *usual, .cc = "cc"};
    for (const char *word = config ? config : ""; *word; word += strspn(word, ",")) {
        size_t size = strcspn(word, ",");
        BILANX_TRY(set(out, word, size));
        word += size;
    }
    return BILANX_SUCCESS;
}
