// check: finds mistakes in an entry.
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "inputs/samples/samples.h"
#include "languages.h"

static struct bilanx_error wrong(const struct origin *origin, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct bilanx_error wrong(const struct origin *origin, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return origin_error(origin, NULL, 0, bilanx_error_make(BILANX_E_INPUT, "%s", text));
}

static struct bilanx_error check_kind(const struct bilanx_suite_entry *entry,
                                      const struct origin *origin)
{
    const struct {
        const char *word;
        bool given;
    } kinds[] = {
        {"timer", entry->timer.stmt != NULL},   {"stmt", code_given(&entry->stmt)},
        {"module", code_given(&entry->module)}, {"variants", code_given(&entry->variants)},
        {"program", entry->program != NULL},
    };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].given)
            continue;
        if (first)
            return wrong(origin, "a benchmark cannot have both '%s' and '%s'", first,
                         kinds[i].word);
        first = kinds[i].word;
    }
    if (!first)
        return wrong(origin,
                     "a benchmark needs one of 'timer', 'stmt', 'module', 'variants', 'program'");
    return BILANX_SUCCESS;
}

// Checks what is derived from a signature.
static struct bilanx_error check_derived(const struct bilanx_suite_entry *entry,
                                         const struct origin *origin)
{
    const struct {
        const char *word;
        bool given;
    } derived[] = {{"torchscript", entry->torchscript},
                   {"autograd", entry->autograd},
                   {"call", entry->call},
                   {"module", code_given(&entry->module)},
                   {"signature", entry->signature != NULL}};
    bool derivable = code_given(&entry->stmt) || code_given(&entry->module);
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        if (derived[i].given && !derivable)
            return wrong(origin, "'%s' is for 'stmt' and 'module' only", derived[i].word);
        if (derived[i].given && !entry->signature)
            return wrong(origin, "'%s' needs a 'signature', such as 'f(x, w) -> y'",
                         derived[i].word);
    }
    const struct bilanx_suite_code *code =
        code_given(&entry->module) ? &entry->module : &entry->stmt;
    if (entry->module.c)
        return wrong(origin, "a 'module' is in Python or C++, not in C");
    if (entry->torchscript && !code->python)
        return wrong(origin, "'torchscript' needs the code in Python");
    if (entry->autograd && !code->python && !code->cxx)
        return wrong(origin, "'autograd' needs code in Python or C++");
    if (entry->call && !entry->stmt.c && !entry->stmt.cxx)
        return wrong(origin, "'call' needs a 'stmt' in C or C++");
    return BILANX_SUCCESS;
}

struct bilanx_error suite_check_requirement(const char *word)
{
    static const char *const kinds[] = {"program", "python", "pkg", "header", "library"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const char *colon = strchr(word, ':');
    if (strcmp(word, "torch") == 0)
        return BILANX_SUCCESS;
    AUTO(memory) char *kind = mem_text_n(word, colon ? (size_t)(colon - word) : strlen(word));
    for (size_t i = 0; colon && colon[1] && i < KINDS; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return BILANX_SUCCESS;
    static const char *const torch = "torch";
    const char *nearest = colon && colon[1] ? text_nearest(kind, kinds, KINDS)
                          : colon           ? NULL
                                            : text_nearest(word, &torch, 1);
    if (nearest)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "unknown requirement '%.60s' (did you mean "
                                 "'%s%.60s'?)",
                                 word, nearest, colon ? colon : "");
    return bilanx_error_make(BILANX_E_INPUT,
                             "unknown requirement '%.60s': use 'torch', or 'program:', 'python:', "
                             "'pkg:', 'header:' or 'library:' and a name",
                             word);
}

struct bilanx_error suite_check_subject(const char *word)
{
    static const char *const kinds[] = {"python:", "pkg:", "program:"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_starts(word, kinds[i]) && word[strlen(kinds[i])])
            return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_INPUT, "unknown subject '%.60s': use 'python:', 'pkg:' or 'program:' and a name",
        word);
}

