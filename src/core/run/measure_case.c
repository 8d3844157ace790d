// measure_case: measures one case, from its first process to its record.
#include "measure_case.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/number.h"
#include "core/record/facts.h"
#include "core/stats/groups.h"
#include "core/worker/epoch_message.h"
#include "session.h"

// How long to wait for the core beyond the time for measuring. By default as long again; if nothing
// else will do, a minute.
static double core_wait_of(const struct run_options *options)
{
    static const double USUAL_S = 1, LONG_S = 60;
    if (options->core == RUN_ANY_CORE)
        return 0;
    if (options->core_wait > 0)
        return options->core_wait;
    return options->core == RUN_FREE_CORE ? LONG_S
           : options->max_run_time > 0    ? options->max_run_time
                                          : USUAL_S;
}

void progress_init(struct progress *progress, const struct run_case *measured,
                   const struct run_options *options, struct core_floor *core)
{
    *progress = (struct progress){
        .measured = measured,
        .number = options->method ? 0 : options->number,
        .one_process = options->one_process && !options->method,
        .core = options->core,
        .epochs = {.core = core, .core_wait_ns = core_wait_of(options) * 1e9},
        .record = {.kind = mem_text("measurement"), .attempts = 1},
    };
    deck_init(&progress->deck, measured->layouts);
    record_copy_task(&measured->task, &progress->record.task);
    progress->record.unit = mem_text(measured->unit);
}

// An option of the command line is more specific than what the program says.
static double min_run_time(const struct progress *progress, const struct run_options *options)
{
    double own = progress->measured->min_run_time;
    bool conflicts = options->max_run_time > 0 && own > options->max_run_time;
    return options->min_run_time > 0 || conflicts ? options->min_run_time : own;
}

static struct rigorous_options rigorous_options_of(const struct progress *progress,
                                                   const struct run_options *options)
{
    return (struct rigorous_options){.epochs = progress->patience,
                                     .setup_ns = progress->setup_ns,
                                     .min_run_ns = min_run_time(progress, options) * 1e9,
                                     .max_run_ns = options->max_run_time * 1e9,
                                     .precision = options->precision,
                                     .warmup_ns = options->warmup * 1e9};
}

static struct bilanx_error open_case(const struct session *session, struct progress *progress,
                                     uint64_t seed, uint64_t *child)
{
    uint64_t pages = 0;
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "open");
    text_add(&request, progress->measured->open);
    message_add_count(&request, "seed", seed);
    if (progress->deck.count)
        message_add_count(&request, "layout", progress->layout);
    session_add_words(session, &request);
    message_end(&request);
    BILANX_TRY(client_ask(session->client, &request, "opened", &answer));
    BILANX_TRY(message_count(&answer, "pages", &pages));
    progress->record.pages += pages;  // 0 if refused, or if there was nothing to redraw
    return message_count(&answer, "child", child);
}

static struct bilanx_error calibrate(struct client *client, struct progress *progress)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "calibrate");
    message_add_number(&request, "target_ns", RIGOROUS_BATCH_NS);
    message_end(&request);
    BILANX_TRY(client_ask(client, &request, "calibrated", &answer));
    BILANX_TRY(message_count(&answer, "number", &progress->number));
    return message_number(&answer, "batch_ns", &progress->batch_ns);
}

static void add_pace(const struct stepper_options *plan, const struct progress *progress,
                     const struct run_options *options, struct text *request)
{
    if (options->core == RUN_ANY_CORE)
        message_add_count(request, "any_core", 1);
    if (progress->measured->task.num_threads > 1)  // it would describe only one core
        return;
    message_add_number(request, "pace_every_ns", plan->pace_every_ns);
    if (options->core != RUN_ANY_CORE)
        message_add_number(request, "longest_ns", plan->longest_ns);
    message_add_number(request, "floor", core_floor_get(progress->epochs.core));
}

