// engines: takes the place of whatever measures; see engines.h.
#include "engines.h"

#include <string.h>

#include "ab/comparison/bisect.h"
#include "ab/comparison/comparison.h"
#include "ab_bundle.h"
#include "base/mem.h"
#include "bilanx/doctor.h"
#include "cluster_arguments.h"
#include "count/counting/collect.h"
#include "ops_report.h"
#include "profile/counted/counted.h"
#include "profile/sampling/sampling.h"
#include "sources/commands/commands.h"
#include "sources/operator_cases/operator_cases.h"
#include "sources/roofline/roofline.h"
#include "sources/source/source.h"
#include "sources/statements/statements.h"
#include "sources/suite_cases/passes.h"
#include "sources/suite_cases/resume.h"

FILE *engine_log;

// ---- The log

static void note_number(const char *name, double value)
{
    if (value != 0)
        fprintf(engine_log, " %s=%.17g", name, value);
}

static void note_text(const char *name, const char *value)
{
    if (value)
        fprintf(engine_log, " %s='%s'", name, value);
}

static void note_words(const char *name, const struct words *words)
{
    for (size_t i = 0; words && i < words->count; i++)
        fprintf(engine_log, " %s[%zu]='%s'", name, i, words->items[i]);
}

// A member of `options` that is a number, a text or a list of words.
#define NUMBER(member) note_number(#member, (double)options->member)
#define TEXT(member) note_text(#member, options->member)
#define WORDS(member) note_words(#member, &options->member)

static void note_code(const struct statement_options *options)
{
    TEXT(language), TEXT(setup), TEXT(global_setup), TEXT(sync);
    TEXT(label), TEXT(sub_label), TEXT(description), TEXT(env);
    WORDS(names), WORDS(sub_labels), WORDS(descriptions), WORDS(setups), WORDS(parameters);
    NUMBER(threads), TEXT(cc), TEXT(cflags), TEXT(ldflags), TEXT(compile_commands);
    NUMBER(trust_flags), WORDS(sources), WORDS(includes), WORDS(packages), WORDS(recipes);
    NUMBER(plain), NUMBER(marginal), NUMBER(setup_once), TEXT(python), TEXT(preload);
    NUMBER(fresh), NUMBER(forks), NUMBER(counting), NUMBER(sampling), NUMBER(layouts);
    TEXT(inputs.spec), NUMBER(inputs.take), TEXT(inputs.seed), TEXT(inputs.dtype);
    TEXT(inputs.order_by), TEXT(inputs.as);
}

static void note_running(const struct run_options *options)
{
    note_text("method", options->method ? options->method->name : NULL);
    NUMBER(number), NUMBER(repeats), NUMBER(min_run_time), NUMBER(max_run_time), NUMBER(warmup);
    NUMBER(threshold), NUMBER(precision), NUMBER(timeout), NUMBER(seed), NUMBER(max_memory);
    NUMBER(one_process), NUMBER(core), NUMBER(core_wait);
    note_text("pages", getenv("BILANX_PAGES"));
}

static void note_counting(const struct collect_options *options)
{
    NUMBER(counter), NUMBER(number), NUMBER(repeats), NUMBER(timeout), NUMBER(max_memory);
    NUMBER(hwcaps), NUMBER(callers), NUMBER(allocations), TEXT(retain), NUMBER(jobs);
}

static void note_sampling(const struct sampling_options *options)
{
    NUMBER(duration_s), NUMBER(rate), NUMBER(threads_apart), NUMBER(by_signals), NUMBER(epochs);
    NUMBER(whole_runs), NUMBER(timeout_s), NUMBER(max_memory);
}

static void note_share(const struct share *options)
{
    TEXT(portion.shard), TEXT(portion.cases), NUMBER(costs.counted), NUMBER(costs.run_time);
    NUMBER(costs.compared), TEXT(costs.records);
}

