// nursery: a worker that forks for every case.
#include "nursery.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/record/records.h"
#include "profiles.h"

enum {
    OUTPUT_LIMIT_BYTES = 16 << 20,
    GRACE_S = 10,  // for a worker to report a case that timed out
};

void nursery_done(struct nursery *nursery)
{
    if (nursery->running)
        client_done(&nursery->client);
    temporary_done(&nursery->directory);
    free(nursery->baseline);
    list_done(&nursery->argv);
    list_done(&nursery->environment);
    free(nursery->variants);
    *nursery = (struct nursery){
        .subject = nursery->subject, .launcher = nursery->launcher, .hwcaps = nursery->hwcaps};
}

static struct bilanx_error launch(struct nursery *nursery, const struct nursery_options *options)
{
    const struct process_options *given = &nursery->subject->launch;
    AUTO(memory) char *temporary = surroundings_temporary(given->surroundings);
    if (nursery->launcher->files)
        BILANX_TRY(temporary_init(&nursery->directory, temporary));
    BILANX_TRY(nursery->launcher->prepare(nursery->directory.path, given->surroundings,
                                          &nursery->argv, &nursery->environment));
    for (const char *const *word = given->argv; *word; word++)
        list_add(&nursery->argv, *word);
    for (char *const *word = given->environment; word && *word; word++)
        list_add(&nursery->environment, *word);
    BILANX_TRY(hwcaps_pin(nursery->launcher->files ? nursery->hwcaps : HWCAPS_NATIVE,
                          given->surroundings, &nursery->environment, &nursery->variants));
    struct process_options process = *given;
    process.argv = (const char *const *)nursery->argv.items;
    process.environment = nursery->environment.items;
    process.memory_limit_bytes = run_memory_limit(options->max_memory);
    process.output_limit_bytes = OUTPUT_LIMIT_BYTES;
    BILANX_TRY(
        client_start(&process, (uint64_t)((options->timeout + GRACE_S) * 1e9), &nursery->client));
    nursery->running = true;
    return BILANX_SUCCESS;
}

static struct bilanx_error say(struct nursery *nursery, const char *word, const char *verb)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, word);
    message_end(&request);
    return client_ask(&nursery->client, &request, verb, &answer);
}

static struct bilanx_error measure_baseline(struct nursery *nursery,
                                            const struct nursery_options *options)
{
    struct nursery_result result = {0};
    if (!nursery->subject->barrier)
        return BILANX_SUCCESS;
    BILANX_TRY(nursery_count(nursery, nursery->subject->barrier, true, options, &result));
    struct bilanx_error error = BILANX_SUCCESS;
    if (nursery->launcher->files) {
        struct profiles profiles = {0};
        error = profiles_read(nursery, result.process, options->repeats, &profiles);
        nursery->baseline_count = profiles.count;
        nursery->baseline = mem_array(double, profiles.count + 1);
        for (size_t i = 0; i < profiles.count; i++)
            nursery->baseline[i] = profiles.items[i].instructions;
        profiles_done(&profiles);
    } else {
        error = message_numbers(&result.counted, "event.instructions", &nursery->baseline,
                                &nursery->baseline_count);
    }
    message_done(&result.counted);
    return error;
}

static struct bilanx_error say_hello(struct nursery *nursery)
{
    struct bilanx_error error = say(nursery, "hello", "hello");
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    return bilanx_error_make(error.status, "cannot start '%s' for the counter '%s': %s",
                             nursery->argv.items[0], nursery->launcher->counter, error.text);
}

// Loading libraries before the first fork takes time, 30 times as much under valgrind.
static struct bilanx_error prepare(struct nursery *nursery)
{
    static const uint64_t PATIENCE_NS = 900000000000u;
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    if (!nursery->subject->prepare)
        return BILANX_SUCCESS;
    message_begin(&request, "prepare");
    text_add(&request, nursery->subject->prepare);
    message_end(&request);
    uint64_t timeout_ns = nursery->client.timeout_ns;
    nursery->client.timeout_ns = PATIENCE_NS;
    struct bilanx_error error = client_ask(&nursery->client, &request, "prepared", &answer);
    nursery->client.timeout_ns = timeout_ns;
    return error;
}

