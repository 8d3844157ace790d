// cases: registers benchmarks and expands their definitions into cases.
#include "cases.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct values {
    int64_t *items;
    size_t count, room;
};

struct bilanx_definition {
    const struct bilanx_registration *bench;
    const char *names[BENCH_ARGS];
    struct values axes[BENCH_ARGS];
    size_t axis_count;
    struct values tuples;  // tuple_size numbers each
    size_t tuple_size;
    struct values threads;
    const char *label, *sub_label, *description, *complexity, *unit;
    double min_time;
    struct bilanx_error error;  // the first error
};

static struct bilanx_registration *benches;
static struct bilanx_case_registration *definitions;

void bilanx_bench_register(struct bilanx_registration *registration)
{
    struct bilanx_registration **end = &benches;
    while (*end)
        end = &(*end)->next;
    *end = registration;
}

// Never freed: like those of BILANX_BENCH, it lives as long as the program.
void bilanx_bench_register_copy(const struct bilanx_registration *registration)
{
    struct bilanx_registration *copy = mem_new(struct bilanx_registration);
    *copy = *registration;
    copy->name = mem_text(registration->name);
    bilanx_bench_register(copy);
}

void bilanx_bench_register_cases(struct bilanx_case_registration *registration)
{
    registration->next = definitions;
    definitions = registration;
}

static void refuse(struct bilanx_definition *d, const char *format, ...)
{
    if (d->error.status != BILANX_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    char reason[300];
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    d->error = bilanx_error_make(BILANX_E_USAGE, "benchmark '%s': %s", d->bench->name, reason);
}

static void add_value(struct bilanx_definition *d, struct values *values, int64_t value)
{
    if (values->count == BENCH_CASES) {
        refuse(d, "more than %d cases", BENCH_CASES);
        return;
    }
    mem_grow(values->items, values->count, &values->room);
    values->items[values->count++] = value;
}

// Returns the axis of that name, creating it if it is new: its values may come in several calls.
static struct values *axis_named(struct bilanx_definition *d, const char *name)
{
    for (size_t i = 0; i < d->axis_count; i++)
        if (text_equal(d->names[i], name))
            return &d->axes[i];
    if (d->tuples.count > 0)
        refuse(d, "bilanx_case and axes cannot be mixed");
    else if (d->axis_count == BENCH_ARGS)
        refuse(d, "more than %d arguments", BENCH_ARGS);
    else {
        d->names[d->axis_count] = name;
        return &d->axes[d->axis_count++];
    }
    return NULL;
}

void bilanx_axis_values(struct bilanx_definition *d, const char *name, const int64_t *values,
                        size_t count)
{
    struct values *axis = axis_named(d, name);
    if (count == 0)
        refuse(d, "the axis '%s' has no values", name);
    for (size_t i = 0; axis && i < count; i++)
        add_value(d, axis, values[i]);
}

void bilanx_range(struct bilanx_definition *d, const char *name, int64_t from, int64_t to,
                  int64_t factor)
{
    struct values *axis = axis_named(d, name);
    if (!axis)
        return;
    if (from < 1 || to < from || factor < 2) {
        refuse(d, "bilanx_range '%s' needs 1 <= from <= to and a factor of at least 2", name);
        return;
    }
    int64_t value = from;
    for (; value<to; value = value> to / factor ? to : value * factor)
        add_value(d, axis, value);
    add_value(d, axis, to);
}

void bilanx_steps(struct bilanx_definition *d, const char *name, int64_t from, int64_t to,
                  int64_t step)
{
    struct values *axis = axis_named(d, name);
    if (!axis)
        return;
    if (to < from || step < 1) {
        refuse(d, "bilanx_steps '%s' needs from <= to and a step of at least 1", name);
        return;
    }
    for (int64_t value = from;; value += step) {
        add_value(d, axis, value);
        if ((uint64_t)to - (uint64_t)value < (uint64_t)step || d->error.status != BILANX_OK)
            break;
    }
}

void bilanx_case_values(struct bilanx_definition *d, const int64_t *values, size_t count)
{
    if (d->axis_count > 0)
        refuse(d, "bilanx_case and axes cannot be mixed");
    else if (count > BENCH_ARGS)
        refuse(d, "more than %d arguments", BENCH_ARGS);
    else if (d->tuple_size && d->tuple_size != count)
        refuse(d, "one bilanx_case has %zu arguments, another %zu", d->tuple_size, count);
    else {
        d->tuple_size = count;
        for (size_t i = 0; i < count; i++)
            add_value(d, &d->tuples, values[i]);
    }
}

void bilanx_name_values(struct bilanx_definition *d, const char *const *names, size_t count)
{
    if (d->axis_count > 0)
        refuse(d, "bilanx_names needs bilanx_case; an axis has its own name");
    for (size_t i = 0; i < count && i < BENCH_ARGS && d->axis_count == 0; i++)
        d->names[i] = names[i];
}

void bilanx_thread_values(struct bilanx_definition *d, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] < 1 || values[i] > 4096)
            refuse(d, "a case cannot have %lld threads", (long long)values[i]);
        else
            add_value(d, &d->threads, values[i]);
    }
}