static void note_comparison(const struct ab_options *options)
{
    for (size_t i = 0; i < options->side_count; i++)
        note_text(options->sides[i].name, options->sides[i].spec);
    TEXT(build), WORDS(stmts), WORDS(suites), TEXT(program), TEXT(filter), WORDS(tags);
    WORDS(without_languages), NUMBER(backtest), NUMBER(margins.alpha), NUMBER(margins.claim);
    NUMBER(margins.same), NUMBER(budget), NUMBER(timeout), NUMBER(seed), NUMBER(isolate);
    NUMBER(any_core), NUMBER(free_core), NUMBER(core_wait), NUMBER(count), NUMBER(no_time);
    NUMBER(hwcaps), NUMBER(examine);
    note_text("pages", getenv("BILANX_PAGES"));
    note_code(&options->code);
    note_share(&options->share);
}

static void note_commands(const struct commands_options *options)
{
    TEXT(shell), TEXT(label), TEXT(sub_label), TEXT(description), TEXT(env), TEXT(input);
    TEXT(output_file), NUMBER(output), NUMBER(order), NUMBER(ignore_failure), NUMBER(warmup);
    NUMBER(runs), NUMBER(min_runs), NUMBER(max_runs), NUMBER(min_run_time), NUMBER(max_run_time);
    NUMBER(precision), NUMBER(timeout), NUMBER(seed);
}

// ---- Fixed results

static struct bilanx_record record_of(const char *json)
{
    struct bilanx_record record = {0};
    struct bilanx_error error = bilanx_record_read(json, strlen(json), "fixed", &record);
    if (error.status != BILANX_OK)
        fprintf(engine_log, "%s\n", error.text);
    return record;
}

#define TIMES "\"number_per_run\":1,\"raw_times\":[1.000001e-6,1.02e-6,1.5e-6,1.1e-6,1e-6,1.3e-6]"
#define COUNTS                                                                                   \
    "\"counts\":{\"counter\":\"callgrind\",\"number\":1,\"instructions\":9,\"per_iteration\":9," \
    "\"repeats\":[9,9],\"functions\":[{\"function\":\"f\",\"self\":9,\"inclusive\":19}]}"
static const char times[] = "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\"," TIMES "}";
static const char counts[] = "{\"schema\":\"bilanx/1\",\"kind\":\"counts\"," COUNTS "}";
static const char verdict[] =
    "{\"schema\":\"bilanx/1\",\"kind\":\"verdict\",\"side\":\"B\",\"baseline\":\"A\","
    "\"verdict\":\"slower\",\"change\":0.05,\"interval\":[0.04,0.06],\"times\":[1e-6,1.05e-6],"
    "\"warnings\":[{\"code\":\"busy-machine\",\"text\":\"busy\"}]}";

static struct bilanx_record record_for(const struct run_case *item, const char *json)
{
    struct bilanx_record record = record_of(json);
    record_task_done(&record.task);
    record_copy_task(&item->task, &record.task);
    record_warn(&record, "noisy", "a fixed warning");
    return record;
}

// ---- Sources: compile and start nothing

struct bilanx_error __real_source_open(const struct source_kind *kind,
                                       const struct source_request *request, struct source *out);
struct bilanx_error __wrap_source_open(const struct source_kind *kind,
                                       const struct source_request *request, struct source *out)
{
    const struct source_request *options = request;
    fprintf(engine_log, "\nopen %s", kind->name);
    for (size_t i = 0; i < request->word_count; i++)
        fprintf(engine_log, " '%s'", request->words[i]);
    TEXT(name), NUMBER(purpose), TEXT(filter), NUMBER(backtest), NUMBER(with_others);
    note_words("tags", request->tags);
    note_words("without", request->without_languages);
    note_code(request->code);
    return __real_source_open(kind, request, out);
}

static bool is_suite(const struct source *source)
{
    return source->kind == &suite_source;
}

struct bilanx_error __real_source_prepare(struct source *source);
struct bilanx_error __wrap_source_prepare(struct source *source)
{
    fprintf(engine_log, "\nprepare");
    return is_suite(source) ? BILANX_SUCCESS : __real_source_prepare(source);
}

