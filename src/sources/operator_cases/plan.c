// plan: decides which operators and samples are measured, and how they are recorded.
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "operator_cases.h"

static void sample_done(struct ops_sample *sample, size_t backends)
{
    for (size_t i = 0; sample->times && i < backends; i++) {
        free(sample->times[i].why);
        free(sample->times[i].times);
        free(sample->times[i].turns_free);
    }
    free(sample->times);
}

void ops_done(struct ops *ops)
{
    for (size_t i = 0; i < ops->operator_count; i++) {
        struct ops_operator *of = &ops->operators[i];
        for (size_t k = 0; k < of->sample_count; k++)
            sample_done(&of->samples[k], ops->backends.count);
        free(of->samples);
        free(of->skipped);
    }
    free(ops->operators);
    run_cases_done(&ops->cases);
    ops_backends_done(&ops->backends);
    *ops = (struct ops){0};
}

// An operator is selected by its whole name, with or without "torch.ops.", or by a regular
// expression that is found in it.
struct selection {
    const char *name;  // NULL: all
    regex_t regex;
    bool has_regex;
};

static void selection_done(struct selection *selection)
{
    if (selection->has_regex)
        regfree(&selection->regex);
}
SCOPE_VALUE(selection, selection_done)

static struct bilanx_error select_by(const char *text, struct selection *out)
{
    if (!text || strcmp(text, "all") == 0)
        return BILANX_SUCCESS;
    out->name = text_starts(text, "torch.ops.") ? text + strlen("torch.ops.") : text;
    int code = regcomp(&out->regex, out->name, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char reason[100];
        regerror(code, &out->regex, reason, sizeof reason);
        return bilanx_error_make(BILANX_E_USAGE, "--op '%s' is not a regular expression: %s", text,
                                 reason);
    }
    out->has_regex = true;
    return BILANX_SUCCESS;
}

static bool names_one(const struct selection *selection, const struct operator_log *log)
{
    for (size_t i = 0; selection->name && i < log->operator_count; i++)
        if (strcmp(log->operators[i].name, selection->name) == 0)
            return true;
    return false;
}

static bool selects(const struct selection *selection, bool by_name, const char *name)
{
    if (!selection->name)
        return true;
    if (by_name)
        return strcmp(name, selection->name) == 0;
    return regexec(&selection->regex, name, 0, NULL, 0) == 0;
}

static char *why_skipped(const struct ops_options *options, const struct logged_operator *logged,
                         bool by_name)
{
    if (options->all_roles || by_name)
        return NULL;
    switch (operator_role(logged->name)) {
    case OPERATOR_VIEWS:
        return mem_text("view");
    case OPERATOR_CONSTRUCTS:
        return mem_text("constructor");
    default:
        return NULL;
    }
}

// Parses the call here, too: a call that is too large should not start a process.
static bool fits(const struct ops *ops, const struct logged_operator *logged,
                 const struct operator_sample *sample)
{
    AUTO(operator_call) struct operator_call call = {0};
    uint64_t most = ops->options.data.max_bytes;
    if (most == 0)
        return true;
    struct bilanx_error error =
        operator_call_parse(logged->name, sample->arguments, NULL, 0, &call);
    if (error.status == BILANX_OK)
        error = operator_call_adapt(&call, &ops->options.data);
    return error.status != BILANX_OK || operator_bytes(&call.call) <= most;
}

static void choose_samples(const struct ops *ops, struct ops_operator *of)
{
    const struct logged_operator *logged = of->logged;
    size_t most = ops->options.most_samples ? ops->options.most_samples : SIZE_MAX;
    size_t too_large = 0;
    of->samples = mem_array(struct ops_sample, logged->sample_count);
    for (size_t i = ops->options.first_sample; i < logged->sample_count && of->sample_count < most;
         i++) {
        if (!fits(ops, logged, &logged->samples[i])) {
            too_large++;
            continue;
        }
        struct ops_sample *sample = &of->samples[of->sample_count++];
        sample->logged = &logged->samples[i];
        sample->index = i;
        sample->times = mem_array(struct ops_time, ops->backends.count);
        for (size_t k = 0; k < ops->backends.count; k++)
            sample->times[k] = (struct ops_time){.error = NAN, .page_faults = NAN};
    }
    if (of->sample_count == 0)
        of->skipped = too_large ? mem_text("too large for --max-bytes")
                                : mem_text("no sample from --start-idx on");
}

char *ops_parameters(const struct ops *ops, uint64_t calls)
{
    const struct ops_options *options = &ops->options;
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    writer_key_count(&json, "cnt", calls);
    writer_key_text(&json, "dtype", options->data.dtype ? options->data.dtype : "f32");
    writer_key_count(&json, "seed", options->data.seed);
    if (options->data.channels_last)
        writer_key_text(&json, "layout", "channels_last");
    if (options->preallocate)
        writer_key_text(&json, "memory", "preallocated");
    if (options->cold)
        writer_key_text(&json, "caches", "cold");
    writer_close(&json, '}');
    return text_take(&out);
}

