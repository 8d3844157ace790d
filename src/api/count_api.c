// count_api: counts statements, suites and programs for a C program.
#include "bilanx/count.h"

#include "base/want.h"
#include "count/counting/collect.h"
#include "request.h"

#define AT(member) offsetof(struct bilanx_count_options, member)
static const struct option numbers[] = {
    {"number", 0, OPTION_COUNT, AT(number)},
    {"repeats", 0, OPTION_COUNT, AT(repeats), .range = &range_repeats},
    {0},
};

static struct bilanx_error count_cases(struct request *request,
                                       const struct bilanx_run_options *what,
                                       const struct bilanx_count_options *options)
{
    enum hwcaps hwcaps;
    WANT(what);
    if (options->perf && options->hwcaps)
        return bilanx_error_make(BILANX_E_USAGE, "hwcaps is for counts by valgrind, not by perf");
    BILANX_TRY(options_check(numbers, options));
    BILANX_TRY(hwcaps_read(options->hwcaps, &hwcaps));
    BILANX_TRY(request_open(request, what, options->perf ? SOURCE_FOR_PERF : SOURCE_FOR_VALGRIND));
    struct collect_options counting = {
        .counter = options->perf ? COLLECT_PERF : COLLECT_CALLGRIND,
        .number = options->number,
        .repeats = options->repeats,
        .hwcaps = hwcaps,
        .allocations = options->allocations,
        .timeout = what->timeout,
        .case_count = request->source.cases.count,
    };
    return collect_cases(&counting, &request->source.cases, &request->observer);
}

struct bilanx_error bilanx_count(const struct bilanx_run_options *what,
                                 const struct bilanx_count_options *options,
                                 struct bilanx_record **records, size_t *count)
{
    static const struct bilanx_count_options usual = {0};
    WANT(records);
    WANT(count);
    AUTO(request) struct request request = {0};
    struct bilanx_error error = count_cases(&request, what, options ? options : &usual);
    request_give(&request, records, count);
    return error;
}