static struct bilanx_error measure_epoch(struct client *client, struct progress *progress,
                                         const struct run_options *options)
{
    struct rigorous_options rigorous = rigorous_options_of(progress, options);
    if (progress->number == 0)
        BILANX_TRY(calibrate(client, progress));
    struct stepper_options plan;
    rigorous_plan_epoch(&rigorous, progress->number, progress->batch_ns, &plan);
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "epoch");
    message_add_count(&request, "number", plan.number);
    message_add_number(&request, "warmup_ns", plan.warmup_ns);
    message_add_number(&request, "max_ns", plan.max_ns);
    message_add_count(&request, "min_blocks", plan.min_blocks);
    message_add_count(&request, "max_blocks", plan.max_blocks);
    add_pace(&plan, progress, options, &request);
    message_end(&request);
    BILANX_TRY(client_ask(client, &request, "epoch", &answer));
    struct epoch_report report;
    BILANX_TRY(epoch_message_read(&answer, &report));
    report.free.epoch.layout = report.other.epoch.layout =
        progress->deck.count ? progress->layout + 1 : 0;
    collection_add(&progress->epochs, &report, &rigorous);
    progress->done = progress->epochs.done;
    return BILANX_SUCCESS;
}

static void set_core(struct progress *progress, const struct core_outcome *core)
{
    if (core->free_share >= 0)
        record_set_core(&progress->record, core_words[core->state],
                        &(struct bilanx_neighbour){.free = core->free_share,
                                                   .time = core->other_time,
                                                   .change = NAN,
                                                   .interval = {NAN, NAN},
                                                   .epochs = core->other_epochs});
}

static struct bilanx_error read_latency(const struct message *answer, struct bilanx_timing *timing)
{
    if (!message_text(answer, "samples"))
        return BILANX_SUCCESS;
    struct bilanx_latency *latency = timing->latency = mem_new(struct bilanx_latency);
    BILANX_TRY(message_number(answer, "p50", &latency->p50));
    BILANX_TRY(message_number(answer, "p90", &latency->p90));
    BILANX_TRY(message_number(answer, "p99", &latency->p99));
    BILANX_TRY(message_number(answer, "p999", &latency->p999));
    BILANX_TRY(message_number(answer, "max", &latency->max));
    BILANX_TRY(message_number(answer, "clock_cost", &latency->clock_cost));
    return message_count(answer, "samples", &latency->samples);
}

static struct bilanx_error read_measured(const struct message *answer, struct bilanx_timing *timing)
{
    double empty_loop_ns = 0, kernel_ns = 0;
    BILANX_TRY(message_count(answer, "number", &timing->number_per_run));
    BILANX_TRY(message_numbers(answer, "times", &timing->raw_times, &timing->raw_count));
    BILANX_TRY(
        message_numbers(answer, "cpu_times", &timing->raw_cpu_times, &timing->raw_cpu_count));
    BILANX_TRY(message_number(answer, "empty_loop_ns", &empty_loop_ns));
    BILANX_TRY(message_number(answer, "kernel_ns", &kernel_ns));
    timing->overhead = empty_loop_ns / 1e9;
    timing->reference = kernel_ns / 1e9;
    if (timing->number_per_run == 0 || timing->raw_count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "a measurement without times");
    return read_latency(answer, timing);
}

// All blocks are kept, whatever the state of the core. Of individually timed calls, only those with
// the core to themselves are kept, if there are enough.
static struct bilanx_error read_core(const struct message *answer, struct progress *progress)
{
    struct pace_summary core;
    uint64_t chosen = 0;
    BILANX_TRY(epoch_message_read_core(answer, &core));
    BILANX_TRY(message_count(answer, "chosen", &chosen));
    if (!core.readings)
        return BILANX_SUCCESS;
    core_floor_note(progress->epochs.core, &core);
    set_core(progress, &(struct core_outcome){
                           .state = core_floor_is_doubtful(progress->epochs.core) ? CORE_UNKNOWN
                                    : chosen || core.free >= CORE_MOSTLY_FREE     ? CORE_FREE
                                                                                  : CORE_SHARED,
                           .free_share = core.free,
                           .other_time = NAN});
    return BILANX_SUCCESS;
}

static struct bilanx_error measure_whole(struct client *client, struct progress *progress,
                                         const struct run_options *options)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "measure");
    message_add(&request, "method", options->method->name);
    message_add_count(&request, "number", options->number);
    message_add_count(&request, "repeats", options->repeats);
    message_add_number(&request, "min_run_time", min_run_time(progress, options));
    message_add_number(&request, "max_run_time", options->max_run_time);
    message_add_number(&request, "warmup", options->warmup);
    message_add_number(&request, "threshold", options->threshold);
    struct stepper_options plan;
    rigorous_plan_epoch(&(struct rigorous_options){0}, 1, 0, &plan);
    add_pace(&plan, progress, options, &request);
    message_end(&request);
    BILANX_TRY(client_ask(client, &request, "measured", &answer));
    BILANX_TRY(read_core(&answer, progress));
    progress->record.timing.method = mem_text(options->method->name);
    BILANX_TRY(read_measured(&answer, &progress->record.timing));
    progress->done = true;
    return BILANX_SUCCESS;
}

