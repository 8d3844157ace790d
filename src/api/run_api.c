// run_api: measures statements, suites and programs for a C program.
#include "bilanx/run.h"
#include "request.h"

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct request *request = context;
    source_check(&request->source, (size_t)(measured - request->source.cases.items), record);
}

struct bilanx_error bilanx_run(const struct bilanx_run_options *options,
                               struct bilanx_record **records, size_t *count)
{
    AUTO(request) struct request request = {0};
    const struct method *method;
    BILANX_TRY(method_choose(options->method, &method));
    BILANX_TRY(request_open(&request, options, SOURCE_TO_TIME));
    struct run_options running = {.method = method,
                                  .number = options->number,
                                  .repeats = options->repeats,
                                  .min_run_time = options->min_run_time,
                                  .max_run_time = options->max_run_time,
                                  .warmup = options->warmup,
                                  .timeout = options->timeout,
                                  .seed = options->seed,
                                  .check = check,
                                  .check_context = &request};
    struct bilanx_error error = run_measure(&request.source.cases, &running, &request.observer);
    request_give(&request, records, count);
    return error;
}
