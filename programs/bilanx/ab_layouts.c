// ab_layouts: is a change the code's, or that of where it happens to lie?
//
// The same code at another address can be a third slower or faster. Both sides are compiled again
// with the same bytes before them, several times, and compared each time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"
#include "base/random.h"

void ab_layouts_done(struct ab_layouts *layouts)
{
    free(layouts->changes);
}

struct layout {
    struct ab_layouts *all;
    size_t at;
};

static void keep(void *context, size_t index, struct bilanx_record *record)
{
    struct layout *layout = context;
    layout->all->changes[index * layout->all->count + layout->at] =
        record->verdict ? record->verdict->change : NAN;
    bilanx_record_done(record);
}

static struct bilanx_error try_layout(const struct ab_arguments *arguments,
                                      const struct words *subjects, const struct ab_sides *sides,
                                      size_t other, struct layout *layout)
{
    AUTO(ab_sides) struct ab_sides moved = {0};
    struct contest_summary summary;
    ab_borrow_sides(sides, &moved);
    BILANX_TRY(ab_prepare(arguments, subjects, false, &moved));
    struct contest_side pair[] = {ab_contest_side(&moved.items[0]),
                                  ab_contest_side(&moved.items[other])};
    struct contest_options options =
        ab_contest_options(arguments, &moved.items[0], &moved.items[other]);
    options.unconfirmed = true;
    return contest_run(pair, &options, &(struct contest_observer){layout, NULL, keep}, &summary);
}

struct bilanx_error ab_try_layouts(const struct ab_arguments *arguments,
                                   const struct words *subjects, const struct ab_sides *sides,
                                   size_t other, struct ab_layouts *out)
{
    enum { STEP = 16, STEPS = 256 };  // as far as a page goes
    struct random random;
    size_t cases = sides->items[0].cases.count;
    random_init(&random, arguments->settings.seed ? arguments->settings.seed : random_fresh_seed());
    out->count = arguments->layouts;
    out->changes = mem_array(double, cases * out->count);
    for (size_t i = 0; i < cases * out->count; i++)
        out->changes[i] = NAN;
    for (size_t i = 0; i < out->count; i++) {
        struct ab_arguments moved = *arguments;
        moved.padding = STEP * (1 + random_below(&random, STEPS - 1));
        moved.settings.quiet = true;
        BILANX_TRY(try_layout(&moved, subjects, sides, other, &(struct layout){out, i}));
    }
    return BILANX_SUCCESS;
}

static bool is_claimed(const struct bilanx_verdict *verdict)
{
    return strcmp(verdict->verdict, "slower") == 0 || strcmp(verdict->verdict, "faster") == 0;
}

double ab_layout_spread(const struct bilanx_verdict *verdict)
{
    double low = verdict->change, high = verdict->change;
    for (size_t i = 0; i < verdict->layout_count; i++) {
        low = fmin(low, verdict->layouts[i]);
        high = fmax(high, verdict->layouts[i]);
    }
    return (high - low) / 2;
}

static double mean_change(const struct bilanx_verdict *verdict)
{
    double sum = verdict->change;
    for (size_t i = 0; i < verdict->layout_count; i++)
        sum += verdict->layouts[i];
    return sum / (double)(verdict->layout_count + 1);
}

void ab_judge_layouts(const struct ab_layouts *layouts, size_t index, struct bilanx_record *record)
{
    struct bilanx_verdict *verdict = record->verdict;
    if (!verdict || layouts->count == 0)
        return;
    verdict->layouts = mem_array(double, layouts->count);
    for (size_t i = 0; i < layouts->count; i++) {
        double change = layouts->changes[index * layouts->count + i];
        if (isfinite(change))
            verdict->layouts[verdict->layout_count++] = change;
    }
    double spread = ab_layout_spread(verdict);
    if (!is_claimed(verdict) || spread <= fabs(mean_change(verdict)))
        return;
    free(verdict->verdict);
    free(verdict->reason);
    verdict->verdict = mem_text(verdict_words[VERDICT_LAYOUT]);
    verdict->reason = mem_format("%+.1f %% in this binary, +-%.2g %% across %zu layouts",
                                 100 * verdict->change, 100 * spread, verdict->layout_count + 1);
}