struct bilanx_error __real_source_prepare_some(struct source *source, bool *more);
struct bilanx_error __wrap_source_prepare_some(struct source *source, bool *more)
{
    *more = false;
    return is_suite(source) ? BILANX_SUCCESS : __real_source_prepare_some(source, more);
}

void __wrap_source_check(struct source *source, size_t place, struct bilanx_record *record)
{
    (void)source, (void)place, (void)record;
}

struct bilanx_error __wrap_statements_prepare(const struct statement_text *texts, size_t count,
                                              const struct statement_options *options,
                                              struct statements *out)
{
    fprintf(engine_log, "\nstatements");
    note_code(options);
    out->items = mem_array(struct statement, count);
    out->cases.items = mem_array(struct run_case, count);
    out->cases.count = out->cases.room = count;
    for (size_t i = 0; i < count; i++) {
        struct run_case *item = &out->cases.items[i];
        out->items[i].object = mem_text("object");
        item->subject = &out->worker;
        item->name = statement_name(&texts[i], count, options);
        item->task =
            (struct bilanx_task){.stmt = mem_text(texts[i].stmt),
                                 .label = options->label ? mem_text(options->label) : NULL};
        if (!texts[i].inputs.text)
            continue;
        item->arguments = mem_array(struct run_argument, 1);
        item->arguments[0] =
            (struct run_argument){mem_text(SAMPLES_ELEMENTS), texts[i].inputs.elements};
        item->argument_count = 1;
        item->task.description = mem_text(texts[i].inputs.description);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_statements_add_barrier(const struct statement_options *options,
                                                  struct statements *statements)
{
    (void)options;
    statements->barrier = mem_text(" barrier");
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_statements_disassemble(const struct statement *statement,
                                                  struct text *out)
{
    (void)statement;
    text_add(out, "  nop\n");
    return BILANX_SUCCESS;
}

// ---- Times and counts

struct bilanx_error __wrap_run_measure(const struct run_cases *cases,
                                       const struct run_options *options,
                                       const struct run_observer *observer)
{
    fprintf(engine_log, "\nmeasure %zu", cases->count);
    note_running(options);
    for (size_t i = 0; i < cases->count; i++) {
        struct bilanx_record record = record_for(&cases->items[i], times);
        if (options->check)
            options->check(options->check_context, &cases->items[i], &record);
        observer->finished(observer->context, &cases->items[i], &record);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_collect_cases(const struct collect_options *options,
                                         const struct run_cases *cases,
                                         const struct run_observer *observer)
{
    fprintf(engine_log, "\ncount %zu", cases->count);
    note_counting(options);
    for (size_t i = 0; i < cases->count; i++) {
        struct bilanx_record record = record_for(&cases->items[i], counts);
        observer->working(observer->context, &cases->items[i], 0);
        observer->finished(observer->context, &cases->items[i], &record);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_collector_count(struct collector *collector,
                                           const struct collect_task *task,
                                           struct bilanx_record *record)
{
    (void)task;
    fprintf(engine_log, "\ncount beside");
    note_counting(&collector->options);
    *record = record_of(counts);
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_commands_measure(struct commands *commands,
                                            const struct commands_options *options,
                                            const struct commands_observer *observer)
{
    fprintf(engine_log, "\ncommands");
    note_commands(options);
    note_number("interleaved", commands->interleaved);
    for (size_t i = 0; i < commands->count; i++) {
        struct commands_item *item = &commands->items[i];
        note_text("setup", item->setup.text);
        note_text("prepare", item->prepare.text);
        note_text("cleanup", item->cleanup.text);
        note_text("name", item->measured.name);
        item->record = record_for(&item->measured, times);
        item->run_count = 2;
        item->runs = mem_array(struct commands_run, 2);
        item->runs[0] = (struct commands_run){1, .5, .25, 0};
        item->runs[1] = (struct commands_run){2, .5, .25, 1};
        item->done = true;
        observer->finished(observer->context, item);
    }
    return BILANX_SUCCESS;
}

// ---- Verdicts

static const struct side sides[] = {
    {.name = (char *)"A", .title = (char *)"first", .kind = &side_compiler},
    {.name = (char *)"B", .title = (char *)"other", .kind = &side_compiler}};

static struct bilanx_record verdict_record(void)
{
    struct bilanx_record record = record_of(verdict);
    record.task.stmt = mem_text("f(x)");
    return record;
}

static void tell_timed(const struct ab_observer *observer, const struct ab_pair *pair)
{
    char *names[] = {(char *)"=f(x)"};
    struct bilanx_record record = verdict_record();
    struct ab_results results = {
        .records = &record, .names = names, .count = 1, .interleaved = true};
    observer->finished(observer->context, &record);
    observer->compared(observer->context, pair, &results);
}

static void tell_counted(const struct ab_options *options, const struct ab_observer *observer,
                         const struct ab_pair *pair)
{
    char *names[] = {(char *)"=f(x)"};
    struct bilanx_record before = record_of(counts), after = record_of(counts);
    struct bilanx_record record = verdict_record();
    before.task.stmt = mem_text("f(x)");
    after.task.stmt = mem_text("f(x)");
    after.counts->per_iteration = after.counts->instructions = 10;
    after.counts->functions[0].self = 10;
    observer->finished(observer->context, &before);
    observer->finished(observer->context, &after);
    observer->counted(observer->context, pair,
                      &(struct ab_counts){.before = &before,
                                          .after = &after,
                                          .verdicts = options->no_time ? &record : NULL,
                                          .names = names,
                                          .count = 1});
}

struct bilanx_error __wrap_ab_compare(const struct ab_options *options,
                                      const struct ab_observer *observer)
{
    const struct ab_pair pair = {&sides[0], &sides[1]};
    const struct side *both[] = {&sides[0], &sides[1]};
    fprintf(engine_log, "\ncompare");
    note_comparison(options);
    if (observer->progress)
        observer->progress(observer->context, "comparing");
    BILANX_TRY(observer->opened(observer->context, both, 2));
    BILANX_TRY(observer->begun(observer->context, &pair, 1));
    if (!options->no_time)
        tell_timed(observer, &pair);
    if (options->count)
        tell_counted(options, observer, &pair);
    if (observer->sample)
        fprintf(engine_log, " samples");
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_ab_bisect(const struct ab_options *options,
                                     const struct ab_observer *observer, struct ab_bisection *out)
{
    fprintf(engine_log, "\nbisect");
    note_comparison(options);
    if (observer->progress)
        observer->progress(observer->context, "bisecting");
    *out = (struct ab_bisection){.name = mem_text("f(x)"),
                                 .change = .05,
                                 .commit = mem_text("1a2b3c4 a commit"),
                                 .from = mem_text("one"),
                                 .to = mem_text("other"),
                                 .record = verdict_record()};
    return BILANX_SUCCESS;
}

// ---- What takes long beside measuring

char *__wrap_provenance_of(const char *folder, const struct surroundings *surroundings)
{
    (void)folder, (void)surroundings;
    return NULL;
}

struct bilanx_error __wrap_passes_run(const struct passes *passes, const struct run_cases *cases,
                                      const struct run_observer *observer)
{
    fprintf(engine_log, "\npasses retries=%lu shuffled=%d seed=%lu", passes->retries,
            passes->shuffled, passes->seed);
    return passes->measure(passes->context, cases, observer);
}

void __wrap_bilanx_doctor_examine(const struct bilanx_doctor_options *options,
                                  struct bilanx_doctor *doctor)
{
    (void)options, (void)doctor;
    fprintf(engine_log, "\nexamine");
}

struct bilanx_error __wrap_bilanx_doctor_measure(const struct bilanx_doctor_options *options,
                                                 struct bilanx_doctor *doctor)
{
    (void)options, (void)doctor;
    fprintf(engine_log, "\nmeasure the machine");
    return BILANX_SUCCESS;
}

void __wrap_ab_bundle_open(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                           const struct side *const *open, size_t count)
{
    (void)bundle, (void)open, (void)count;
    note_text("flame", arguments->flame);
    if (arguments->bundle)
        fprintf(engine_log, "\nbundle %s all=%d append=%d overwrite=%d", arguments->bundle,
                arguments->bundle_all, arguments->settings.append, arguments->settings.overwrite);
}

int __wrap_ab_bundle_finish(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                            struct bilanx_error error)
{
    (void)bundle, (void)arguments, (void)error;
    return 0;
}

struct bilanx_error __real_share_take(const struct share *share, struct source *source);
struct bilanx_error __wrap_share_take(const struct share *share, struct source *source)
{
    fprintf(engine_log, "\nshare");
    note_share(share);
    return __real_share_take(share, source);
}

struct bilanx_error __real_resume_read(const char *path, const struct run_cases *cases,
                                       struct resumed *out);
struct bilanx_error __wrap_resume_read(const char *path, const struct run_cases *cases,
                                       struct resumed *out)
{
    fprintf(engine_log, "\nresume %s", path);
    return __real_resume_read(path, cases, out);
}

// ---- Stacks

static void add_stack(struct stacks *stacks)
{
    unsigned path[] = {stacks_frame(stacks, &(struct stack_frame){.name = "main"}),
                       stacks_frame(stacks, &(struct stack_frame){.name = "work"})};
    stacks_set_unit(stacks, "samples");
    unsigned inner = stacks_frame(stacks, &(struct stack_frame){.name = "inner"});
    stacks_add(stacks, path, 2, 50);
    stacks_add(stacks, (unsigned[]){path[0], path[1], inner}, 3, 90);
    stacks_add(stacks, (unsigned[]){path[0], path[1], inner, path[0]}, 4, 2);
    stacks_add(stacks, (unsigned[]){inner, path[1]}, 2, 1);
    stacks_sum(stacks);
}

struct bilanx_error __wrap_sampling_in_turns(struct sampling_turn *turns, size_t count,
                                             const struct sampling_options *options)
{
    fprintf(engine_log, "\nsample %zu", count);
    note_sampling(options);
    for (size_t i = 0; i < count; i++)
        add_stack(turns[i].stacks);
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_sampling_command(const struct sampling_command *command,
                                            const struct sampling_options *options,
                                            struct stacks *stacks, int *status)
{
    fprintf(engine_log, "\nsample %s", command->argv[0]);
    note_sampling(options);
    add_stack(stacks);
    *status = 0;
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_counted_case(struct collector *collector, const struct run_case *item,
                                        struct stacks *stacks)
{
    fprintf(engine_log, "\ncount stacks of %s", item->name);
    note_counting(&collector->options);
    add_stack(stacks);
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_counted_command(const char *const *argv, enum hwcaps hwcaps,
                                           struct stacks *stacks, int *status)
{
    fprintf(engine_log, "\ncount stacks of %s", argv[0]);
    note_number("hwcaps", hwcaps);
    add_stack(stacks);
    *status = 0;
    return BILANX_SUCCESS;
}

// ---- Clusters

int __wrap_cluster_run(const struct cluster_request *request)
{
    const struct cluster_arguments *options = request->arguments;
    fprintf(engine_log, "\ncluster %zu counted=%d", request->count, request->counted);
    TEXT(cluster), TEXT(folder), NUMBER(nodes), NUMBER(replicas), TEXT(retries);
    WORDS(sbatch_options), NUMBER(detach), NUMBER(stream), NUMBER(unchecked);
    for (int i = 1; i < request->argc; i++)  // what each task gets
        fprintf(engine_log, " '%s'", request->argv[i]);
    return 0;
}

// ---- Operators

static void note_operators(const struct ops *ops)
{
    const struct ops_options *options = &ops->options;
    TEXT(data.dtype), NUMBER(data.channels_last), NUMBER(data.seed), NUMBER(data.max_bytes);
    TEXT(select), NUMBER(first_sample), NUMBER(most_samples), NUMBER(repeats), NUMBER(threads);
    NUMBER(unchecked), NUMBER(all_roles), NUMBER(preallocate), NUMBER(cold), NUMBER(budget_s);
    NUMBER(timeout_s), NUMBER(max_memory), NUMBER(order_seed), TEXT(python);
    TEXT(portion.shard), TEXT(portion.cases);
    for (size_t i = 0; i < ops->backends.count; i++)
        note_text("backend", ops->backends.items[i].name);
}

struct bilanx_error __wrap_ops_backends_add(struct ops_backends *backends, const char *spec,
                                            const char *column)
{
    mem_grow(backends->items, backends->count, &backends->room);
    backends->items[backends->count++] =
        (struct ops_backend){.name = mem_text(column ? column : spec), .kind = mem_text(spec)};
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_ops_backends_baseline(struct ops_backends *backends, const char *spec)
{
    note_text("baseline", spec);
    return __wrap_ops_backends_add(backends, spec, NULL);
}

struct bilanx_error __wrap_ops_backends_usual(struct ops_backends *backends)
{
    BILANX_TRY(__wrap_ops_backends_add(backends, "reference", NULL));
    return __wrap_ops_backends_add(backends, "@other", NULL);
}

struct bilanx_error __wrap_ops_backends_usual_baseline(struct ops_backends *backends)
{
    return __wrap_ops_backends_baseline(backends, "reference");
}

struct bilanx_error __wrap_ops_hosts_start(struct ops *ops, struct ops_hosts **out)
{
    fprintf(engine_log, "\nhosts");
    note_operators(ops);
    *out = NULL;
    return BILANX_SUCCESS;
}

void __wrap_ops_hosts_free(struct ops_hosts *hosts)
{
    (void)hosts;
}

static void finish_sample(struct ops *ops, struct ops_sample *sample)
{
    for (size_t i = 0; i < ops->backends.count; i++) {
        struct ops_time *time = &sample->times[i];
        time->state = OPS_MEASURED;
        time->count = time->room = 12;
        time->times = mem_array(double, time->count);
        for (size_t k = 0; k < time->count; k++)
            time->times[k] = time->median = 1e-6 * (double)(i + 1);
        time->calls = time->batches = 1;
    }
    sample->finished = true;
}

struct bilanx_error __wrap_ops_measure(struct ops *ops, struct ops_hosts *hosts,
                                       const struct ops_observer *observer)
{
    (void)hosts;
    fprintf(engine_log, "\nmeasure operators spans=%d", observer->span != NULL);
    note_operators(ops);
    for (size_t i = 0; i < ops->operator_count; i++) {
        struct ops_operator *of = &ops->operators[i];
        for (size_t k = 0; !of->skipped && k < of->sample_count; k++) {
            finish_sample(ops, &of->samples[k]);
            observer->sample(observer->context, of, &of->samples[k]);
        }
        observer->finished(observer->context, of);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_ops_measure_call_costs(struct ops_hosts *hosts)
{
    (void)hosts;
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_ops_survey(struct ops *ops, struct ops_hosts *hosts)
{
    (void)hosts;
    fprintf(engine_log, "\nsurvey");
    note_operators(ops);
    return BILANX_SUCCESS;
}

struct bilanx_error __wrap_ops_code(const struct ops_operator *of, const struct ops_sample *sample,
                                    struct ops_hosts *hosts, size_t backend, char **out)
{
    (void)of, (void)sample, (void)hosts, (void)backend;
    *out = mem_text("void kernel(void);\n");
    return BILANX_SUCCESS;
}

int __wrap_ops_draw_flames(const struct ops_arguments *arguments, struct ops *ops,
                           struct ops_hosts *hosts)
{
    (void)arguments, (void)ops, (void)hosts;
    fprintf(engine_log, "\nflames");
    return 0;
}

void __wrap_machine_roof_measure(unsigned threads, struct machine_roof *roof)
{
    fprintf(engine_log, "\nroof %u", threads);
    *roof = (struct machine_roof){0};
}
