// reasons: explains a verdict.
#include "reasons.h"

#include <math.h>

const char reason_biased[] = "the first side differs from itself here, so no verdict is reliable";

void reason_add_share(struct text *out, double fraction)
{
    double percent = 100 * fraction;
    text_format(out, fabs(percent) < 99.5 ? "%.2g %%" : "%.0f %%", percent);
}

static void add_undecided(struct text *out, const struct trial *trial,
                          const struct trial_shared *shared)
{
    struct sample epochs = trial_epochs(trial);
    struct margins usual = trial_margins(trial, &shared->usual);
    struct finding finding = judge_sample(&epochs, &usual);
    double detectable = judge_detectable(&finding, &usual);
    if (trial->unresolved) {
        text_format(out,
                    "below the clock's resolution: a batch of %llu calls takes less than ten "
                    "steps of %.3g ns",
                    (unsigned long long)trial->plan.number, trial->resolution_ns);
        return;
    }
    if (isinf(detectable) && trial->has_states && trial->others.count > epochs.count) {
        text_format(
            out,
            "the core was shared: only %zu epoch%s of %zu had it to themselves, too few for "
            "a verdict",
            epochs.count, epochs.count == 1 ? "" : "s", epochs.count + trial->others.count);
        return;
    }
    if (isinf(detectable)) {
        text_format(out, "out of time after %zu epoch%s, too few for a verdict", epochs.count,
                    epochs.count == 1 ? "" : "s");
        return;
    }
    if (judge_interval(&finding.interval, &usual) != VERDICT_UNDECIDED) {
        text_format(out, "not certain enough, given that there are %zu cases",
                    shared->sides[0].cases->count);
        return;
    }
    text_add(out, "out of time; would have detected a change of ");
    reason_add_share(out, detectable);
}

void reason_add(struct text *out, const struct trial *trial, const struct trial_shared *shared)
{
    switch (trial->verdict) {
    case VERDICT_SLOWER:
    case VERDICT_FASTER:
        text_add(out, "the whole interval is beyond ");
        reason_add_share(out, shared->usual.claim);
        if (trial->flagged != VERDICT_UNDECIDED)
            text_add(out, "; a second run confirmed it");
        return;
    case VERDICT_SAME:
        text_add(out, "the whole interval is within ");
        reason_add_share(out, shared->usual.same);
        return;
    default:
        add_undecided(out, trial, shared);
    }
}

void reason_add_refuted(struct text *out, const struct trial *trial)
{
    static const char *const second[] = {[VERDICT_UNDECIDED] = "could not tell",
                                         [VERDICT_FASTER] = "found it faster",
                                         [VERDICT_SLOWER] = "found it slower",
                                         [VERDICT_SAME] = "found no change"};
    text_format(out,
                "not confirmed (second run: %+.2g %%): a first run found it %s, a second run %s",
                100 * judge_fraction(trial_second_change(trial)), verdict_words[trial->flagged],
                second[trial->verdict]);
    if (trial_is_doubtful(trial))
        text_format(out, ", while other work took %.0f %% of the machine", 100 * trial->busy);
}

void reason_add_bias(struct text *out, double bias)
{
    text_add(out, "the first side differs from itself by up to ");
    reason_add_share(out, judge_fraction(bias));
    text_add(out, " here, which is too much for this verdict");
}
