// schedule: prepares the cases of suites to be run.
#include "schedule.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/mem.h"
#include "models.h"
#include "requirements.h"

// Subject of cases that must not run.
static const struct run_subject nobody = {.name = "nobody"};

static void environment_done(struct environment *environment)
{
    statements_done(&environment->statements);
    list_done(&environment->sources);
    list_done(&environment->includes);
    list_done(&environment->packages);
    list_done(&environment->recipes);
    list_done(&environment->preloads);
    preload_done(&environment->preload);
    free(environment->items);
}

void schedule_done(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->cases.count; i++)
        if (schedule->cases.items[i].subject == &nobody) {  // the others are owned elsewhere
            free(schedule->cases.items[i].name);
            record_task_done(&schedule->cases.items[i].task);
            struct bilanx_record failed = {.error = schedule->cases.items[i].failure};
            bilanx_record_done(&failed);
        }
    for (size_t i = 0; i < schedule->environment_count; i++)
        environment_done(&schedule->environments[i]);
    free(schedule->environments);
    free(schedule->cases.items);
    free(schedule->owners);
    free(schedule->homes);
    free(schedule->models);
    *schedule = (struct schedule){0};
}

static void hash_list(struct hash *hash, char *const *list)
{
    for (; list && *list; list++)
        hash_add_text(hash, *list);
    hash_add_text(hash, NULL);
}

static bool is_python(const struct bilanx_suite_case *item)
{
    return text_equal(item->task.language, "python");
}

