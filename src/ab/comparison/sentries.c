// sentries: tiny statements whose counts must be equal on both sides if the compiler is the same.
#include "sentries.h"

#include "ab/comparison/instructions.h"
#include "base/mem.h"

static const char *const sentries[] = {"x += y", "x = x * 3 + y", "a[x & 7] += 1"};
static const char SETUP[] = "unsigned long x = 1, y = 2, a[8] = {0};";

static struct bilanx_error prepare(const struct ab_side *of, struct ab_side *out)
{
    out->side = of->side;
    out->code = (struct statement_options){
        .language = "c", .setup = SETUP, .cc = of->side->cc, .cflags = of->side->cflags};
    struct source_request request = {.words = sentries,
                                     .word_count = sizeof sentries / sizeof *sentries,
                                     .purpose = SOURCE_FOR_VALGRIND,
                                     .code = &out->code,
                                     .surroundings = &of->side->surroundings};
    BILANX_TRY(source_open(&statement_source, &request, &out->source));
    BILANX_TRY(source_prepare(&out->source));
    out->cases = out->source.cases;
    return BILANX_SUCCESS;
}

static bool is_same_compiler(const struct bilanx_record *a, const struct bilanx_record *b)
{
    const struct bilanx_compile *one = a->task.compile, *other = b->task.compile;
    return one && other && text_equal(one->cc, other->cc) && text_equal(one->flags, other->flags);
}

void ab_note_sentries(const struct ab_counts *counts, const struct tell *note)
{
    for (size_t i = 0; i < counts->count; i++) {
        const struct bilanx_record *a = &counts->before[i], *b = &counts->after[i];
        if (!a->counts || !b->counts || !is_same_compiler(a, b) ||
            a->counts->per_iteration == b->counts->per_iteration)
            continue;
        AUTO(memory) char *told =
            mem_format("counts are not comparable: '%s', compiled by the same compiler, takes "
                       "%.15g instructions on one side and %.15g on the other",
                       counts->names[i], a->counts->per_iteration, b->counts->per_iteration);
        tell_line(note, told);
    }
}

struct bilanx_error ab_check_sentries(const struct ab_options *options, const struct tell *note,
                                      struct ab_side *first, struct ab_side *other)
{
    struct ab_side sides[2] = {0};
    AUTO(ab_counts) struct ab_counts counts = {0};
    struct bilanx_error error = prepare(first, &sides[0]);
    if (error.status == BILANX_OK)
        error = prepare(other, &sides[1]);
    if (error.status == BILANX_OK)
        error = ab_count(options, &sides[0], &sides[1], &counts);
    ab_note_sentries(&counts, note);
    source_done(&sides[0].source);
    source_done(&sides[1].source);
    // Without a compiler there are no sentries; the comparison itself reports what is missing.
    return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
}
