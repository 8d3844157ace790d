// op_records: samples to records, and back.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "core/record/facts.h"
#include "core/timer/pace.h"
#include "operator_cases.h"

static char *counters_json(const struct ops_sample *sample, const struct ops_time *time)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    if (sample->flops > 0)
        writer_key_number(&json, "flops", sample->flops);
    if (isfinite(time->error))
        writer_key_number(&json, "error", time->error);
    writer_key_number(&json, "prepare_s", time->prepare_s);
    if (time->differs_on_special)
        writer_key_number(&json, "differs_on_special", 1);
    if (isfinite(time->page_faults))
        writer_key_number(&json, "page_faults", time->page_faults);
    writer_close(&json, '}');
    return text_take(&out);
}

static void fail(const struct ops_time *time, struct bilanx_record *out)
{
    static const char *const phases[] = {
        [OPS_WRONG] = "check", [OPS_UNSUPPORTED] = "supports", [OPS_FAILED] = "run"};
    struct bilanx_error error = bilanx_error_make(time->status, "%s", time->why);
    record_fail(out, &error, phases[time->state], NULL);
}

bool ops_make_record(const struct ops *ops, const struct ops_operator *of,
                     const struct ops_sample *sample, size_t backend, struct bilanx_record *out)
{
    const struct ops_time *time = &sample->times[backend];
    if (time->state == OPS_PENDING)
        return false;
    const struct run_case *item = ops_case(ops, of, sample, backend);
    record_copy_task(&item->task, &out->task);
    out->place = sample->place * ops->backends.count + backend + 1;
    out->extra = mem_format("{\"sample\":%zu}", sample->place + 1);
    out->machine = machine_facts("monotonic-raw");
    out->counters = counters_json(sample, time);
    if (time->state != OPS_MEASURED) {
        fail(time, out);
        return true;
    }
    out->kind = mem_text("measurement");
    out->timing.method = mem_text("repeats");
    out->timing.number_per_run = time->calls;
    out->timing.raw_times = mem_array(double, time->count);
    for (size_t i = 0; i < time->count; i++)
        if (ops_turn_counts(time, i))
            out->timing.raw_times[out->timing.raw_count++] = time->times[i] * (double)time->calls;
    if (sample->bytes > 0) {
        out->rates = mem_new(struct bilanx_rates);
        out->rates->bytes = sample->bytes;
    }
    record_summarize(out);
    if (time->readings > 0)
        record_set_core(out, core_words[time->is_free ? CORE_FREE : CORE_SHARED],
                        &(struct bilanx_neighbour){.free = time->free_readings / time->readings,
                                                   .time = NAN,
                                                   .change = NAN,
                                                   .interval = {NAN, NAN}});
    return true;
}

// Reads a number from the record's counters, which we have written ourselves.
static double counter(const struct bilanx_record *record, const char *name)
{
    AUTO(memory) char *key = mem_format("\"%s\":", name);
    const char *found = record->counters ? strstr(record->counters, key) : NULL;
    return found ? strtod(found + strlen(key), NULL) : NAN;
}

void ops_restore(struct ops_sample *sample, size_t backend, const struct bilanx_record *record)
{
    struct ops_time *time = &sample->times[backend];
    double flops = counter(record, "flops"), prepare_s = counter(record, "prepare_s");
    time->state = OPS_MEASURED;
    time->calls = record->timing.number_per_run;
    time->count = time->room = record->timing.raw_count;
    time->times = mem_array(double, time->count);
    for (size_t i = 0; i < time->count; i++)
        time->times[i] = record->timing.raw_times[i] / (double)time->calls;
    time->median = record->stats.median;
    time->error = counter(record, "error");
    time->page_faults = counter(record, "page_faults");
    time->differs_on_special = counter(record, "differs_on_special") > 0;
    time->prepare_s = isfinite(prepare_s) ? prepare_s : 0;
    sample->flops = isfinite(flops) ? flops : sample->flops;
    sample->bytes = record->rates ? record->rates->bytes : sample->bytes;
}