static void forget_rates(struct progress *progress)
{
    for (size_t i = 0; i < progress->rate_count; i++)
        free(progress->rates[i].name);
    progress->rate_count = 0;
}

static void keep_rates(const struct message *closed, struct progress *progress)
{
    static const char prefix[] = "rate.";
    forget_rates(progress);
    for (size_t i = 0; i < closed->count; i++) {
        double value;
        const struct message_pair *pair = &closed->pairs[i];
        if (!text_starts(pair->key, prefix) || !number_read(pair->value, &value))
            continue;
        mem_grow(progress->rates, progress->rate_count, &progress->rate_room);
        progress->rates[progress->rate_count++] =
            (struct case_rate){mem_text(pair->key + sizeof prefix - 1), value};
    }
}

// Per second, which is known once the time is.
static void add_rates(struct progress *progress)
{
    struct bilanx_record *record = &progress->record;
    if (!progress->rate_count || !(record->stats.estimate > 0))
        return;
    AUTO(memory) char *others = record->counters;
    struct text counters = {0};
    struct json_writer json = {.out = &counters};
    writer_open(&json, '{');
    for (size_t i = 0; i < progress->rate_count; i++) {
        AUTO(memory) char *key = mem_format("%s/s", progress->rates[i].name);
        writer_key_number(&json, key, progress->rates[i].per_call / record->stats.estimate);
    }
    if (others)  // both are objects: "{...}"
        text_format(&counters, ",%.*s", (int)strlen(others) - 2, others + 1);
    writer_close(&json, '}');
    record->counters = text_take(&counters);
}

// Reads what the body reported in addition to its times: bytes, items, counters.
static struct bilanx_error read_result(const struct message *closed, struct progress *progress)
{
    struct bilanx_record *record = &progress->record;
    struct bilanx_rates rates = {0};
    BILANX_TRY(message_number(closed, "bytes", &rates.bytes));
    BILANX_TRY(message_number(closed, "items", &rates.items));
    if ((rates.bytes > 0 || rates.items > 0) && !record->rates) {
        record->rates = mem_new(struct bilanx_rates);
        *record->rates = rates;
    }
    struct text counters = {0};
    struct json_writer json = {.out = &counters};
    writer_open(&json, '{');
    for (size_t i = 0; i < closed->count; i++) {
        double value;
        const struct message_pair *pair = &closed->pairs[i];
        if (text_starts(pair->key, "counter.") && number_read(pair->value, &value))
            writer_key_number(&json, pair->key + 8, value);
    }
    writer_close(&json, '}');
    free(record->counters);
    record->counters = counters.size > 2 ? text_take(&counters) : NULL;
    text_done(&counters);
    keep_rates(closed, progress);
    free(record->remark);
    record->remark = mem_text(message_text(closed, "remark"));
    const char *note = message_text(closed, "warning");
    if (note)
        record_warn(record, message_text(closed, "warning_code"), "%s", note);
    const char *clock = message_text(closed, "clock");
    snprintf(progress->clock, sizeof progress->clock, "%s", clock ? clock : "");
    return message_number(closed, "resolution_ns", &progress->resolution_ns);
}

static struct bilanx_error close_case(struct client *client, struct progress *progress)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message closed = {0};
    message_begin(&request, "close");
    message_end(&request);
    BILANX_TRY(client_ask(client, &request, "closed", &closed));
    return read_result(&closed, progress);
}

static void keep_peak(struct progress *progress, uint64_t bytes)
{
    if ((double)bytes > progress->record.max_rss)
        progress->record.max_rss = (double)bytes;
}

// Keeps the fastest setup so far: a setup slowed down by a busy machine is no reason to run fewer.
static void note_setup(struct progress *progress, const struct run_options *options, double ns)
{
    if (progress->setup_ns == 0 || ns < progress->setup_ns)
        progress->setup_ns = ns;
    struct rigorous_options rigorous = rigorous_options_of(progress, options);
    progress->patience =
        options->one_process ? 0 : rigorous_patience(&rigorous, progress->setup_ns);
}

static bool insists_on_core(const struct run_options *options)
{
    return options->core == RUN_FREE_CORE || options->core_wait > 0;
}

