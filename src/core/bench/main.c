// main: main() of a benchmark program. The program is a worker and, if run alone, its own
// controller.
//
// If the environment names a channel, it serves its cases to the process that started it. If run
// alone, it starts itself for every epoch, and controls these processes as `bilanx run` would.
// Only a program that cannot start itself, or whose own main() takes long, is forked instead: forks
// share its addresses, and a record of theirs says so.
#include "base/mem.h"
#include "core/bench/cases.h"
#include "core/bench/running.h"
#include "core/show/complain.h"
#include "core/show/show_run.h"
#include "core/worker/client.h"

struct program {
    struct bench_cases cases;
    struct bench_result result;  // of the last case run in this process
    struct server_subject subject;
};

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    const struct bench_case *item = &((struct program *)context)->cases.items[index];
    message_add(out, "name", item->name);
    message_add(out, "label", item->label);
    if (item->sub_label)
        message_add(out, "sub_label", item->sub_label);
    if (item->description)
        message_add(out, "description", item->description);
    message_add_count(out, "threads", item->threads);
    message_add(out, "language", item->bench->language);
    message_add(out, "cc", item->bench->compiler);
    message_add_count(out, "optimised", (uint64_t)item->bench->optimised);
    if (bench_complexity(item->definition))
        message_add(out, "complexity", bench_complexity(item->definition));
    if (bench_unit(item->definition))
        message_add(out, "unit", bench_unit(item->definition));
    if (bench_min_time(item->definition) > 0)
        message_add_number(out, "min_run_time", bench_min_time(item->definition));
    for (size_t i = 0; i < bench_arg_count(item->definition); i++) {
        const char *name = bench_arg_name(item->definition, i);
        AUTO(memory) char *key = name ? mem_format("arg.%s", name) : mem_format("arg.%zu", i);
        message_add_number(out, key, (double)item->args[i]);
    }
}

static void describe_result(void *context, struct text *out)
{
    const struct bench_result *result = &((struct program *)context)->result;
    if (result->bytes > 0)
        message_add_number(out, "bytes", result->bytes);
    if (result->items > 0)
        message_add_number(out, "items", result->items);
    for (size_t i = 0; i < result->counter_count; i++) {
        AUTO(memory) char *key = mem_format(
            "%s.%s", result->counters[i].is_rate ? "rate" : "counter", result->counters[i].name);
        message_add_number(out, key, result->counters[i].value);
    }
    if (result->remark[0])
        message_add(out, "remark", result->remark);
    if (result->pauses_per_iteration > 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "pausing the clock adds about %.1f ns per iteration: use BILANX_BATCHES if that "
                 "matters",
                 result->pauses_per_iteration * result->pause_cost_ns);
        message_add(out, "warning_code", "paused");
        message_add(out, "warning", text);
    }
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    struct program *program = context;
    uint64_t index = UINT64_MAX, seed = 0, barrier = 0;
    BILANX_TRY(message_count(request, "case", &index));
    BILANX_TRY(message_count(request, "seed", &seed));
    BILANX_TRY(message_count(request, "barrier", &barrier));
    if (index >= program->cases.count)
        return bilanx_error_make(BILANX_E_INPUT, "no such case");
    struct bench_run one = {&program->cases.items[index], seed, barrier != 0,
                            text_equal(message_text(request, "pages"), "keep")};
    bench_run_case(&one, server, &program->result);
    return BILANX_SUCCESS;
}

static int serve(void *context, int in, int out)
{
    struct program *program = context;
    return server_run(&program->subject, in, out);
}

// A fork has only the thread that called it, so locks held by other threads stay locked in it
// forever. glibc knows whether there ever was another thread. If it does not say, assume not.
extern char __libc_single_threaded __attribute__((weak));

static bool has_threads(void)
{
    return &__libc_single_threaded && !__libc_single_threaded;
}

// Whether a new process of this program answers, and soon.
static bool starts_quickly(const struct process_options *launch)
{
    static const uint64_t SOON_NS = 500000000;
    AUTO(client) struct client client = {0};
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "hello");
    message_end(&request);
    return client_start(launch, SOON_NS, &client).status == BILANX_OK &&
           client_ask(&client, &request, "hello", &answer).status == BILANX_OK;
}

// A main() of the user's own gets the same arguments again.
static int measure_myself(struct program *program, int argc, char **argv)
{
    AUTO(memory) const char **again = mem_array(const char *, (size_t)argc + 2);
    for (int i = 1; i < argc; i++)
        again[i] = argv[i];
    again[0] = "/proc/self/exe";
    struct run_subject self = {
        .name = argv[0],
        .launch = {.argv = again, .channel = WORKER_CHANNEL, .body = serve, .context = program}};
    if (!has_threads() && !starts_quickly(&self.launch)) {
        self.launch.argv = NULL;
        self.forks = true;
    }
    return show_main(argc, argv, &self);
}

int bilanx_bench_main(int argc, char **argv)
{
    struct program program = {0};
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    struct bilanx_error error = bench_cases_make(&program.cases);
    if (error.status != BILANX_OK) {
        complain_as(argv[0], error.text);
        bench_cases_done(&program.cases);
        return EXIT_USAGE;
    }
    program.subject = (struct server_subject){.context = &program,
                                              .describe = describe,
                                              .case_count = program.cases.count,
                                              .describe_case = describe_case,
                                              .run = run,
                                              .describe_result = describe_result};
    int status = in >= 0 ? serve(&program, in, out) : measure_myself(&program, argc, argv);
    bench_cases_done(&program.cases);
    return status;
}