void bilanx_label(struct bilanx_definition *d, const char *text)
{
    d->label = text;
}

void bilanx_sub_label(struct bilanx_definition *d, const char *text)
{
    d->sub_label = text;
}

void bilanx_description(struct bilanx_definition *d, const char *text)
{
    d->description = text;
}

void bilanx_complexity(struct bilanx_definition *d, const char *argument)
{
    d->complexity = argument;
}

void bilanx_unit(struct bilanx_definition *d, const char *unit)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], unit) == 0) {
            d->unit = units[i];
            return;
        }
    refuse(d, "bilanx_unit takes ns, us, ms or s, not '%s'", unit);
}

void bilanx_min_time(struct bilanx_definition *d, double seconds)
{
    if (!(seconds >= 0 && seconds <= 3600))
        refuse(d, "bilanx_min_time takes seconds, from 0 to 3600");
    d->min_time = seconds;
}

size_t bench_arg_count(const struct bilanx_definition *d)
{
    return d->tuple_size ? d->tuple_size : d->axis_count;
}

const char *bench_arg_name(const struct bilanx_definition *d, size_t index)
{
    return d->names[index];
}

const char *bench_complexity(const struct bilanx_definition *d)
{
    return d->complexity;
}

const char *bench_unit(const struct bilanx_definition *d)
{
    return d->unit;
}

double bench_min_time(const struct bilanx_definition *d)
{
    return d->min_time;
}

// "64/threads=2" for unnamed arguments, "n=64/threads=2" for named ones.
static void add_arguments(const struct bench_case *item, const char *separator, struct text *out)
{
    const struct bilanx_definition *d = item->definition;
    for (size_t i = 0; i < bench_arg_count(d); i++) {
        text_add(out, out->size ? separator : "");
        if (d->names[i])
            text_format(out, "%s=", d->names[i]);
        text_format(out, "%lld", (long long)item->args[i]);
    }
}

// Returns the argument that a $word refers to; -1: none.
static int argument_of(const struct bilanx_definition *d, const char *word, size_t size)
{
    for (size_t i = 0; i < bench_arg_count(d); i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        const char *names[] = {index, d->names[i]};
        for (int j = 0; j < 2; j++)
            if (names[j] && strlen(names[j]) == size && strncmp(names[j], word, size) == 0)
                return (int)i;
    }
    return -1;
}