// Measures until one epoch is kept. If setup is costly, repeats a dropped epoch in the same
// process; the usual waiting for the core is not worth another process.
static struct bilanx_error measure_epochs(struct client *client, struct progress *progress,
                                          const struct run_options *options)
{
    size_t before = collection_count(&progress->epochs);
    bool again;
    do {
        BILANX_TRY(measure_epoch(client, progress, options));
        bool dropped = collection_count(&progress->epochs) == before;
        again = !progress->done && (options->one_process || (progress->patience && dropped));
    } while (again);
    progress->processes++;
    progress->done |= progress->patience && progress->processes >= progress->patience &&
                      !insists_on_core(options);
    return BILANX_SUCCESS;
}

static struct bilanx_error converse(const struct session *session, struct progress *progress,
                                    const struct run_options *options, uint64_t seed,
                                    const char **phase)
{
    struct client *client = session->client;
    uint64_t child = 0, opened_ns = monotonic_ns();
    *phase = "setup";
    BILANX_TRY(open_case(session, progress, seed, &child));
    note_setup(progress, options, (double)(monotonic_ns() - opened_ns + session->started_ns));
    *phase = "stmt";
    if (options->method)
        BILANX_TRY(measure_whole(client, progress, options));
    else
        BILANX_TRY(measure_epochs(client, progress, options));
    *phase = "teardown";
    keep_peak(progress, session_peak_bytes(child));
    return close_case(client, progress);
}

// Four fifths of the available memory: beyond that, the OOM killer might hit other processes.
uint64_t run_memory_limit(uint64_t asked)
{
    if (asked)
        return asked;
    AUTO(text) struct text info = {0};
    unsigned long long kilobytes = 0;
    if (file_read("/proc/meminfo", &info).status != BILANX_OK)
        return 0;
    const char *line = strstr(text_get(&info), "MemAvailable:");
    if (!line || sscanf(line, "MemAvailable: %llu", &kilobytes) != 1)
        return 0;
    return kilobytes * 1024 / 5 * 4;
}

static void fail_as_prepared(struct progress *progress)
{
    progress->record.error = record_copy_failure(progress->measured->failure);
    free(progress->record.kind);
    progress->record.kind = mem_text("failure");
    progress->done = true;
}

// A standby worker is replaced at epochs 4, 8, 16, ... of a case. Its forks share its addresses. A
// few different sets of addresses are worth the startup cost; a new set for each epoch is not.
static unsigned generation_of(struct progress *progress)
{
    const struct run_standby *standby = progress->measured->subject->standby;
    uint64_t epochs = progress->epochs.epochs;
    if (!standby)
        return 0;
    if (epochs == 0)
        progress->first_generation = standby->generation;
    unsigned generation = progress->first_generation;
    for (uint64_t next = 4; next <= epochs; next *= 2)
        generation++;
    return generation;
}

// Updates the counts of forks and zygotes in the record.
static void count_forks(struct progress *progress)
{
    const struct run_standby *standby = progress->measured->subject->standby;
    struct bilanx_record *record = &progress->record;
    if (!standby)
        return;
    if (record->forks == 0 || standby->generation != progress->last_generation)
        record->zygotes++;
    progress->last_generation = standby->generation;
    record->forks++;
}

// Only a layout that is measured twice shows whether the layout is what makes a difference. So
// every third process repeats one, and every second if times form groups; a dozen pairs are enough
// to tell.
static size_t draw_layout(struct progress *progress, struct random *random)
{
    const struct collection *epochs = &progress->epochs;
    bool grouped = layout_groups_are_likely(epochs->has_states ? &epochs->free : &epochs->other);
    enum { FIRST = 6, ENOUGH = 12 };  // an interval needs different ones first
    bool again = epochs->epochs >= FIRST && epochs->epochs % (grouped ? 2 : 3) == 1 &&
                 progress->repeated < ENOUGH;
    progress->repeated += again;
    return again ? deck_draw_again(&progress->deck, random) : deck_draw(&progress->deck, random);
}

