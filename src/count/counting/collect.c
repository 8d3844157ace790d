// collect: counts cases.
#include "collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "core/record/facts.h"
#include "core/stats/stats.h"
#include "count/counts/callgrind.h"
#include "nursery.h"
#include "profiles.h"

static const double DEFAULT_TIMEOUT_S = 300, LONGEST_TIMEOUT_S = 1e9;

const char *const collect_counter_words[] = {"callgrind", "perf", NULL};
static const struct launcher *const launchers[] = {&launch_callgrind, &launch_perf};

void collector_init(struct collector *collector, const struct collect_options *options)
{
    *collector = (struct collector){.options = *options};
    struct collect_options *mine = &collector->options;
    mine->number = mine->number ? mine->number : 100;
    mine->repeats = mine->repeats ? mine->repeats : 5;
    mine->timeout = mine->timeout > 0 ? mine->timeout : DEFAULT_TIMEOUT_S;
    mine->timeout = mine->timeout < LONGEST_TIMEOUT_S ? mine->timeout : LONGEST_TIMEOUT_S;
}

void collector_rest(struct collector *collector)
{
    for (size_t i = 0; i < collector->count; i++)
        nursery_done(&collector->nurseries[i]);
}

void collector_done(struct collector *collector)
{
    collector_rest(collector);
    free(collector->nurseries);
    *collector = (struct collector){0};
}

static struct nursery *nursery_for(struct collector *collector, const struct run_subject *subject,
                                   const struct launcher *launcher)
{
    for (size_t i = 0; i < collector->count; i++)
        if (collector->nurseries[i].subject == subject &&
            collector->nurseries[i].launcher == launcher)
            return &collector->nurseries[i];
    mem_grow(collector->nurseries, collector->count, &collector->room);
    struct nursery *fresh = &collector->nurseries[collector->count++];
    *fresh = (struct nursery){
        .subject = subject, .launcher = launcher, .hwcaps = collector->options.hwcaps};
    return fresh;
}

static double median_of(const double *values, size_t count)
{
    AUTO(memory) double *sorted = mem_array(double, count + 1);
    if (count == 0)
        return 0;
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    return sorted[(count - 1) / 2];
}

// A case being counted.
struct counted {
    struct collector *collector;
    const struct run_case *item, *next;
    size_t index;
    struct bilanx_record *record;
    struct nursery *nursery;
    struct nursery_options options;
    struct nursery_result result;
};

static void set_repeats(struct bilanx_counts *counts, const double *values, size_t count)
{
    free(counts->repeats);
    counts->repeats = mem_array(double, count + 1);
    counts->repeat_count = count;
    for (size_t i = 0; i < count; i++)
        counts->repeats[i] = values[i];
    counts->instructions = median_of(values, count);
}

static struct bilanx_error keep_file(const struct counted *counted, uint64_t repeat)
{
    const struct collect_options *options = &counted->collector->options;
    if (!options->retain)
        return BILANX_SUCCESS;
    AUTO(memory) char *path = options->case_count > 1
                                  ? mem_format("%s.%zu", options->retain, counted->index + 1)
                                  : mem_text(options->retain);
    return profiles_keep(counted->nursery, counted->result.process, repeat, path);
}

static struct bilanx_error take_profiles(const struct counted *counted)
{
    AUTO(profiles) struct profiles profiles = {0};
    BILANX_TRY(profiles_read(counted->nursery, counted->result.process, counted->options.repeats,
                             &profiles));
    AUTO(memory) double *totals = mem_array(double, profiles.count + 1);
    for (size_t i = 0; i < profiles.count; i++)
        totals[i] = profiles.items[i].instructions;
    profiles_compare(&profiles, counted->record);
    size_t median = profiles_median(&profiles);
    BILANX_TRY(keep_file(counted, median + 1));
    *counted->record->counts = profiles.items[median];
    profiles.items[median] = (struct bilanx_counts){0};
    set_repeats(counted->record->counts, totals, profiles.count);
    return BILANX_SUCCESS;
}

static struct bilanx_error take_events(const struct counted *counted)
{
    struct bilanx_counts *counts = counted->record->counts;
    const struct message *answer = &counted->result.counted;
    struct text events = {0};
    struct json_writer json = {.out = &events};
    writer_open(&json, '{');
    for (size_t i = 0; i < answer->count; i++) {
        const char *key = answer->pairs[i].key;
        AUTO(memory) double *values = NULL;
        size_t count = 0;
        if (!text_starts(key, "event.") ||
            message_numbers(answer, key, &values, &count).status != BILANX_OK)
            continue;
        if (strcmp(key, "event.instructions") == 0)
            set_repeats(counts, values, count);
        else
            writer_key_number(&json, key + strlen("event."), median_of(values, count));
    }
    writer_close(&json, '}');
    counts->events = text_take(&events);
    counts->counter = mem_text("perf");
    const char *missing = message_text(answer, "missing");
    if (missing)
        record_warn(counted->record, "no-hardware-counters", "%s", missing);
    return BILANX_SUCCESS;
}

// Explains the error to users who do not know that valgrind emulates a processor.
static struct bilanx_error explain(const struct counted *counted, const struct bilanx_error *error)
{
    if (counted->nursery->launcher->files && error->status == BILANX_E_CRASHED &&
        strstr(error->text, "signal 4,"))
        return bilanx_error_make(
            BILANX_E_CRASHED,
            "%s: valgrind does not support one of its instructions (most likely AVX-512): compile "
            "with -march=x86-64-v3 or less to count it, or use --counter perf",
            error->text);
    return *error;
}

