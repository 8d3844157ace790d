// ops_profile: the option --profile: a trace per operator, a flame graph per backend.
#include "ops_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/show/complain.h"
#include "flame_collect.h"
#include "flame_output.h"
#include "sources/operator_cases/op_subjects.h"

static const double FLAME_S = 2;    // of samples for each backend
static const double LEAST_S = 0.1;  // for each of its cases

void ops_trace_done(struct ops_trace *trace)
{
    text_done(&trace->events);
}

struct bilanx_error ops_trace_init(struct ops_trace *trace, const char *folder,
                                   const struct ops *ops)
{
    *trace = (struct ops_trace){.folder = folder, .ops = ops};
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make the folder '%s': %s", folder,
                                 strerror(errno));
    return BILANX_SUCCESS;
}

// Samples and repeats are in the first lane; each backend has its own lane.
static uint64_t lane_of(size_t backend)
{
    return backend == SIZE_MAX ? 0 : backend + 1;
}

static struct json_writer next_event(struct ops_trace *trace)
{
    return (struct json_writer){.out = &trace->events, .after_value = trace->events.size > 0};
}

void ops_trace_add(struct ops_trace *trace, const struct ops_span *span)
{
    struct json_writer json = next_event(trace);
    writer_open(&json, '{');
    writer_key_text(&json, "name", span->name);
    writer_key_text(&json, "cat", span->kind);
    writer_key_text(&json, "ph", "X");
    writer_key_number(&json, "ts", (double)span->start_ns / 1e3);
    writer_key_number(&json, "dur", (double)(span->end_ns - span->start_ns) / 1e3);
    writer_key_count(&json, "pid", 1);
    writer_key_count(&json, "tid", lane_of(span->backend));
    writer_close(&json, '}');
}

static void name_lane(struct ops_trace *trace, uint64_t lane, const char *name)
{
    struct json_writer json = next_event(trace);
    writer_open(&json, '{');
    writer_key_text(&json, "name", "thread_name");
    writer_key_text(&json, "ph", "M");
    writer_key_count(&json, "pid", 1);
    writer_key_count(&json, "tid", lane);
    writer_key(&json, "args");
    writer_open(&json, '{');
    writer_key_text(&json, "name", name);
    writer_close(&json, '}');
    writer_close(&json, '}');
}

// A file name: whatever is not harmless in one becomes an underscore.
static char *path_in(const char *folder, const char *prefix, const char *name, const char *suffix)
{
    AUTO(memory) char *word = mem_text(name);
    for (char *at = word; *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+=", *at))
            *at = '_';
    return mem_format("%s/%s_%s%s", folder, prefix, word, suffix);
}

struct bilanx_error ops_trace_write(struct ops_trace *trace, const struct ops_operator *of)
{
    static const struct output_kind kind = {.name = "a trace", .starts = "{\"traceEvents\""};
    if (!trace->folder || trace->events.size == 0)
        return BILANX_SUCCESS;
    name_lane(trace, 0, "samples");
    for (size_t b = 0; b < trace->ops->backends.count; b++)
        name_lane(trace, lane_of(b), trace->ops->backends.items[b].name);
    AUTO(memory) char *path = path_in(trace->folder, "operator", of->logged->name, ".json");
    AUTO(text) struct text out = {0};
    text_format(&out, "{\"traceEvents\":[%s]}\n", text_get(&trace->events));
    text_clear(&trace->events);
    return output_write(path, &kind, text_get(&out), out.size);
}

// The cases of a backend that have a time. They stay those of the plan.
static void select_cases(const struct ops *ops, size_t backend, struct run_cases *out)
{
    for (size_t i = 0; i < ops->operator_count; i++) {
        const struct ops_operator *of = &ops->operators[i];
        for (size_t k = 0; !of->skipped && k < of->sample_count; k++) {
            if (of->samples[k].times[backend].state != OPS_MEASURED)
                continue;
            mem_grow(out->items, out->count, &out->room);
            out->items[out->count++] = *ops_case(ops, of, &of->samples[k], backend);
        }
    }
}

static struct bilanx_error draw(const struct ops_arguments *arguments, const struct ops *ops,
                                size_t backend)
{
    struct run_cases cases = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    const char *name = ops->backends.items[backend].name;
    bool failed = false;
    select_cases(ops, backend, &cases);
    if (cases.count == 0)
        return BILANX_SUCCESS;
    double share_s = FLAME_S / (double)cases.count;
    struct flame_collecting collecting = {
        .sampling = {.duration_s = share_s > LEAST_S ? share_s : LEAST_S,
                     .epochs = 1,  // hosts take long to start
                     .timeout_s = arguments->measure.timeout_s,
                     .max_memory = arguments->measure.max_memory}};
    struct flame_cases drawn = {.cases = &cases, .title = name};
    struct bilanx_error error = flame_collect_cases(&collecting, &drawn, &stacks, &failed);
    free(cases.items);
    if (!stacks)
        return error;
    AUTO(memory) char *path = path_in(arguments->profile, "flame", name, ".svg");
    BILANX_TRY(flame_output(&(struct flame_outputs){.svg = path}, stacks));
    return error;
}

int ops_draw_flames(const struct ops_arguments *arguments, struct ops *ops,
                    const struct ops_hosts *hosts)
{
    AUTO(op_subjects) struct op_subjects *subjects = op_subjects_new(ops, hosts);
    op_subjects_assign(subjects, ops, &ops->cases);
    int code = EXIT_DONE;
    for (size_t b = 0; b < ops->backends.count; b++) {
        struct bilanx_error error = draw(arguments, ops, b);
        if (error.status != BILANX_OK)
            code = complain_error(error);
        if (error.status == BILANX_E_INTERRUPTED)
            break;
    }
    return code;
}