static char *substituted(const struct bench_case *item, const char *pattern)
{
    struct text out = {0};
    while (*pattern) {
        if (*pattern != '$') {
            text_add_char(&out, *pattern++);
            continue;
        }
        size_t size = strspn(pattern + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_");
        int argument = argument_of(item->definition, pattern + 1, size);
        if (pattern[1] == '$') {
            text_add_char(&out, '$');
            size = 1;
        } else if (argument >= 0) {
            text_format(&out, "%lld", (long long)item->args[argument]);
        } else {
            text_add_n(&out, pattern, size + 1);
        }
        pattern += size + 1;
    }
    return text_take(&out);
}

static void name_case(struct bench_case *item)
{
    const struct bilanx_definition *d = item->definition;
    struct text name = {0}, arguments = {0};
    text_add(&name, d->bench->name);
    add_arguments(item, "/", &name);
    if (d->threads.count > 0)
        text_format(&name, "/threads=%u", item->threads);
    add_arguments(item, " ", &arguments);
    item->name = text_take(&name);
    item->label = d->label ? substituted(item, d->label) : mem_text(d->bench->name);
    item->sub_label = d->sub_label     ? substituted(item, d->sub_label)
                      : arguments.size ? text_take(&arguments)
                                       : NULL;
    item->description = d->description ? substituted(item, d->description) : NULL;
    text_done(&arguments);
}

static void add_case(struct bench_cases *cases, struct bilanx_definition *d, const int64_t *args,
                     unsigned threads)
{
    mem_grow(cases->items, cases->count, &cases->room);
    struct bench_case *item = &cases->items[cases->count++];
    *item = (struct bench_case){.bench = d->bench, .definition = d, .threads = threads};
    if (args)
        memcpy(item->args, args, bench_arg_count(d) * sizeof *args);
    name_case(item);
}

static size_t argument_choices(const struct bilanx_definition *d)
{
    if (d->tuple_size)
        return d->tuples.count / d->tuple_size;
    size_t choices = 1;
    for (size_t i = 0; i < d->axis_count && choices <= BENCH_CASES; i++)
        choices *= d->axes[i].count;  // cannot overflow: an axis has at most BENCH_CASES values
    return choices;
}

static void choose_arguments(const struct bilanx_definition *d, size_t choice, int64_t *args)
{
    if (d->tuple_size) {
        memcpy(args, d->tuples.items + choice * d->tuple_size, d->tuple_size * sizeof *args);
        return;
    }
    for (size_t i = d->axis_count; i-- > 0;) {  // the last axis varies fastest
        args[i] = d->axes[i].items[choice % d->axes[i].count];
        choice /= d->axes[i].count;
    }
}

static void expand(struct bilanx_definition *d, struct bench_cases *out)
{
    for (size_t choice = 0; choice < argument_choices(d); choice++) {
        int64_t args[BENCH_ARGS] = {0};
        choose_arguments(d, choice, args);
        for (size_t t = 0; t < (d->threads.count ? d->threads.count : 1); t++)
            add_case(out, d, args, d->threads.count ? (unsigned)d->threads.items[t] : 1);
    }
}

static struct bilanx_error define(struct bilanx_definition *d)
{
    size_t args = d->bench->args_size / sizeof *d->bench->args - 1;
    for (size_t i = 0; i < args; i++)
        bilanx_case_values(d, &d->bench->args[i], 1);
    for (struct bilanx_case_registration *at = definitions; at; at = at->next)
        if (strcmp(at->name, d->bench->name) == 0)
            at->define(d);
    if (d->bench->define)
        d->bench->define(d, d->bench->context);
    int varied = d->complexity ? argument_of(d, d->complexity, strlen(d->complexity)) : -1;
    if (d->complexity && varied < 0)
        refuse(d, "bilanx_complexity names an unknown argument '%s'", d->complexity);
    else if (d->complexity && d->names[varied])
        d->complexity = d->names[varied];
    size_t threads = d->threads.count ? d->threads.count : 1;
    if (argument_choices(d) * threads > BENCH_CASES)
        refuse(d, "more than %d cases", BENCH_CASES);
    return d->error;
}

static struct bilanx_error check_names(const struct bench_cases *cases)
{
    for (struct bilanx_case_registration *at = definitions; at; at = at->next) {
        bool found = false;
        for (size_t i = 0; i < cases->definition_count; i++)
            found |= strcmp(cases->definitions[i].bench->name, at->name) == 0;
        if (!found)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "BILANX_CASES(%s) has no matching BILANX_BENCH(%s)", at->name,
                                     at->name);
    }
    return BILANX_SUCCESS;
}

// A benchmark may be registered several times with other arguments, but not with the same.
static struct bilanx_error check_new_cases(const struct bench_cases *cases, size_t known)
{
    for (size_t i = known; i < cases->count; i++)
        for (size_t j = 0; j < known; j++)
            if (strcmp(cases->items[i].bench->name, cases->items[j].bench->name) == 0 &&
                strcmp(cases->items[i].name, cases->items[j].name) == 0)
                return bilanx_error_make(BILANX_E_USAGE, "two benchmarks are named '%s'",
                                         cases->items[i].name);
    return BILANX_SUCCESS;
}

struct bilanx_error bench_cases_make(struct bench_cases *out)
{
    *out = (struct bench_cases){0};
    for (struct bilanx_registration *bench = benches; bench; bench = bench->next)
        out->definition_count++;
    out->definitions = mem_array(struct bilanx_definition, out->definition_count);
    size_t i = 0;
    for (struct bilanx_registration *bench = benches; bench; bench = bench->next)
        out->definitions[i++].bench = bench;
    BILANX_TRY(check_names(out));
    for (i = 0; i < out->definition_count; i++) {
        BILANX_TRY(define(&out->definitions[i]));
        size_t known = out->count;
        expand(&out->definitions[i], out);
        BILANX_TRY(check_new_cases(out, known));
    }
    return BILANX_SUCCESS;
}

void bench_cases_done(struct bench_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        struct bench_case *item = &cases->items[i];
        free(item->name);
        free(item->label);
        free(item->sub_label);
        free(item->description);
    }
    for (size_t i = 0; i < cases->definition_count; i++) {
        struct bilanx_definition *d = &cases->definitions[i];
        for (size_t j = 0; j < d->axis_count; j++)
            free(d->axes[j].items);
        free(d->tuples.items);
        free(d->threads.items);
    }
    free(cases->items);
    free(cases->definitions);
    *cases = (struct bench_cases){0};
}
