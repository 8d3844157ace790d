// gather: merges several runs of one benchmark, as other tools report them, into one record.
#include "gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/shape.h"

void run_times_done(struct run_times *runs)
{
    free(runs->items);
    *runs = (struct run_times){0};
}

// Multiplies before converting to seconds, so that 0.5 ns for 1000 calls is exactly 5e-07 s.
static double whole_run(const struct run_time *run, double time, uint64_t number)
{
    return time * (double)number / run->per_second;
}

bool run_times_add(struct run_times *runs, struct run_time run)
{
    double time = whole_run(&run, run.time, run.number);
    double cpu = isnan(run.cpu) ? 0 : whole_run(&run, run.cpu, run.number);
    if (!isfinite(time) || time < 0 || !isfinite(cpu) || cpu < 0)
        return false;
    mem_grow(runs->items, runs->count, &runs->room);
    runs->items[runs->count++] = run;
    return true;
}

static bool have_cpu(const struct run_times *runs)
{
    double sum = 0;
    for (size_t i = 0; i < runs->count; i++)
        sum += runs->items[i].cpu;
    return sum > 0;  // false for NaN
}

static bool same_number(const struct run_times *runs)
{
    for (size_t i = 1; i < runs->count; i++)
        if (runs->items[i].number != runs->items[0].number)
            return false;
    return runs->count > 0;
}

void run_times_timing(const struct run_times *runs, const char *method, struct bilanx_timing *out)
{
    size_t n = runs->count;
    uint64_t number = same_number(runs) ? runs->items[0].number : 1;
    out->method = mem_text(method);
    out->number_per_run = number;
    out->raw_times = mem_array(double, n);
    out->raw_count = n;
    for (size_t i = 0; i < n; i++)
        out->raw_times[i] = whole_run(&runs->items[i], runs->items[i].time, number);
    if (!have_cpu(runs))
        return;
    out->raw_cpu_times = mem_array(double, n);
    out->raw_cpu_count = n;
    for (size_t i = 0; i < n; i++)
        out->raw_cpu_times[i] = whole_run(&runs->items[i], runs->items[i].cpu, number);
}

void counted_done(struct counted *counters)
{
    json_decref(counters->values);
    json_decref(counters->odd);
    *counters = (struct counted){0};
}

void counted_add(struct counted *counters, const char *name, double value)
{
    if (!counters->values)
        counters->values = json_object();
    json_t *values = json_object_get(counters->values, name);
    if (!values) {
        values = json_array();
        json_object_set_new_nocheck(counters->values, name, values);
    }
    json_array_append_new(values, json_real(value));
}

void counted_add_odd(struct counted *counters, const char *name, const char *value)
{
    if (!counters->odd)
        counters->odd = json_object();
    json_object_set_new(counters->odd, name, json_string(value));
}

// The mean of equal values is exactly that value.
static double mean_of(const json_t *values)
{
    double first = json_real_value(json_array_get(values, 0)), more = 0;
    size_t n = json_array_size(values);
    for (size_t i = 1; i < n; i++)
        more += (json_real_value(json_array_get(values, i)) - first) / (double)n;
    return first + more;
}

char *counted_object(const struct counted *counters)
{
    if (!counters->values)
        return NULL;
    AUTO(json) json_t *object = json_object();
    const char *name;
    json_t *values;
    json_object_foreach(counters->values, name, values)
    {
        double mean = mean_of(values);
        if (isfinite(mean))
            json_object_set_new(object, name, json_real(mean));
    }
    return print_json(object);
}

void task_name_split(const char *name, size_t size, struct bilanx_task *task)
{
    const char *slash = memchr(name, '/', size);
    task->label = mem_text_n(name, slash ? (size_t)(slash - name) : size);
    if (slash)
        task->sub_label = mem_text_n(slash + 1, size - (size_t)(slash + 1 - name));
}

char *task_name_join(const struct bilanx_record *record, struct losses *losses)
{
    const struct bilanx_task *task = &record->task;
    const char *label = task->label ? task->label : task->stmt ? task->stmt : "unnamed";
    struct text name = {0};
    text_add(&name, label);
    if (strchr(label, '/'))
        losses_add(losses, "where 'task.label' ends, as it contains a '/'");
    const char *const more[] = {task->sub_label, task->description, task->env, record->side};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i])
            text_format(&name, "/%s", more[i]);
    return text_take(&name);
}

void task_names_done(struct task_names *names)
{
    json_decref(names->by_task);
    json_decref(names->taken);
    *names = (struct task_names){0};
}

static char *identity_of(const struct bilanx_record *record)
{
    struct text identity = {0};
    struct json_writer json = {.out = &identity};
    shape_write(&shape_task, &record->task, &json);
    writer_text(&json, record->side ? record->side : "");
    return text_take(&identity);
}

char *task_names_claim(struct task_names *names, const struct bilanx_record *record, char *wanted,
                       struct losses *losses)
{
    AUTO(memory) char *name = wanted;
    AUTO(memory) char *identity = identity_of(record);
    if (!names->by_task)
        *names = (struct task_names){json_object(), json_object()};
    const char *had = json_string_value(json_object_get(names->by_task, identity));
    if (had)
        return mem_text(had);
    json_t *taken = json_object_get(names->taken, name);
    json_int_t turn = json_integer_value(taken) + 1;
    json_object_set_new_nocheck(names->taken, name, json_integer(turn));
    if (turn > 1) {
        losses_add(losses, "what distinguishes cases of the same name, now '#2'");
        char *numbered = mem_format("%s#%" JSON_INTEGER_FORMAT, name, turn);
        free(name);
        name = numbered;
    }
    json_object_set_new_nocheck(names->by_task, identity, json_string_nocheck(name));
    return TAKE(name);
}

double rate_per_call(double per_second, double seconds)
{
    double value = per_second * seconds;
    if (!isfinite(value))
        return 0;
    double whole = value < 0x1p53 && value > 0 ? (double)(uint64_t)(value + 0.5) : value;
    return fabs(value - whole) <= 1e-9 * whole ? whole : value;
}

json_t *extra_object(const char *text)
{
    json_t *object = NULL;
    if (text && read_json(text, strlen(text), "", &object).status == BILANX_OK &&
        json_is_object(object))
        return object;
    json_decref(object);
    return json_object();
}

void extra_keep(char **extra, const char *tool, json_t *object)
{
    if (json_object_size(object)) {
        AUTO(json) json_t *all = extra_object(*extra);
        json_object_set(all, tool, object);
        free(*extra);
        *extra = print_json(all);
    }
    json_decref(object);
}

json_t *extra_kept(const char *extra, const char *tool)
{
    AUTO(json) json_t *all = extra_object(extra);
    json_t *object = json_object_get(all, tool);
    return json_is_object(object) ? json_incref(object) : json_object();
}
