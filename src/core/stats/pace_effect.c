// pace_effect: states times for one frequency of the core.
#include "pace_effect.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/scope.h"
#include "elementary.h"
#include "stats.h"

// Estimated from the epochs themselves, starting from the usual value, which counts for more the
// more the epochs vary for other reasons.
struct pace_effect {
    double slope, error;  // and its standard error
    double mean;          // mean of ln(pace / reference)
};

static bool has_pace(const struct bilanx_timing *timing, size_t n)
{
    if (timing->epoch_count != n || !(timing->reference > 0))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(timing->epochs[i].reference > 0))
            return false;
    return true;
}

static struct pace_effect find_pace_effect(const double *logs, const double *paces, size_t n)
{
    static const double USUAL = 1, USUAL_ERROR = .35, LEAST_NOISE = .002;
    double mean = stats_mean(paces, n), middle = stats_mean(logs, n), squares = 0, products = 0;
    double noise = stats_variance(logs, n) + LEAST_NOISE * LEAST_NOISE;
    for (size_t i = 0; i < n; i++) {
        squares += (paces[i] - mean) * (paces[i] - mean);
        products += (paces[i] - mean) * (logs[i] - middle);
    }
    double usual_weight = noise / (USUAL_ERROR * USUAL_ERROR);
    double slope = (products + usual_weight * USUAL) / (squares + usual_weight);
    return (struct pace_effect){.slope = slope < 0       ? 0
                                         : slope > USUAL ? USUAL
                                                         : slope,
                                .error = square_root(noise / (squares + usual_weight)),
                                .mean = mean};
}

double pace_effect_remove(const struct bilanx_timing *timing, double *logs, size_t n)
{
    if (n < 2 || !has_pace(timing, n))
        return 0;
    double *paces = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        paces[i] = ln(timing->epochs[i].reference / timing->reference);
    struct pace_effect effect = find_pace_effect(logs, paces, n);
    for (size_t i = 0; i < n; i++)
        logs[i] -= effect.slope * paces[i];
    free(paces);
    return effect.error * (effect.mean < 0 ? -effect.mean : effect.mean);
}

void pace_effect_remove_from_times(struct bilanx_timing *timing)
{
    size_t n = timing->raw_count;
    AUTO(memory) double *logs = mem_array(double, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!(timing->raw_times[i] > 0))
            return;
        logs[i] = ln(timing->raw_times[i]);
    }
    pace_effect_remove(timing, logs, n);
    for (size_t i = 0; i < n; i++)
        timing->raw_times[i] = exponential(logs[i]);
}
