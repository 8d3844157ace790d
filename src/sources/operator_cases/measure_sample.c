// measure_sample: one call of a log, on all backends.
//
// A backend that dies takes the process of the call with it. The call is then opened again for the
// other backends of that process, which keep their measurements.
#include "measure_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/monotonic.h"
#include "check_sample.h"
#include "core/stats/stats.h"
#include "core/worker/epoch_message.h"

// A turn takes a millisecond or more, and its median batch counts: if the kernel gives the CPU to
// another process for a moment, only one batch is affected.
static const double BATCH_NS = 2e5;
static const double COLD_BATCH_CALLS = 2;  // sweeping takes longer than most calls
static const struct {
    double call_ns;  // of calls up to this long
    uint64_t batches;
} turn_sizes[] = {{1e7, 5}, {1e8, 3}, {INFINITY, 1}};
enum { MOST_CALLS = 1 << 20, USUAL_REPEATS = 3, MOST_STEPS = 8 };

void measuring_set_state(struct ops_time *time, enum ops_state state, enum bilanx_status status,
                         const char *why)
{
    time->state = state;
    time->status = status;
    free(time->why);
    time->why = mem_text(why);
}

static void set_failed(struct ops_time *time, const struct bilanx_error *error)
{
    bool unsupported = error->status == BILANX_E_SKIPPED;
    measuring_set_state(time, unsupported ? OPS_UNSUPPORTED : OPS_FAILED, error->status,
                        error->text);
}

static struct bilanx_error open_again(struct measuring *m, size_t host);

struct bilanx_error measuring_fail(struct measuring *m, size_t backend,
                                   const struct bilanx_error *error)
{
    if (error->status == BILANX_E_INTERRUPTED)
        return *error;
    struct ops_time *time = &m->sample->times[backend];
    set_failed(time, error);
    if (host_lost(error))
        return open_again(m, m->ops->backends.items[backend].host);
    return BILANX_SUCCESS;
}

static void report_span(const struct measuring *m, const char *name, const char *kind,
                        size_t backend, uint64_t start_ns)
{
    const struct ops_observer *observer = m->turns->observer;
    if (!observer->span)
        return;
    struct ops_span span = {name, kind, backend, start_ns, monotonic_ns()};
    observer->span(observer->context, &span);
}

void measuring_be_patient(struct measuring *m, size_t backend)
{
    static const double SLOWER = 100, VARYING = 10;
    double by_baseline = SLOWER * m->sample->times[0].first_s;
    double by_itself = VARYING * m->sample->times[backend].first_s;
    m->hosts->patience_s = fmax(by_baseline, by_itself);
}

static struct bilanx_error make_ready(struct measuring *m, size_t backend)
{
    static const double SLOW_S = 10;  // above this, PyTorch's benchmark reports a slow compile
    AUTO(message) struct message answer = {0};
    struct ops_time *time = &m->sample->times[backend];
    uint64_t started_ns = monotonic_ns();
    measuring_be_patient(m, backend);
    struct bilanx_error error = host_ask(m->hosts, backend, "ready", "", "is_ready", &answer);
    report_span(m, "prepare", "prepare", backend, started_ns);
    if (error.status != BILANX_OK)
        return measuring_fail(m, backend, &error);
    double prepare_ns = 0, first_ns = 0;
    BILANX_TRY(message_number(&answer, "prepare_ns", &prepare_ns));
    BILANX_TRY(message_number(&answer, "first_ns", &first_ns));
    time->prepare_s = time->ahead_s + prepare_ns / 1e9;
    time->first_s = first_ns / 1e9;
    const struct ops_observer *observer = m->turns->observer;
    if (time->prepare_s > SLOW_S && observer->slow_compile)
        observer->slow_compile(observer->context, m->of, m->sample, backend);
    return BILANX_SUCCESS;
}

