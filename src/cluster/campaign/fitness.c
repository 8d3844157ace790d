// fitness: decides whether a machine measures like the others of its kind.
#include "fitness.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static bool is_slow(const struct fitness *all, size_t count, size_t index, struct text *why)
{
    AUTO(memory) double *times = mem_array(double, count);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].kind, all[index].kind) == 0 && all[i].kernel_ns > 0)
            times[known++] = all[i].kernel_ns;
    qsort(times, known, sizeof *times, by_value);
    double median = known ? times[known / 2] : 0, own = all[index].kernel_ns;
    if (known < FITNESS_PEERS || own <= FITNESS_SLOWER * median)
        return false;
    text_format(why,
                "its reference kernel takes %.0f ns, on the other machines of its kind %.0f ns",
                own, median);
    return true;
}

static bool fails(const struct fitness *machine, const char *check)
{
    for (const char *const *name = machine->failing; name && *name; name++)
        if (strcmp(*name, check) == 0)
            return true;
    return false;
}

static bool fails_alone(const struct fitness *all, size_t count, size_t index, struct text *why)
{
    for (const char *const *check = all[index].failing; check && *check; check++) {
        size_t peers = 0, passing = 0;
        for (size_t i = 0; i < count; i++) {
            bool peer = strcmp(all[i].kind, all[index].kind) == 0;
            peers += peer;
            passing += peer && !fails(&all[i], *check);
        }
        if (peers < FITNESS_PEERS || 3 * passing < 2 * peers)
            continue;
        text_format(why, "it fails the check '%s', which %zu of %zu machines of its kind pass",
                    *check, passing, peers);
        return true;
    }
    return false;
}

bool fitness_refuses(const struct fitness *all, size_t count, size_t index, struct text *why)
{
    return is_slow(all, count, index, why) || fails_alone(all, count, index, why);
}
