// shipped: the specifications that are part of the program; opens any of them by name.
#include <string.h>

#include "base/mem.h"
#include "fuzzer_binary.h"
#include "fuzzer_sparse_binary.h"
#include "fuzzer_sparse_unary.h"
#include "fuzzer_spectral.h"
#include "fuzzer_unary.h"
#include "opened.h"

#define TEXT(bytes) (const char *)(bytes), sizeof(bytes)
const struct fuzzer_shipped fuzzer_shipped[] = {
    {"unary", "a tensor x of 4096 to 32 Mi elements, for operators such as abs",
     TEXT(fuzzer_unary)},
    {"binary", "tensors x and y that can be broadcast, for operators such as add",
     TEXT(fuzzer_binary)},
    {"spectral", "a tensor x whose sizes are products of 2, 3 and 5, for FFTs",
     TEXT(fuzzer_spectral)},
    {"sparse_unary", "a sparse tensor x", TEXT(fuzzer_sparse_unary)},
    {"sparse_binary", "sparse tensors x and y of the same shape", TEXT(fuzzer_sparse_binary)},
    {0},
};

enum { SHIPPED = sizeof fuzzer_shipped / sizeof *fuzzer_shipped - 1 };

static const struct fuzzer_shipped *find_shipped(const char *name)
{
    for (size_t i = 0; i < SHIPPED; i++)
        if (strcmp(fuzzer_shipped[i].name, name) == 0)
            return &fuzzer_shipped[i];
    return NULL;
}

static bool looks_like_path(const char *spec)
{
    return strcmp(spec, "-") == 0 || strpbrk(spec, "/.") || access(spec, F_OK) == 0;
}

static struct bilanx_error no_such(const char *spec)
{
    const char *names[SHIPPED];
    AUTO(text) struct text all = {0};
    for (size_t i = 0; i < SHIPPED; i++) {
        names[i] = fuzzer_shipped[i].name;
        text_format(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = text_nearest(spec, names, SHIPPED);
    if (nearest)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "there is no specification '%.100s' (did you mean '%s'?)", spec,
                                 nearest);
    return bilanx_error_make(BILANX_E_INPUT,
                             "there is no specification '%.100s': name a file, or one of %s", spec,
                             text_get(&all));
}

struct bilanx_error fuzzer_open(const char *spec, struct fuzzer **out)
{
    const struct fuzzer_shipped *shipped = find_shipped(spec);
    if (shipped) {
        AUTO(memory) char *name = mem_format("%s.yaml", shipped->name);
        return fuzzer_read_text(shipped->text, shipped->size, name, out);
    }
    if (!looks_like_path(spec))
        return no_such(spec);
    AUTO(spec) struct spec read = {0};
    BILANX_TRY(spec_read(spec, &read));
    *out = fuzzer_of(&read);
    return BILANX_SUCCESS;
}
