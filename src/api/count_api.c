// count_api: counts statements, suites and programs for a C program.
#include "bilanx/count.h"
#include "count/counting/collect.h"
#include "request.h"

struct bilanx_error bilanx_count(const struct bilanx_run_options *what,
                                 const struct bilanx_count_options *options,
                                 struct bilanx_record **records, size_t *count)
{
    static const struct bilanx_count_options usual = {0};
    AUTO(request) struct request request = {0};
    enum hwcaps hwcaps;
    options = options ? options : &usual;
    if (options->perf && options->hwcaps)
        return bilanx_error_make(BILANX_E_USAGE, "hwcaps is for counts by valgrind, not by perf");
    BILANX_TRY(hwcaps_read(options->hwcaps, &hwcaps));
    BILANX_TRY(request_open(&request, what, options->perf ? SOURCE_FOR_PERF : SOURCE_FOR_VALGRIND));
    struct collect_options counting = {
        .counter = options->perf ? COLLECT_PERF : COLLECT_CALLGRIND,
        .number = options->number,
        .repeats = options->repeats,
        .hwcaps = hwcaps,
        .allocations = options->allocations,
        .timeout = what->timeout,
        .case_count = request.source.cases.count,
    };
    struct bilanx_error error = collect_cases(&counting, &request.source.cases, &request.observer);
    request_give(&request, records, count);
    return error;
}
