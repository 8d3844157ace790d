// steps: times from a clock that moves in steps.
#include "steps.h"

#include <stdbool.h>

#include "stats.h"

static const double TIE = 1e-9;  // relative: what rounding makes of equal times

static bool are_tied(double low, double high)
{
    return high - low <= TIE * high;
}

// The smallest gap between different values; 0: all are equal.
static double smallest_gap(const double *sorted, size_t count)
{
    double smallest = 0;
    for (size_t i = 1; i < count; i++) {
        double gap = sorted[i] - sorted[i - 1];
        if (!are_tied(sorted[i - 1], sorted[i]) && (smallest == 0 || gap < smallest))
            smallest = gap;
    }
    return smallest;
}

static bool is_multiple(double gap, double step)
{
    static const double TOLERANCE = .05, FAR = 1000;
    double steps = gap / step;
    if (steps > FAR)  // an outlier, which says nothing about the step
        return true;
    double rest = steps - (double)(size_t)(steps + .5);
    return rest < TOLERANCE && rest > -TOLERANCE;
}

// Returns the step of which all values are multiples; 0 if there is none. Times that differ by more
// than a hundredth differ for another reason.
static double step_of(const double *sorted, size_t count)
{
    static const double MOST = .01;
    double step = smallest_gap(sorted, count);
    size_t different = count > 0;
    if (step <= 0 || step > MOST * sorted[0])
        return 0;
    for (size_t i = 1; i < count; i++) {
        if (are_tied(sorted[i - 1], sorted[i]))
            continue;
        different++;
        if (!is_multiple(sorted[i] - sorted[i - 1], step))
            return 0;
    }
    return 2 * different <= count ? step : 0;
}

void steps_blur(double *sorted, size_t count)
{
    double step = step_of(sorted, count);
    if (step <= 0)
        return;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && are_tied(sorted[first], sorted[next]);)
            next++;
        double value = sorted[first], ties = (double)(next - first);
        for (size_t i = first; i < next; i++)
            sorted[i] = value + step * (2 * ((double)(i - first) + .5) / ties - 1);
    }
    stats_sort(sorted, count);
}
