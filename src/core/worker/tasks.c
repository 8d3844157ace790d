// tasks: the requests that measure.
#include "tasks.h"

#include "base/mem.h"

#include <string.h>

#include "core/timer/measure.h"
#include "core/timer/reference.h"
#include "core/worker/count.h"
#include "core/worker/epoch_message.h"
#include "core/worker/sample.h"

static struct bilanx_error plan_calibrate(struct server *server, const struct message *request,
                                          struct stepper_options *out)
{
    (void)server;
    *out = (struct stepper_options){.method = &method_calibrate};
    return message_number(request, "target_ns", &out->target_ns);
}

static void answer_calibrate(struct server *server, struct text *out)
{
    message_begin(out, "calibrated");
    message_add_count(out, "number", server->stepper.n);
    message_add_number(out, "batch_ns", server->stepper.times_ns[0]);
}

static struct bilanx_error plan_epoch(struct server *server, const struct message *request,
                                      struct stepper_options *out)
{
    (void)server;
    *out = (struct stepper_options){.method = &method_epoch, .number = 1};
    BILANX_TRY(message_count(request, "number", &out->number));
    BILANX_TRY(message_number(request, "warmup_ns", &out->warmup_ns));
    BILANX_TRY(message_number(request, "max_ns", &out->max_ns));
    BILANX_TRY(message_count(request, "min_blocks", &out->min_blocks));
    BILANX_TRY(message_count(request, "max_blocks", &out->max_blocks));
    BILANX_TRY(message_number(request, "pace_every_ns", &out->pace_every_ns));
    BILANX_TRY(message_number(request, "longest_ns", &out->longest_ns));
    BILANX_TRY(message_number(request, "floor", &out->floor));
    out->any_core = message_text(request, "any_core") != NULL;
    if (out->number == 0)
        return bilanx_error_make(BILANX_E_INPUT, "an epoch of batches of no calls");
    return BILANX_SUCCESS;
}

static void answer_epoch(struct server *server, struct text *out)
{
    struct epoch_report report;
    epoch_end(&server->watch, &server->clock, &server->stepper, &report);
    epoch_message_write(&report, out);
}

static struct bilanx_error plan_measure(struct server *server, const struct message *request,
                                        struct stepper_options *out)
{
    const char *name = message_text(request, "method");
    struct measure_options options = {.method = method_find(name ? name : "")};
    if (!options.method)
        return bilanx_error_make(BILANX_E_INPUT, "unknown method '%s'", name ? name : "");
    BILANX_TRY(message_count(request, "number", &options.number));
    BILANX_TRY(message_count(request, "repeats", &options.repeats));
    BILANX_TRY(message_number(request, "min_run_time", &options.min_run_time));
    BILANX_TRY(message_number(request, "max_run_time", &options.max_run_time));
    BILANX_TRY(message_number(request, "warmup", &options.warmup));
    BILANX_TRY(message_number(request, "threshold", &options.threshold));
    measure_plan(&options, server->quality.cost_ns, out);
    BILANX_TRY(message_number(request, "floor", &out->floor));
    out->any_core = message_text(request, "any_core") != NULL;
    BILANX_TRY(message_number(request, "pace_every_ns", &out->pace_every_ns));
    return BILANX_SUCCESS;
}

static void answer_measure(struct server *server, struct text *out)
{
    struct bilanx_timing timing;
    struct pace_summary core;
    epoch_settle(&server->watch, &server->clock, &server->stepper, &core);
    measure_result(&server->stepper, server->quality.cost_ns, &timing);
    struct reference reference = reference_measure(&server->clock);
    message_begin(out, "measured");
    message_add_count(out, "number", timing.number_per_run);
    message_add_numbers(out, "times", timing.raw_times, timing.raw_count);
    message_add_numbers(out, "cpu_times", timing.raw_cpu_times, timing.raw_cpu_count);
    message_add_number(out, "empty_loop_ns", reference.empty_loop_ns);
    message_add_number(out, "kernel_ns", reference.kernel_ns);
    epoch_message_add_core(&core, out);
    message_add_count(out, "chosen", server->stepper.chosen);
    if (timing.latency) {
        message_add_number(out, "p50", timing.latency->p50);
        message_add_number(out, "p90", timing.latency->p90);
        message_add_number(out, "p99", timing.latency->p99);
        message_add_number(out, "p999", timing.latency->p999);
        message_add_number(out, "max", timing.latency->max);
        message_add_number(out, "clock_cost", timing.latency->clock_cost);
        message_add_count(out, "samples", timing.latency->samples);
    }
    bilanx_timing_done(&timing);
}

