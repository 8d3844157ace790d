// ops_verdict: whether a backend is faster on an operator, judged as `bilanx ab` does.
#include "ops_verdict.h"

#include <math.h>

#include "base/mem.h"
#include "core/record/facts.h"

bool ops_judge(const struct ops_operator *of, size_t backend, enum verdict *out)
{
    AUTO(memory) double *changes = NULL;
    size_t count = speedup_logs(of, backend, &changes);
    if (count == 0)
        return false;
    *out = judge(&(struct sample){changes, count}, &default_margins);
    return true;
}

// Their ratio is that of the change, their geometric mean that of the samples.
static void set_times(const struct ops_operator *of, size_t backend, double change, double *times)
{
    double logs = 0, count = 0;
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_time *a = &of->samples[i].times[0], *b = &of->samples[i].times[backend];
        if (a->state != OPS_MEASURED || b->state != OPS_MEASURED ||
            !(a->median > 0 && b->median > 0))
            continue;
        logs += (log(a->median) + log(b->median)) / 2;
        count++;
    }
    times[0] = exp(logs / count - change / 2);
    times[1] = exp(logs / count + change / 2);
}

static char *reason_of(const struct sample *sample, enum verdict verdict, double detectable)
{
    if (verdict == VERDICT_UNDECIDED && isfinite(detectable))
        return mem_format("from %zu pairs of turns; would have detected a change of %.2g %%",
                          sample->count, 100 * detectable);
    return mem_format("from %zu pairs of turns%s", sample->count,
                      verdict == VERDICT_UNDECIDED ? ", too few" : "");
}

bool ops_make_verdict(const struct ops *ops, const struct ops_operator *of, size_t backend,
                      struct bilanx_record *out)
{
    struct sample sample = {0};
    double *changes = NULL;
    sample.count = speedup_logs(of, backend, &changes);
    if (sample.count == 0)
        return false;
    sample.values = changes;
    enum verdict verdict = judge(&sample, &default_margins);
    struct finding finding = judge_sample(&sample, &default_margins);
    double detectable = judge_detectable(&finding, &default_margins);
    out->kind = mem_text("verdict");
    out->side = mem_text(ops->backends.items[backend].name);
    out->attempts = 1;
    out->machine = machine_facts("monotonic-raw");
    out->task = (struct bilanx_task){
        .label = mem_text(of->logged->name),
        .description = mem_text(ops->backends.items[backend].name),
        .stmt = mem_text(of->logged->name),
        .language = mem_text("operator"),
        .num_threads = ops->options.threads ? ops->options.threads : 1,
        .parameters = ops_parameters(ops, of->logged->count),
    };
    out->verdict = mem_new(struct bilanx_verdict);
    *out->verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[verdict]),
        .reason = reason_of(&sample, verdict, detectable),
        .baseline = mem_text(ops->backends.items[0].name),
        .change = judge_fraction(finding.change),
        .interval = {judge_fraction(finding.interval.low), judge_fraction(finding.interval.high)},
        .p = finding.p,
        .detectable = verdict == VERDICT_UNDECIDED ? detectable : NAN,
        .changes = changes,
        .change_count = sample.count,
    };
    set_times(of, backend, finding.change, out->verdict->times);
    return true;
}