// Opens the call in a process and prepares it for the backends there that have not failed.
static struct bilanx_error open_call(struct measuring *m, size_t host)
{
    const struct ops_backends *backends = &m->ops->backends;
    struct bilanx_error error =
        host_open(m->hosts, host, m->of->logged->name, m->sample->logged->arguments);
    unsigned opened = m->hosts->items[host].times_opened;
    for (size_t i = 0; i < backends->count; i++) {
        struct ops_time *time = &m->sample->times[i];
        if (backends->items[i].host != host || time->state != OPS_PENDING)
            continue;
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK) {
            set_failed(time, &error);
            continue;
        }
        BILANX_TRY(make_ready(m, i));
        if (m->hosts->items[host].times_opened != opened)
            return BILANX_SUCCESS;  // a backend died, and the call was opened and prepared again
    }
    return BILANX_SUCCESS;
}

// Recursion ends, since each time another backend has failed.
static struct bilanx_error open_again(struct measuring *m, size_t host)
{
    m->hosts->items[host].is_open = false;
    return open_call(m, host);
}

struct host_turn {  // time of some batches, per call
    double call_ns, page_faults;
    bool is_free;  // with the core to itself
};

// The readings describe one core. With several threads, our own threads would look like neighbours.
static bool reads_pace(const struct measuring *m)
{
    return m->ops->options.threads <= 1;
}

static struct bilanx_error note_core(struct measuring *m, const struct message *answer,
                                     struct ops_time *time, struct host_turn *out)
{
    struct pace_summary core;
    uint64_t state = CORE_UNKNOWN;
    BILANX_TRY(epoch_message_read_core(answer, &core));
    BILANX_TRY(message_count(answer, "state", &state));
    core_floor_note(&m->turns->core, &core);
    time->readings += (double)core.readings;
    time->free_readings += core.free * (double)core.readings;
    out->is_free = state == CORE_FREE;
    return BILANX_SUCCESS;
}

static struct bilanx_error run(struct measuring *m, size_t backend, uint64_t calls,
                               uint64_t batches, struct host_turn *out)
{
    AUTO(text) struct text words = {0};
    AUTO(message) struct message answer = {0};
    double elapsed_ns = 0;
    uint64_t faults = 0;
    message_add_count(&words, "calls", calls);
    message_add_count(&words, "batches", batches);
    if (reads_pace(m))
        message_add_number(&words, "floor", core_floor_get(&m->turns->core));
    measuring_be_patient(m, backend);
    BILANX_TRY(host_ask(m->hosts, backend, "run", text_get(&words), "ran", &answer));
    BILANX_TRY(message_number(&answer, "ns", &elapsed_ns));
    BILANX_TRY(message_count(&answer, "faults", &faults));
    out->call_ns = elapsed_ns / (double)calls;
    out->page_faults = (double)faults / (double)(calls * batches);
    return note_core(m, &answer, &m->sample->times[backend], out);
}

static uint64_t calls_for(double call_ns, bool cold)
{
    double calls = call_ns > 0 ? ceil(BATCH_NS / call_ns) : MOST_CALLS;
    double most = cold ? COLD_BATCH_CALLS : MOST_CALLS;
    return (uint64_t)(calls < 1 ? 1 : calls > most ? most : calls);
}

static uint64_t batches_for(double call_ns)
{
    size_t i = 0;
    while (call_ns > turn_sizes[i].call_ns)
        i++;
    return turn_sizes[i].batches;
}