static struct bilanx_error plan_duel(struct server *server, const struct message *request,
                                     struct stepper_options *out)
{
    struct duel *duel = &server->duel;
    const char *path = message_text(request, "memory");
    uint64_t role = 0, warm_pairs = 0, pairs = 0, most_pairs = 0;
    struct duel_plan plan = {0};
    BILANX_TRY(message_count(request, "role", &role));
    BILANX_TRY(message_count(request, "seed", &plan.seed));
    BILANX_TRY(message_count(request, "number", &plan.number));
    BILANX_TRY(message_count(request, "warm_pairs", &warm_pairs));
    BILANX_TRY(message_count(request, "pairs", &pairs));
    BILANX_TRY(message_count(request, "most_pairs", &most_pairs));
    BILANX_TRY(message_number(request, "floor", &plan.floor));
    if (!path || role > 1 || plan.number == 0 || pairs == 0 || pairs > DUEL_MOST_PAIRS ||
        warm_pairs > DUEL_MOST_PAIRS || most_pairs > DUEL_MOST_PAIRS)
        return bilanx_error_make(BILANX_E_INPUT, "a duel needs memory, a role, number and pairs");
    if (server->hand_over && duel->plan.pairs)
        return bilanx_error_make(BILANX_E_INPUT, "one duel of two statements in each process");
    plan.warm_pairs = (unsigned)warm_pairs;
    plan.pairs = (unsigned)pairs;
    plan.most_pairs = (unsigned)most_pairs;
    struct duel_memory *memory = duel->memory;
    if (!memory)
        BILANX_TRY(duel_memory_open(path, &memory));
    *duel =
        (struct duel){.memory = memory,
                      .plan = plan,
                      .role = (unsigned)role,
                      .hand_over = server->hand_over ? server->hand_over : duel_hand_over_by_futex,
                      .context = server->hand_over_context,
                      .clock = message_text(request, "pace") ? &server->clock : NULL};
    free(server->files);
    server->files =
        message_text(request, "files") ? mem_text(message_text(request, "files")) : NULL;
    *out = (struct stepper_options){.method = &method_epoch, .number = plan.number};
    return BILANX_SUCCESS;
}

// Runs after the warm-up, which has touched the parts of libraries that the statement needs.
static void draw_files(struct server *server)
{
    if (!server->files || server->duel.slot / 2 < server->duel.plan.warm_pairs)
        return;
    server->pages = pages_worst(server->pages, pages_draw_files(server->files));
    free(server->files);
    server->files = NULL;
}

static uint64_t next_of_duel(struct server *server, const struct batch *last)
{
    uint64_t n = duel_next(&server->duel, last);
    draw_files(server);
    if (server->duel.forsaken)
        server_fail(server, BILANX_E_FAILED, "the other side has exited");
    return n;
}

static void answer_duel(struct server *server, struct text *out)
{
    message_begin(out, "dueled");
    message_add_count(out, "pairs", server->duel.memory->pairs);
    if (server->pages != PAGES_STAY)
        message_add_count(out, "pages", server->pages == PAGES_FRESH);
}

static uint64_t next_of_stepper(struct server *server, const struct batch *last)
{
    return stepper_next(&server->stepper, last);
}

static uint64_t next_of_epoch(struct server *server, const struct batch *last)
{
    return epoch_next(&server->watch, &server->clock, &server->stepper, last);
}

static const struct server_task tasks[] = {
    {"calibrate", false, false, plan_calibrate, next_of_stepper, answer_calibrate},
    {"epoch", true, false, plan_epoch, next_of_epoch, answer_epoch},
    {"measure", true, false, plan_measure, next_of_epoch, answer_measure},
    {"count", false, false, count_plan, count_next, count_answer},
    {"duel", false, true, plan_duel, next_of_duel, answer_duel},
    {"watch", false, false, watch_plan, watch_next, watch_answer},
    {"sample", false, false, sample_plan, sample_next, sample_answer},
};

const struct server_task *task_find(const char *verb)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i].verb, verb) == 0)
            return &tasks[i];
    return NULL;
}