struct bilanx_error nursery_start(struct nursery *nursery, const struct nursery_options *options)
{
    if (nursery->running)
        return BILANX_SUCCESS;
    struct bilanx_error error = launch(nursery, options);
    if (error.status == BILANX_OK)
        error = say_hello(nursery);
    if (error.status == BILANX_OK)
        error = prepare(nursery);
    if (error.status == BILANX_OK)
        error = measure_baseline(nursery, options);
    return error;
}

static struct bilanx_error send_open(struct nursery *nursery, const char *open, bool stay,
                                     const struct nursery_options *options)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, "open");
    text_add(&request, open);
    message_add(&request, "fork", "1");
    if (stay)
        message_add(&request, "stay", "1");
    message_add_count(&request, "timeout_ns", (uint64_t)(options->timeout * 1e9));
    message_end(&request);
    text_clear(&nursery->client.process.output);
    nursery->client.process.output_bytes = 0;
    return process_send(&nursery->client.process, request.data, request.size);
}

void nursery_open_ahead(struct nursery *nursery, const char *open,
                        const struct nursery_options *options)
{
    // If sending fails, the worker is gone; the next request will find out.
    if (send_open(nursery, open, false, options).status == BILANX_OK)
        nursery->ahead = open;
}

static struct bilanx_error open_case(struct nursery *nursery, const char *open, bool stay,
                                     const struct nursery_options *options, pid_t *process)
{
    AUTO(message) struct message answer = {0};
    uint64_t child = 0;
    if (nursery->ahead != open)
        BILANX_TRY(send_open(nursery, open, stay, options));
    nursery->ahead = NULL;
    BILANX_TRY(client_answer(&nursery->client, "opened", &answer));
    BILANX_TRY(message_count(&answer, "child", &child));
    *process = (pid_t)child;
    return BILANX_SUCCESS;
}

static struct bilanx_error ask_count(struct nursery *nursery, const struct nursery_options *options,
                                     struct message *counted)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, "count");
    message_add(&request, "counter", nursery->launcher->counter);
    message_add_count(&request, "number", options->number);
    message_add_count(&request, "repeats", options->repeats);
    message_add_count(&request, "threads", options->threads ? options->threads : 1);
    if (nursery->subject->warmup)
        message_add_count(&request, "warmup", nursery->subject->warmup);
    message_end(&request);
    return client_ask(&nursery->client, &request, "counted", counted);
}

struct bilanx_error nursery_count(struct nursery *nursery, const char *open, bool stay,
                                  const struct nursery_options *options, struct nursery_result *out)
{
    out->phase = "setup";
    BILANX_TRY(open_case(nursery, open, stay, options, &out->process));
    out->phase = "stmt";
    AUTO(message) struct message counted = {0};
    BILANX_TRY(ask_count(nursery, options, &counted));
    out->phase = "teardown";
    BILANX_TRY(say(nursery, "close", "closed"));
    out->counted = counted;
    counted = (struct message){0};
    return BILANX_SUCCESS;
}

bool nursery_is_well(struct nursery *nursery)
{
    return nursery->running && say(nursery, "hello", "hello").status == BILANX_OK;
}

char *nursery_file(const struct nursery *nursery, pid_t process, uint64_t repeat)
{
    return mem_format("%s/out.%d.%llu", nursery->directory.path, (int)process,
                      (unsigned long long)repeat + 1);  // the first is the warm-up
}

void nursery_remove_files(const struct nursery *nursery, pid_t process, uint64_t repeats)
{
    for (uint64_t i = 0; nursery->directory.path && i <= repeats; i++) {
        AUTO(memory) char *path = nursery_file(nursery, process, i);
        unlink(path);
    }
    if (nursery->directory.path) {
        AUTO(memory) char *last = mem_format("%s/out.%d", nursery->directory.path, (int)process);
        unlink(last);
    }
}
