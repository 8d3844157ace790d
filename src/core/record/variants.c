// variants: which variants of glibc's functions a record counted.
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts.h"

char *record_variants(const struct bilanx_record *record)
{
    const char *hwcaps =
        record->counts && record->counts->hwcaps ? record->counts->hwcaps : "native";
    AUTO(memory) char *cpu = machine_fact(record->machine, "cpu");
    AUTO(memory) char *features = machine_fact(record->machine, "cpu_features");
    struct text out = {0};
    text_add(&out, hwcaps);
    if (text_starts(hwcaps, "native") && cpu)
        text_format(&out, " on %s", cpu);
    if (text_starts(hwcaps, "native") && cpu && features)
        text_format(&out, " (%s)", features);
    return text_take(&out);
}

// The size without the features, which come last.
static size_t plain_size(const char *variants)
{
    const char *last = strrchr(variants, '(');
    size_t size = strlen(variants);
    bool listed = last && last > variants && last[-1] == ' ' && variants[size - 1] == ')';
    return listed ? (size_t)(last - variants) - 1 : size;
}

bool variants_equal(const char *a, const char *b)
{
    size_t a_size = plain_size(a), b_size = plain_size(b);
    if (strcmp(a, b) == 0)
        return true;
    bool unlisted = strlen(a) == a_size || strlen(b) == b_size;
    return unlisted && a_size == b_size && memcmp(a, b, a_size) == 0;
}

bool variants_add_difference(const struct bilanx_record *a, const struct bilanx_record *b,
                             struct text *out)
{
    AUTO(memory) char *one = record_variants(a);
    AUTO(memory) char *other = record_variants(b);
    if (variants_equal(one, other))
        return false;
    text_format(out, "counts are of different variants of glibc's functions: %s, and %s", one,
                other);
    return true;
}