// Equal for cases that can share a worker. Python sets its number of threads itself, and so does a
// worker that forks for every case.
static struct hash environment_key(const struct bilanx_suite_case *item, bool counting)
{
    struct hash key = hash_start();
    const char *const texts[] = {item->task.language, item->cc, item->flags, item->ldflags,
                                 item->sources || item->preload ? item->directory : NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash_add_text(&key, texts[i]);
    char *const *lists[] = {item->sources, item->include, item->pkg, item->with, item->preload};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        hash_list(&key, lists[i]);
    uint64_t threads = is_python(item) || counting ? 0 : item->task.num_threads;
    hash_add(&key, &threads, sizeof threads);
    return key;
}

static void add_paths(struct list *out, char *const *paths, const char *directory)
{
    for (; paths && *paths; paths++)
        if (directory && **paths != '/')
            list_take(out, mem_format("%s/%s", directory, *paths));
        else
            list_add(out, *paths);
}

static struct words words_of(const struct list *list)
{
    return (struct words){.items = (const char **)list->items, .count = list->count};
}

static void open_environment(struct environment *environment, const struct bilanx_suite_case *item,
                             const struct statement_options *defaults)
{
    struct statement_options *options = &environment->options;
    add_paths(&environment->sources, item->sources, item->directory);
    add_paths(&environment->includes, item->include, item->directory);
    add_paths(&environment->packages, item->pkg, NULL);
    add_paths(&environment->recipes, item->with, NULL);
    add_paths(&environment->preloads, item->preload, item->directory);
    *options = *defaults;
    options->language = item->task.language;
    options->threads = defaults->counting ? 1 : item->task.num_threads;
    if (is_python(item)) {
        options->cc = options->cflags = options->ldflags = NULL;
        return;
    }
    options->python = options->preload = NULL;
    options->cc = item->cc ? item->cc : defaults->cc;
    options->cflags = item->flags ? item->flags : defaults->cflags;
    options->ldflags = item->ldflags ? item->ldflags : defaults->ldflags;
    options->sources = words_of(&environment->sources);
    options->includes = words_of(&environment->includes);
    options->packages = words_of(&environment->packages);
    options->recipes = words_of(&environment->recipes);
}

// Marks a case that must not run, with the reason.
static void give_up(struct schedule *schedule, size_t at, enum bilanx_status status,
                    const char *phase, const char *text)
{
    const struct bilanx_suite_case *item = schedule->selection->cases[at];
    struct run_case *given = &schedule->cases.items[at];
    *given = (struct run_case){.name = mem_text(item->name), .subject = &nobody};
    record_copy_task(&item->task, &given->task);
    struct bilanx_error error = bilanx_error_make(status, "%s", text);
    struct bilanx_record failed = {0};
    record_fail(&failed, &error, phase, NULL);
    given->failure = TAKE(failed.error);
    bilanx_record_done(&failed);
}

// Places a case of a program, which needs no environment. Returns false if it is not one.
static bool place_program(struct schedule *schedule, size_t at)
{
    const struct run_case *listed = schedule->selection->listed[at];
    const char *fault = schedule->selection->faults[at];
    if (fault)
        give_up(schedule, at, BILANX_E_FAILED, "start", fault);
    else if (listed)
        schedule->cases.items[at] = *listed;
    return fault || listed;
}

static void sort_into_environments(struct schedule *schedule,
                                   const struct statement_options *defaults)
{
    AUTO(index) struct index index = {0};
    AUTO(requirements) struct requirements known = {0};
    for (size_t i = 0; i < schedule->selection->count; i++) {
        const struct bilanx_suite_case *item = schedule->selection->cases[i];
        AUTO(text) struct text reason = {0};
        if (requirements_refuse(&known, item, defaults, &reason)) {
            give_up(schedule, i, BILANX_E_SKIPPED, "start", text_get(&reason));
            continue;
        }
        if (place_program(schedule, i))
            continue;
        bool added;
        size_t at = index_find_or_add(&index, environment_key(item, defaults->counting),
                                      schedule->environment_count, &added);
        if (added) {
            mem_grow(schedule->environments, schedule->environment_count,
                     &schedule->environment_room);
            schedule->environments[schedule->environment_count++] = (struct environment){0};
            open_environment(&schedule->environments[at], item, defaults);
        }
        struct environment *environment = &schedule->environments[at];
        mem_grow(environment->items, environment->count, &environment->room);
        environment->items[environment->count++] = i;
    }
}

// Whether anything can be compiled here: tries the shortest statement with the common options.
static struct bilanx_error try_canary(const struct schedule *schedule,
                                      const struct environment *environment)
{
    const struct bilanx_suite_case *item = schedule->selection->cases[environment->items[0]];
    AUTO(statements) struct statements canary = {0};
    struct statement_text text = {.stmt = ""};
    if (item->inputs)  // sources may need what comes with them
        text.inputs.names = item->inputs->names;
    BILANX_TRY(statements_prepare(&text, 1, &environment->options, &canary));
    const struct bilanx_failure *failure = canary.cases.items[0].failure;
    if (failure)
        return bilanx_error_make(BILANX_E_FAILED, "%s", failure->text);
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_compiler(const struct schedule *schedule,
                                            struct environment *environment)
{
    BILANX_TRY(preload_build(&environment->preload, &environment->preloads, &environment->options));
    return try_canary(schedule, environment);
}

// An interpreter tries its canary in the worker that prepares the cases, so that it imports once.
// It starts now; the canary of a compiler is tried when it is its turn.
static void begin_environment(const struct schedule *schedule, struct environment *environment)
{
    const struct bilanx_suite_case *item = schedule->selection->cases[environment->items[0]];
    const struct statement_text canary = {.stmt = "pass", .global_setup = item->task.global_setup};
    environment->options.models = schedule->models;
    if (!is_python(item))
        return;
    environment->error =
        preload_build(&environment->preload, &environment->preloads, &environment->options);
    if (environment->error.status == BILANX_OK)
        environment->error =
            statements_begin(&canary, &environment->options, &environment->statements);
}

static void describe(const struct environment *environment, struct text *out)
{
    const struct statement_options *options = &environment->options;
    text_add(out, options->language);
    if (options->cc)
        text_format(out, " by '%s'", options->cc);
    if (options->cflags)
        text_format(out, " with '%s'", options->cflags);
    if (options->python)
        text_format(out, " by '%s'", options->python);
}

static void close_environment(struct schedule *schedule, const struct environment *environment,
                              const struct bilanx_error *error, const struct tell *tell)
{
    AUTO(text) struct text what = {0};
    describe(environment, &what);
    AUTO(memory) char *told =
        mem_format("%s does not work here, so %zu case%s skipped: %s", text_get(&what),
                   environment->count, environment->count == 1 ? " is" : "s are", error->text);
    tell_line(tell, told);
    for (size_t i = 0; i < environment->count; i++)
        give_up(schedule, environment->items[i], BILANX_E_FAILED, "start", error->text);
}

static struct statement_inputs inputs_of(const struct bilanx_suite_case *item)
{
    const struct bilanx_suite_sample *sample = item->inputs;
    if (!sample)
        return (struct statement_inputs){0};
    return (struct statement_inputs){.text = sample->text,
                                     .names = sample->names,
                                     .as = sample->as,
                                     .elements = sample->elements,
                                     .bytes = sample->bytes};
}

static struct bilanx_error prepare_environment(struct schedule *schedule,
                                               struct environment *environment)
{
    AUTO(memory) struct statement_text *texts =
        mem_array(struct statement_text, environment->count);
    for (size_t i = 0; i < environment->count; i++) {
        const struct bilanx_suite_case *item = schedule->selection->cases[environment->items[i]];
        texts[i] = (struct statement_text){.stmt = item->task.stmt,
                                           .setup = item->task.setup,
                                           .global_setup = item->task.global_setup,
                                           .threads = item->task.num_threads,
                                           .name = item->name,
                                           .task = &item->task,
                                           .inputs = inputs_of(item)};
    }
    BILANX_TRY(statements_prepare(texts, environment->count, &environment->options,
                                  &environment->statements));
    return environment->options.counting
               ? statements_add_barrier(&environment->options, &environment->statements)
               : BILANX_SUCCESS;
}

static void place_cases(struct schedule *schedule, struct environment *environment)
{
    for (size_t i = 0; i < environment->count; i++) {
        size_t at = environment->items[i];
        schedule->cases.items[at] = environment->statements.cases.items[i];
        schedule->cases.items[at].timeout = schedule->selection->cases[at]->timeout;
        schedule->owners[at] = (struct owner){environment, i};
    }
}

// Python first: its cases can be counted while others compile.
static int by_cost(const void *a, const void *b)
{
    const struct environment *left = a, *right = b;
    int compiled = !text_equal(left->options.language, "python") -
                   !text_equal(right->options.language, "python");
    return compiled ? compiled : left->items[0] < right->items[0] ? -1 : 1;
}

static void find_homes(struct schedule *schedule)
{
    schedule->homes = mem_array(size_t, schedule->cases.count);
    memset(schedule->homes, 0xFF, schedule->cases.count * sizeof *schedule->homes);
    for (size_t i = 0; i < schedule->environment_count; i++)
        for (size_t j = 0; j < schedule->environments[i].count; j++)
            schedule->homes[schedule->environments[i].items[j]] = i;
}

struct bilanx_error schedule_open(const struct selection *selection,
                                  const struct statement_options *defaults, const struct tell *tell,
                                  struct schedule *out)
{
    size_t count = selection->count;
    out->selection = selection;
    out->defaults = defaults;
    out->tell = *tell;
    out->cases = (struct run_cases){.items = mem_array(struct run_case, count), .count = count};
    out->owners = mem_array(struct owner, count);
    sort_into_environments(out, defaults);
    if (out->environment_count)
        qsort(out->environments, out->environment_count, sizeof *out->environments, by_cost);
    find_homes(out);
    BILANX_TRY(models_save(selection->cases, count, defaults, &out->models));
    for (size_t i = 0; i < out->environment_count; i++)
        begin_environment(out, &out->environments[i]);
    return BILANX_SUCCESS;
}

struct bilanx_error schedule_prepare_next(struct schedule *schedule, bool *more)
{
    uint64_t started_ns = monotonic_ns();
    if (schedule->next < schedule->environment_count) {
        struct environment *environment = &schedule->environments[schedule->next++];
        struct bilanx_error error = environment->error;
        if (error.status == BILANX_OK && !text_equal(environment->options.language, "python"))
            error = prepare_compiler(schedule, environment);
        if (error.status == BILANX_OK)
            error = prepare_environment(schedule, environment);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status == BILANX_OK)
            place_cases(schedule, environment);
        else
            close_environment(schedule, environment, &error, &schedule->tell);
        atomic_store(&environment->ready, true);
        if (!text_equal(environment->options.language, "python"))
            schedule->compile_seconds += (double)(monotonic_ns() - started_ns) / 1e9;
    }
    *more = schedule->next < schedule->environment_count;
    return BILANX_SUCCESS;
}

struct bilanx_error schedule_prepare(struct schedule *schedule)
{
    for (bool more = true; more;)
        BILANX_TRY(schedule_prepare_next(schedule, &more));
    return BILANX_SUCCESS;
}

const struct run_case *schedule_case(const struct schedule *schedule, size_t at)
{
    size_t home = schedule->homes[at];
    bool ready = home == SIZE_MAX || atomic_load(&schedule->environments[home].ready);
    return ready ? &schedule->cases.items[at] : NULL;
}

struct run_case schedule_preview(const struct schedule *schedule, size_t at)
{
    const struct bilanx_suite_case *item = schedule->selection->cases[at];
    return (struct run_case){.name = item->name, .task = item->task};
}

void schedule_check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct schedule *schedule = context;
    size_t at = (size_t)(measured - schedule->cases.items);
    const struct bilanx_suite_case *item = schedule->selection->cases[at];
    const struct owner *owner = &schedule->owners[at];
    if (!record->rates && (item->bytes > 0 || item->items > 0)) {
        record->rates = mem_new(struct bilanx_rates);
        record->rates->bytes = item->bytes;
        record->rates->items = item->items;
    }
    if (item->expected && !record->expected)
        record_expect(record, item->expected);
    if (owner->environment && record->timing.raw_count)
        statements_check(&owner->environment->statements,
                         &owner->environment->statements.cases.items[owner->index], record);
}