// Reads the next number of a version and the dot after it; 0 past the end. Returns false if there
// is none.
static bool next_number(const char **at, unsigned long *out)
{
    *out = 0;
    if (!**at)
        return true;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at)
        *out = *out > 100000000 ? *out : *out * 10 + (unsigned long)(**at - '0');
    if (**at == '.' && (*at)[1])
        ++*at;
    return true;
}

bool version_compare(const char *a, const char *b, int *order)
{
    *order = 0;
    if (!*a || !*b)
        return false;
    while (*a || *b) {
        unsigned long x, y;
        if (!next_number(&a, &x) || !next_number(&b, &y))
            return false;
        if (*order == 0)
            *order = (x > y) - (x < y);
    }
    return true;
}

bool product_read(const char *text, double *out)
{
    double product = 1;
    while (true) {
        size_t size = strcspn(text, "*");
        const char *start = text, *end = text + size;
        while (start < end && *start == ' ')
            start++;
        while (end > start && end[-1] == ' ')
            end--;
        AUTO(memory) char *factor = mem_text_n(start, (size_t)(end - start));
        uint64_t count;
        if (!number_read_count(factor, &count))
            return false;
        product *= (double)count;
        text += size;
        if (!*text)
            break;
        text++;
    }
    *out = product;
    return true;
}

// Metrics of `bilanx compare` that any case may have.
static struct bilanx_error check_column(const char *word)
{
    static const char *const words[] = {"cpu", "instructions", "median",  "mean",
                                        "min", "stddev",       "max-rss", "allocations"};
    enum { WORDS = sizeof words / sizeof *words };
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(word, words[i]) == 0)
            return BILANX_SUCCESS;
    const char *nearest = text_nearest(word, words, WORDS);
    return bilanx_error_make(BILANX_E_INPUT, "no column is called '%.60s' (%s%s%s)", word,
                             nearest ? "did you mean '" : "try min, median, stddev, cpu",
                             nearest ? nearest : "", nearest ? "'?" : "");
}

static struct bilanx_error check_words(const struct bilanx_suite_entry *entry,
                                       const struct origin *origin)
{
    int order;
    const char *versions[] = {entry->since, entry->until};
    for (size_t i = 0; i < 2; i++)
        if (versions[i] && !version_compare(versions[i], "0", &order))
            return origin_error(origin, versions[i], 0,
                                bilanx_error_make(BILANX_E_INPUT,
                                                  "'%.60s' is not a version such as 1.13",
                                                  versions[i]));
    if (entry->since && entry->until && version_compare(entry->since, entry->until, &order) &&
        order >= 0)
        return wrong(origin, "no version is both since %s and before %s", entry->since,
                     entry->until);
    for (const char *const *word = entry->required; word && *word; word++) {
        struct bilanx_error error = suite_check_requirement(*word);
        if (error.status != BILANX_OK)
            return origin_error(origin, *word, 0, error);
    }
    for (const char *const *column = entry->columns; column && *column; column++) {
        struct bilanx_error error = check_column(*column);
        if (error.status != BILANX_OK)
            return origin_error(origin, *column, 0, error);
    }
    struct bilanx_error as = samples_check_as(entry->inputs.as);
    if (as.status != BILANX_OK)
        return origin_error(origin, entry->inputs.as, 0, as);
    if (entry->overhead_of && entry->program)
        return wrong(origin, "'overhead_of' is for statements: the cases of a program are not "
                             "known in advance");
    if (entry->inputs.spec && entry->program)
        return wrong(origin, "'inputs' are for statements: a program makes its own");
    for (const uint64_t *threads = entry->threads; threads && *threads; threads++)
        if (*threads > 4096)
            return wrong(origin, "%llu threads are too many", (unsigned long long)*threads);
    return BILANX_SUCCESS;
}

struct bilanx_error suite_check_entry(const struct bilanx_suite_entry *entry,
                                      const struct origin *origin)
{
    if (!entry->label || !*entry->label)
        return wrong(origin, "a benchmark needs a 'label'");
    BILANX_TRY(check_kind(entry, origin));
    BILANX_TRY(check_derived(entry, origin));
    return check_words(entry, origin);
}
