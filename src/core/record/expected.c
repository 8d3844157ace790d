// expected: compares a measurement with its expected range.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "records.h"
#include "shape.h"

static bool is_within(const struct bilanx_expected *expected, double value)
{
    return !(value < expected->low) && !(value > expected->high);  // NaN: no limit
}

// "perhaps": the estimate is outside, but its interval is not.
static const char *judge(const struct bilanx_expected *expected, double estimate,
                         const double interval[2])
{
    if (is_within(expected, estimate))
        return "yes";
    return interval[1] < expected->low || interval[0] > expected->high || isnan(interval[0])
               ? "no"
               : "perhaps";
}

void record_expect(struct bilanx_record *record, const struct bilanx_expected *expected)
{
    struct bilanx_expected *own = mem_new(struct bilanx_expected);
    shape_copy(&shape_expected, expected, own);
    record->expected = own;
    if (text_equal(own->of, "time"))
        own->met = mem_text(record->timing.raw_count
                                ? judge(own, record->stats.estimate, record->stats.ci95)
                                : NULL);
    else if (record->overhead_of)
        own->met = mem_text(judge(own, record->overhead_of->estimate, record->overhead_of->ci95));
}