// Grows the batch until it takes long enough. The very first call is slower than the others, but if
// it took a second, the others take long enough, too.
static struct bilanx_error calibrate(struct measuring *m, size_t backend)
{
    struct ops_time *time = &m->sample->times[backend];
    static const double LONG_S = 1;
    bool cold = m->ops->options.cold;
    time->calls = time->batches = 1;
    for (int step = 0; step < MOST_STEPS && time->first_s < LONG_S; step++) {
        struct host_turn turn;
        struct bilanx_error error = run(m, backend, time->calls, 1, &turn);
        if (error.status != BILANX_OK)
            return measuring_fail(m, backend, &error);
        time->batches = batches_for(turn.call_ns);
        uint64_t enough = calls_for(turn.call_ns, cold);
        if (enough <= time->calls + time->calls / 4)
            break;
        time->calls = enough;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error take_turn(struct measuring *m, size_t backend)
{
    struct ops_time *time = &m->sample->times[backend];
    struct host_turn turn;
    uint64_t started_ns = monotonic_ns();
    struct bilanx_error error = run(m, backend, time->calls, time->batches, &turn);
    report_span(m, m->ops->backends.items[backend].name, "backend", backend, started_ns);
    if (error.status != BILANX_OK)
        return measuring_fail(m, backend, &error);
    mem_grow(time->times, time->count, &time->room);
    mem_grow(time->turns_free, time->count, &time->turns_room);
    time->times[time->count] = turn.call_ns / 1e9;
    time->turns_free[time->count++] = turn.is_free;
    if (!(time->page_faults <= turn.page_faults))
        time->page_faults = turn.page_faults;
    return BILANX_SUCCESS;
}

static struct bilanx_error take_turns(struct measuring *m)
{
    size_t count = m->ops->backends.count;
    uint64_t repeats = m->ops->options.repeats ? m->ops->options.repeats : USUAL_REPEATS;
    AUTO(memory) size_t *order = mem_array(size_t, count);
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
        if (m->sample->times[i].state == OPS_PENDING)
            BILANX_TRY(calibrate(m, i));
    }
    for (uint64_t repeat = 0; repeat < repeats; repeat++) {
        uint64_t started_ns = monotonic_ns();
        random_shuffle(&m->turns->random, order, count);
        for (size_t i = 0; i < count; i++)
            if (m->sample->times[order[i]].state == OPS_PENDING)
                BILANX_TRY(take_turn(m, order[i]));
        char name[32];
        snprintf(name, sizeof name, "repeat %llu", (unsigned long long)repeat);
        report_span(m, name, "repeat", SIZE_MAX, started_ns);
    }
    return BILANX_SUCCESS;
}

// If at least half of the turns had the core to themselves, only those count.
static void judge_core(struct ops_time *time)
{
    size_t free = 0;
    for (size_t i = 0; i < time->count; i++)
        free += time->turns_free[i];
    time->is_free = time->count && 2 * free >= time->count;
}

static void conclude(struct ops_sample *sample, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ops_time *time = &sample->times[i];
        if (time->state != OPS_PENDING)
            continue;
        judge_core(time);
        AUTO(memory) double *counting = mem_array(double, time->count);
        size_t n = 0;
        for (size_t k = 0; k < time->count; k++)
            if (ops_turn_counts(time, k))
                counting[n++] = time->times[k];
        stats_sort(counting, n);
        time->median = stats_quantile(counting, n, 0.5);
        time->state = OPS_MEASURED;
    }
    sample->finished = true;
}

static struct bilanx_error measure(struct measuring *m)
{
    const struct ops_time *baseline = &m->sample->times[0];
    for (size_t i = 0; i < m->hosts->count; i++)
        BILANX_TRY(open_call(m, i));
    if (baseline->state == OPS_PENDING)
        BILANX_TRY(check_sample(m));
    if (baseline->state == OPS_PENDING)
        return take_turns(m);
    for (size_t i = 1; i < m->ops->backends.count; i++)
        if (m->sample->times[i].state == OPS_PENDING)
            measuring_set_state(&m->sample->times[i], OPS_UNSUPPORTED, BILANX_E_SKIPPED,
                                "nothing to compare with: the baseline cannot run it");
    return BILANX_SUCCESS;
}

struct bilanx_error ops_measure_sample(struct ops_turns *turns, const struct ops_operator *of,
                                       struct ops_sample *sample)
{
    struct measuring m = {turns, turns->hosts, turns->hosts->ops, of, sample};
    m.hosts->patience_s = 0;
    uint64_t started_ns = monotonic_ns();
    struct bilanx_error error = measure(&m);
    hosts_drop_tensors(m.hosts);
    if (error.status == BILANX_OK) {
        conclude(sample, m.ops->backends.count);
        for (size_t i = 0; i < m.hosts->count; i++)
            host_close(m.hosts, i);
    }
    char name[32];
    snprintf(name, sizeof name, "sample %zu", sample->index);
    report_span(&m, name, "sample", SIZE_MAX, started_ns);
    return error;
}
