// speedups: derives figures for operators and for a whole model from the times of samples.
#include "speedups.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static bool has(const struct ops_sample *sample, size_t backend)
{
    return sample->finished && sample->times[backend].state == OPS_MEASURED &&
           sample->times[backend].median > 0;
}

struct speedup speedup_of(const struct ops_operator *of, size_t time_of, size_t by)
{
    struct speedup out = {0, NAN, NAN, NAN, NAN};
    AUTO(memory) double *ratios = mem_array(double, of->sample_count + 1);
    double total = 0, total_by = 0;
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_sample *sample = &of->samples[i];
        if (!has(sample, time_of) || !has(sample, by))
            continue;
        double calls = (double)sample->logged->count;
        ratios[out.samples++] = sample->times[time_of].median / sample->times[by].median;
        total += calls * sample->times[time_of].median;
        total_by += calls * sample->times[by].median;
    }
    if (out.samples == 0)
        return out;
    stats_sort(ratios, out.samples);
    out.low = stats_quantile(ratios, out.samples, 0.2);
    out.mid = stats_quantile(ratios, out.samples, 0.5);
    out.high = stats_quantile(ratios, out.samples, 0.8);
    out.weighted = total_by > 0 ? total / total_by : NAN;
    return out;
}

double speedup_mean_time(const struct ops_operator *of, size_t backend)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < of->sample_count; i++)
        if (has(&of->samples[i], backend)) {
            sum += of->samples[i].times[backend].median;
            count++;
        }
    return count ? sum / (double)count : NAN;
}

static void keep_largest(double *largest, double error)
{
    if (!isnan(error) && !(*largest >= error))
        *largest = error;
}

struct sample_counts speedup_counts(const struct ops_operator *of, size_t backend)
{
    struct sample_counts out = {.error = NAN, .wrong_error = NAN};
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_time *time = &of->samples[i].times[backend];
        out.measured += time->state == OPS_MEASURED;
        out.wrong += time->state == OPS_WRONG;
        out.unsupported += time->state == OPS_UNSUPPORTED;
        out.failed += time->state == OPS_FAILED;
        out.special += time->state == OPS_MEASURED && time->differs_on_special;
        keep_largest(time->state == OPS_WRONG ? &out.wrong_error : &out.error, time->error);
    }
    return out;
}

// A sum of measured times, with its variance and the degrees of freedom of that.
struct uncertain {
    double sum, variance, squares;  // `squares`: of the variances, by their degrees of freedom
};

static void add(struct uncertain *total, const struct ops_time *time, double calls)
{
    total->sum += calls * time->median;
    if (time->count < 2)
        return;
    double variance =
        calls * calls * stats_variance(time->times, time->count) / (double)time->count;
    total->variance += variance;
    total->squares += variance * variance / (double)(time->count - 1);
}

// The interval of ln(a / b), by the relative variances of both (Welch and Satterthwaite).
static struct interval ratio_interval(const struct uncertain *a, const struct uncertain *b)
{
    double a_variance = a->variance / (a->sum * a->sum),
           b_variance = b->variance / (b->sum * b->sum);
    double variance = a_variance + b_variance;
    double squares = a->squares / pow(a->sum, 4) + b->squares / pow(b->sum, 4);
    if (!(variance > 0) || !(squares > 0))
        return (struct interval){NAN, NAN};
    double half = stats_student(0.975, variance * variance / squares) * sqrt(variance);
    double ratio = a->sum / b->sum;
    return (struct interval){ratio * exp(-half), ratio * exp(half)};
}

struct model_speedup speedup_of_model(const struct ops *ops, size_t backend)
{
    struct model_speedup out = {.speedup = NAN, .ci95 = {NAN, NAN}, .whole = NAN, .mean = NAN};
    struct uncertain base = {0}, other = {0};
    double everything = 0, logarithms = 0, bytes = 0, flops = 0;
    for (size_t i = 0; i < ops->operator_count; i++) {
        const struct ops_operator *of = &ops->operators[i];
        if (of->role != OPERATOR_COMPUTES)
            continue;
        size_t before = out.samples;
        for (size_t k = 0; k < of->sample_count; k++) {
            const struct ops_sample *sample = &of->samples[k];
            double calls = (double)sample->logged->count;
            if (!has(sample, 0))
                continue;
            everything += calls * sample->times[0].median;
            if (!has(sample, backend))
                continue;
            add(&base, &sample->times[0], calls);
            add(&other, &sample->times[backend], calls);
            bytes += calls * sample->bytes;
            flops += calls * sample->flops;
            out.samples++;
        }
        if (out.samples == before)
            continue;
        logarithms += log(speedup_of(of, 0, backend).mid);
        out.operators++;
    }
    if (out.samples == 0)
        return out;
    out.speedup = base.sum / other.sum;
    out.ci95 = ratio_interval(&base, &other);
    out.bytes = bytes / other.sum;
    out.flops = flops / other.sum;
    out.share = base.sum / everything;
    out.whole = everything / (everything - base.sum + other.sum);
    out.mean = exp(logarithms / (double)out.operators);
    return out;
}

size_t speedup_logs(const struct ops_operator *of, size_t backend, double **out)
{
    double *logs = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_sample *sample = &of->samples[i];
        if (!has(sample, 0) || !has(sample, backend))
            continue;
        const struct ops_time *a = &sample->times[0], *b = &sample->times[backend];
        for (size_t k = 0; k < a->count && k < b->count; k++) {
            if (!ops_turn_counts(a, k) || !ops_turn_counts(b, k))
                continue;
            mem_grow(logs, count, &room);
            logs[count++] = log(b->times[k] / a->times[k]);
        }
    }
    *out = logs;
    return count;
}
