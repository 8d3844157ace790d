// ab_sentries: tiny statements that must count the same on both sides where the compiler is the
// same. Where they do not, neither can the others be compared.
#include <stdio.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"
#include "core/record/records.h"

static const char *const sentries[] = {"x += y", "x = x * 3 + y", "a[x & 7] += 1"};
static const char SETUP[] = "unsigned long x = 1, y = 2, a[8] = {0};";

static struct bilanx_error prepare(const struct ab_side *of, struct ab_side *out)
{
    struct statement_options options = {.language = "c",
                                        .setup = SETUP,
                                        .cc = of->side->cc,
                                        .cflags = of->side->cflags,
                                        .surroundings = &of->side->surroundings,
                                        .counting = true};
    out->side = of->side;
    struct bilanx_error error = statements_prepare_plain(
        sentries, sizeof sentries / sizeof *sentries, &options, &out->statements);
    if (error.status == BILANX_OK)
        error = statements_add_barrier(&options, &out->statements);
    out->cases = out->statements.cases;
    return error;
}

static bool is_same_compiler(const struct bilanx_record *a, const struct bilanx_record *b)
{
    const struct bilanx_compile *one = a->task.compile, *other = b->task.compile;
    return one && other && text_equal(one->cc, other->cc) && text_equal(one->flags, other->flags);
}

static void warn(const struct ab_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++) {
        const struct bilanx_record *a = &counts->before[i], *b = &counts->after[i];
        if (!a->counts || !b->counts || !is_same_compiler(a, b) ||
            a->counts->per_iteration == b->counts->per_iteration)
            continue;
        AUTO(memory) char *told =
            mem_format("counts cannot be compared: '%s', compiled by the same compiler, "
                       "takes %.15g instructions on one side and %.15g on the other",
                       counts->names[i], a->counts->per_iteration, b->counts->per_iteration);
        complain(told);
    }
}

struct bilanx_error ab_check_sentries(const struct ab_arguments *arguments, struct ab_side *first,
                                      struct ab_side *other)
{
    struct ab_side sides[2] = {0};
    AUTO(ab_counts) struct ab_counts counts = {0};
    struct bilanx_error error = prepare(first, &sides[0]);
    if (error.status == BILANX_OK)
        error = prepare(other, &sides[1]);
    if (error.status == BILANX_OK)
        error = ab_count(arguments, &sides[0], &sides[1], &counts);
    warn(&counts);
    statements_done(&sides[0].statements);
    statements_done(&sides[1].statements);
    // Without a compiler there are no sentries; what is compared itself says what is missing.
    return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
}
