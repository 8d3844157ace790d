// run_api: measures statements, suites and programs for a C program.
#include "bilanx/run.h"

#include "base/want.h"
#include "request.h"

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct request *request = context;
    source_check(&request->source, (size_t)(measured - request->source.cases.items), record);
}

static struct bilanx_error measure(struct request *request,
                                   const struct bilanx_run_options *options)
{
    WANT(options);
    struct run_options running = {.number = options->number,
                                  .repeats = options->repeats,
                                  .min_run_time = options->min_run_time,
                                  .max_run_time = options->max_run_time,
                                  .warmup = options->warmup,
                                  .timeout = options->timeout,
                                  .seed = options->seed,
                                  .check = check,
                                  .check_context = request};
    BILANX_TRY(method_choose(options->method, &running.method));
    BILANX_TRY(request_open(request, options, SOURCE_TO_TIME));
    BILANX_TRY(run_check(&running));
    return run_measure(&request->source.cases, &running, &request->observer);
}

struct bilanx_error bilanx_run(const struct bilanx_run_options *options,
                               struct bilanx_record **records, size_t *count)
{
    WANT(records);
    WANT(count);
    AUTO(request) struct request request = {0};
    struct bilanx_error error = measure(&request, options);
    request_give(&request, records, count);
    return error;
}
