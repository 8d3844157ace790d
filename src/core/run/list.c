// list: asks a subject for its cases.
#include "base/filter.h"
#include "run.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/number.h"
#include "core/worker/client.h"
#include "core/worker/server.h"

enum { LIST_TIMEOUT_S = 20 };

static void free_case(struct run_case *item)
{
    record_task_done(&item->task);
    for (size_t i = 0; i < item->argument_count; i++)
        free(item->arguments[i].name);
    free(item->arguments);
    free(item->name);
    free(item->open);
    free(item->rival);
    if (item->failure) {
        struct bilanx_record record = {.error = item->failure};
        bilanx_record_done(&record);
    }
    free(item->complexity);
    free(item->unit);
}

void run_cases_done(struct run_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free_case(&cases->items[i]);
    free(cases->items);
    *cases = (struct run_cases){0};
}

static char *copy_of(const struct message *message, const char *key)
{
    return mem_text(message_text(message, key));
}

// Reads words of the form arg.NAME=VALUE.
static void read_arguments(const struct message *message, struct run_case *out)
{
    size_t room = 0;
    for (size_t i = 0; i < message->count; i++) {
        double value;
        const struct message_pair *pair = &message->pairs[i];
        if (!text_starts(pair->key, "arg.") || !number_read(pair->value, &value))
            continue;
        mem_grow(out->arguments, out->argument_count, &room);
        out->arguments[out->argument_count++] =
            (struct run_argument){.name = mem_text(pair->key + 4), .value = value};
    }
}

// Returns the arguments as a JSON object; NULL if there are none.
static char *parameters_of(const struct run_case *item)
{
    if (item->argument_count == 0)
        return NULL;
    struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (size_t i = 0; i < item->argument_count; i++)
        writer_key_number(&json, item->arguments[i].name, item->arguments[i].value);
    writer_close(&json, '}');
    return text_take(&text);
}

static struct bilanx_error read_case(const struct run_subject *subject,
                                     const struct message *message, struct run_case *out)
{
    uint64_t index = 0, threads = 1, optimised = 1;
    BILANX_TRY(message_count(message, "index", &index));
    BILANX_TRY(message_count(message, "threads", &threads));
    BILANX_TRY(message_count(message, "optimised", &optimised));
    double min_run_time = 0;
    BILANX_TRY(message_number(message, "min_run_time", &min_run_time));
    if (!message_text(message, "name"))
        return bilanx_error_make(BILANX_E_INPUT, "a case without a name");
    *out = (struct run_case){
        .subject = subject,
        .open = mem_format(" case=%llu", (unsigned long long)index),
        .name = copy_of(message, "name"),
        .unoptimised = !optimised,
        .complexity = copy_of(message, "complexity"),
        .unit = copy_of(message, "unit"),
        .min_run_time = min_run_time,
        .task = {.language = copy_of(message, "language"),
                 .label = copy_of(message, "label"),
                 .sub_label = copy_of(message, "sub_label"),
                 .description = copy_of(message, "description"),
                 .env = mem_text(subject->env),
                 .num_threads = threads},
    };
    read_arguments(message, out);
    out->task.parameters = parameters_of(out);
    if (message_text(message, "cc")) {
        out->task.compile = mem_new(struct bilanx_compile);
        out->task.compile->cc = copy_of(message, "cc");
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error say_hello(struct client *client, struct text *request)
{
    AUTO(message) struct message hello = {0};
    message_begin(request, "hello");
    message_end(request);
    BILANX_TRY(client_ask(client, request, "hello", &hello));
    uint64_t protocol = 0;
    BILANX_TRY(message_count(&hello, "protocol", &protocol));
    if (protocol != WORKER_PROTOCOL)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "it uses version %llu of the protocol, this bilanx version %d: "
                                 "rebuild it with this bilanx's library",
                                 (unsigned long long)protocol, WORKER_PROTOCOL);
    return BILANX_SUCCESS;
}

static struct bilanx_error collect(struct client *client, const struct run_subject *subject,
                                   const struct filter *filter, struct run_cases *out)
{
    AUTO(text) struct text request = {0};
    BILANX_TRY(say_hello(client, &request));
    text_clear(&request);
    message_begin(&request, "list");
    message_end(&request);
    BILANX_TRY(process_send(&client->process, request.data, request.size));
    for (;;) {
        AUTO(message) struct message line = {0};
        BILANX_TRY(client_receive(client, &line));
        if (strcmp(line.verb, "listed") == 0)
            return BILANX_SUCCESS;
        struct run_case item;
        BILANX_TRY(read_case(subject, &line, &item));
        if (!filter_keeps(filter, item.name)) {
            free_case(&item);
            continue;
        }
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = item;
    }
}

// A program that exits at once without answering is probably not a benchmark program.
static struct bilanx_error explain(const struct run_subject *subject,
                                   const struct bilanx_error *error, const char *output)
{
    if (error->status == BILANX_OK || error->status == BILANX_E_INTERRUPTED ||
        !subject->launch.argv)
        return *error;
    const char *tail = output + (strlen(output) > 200 ? strlen(output) - 200 : 0);
    if (error->status == BILANX_E_EXITED || error->status == BILANX_E_TIMED_OUT)
        return bilanx_error_make(error->status,
                                 "'%s' is not a working benchmark program: %s (it needs "
                                 "BILANX_MAIN() from <bilanx/bench.h>)%s%s",
                                 subject->name, error->text, *tail ? "; it printed: " : "", tail);
    return bilanx_error_make(error->status, "'%s': %s%s%s", subject->name, error->text,
                             *tail ? "; it printed: " : "", tail);
}

struct bilanx_error run_list(const struct run_subject *subject, const char *filter,
                             struct run_cases *out)
{
    AUTO(filter) struct filter chosen = {0};
    BILANX_TRY(filter_open(filter, &chosen));
    AUTO(client) struct client client = {0};
    struct bilanx_error error =
        client_start(&subject->launch, LIST_TIMEOUT_S * 1000000000ull, &client);
    if (error.status == BILANX_OK) {
        error = collect(&client, subject, &chosen, out);
        error = explain(subject, &error, text_get(&client.process.output));
    }
    return error;
}