static void add_case(struct ops *ops, const struct ops_operator *of,
                     const struct ops_sample *sample, const struct ops_backend *backend)
{
    struct run_cases *cases = &ops->cases;
    mem_grow(cases->items, cases->count, &cases->room);
    struct run_case *item = &cases->items[cases->count++];
    *item = (struct run_case){0};
    item->name = mem_format("%s %s %s", of->logged->name, sample->logged->arguments, backend->name);
    item->task = (struct bilanx_task){
        .label = mem_text(of->logged->name),
        .sub_label = mem_text(sample->logged->arguments),
        .description = mem_text(backend->name),
        .stmt = mem_format("%s%s", of->logged->name, sample->logged->arguments),
        .language = mem_text("operator"),
        .num_threads = ops->options.threads ? ops->options.threads : 1,
        .parameters = ops_parameters(ops, sample->logged->count),
    };
}

static void add_cases(struct ops *ops)
{
    for (size_t i = 0; i < ops->operator_count; i++) {
        const struct ops_operator *of = &ops->operators[i];
        for (size_t k = 0; !of->skipped && k < of->sample_count; k++)
            for (size_t b = 0; b < ops->backends.count; b++)
                add_case(ops, of, &of->samples[k], &ops->backends.items[b]);
    }
}

// Numbers all samples, and drops those of other shards with the operators that have none left.
static struct bilanx_error take_portion(struct ops *ops)
{
    size_t count = 0, at = 0, kept_operators = 0;
    for (size_t i = 0; i < ops->operator_count; i++)
        for (size_t k = 0; k < ops->operators[i].sample_count; k++)
            ops->operators[i].samples[k].place = count++;
    if (!portion_is_partial(&ops->options.portion))
        return BILANX_SUCCESS;
    AUTO(memory) struct shard_item *items = mem_array(struct shard_item, count + 1);
    AUTO(memory) bool *keep = mem_array(bool, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct shard_item){1, i};
    BILANX_TRY(portion_choose(&ops->options.portion, items, count, keep));
    for (size_t i = 0; i < ops->operator_count; i++) {
        struct ops_operator *of = &ops->operators[i];
        size_t kept = 0, before = of->sample_count;
        for (size_t k = 0; k < before; k++, at++) {
            if (keep[at])
                of->samples[kept++] = of->samples[k];
            else
                sample_done(&of->samples[k], ops->backends.count);
        }
        of->sample_count = kept;
        if (kept) {
            ops->operators[kept_operators++] = *of;
            continue;
        }
        free(of->samples);
        free(of->skipped);
    }
    ops->operator_count = kept_operators;
    return BILANX_SUCCESS;
}

struct bilanx_error ops_check_selection(const char *select, const struct operator_log *log)
{
    AUTO(selection) struct selection selection = {0};
    BILANX_TRY(select_by(select, &selection));
    bool by_name = names_one(&selection, log);
    for (size_t i = 0; i < log->operator_count; i++)
        if (selects(&selection, by_name, log->operators[i].name))
            return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_INPUT, "no operator of the log matches --op '%s'",
                             select ? select : "all");
}

struct bilanx_error ops_plan(struct ops *ops, const struct operator_log *log)
{
    BILANX_TRY(ops_check_selection(ops->options.select, log));
    AUTO(selection) struct selection selection = {0};
    BILANX_TRY(select_by(ops->options.select, &selection));
    bool by_name = names_one(&selection, log);
    ops->operators = mem_array(struct ops_operator, log->operator_count);
    for (size_t i = 0; i < log->operator_count; i++) {
        const struct logged_operator *logged = &log->operators[i];
        if (!selects(&selection, by_name, logged->name))
            continue;
        struct ops_operator *of = &ops->operators[ops->operator_count++];
        of->logged = logged;
        of->role = operator_role(logged->name);
        of->skipped = why_skipped(&ops->options, logged, by_name);
        if (!of->skipped)
            choose_samples(ops, of);
    }
    BILANX_TRY(take_portion(ops));
    add_cases(ops);
    return BILANX_SUCCESS;
}

size_t ops_sample_count(const struct ops *ops)
{
    return ops->backends.count ? ops->cases.count / ops->backends.count : 0;
}

struct run_case *ops_case(const struct ops *ops, const struct ops_operator *of,
                          const struct ops_sample *sample, size_t backend)
{
    size_t place = 0;
    for (const struct ops_operator *at = ops->operators; at < of; at++)
        place += at->skipped ? 0 : at->sample_count;
    place += (size_t)(sample - of->samples);
    return &ops->cases.items[place * ops->backends.count + backend];
}
