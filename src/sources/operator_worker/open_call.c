// open_call: one sample of an operator, with its data, as prepared by each backend.
#include "open_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shared_allocator.h"

void open_call_done(struct open_call *open)
{
    for (size_t i = 0; open->prepared && i < open->backend_count; i++)
        if (open->prepared[i])
            open->backends[i].table->release(open->prepared[i]);
    free(open->prepared);
    free(open->has_run);
    operator_data_done(&open->data);
    operator_call_done(&open->call);
    *open = (struct open_call){0};
}

struct bilanx_error open_call_make_empty(struct open_call *open, const char *name,
                                         const char *arguments,
                                         const struct operator_options *options)
{
    BILANX_TRY(operator_call_parse(name, arguments, NULL, 0, &open->call));
    BILANX_TRY(operator_call_adapt(&open->call, options));
    open->writes = operator_writes_arguments(&open->call.call);
    open->prepared = mem_array(void *, open->backend_count);
    open->has_run = mem_array(bool, open->backend_count);
    return BILANX_SUCCESS;
}

struct bilanx_error open_call_make(struct open_call *open, const char *name, const char *arguments,
                                   const struct operator_options *options)
{
    BILANX_TRY(open_call_make_empty(open, name, arguments, options));
    return operator_data_make(&open->call, options, &open->data);
}

struct bilanx_error open_call_supports(const struct open_call *open, size_t backend)
{
    const struct backend_module *module = &open->backends[backend];
    const char *refused = module->table->supports(module->state, &open->call.call);
    return refused ? bilanx_error_make(BILANX_E_SKIPPED, "%s", refused) : BILANX_SUCCESS;
}

struct bilanx_error open_call_prepare(struct open_call *open, size_t backend, double *elapsed_ns)
{
    const struct backend_module *module = &open->backends[backend];
    BILANX_TRY(open_call_supports(open, backend));
    uint64_t started = clock_read(open->clock);
    void *prepared = NULL;
    BILANX_TRY(module->table->prepare(module->state, &open->call.call, &prepared));
    *elapsed_ns = clock_ns(open->clock, clock_read(open->clock) - started);
    open->prepared[backend] = prepared;
    return BILANX_SUCCESS;
}

// One write per cache line is enough to replace what a cache holds.
static void sweep(struct open_call *open)
{
    for (size_t at = 0; at < open->sweep_bytes; at += 64)
        ((volatile char *)open->sweep)[at]++;
}

static struct bilanx_error went_wrong(const char *text)
{
    return bilanx_error_make(BILANX_E_FAILED, "%s", text);
}

// Every call is timed individually, because the work between calls must not count.
static struct bilanx_error run_apart(struct open_call *open, size_t backend, uint64_t calls,
                                     double *elapsed_ns)
{
    const char *(*run)(void *) = open->backends[backend].table->run;
    uint64_t ticks = 0;
    for (uint64_t i = 0; i < calls; i++) {
        if (open->writes)
            operator_data_restore(&open->data);
        if (open->sweep)
            sweep(open);
        shared_allocator_next_call();
        uint64_t started = clock_read(open->clock);
        const char *failed = run(open->prepared[backend]);
        ticks += clock_read(open->clock) - started;
        if (failed)
            return went_wrong(failed);
    }
    *elapsed_ns = clock_ns(open->clock, ticks);
    return BILANX_SUCCESS;
}

struct bilanx_error open_call_run(struct open_call *open, size_t backend, uint64_t calls,
                                  double *elapsed_ns)
{
    open->has_run[backend] = true;
    if (open->writes || open->sweep)
        return run_apart(open, backend, calls, elapsed_ns);
    const char *(*run)(void *) = open->backends[backend].table->run;
    void *prepared = open->prepared[backend];
    uint64_t started = clock_read(open->clock);
    for (uint64_t i = 0; i < calls; i++) {
        shared_allocator_next_call();
        const char *failed = run(prepared);
        if (failed)
            return went_wrong(failed);
    }
    *elapsed_ns = clock_ns(open->clock, clock_read(open->clock) - started);
    return BILANX_SUCCESS;
}

struct bilanx_error open_call_results(struct open_call *open, size_t backend,
                                      struct kept_results *out)
{
    struct bilanx_value value = {0};
    double unused_ns;
    if (open->writes || !open->has_run[backend])
        BILANX_TRY(open_call_run(open, backend, 1, &unused_ns));
    BILANX_TRY(open->backends[backend].table->outputs(open->prepared[backend], &value));
    return kept_results_take(&value, out);
}