struct bilanx_error progress_step(struct progress *progress, const struct run_options *options,
                                  uint64_t seed)
{
    if (progress->measured->failure) {
        fail_as_prepared(progress);
        return BILANX_SUCCESS;
    }
    uint64_t started_ns = monotonic_ns();
    struct session_options where =
        session_options_for(progress->measured, options->timeout, options->max_memory);
    where.generation = generation_of(progress);
    struct session session = {0};
    struct random random;
    random_init(&random, seed);
    progress->layout = draw_layout(progress, &random);
    const char *phase = "start";
    struct bilanx_error error = session_start(progress->measured->subject, &where, &session);
    if (error.status == BILANX_OK) {
        count_forks(progress);
        error = converse(&session, progress, options, seed, &phase);
    }
    if (error.status != BILANX_OK && error.status != BILANX_E_INTERRUPTED) {
        if (session.client)
            process_listen(&session.client->process);
        record_fail(&progress->record, &error, phase,
                    session.client ? text_get(&session.client->process.output) : "");
        progress->done = true;
    }
    keep_peak(progress, session_end(&session, &error));
    progress->record.elapsed += (double)(monotonic_ns() - started_ns) / 1e9;
    return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
}

static bool needs_free_core(const struct progress *progress)
{
    return progress->core == RUN_FREE_CORE &&
           !text_equal(progress->record.core, core_words[CORE_FREE]);
}

// The user asked for a time with the core to itself.
static void fail_for_core(struct progress *progress)
{
    struct bilanx_record *record = &progress->record;
    double busy = record->neighbour ? 1 - record->neighbour->free : 1;
    struct bilanx_error error = bilanx_error_make(
        BILANX_E_FAILED,
        "--core free: another thread kept the core busy for %.0f %% of the time; raise --core-wait "
        "or --max-run-time, or accept a shared core (--core auto)",
        100 * busy);
    record_fail(record, &error, "stmt", "");
}

static void take_epochs(struct progress *progress)
{
    struct bilanx_record *record = &progress->record;
    struct core_outcome core;
    if (progress->epochs.epochs == 0)
        return;
    collection_take(&progress->epochs, &record->timing, &core);
    record->redrawn = core.redrawn;
    set_core(progress, &core);
}

// Warns if the stored pace of this processor does not fit the readings.
static void judge_floor(struct progress *progress)
{
    const struct core_floor *core = progress->epochs.core;
    AUTO(memory) char *path = core_floor_path();
    if (core_floor_is_doubtful(core))
        record_warn(
            &progress->record, "core-unknown",
            "the state of the core is unknown: no reading is near the pace stored on %s for a "
            "core without a neighbour. If other work runs here all the time, the pace may still "
            "be right; otherwise remove '%s' to learn it again",
            core->since, path ? path : "cores");
    else if (core_floor_was_wrong(core))
        record_warn(&progress->record, "core-relearned",
                    "the stored pace of a core without a neighbour was too slow, so it was learned "
                    "again: earlier results from this machine may call a shared core free");
}

static bool conclude(struct progress *progress, const struct warning_facts *facts)
{
    struct bilanx_record *record = &progress->record;
    deck_done(&progress->deck);
    take_epochs(progress);
    if (!record->error && record->timing.raw_count < (progress->done ? 1u : 2u)) {
        bilanx_record_done(record);
        return false;
    }
    record->machine = machine_facts(progress->clock);
    if (!record->error && needs_free_core(progress))
        fail_for_core(progress);
    if (record->error) {
        bilanx_timing_done(&record->timing);
        return true;
    }
    if (progress->one_process)
        record_warn(record, "one-process",
                    "all epochs ran in one process (--setup-once), so the interval does not "
                    "include the effect of other memory addresses");
    if (progress->measured->subject->forks)
        record_warn(record, "forked",
                    "the program could not start again within half a second, so all epochs are "
                    "forks of one process: the interval does not include the effect of other "
                    "memory addresses");
    record_summarize(record);
    add_rates(progress);
    struct warning_facts all = *facts;
    all.resolution_ns = progress->resolution_ns;
    all.unoptimised = progress->measured->unoptimised;
    record_judge(record, &all);
    judge_floor(progress);
    if (progress->patience && progress->processes >= progress->patience) {
        record->setups = progress->processes;
        record_warn(
            record, "costly-setup",
            "setting up a process takes %.2g s, so only %llu were measured, each for longer; the "
            "interval is over these processes. Raise --max-run-time to measure more",
            progress->setup_ns / 1e9, (unsigned long long)record->setups);
    }
    if (!progress->done)
        record_warn(record, "interrupted",
                    "stopped by ^C before its interval reached the requested precision");
    return true;
}

bool progress_conclude(struct progress *progress, const struct warning_facts *facts)
{
    bool has_result = conclude(progress, facts);
    forget_rates(progress);
    free(progress->rates);
    progress->rates = NULL;
    collection_done(&progress->epochs);
    return has_result;
}