static bool is_next(const struct counted *counted)
{
    const struct run_case *next = counted->next;
    return next && !next->failure && next->subject == counted->item->subject &&
           !counted->collector->options.allocations;
}

// Runs the case once under `launcher` and passes the result to `take`.
static struct bilanx_error count_by(struct counted *counted, const struct launcher *launcher,
                                    struct bilanx_error (*take)(const struct counted *counted))
{
    struct nursery *nursery = nursery_for(counted->collector, counted->item->subject, launcher);
    counted->nursery = nursery;
    counted->result = (struct nursery_result){.phase = "start"};
    struct bilanx_error error = nursery_start(nursery, &counted->options);
    if (error.status == BILANX_OK)
        error =
            nursery_count(nursery, counted->item->open, false, &counted->options, &counted->result);
    bool well = error.status == BILANX_OK;
    if (well) {
        if (is_next(counted))
            nursery_open_ahead(nursery, counted->next->open, &counted->options);
        error = take(counted);
        message_done(&counted->result.counted);
    } else {
        error = explain(counted, &error);
    }
    nursery_remove_files(nursery, counted->result.process, counted->options.repeats);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    well = well || nursery_is_well(nursery);
    counts_done(counted->record->counts);
    free(counted->record->counts);
    counted->record->counts = NULL;
    record_fail(counted->record, &error, counted->result.phase,
                nursery->running ? text_get(&nursery->client.process.output) : "");
    if (!well)
        nursery_done(nursery);
    return BILANX_SUCCESS;
}

static struct bilanx_error take_allocations(const struct counted *counted)
{
    struct bilanx_allocations *out = mem_new(struct bilanx_allocations);
    counted->record->counts->allocations = out;
    static const char *const keys[] = {"allocations", "bytes", "peak"};
    double sums[3] = {0}, most[3] = {0};
    for (size_t k = 0; k < 3; k++) {
        AUTO(memory) double *values = NULL;
        size_t count = 0;
        BILANX_TRY(message_numbers(&counted->result.counted, keys[k], &values, &count));
        for (size_t i = 0; i < count; i++) {
            sums[k] += values[i];
            most[k] = values[i] > most[k] ? values[i] : most[k];
        }
        sums[k] = count ? sums[k] / (double)count : 0;
    }
    *out = (struct bilanx_allocations){.count = sums[0], .bytes = sums[1], .peak = most[2]};
    return BILANX_SUCCESS;
}

static void complete(const struct nursery *nursery, const struct counted *counted)
{
    struct bilanx_counts *counts = counted->record->counts;
    counts->number = counted->options.number;
    counts->per_iteration = counts->instructions / (double)counts->number;
    counts->baseline = median_of(nursery->baseline, nursery->baseline_count);
    counts->hwcaps = mem_text(nursery->variants);
}

struct bilanx_error collector_count(struct collector *collector, const struct collect_task *task,
                                    struct bilanx_record *record)
{
    const struct collect_options *options = &collector->options;
    const struct run_case *item = task->item;
    struct counted counted = {.collector = collector,
                              .item = item,
                              .next = task->next,
                              .index = task->index,
                              .record = record,
                              .options = {.number = options->number,
                                          .repeats = options->repeats,
                                          .threads = item->threads,
                                          .timeout = options->timeout,
                                          .max_memory = options->max_memory}};
    if (item->task.num_threads > 1 && item->threads < 2) {
        struct bilanx_error error = bilanx_error_make(
            BILANX_E_FAILED, "it starts %llu threads itself, but only one can be counted",
            (unsigned long long)item->task.num_threads);
        record_fail(record, &error, "start", "");
        return BILANX_SUCCESS;
    }
    record->counts = mem_new(struct bilanx_counts);
    const struct launcher *launcher =
        options->callers ? &launch_callers : launchers[options->counter];
    BILANX_TRY(count_by(&counted, launcher, launcher->files ? take_profiles : take_events));
    if (!record->error) {
        complete(counted.nursery, &counted);
        for (const struct run_note *const *note = item->notes; *note; note++)
            record_warn(record, (*note)->code, "%s", (*note)->text);
    }
    if (record->error || !options->allocations)
        return BILANX_SUCCESS;
    // One iteration at a time; otherwise a peak would include what earlier iterations left behind.
    counted.options.repeats = options->number;
    counted.options.number = 1;
    return count_by(&counted, &launch_allocations, take_allocations);
}

struct bilanx_error collector_record(struct collector *collector, const struct collect_task *task,
                                     struct bilanx_record *record)
{
    const struct run_case *item = task->item;
    *record = (struct bilanx_record){.kind = mem_text("counts"), .attempts = 1};
    record_copy_task(&item->task, &record->task);
    uint64_t started_ns = monotonic_ns();
    struct bilanx_error error = BILANX_SUCCESS;
    if (item->failure) {
        record->error = record_copy_failure(item->failure);
        free(record->kind);
        record->kind = mem_text("failure");
    } else {
        error = collector_count(collector, task, record);
    }
    record->elapsed = (double)(monotonic_ns() - started_ns) / 1e9;
    record->machine = machine_facts("");
    return error;
}
