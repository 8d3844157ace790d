// client: the controller's end of the conversation.
#include "client.h"

#include <string.h>

#include "base/lineage.h"

struct bilanx_error client_start(const struct process_options *options, uint64_t timeout_ns,
                                 struct client *out)
{
    struct client client = {.timeout_ns = timeout_ns};
    BILANX_TRY(process_start(options, &client.process));
    lineage_guard();  // now, while the worker is starting, so that it costs no time
    *out = client;
    return BILANX_SUCCESS;
}

void client_done(struct client *client)
{
    process_done(&client->process);
}

struct bilanx_error client_receive(struct client *client, struct message *answer)
{
    AUTO(text) struct text line = {0};
    uint64_t deadline = client->timeout_ns ? monotonic_ns() + client->timeout_ns : UINT64_MAX;
    struct bilanx_error error = process_receive(&client->process, deadline, &line);
    if (error.status == BILANX_E_TIMED_OUT)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "no answer in %.3g s",
                                 (double)client->timeout_ns / 1e9);
    if (error.status != BILANX_OK)
        return error;
    return message_parse(text_get(&line), line.size, answer);
}

struct bilanx_error client_error(const char *code, const char *text)
{
    static const enum bilanx_status told[] = {BILANX_E_SKIPPED,   BILANX_E_COMPILE, BILANX_E_INPUT,
                                              BILANX_E_SYSTEM,    BILANX_E_CRASHED, BILANX_E_EXITED,
                                              BILANX_E_TIMED_OUT, BILANX_E_MEMORY};
    enum bilanx_status status = BILANX_E_FAILED;
    for (size_t i = 0; code && i < sizeof told / sizeof *told; i++)
        if (strcmp(code, bilanx_status_code(told[i])) == 0)
            status = told[i];
    return bilanx_error_make(status, "%s", text ? text : "it gave no reason");
}

struct bilanx_error client_ask(struct client *client, const struct text *request, const char *verb,
                               struct message *answer)
{
    BILANX_TRY(process_send(&client->process, request->data, request->size));
    return client_answer(client, verb, answer);
}

struct bilanx_error client_answer(struct client *client, const char *verb, struct message *answer)
{
    AUTO(message) struct message received = {0};
    BILANX_TRY(client_receive(client, &received));
    if (strcmp(received.verb, "failed") == 0)
        return client_error(message_text(&received, "code"), message_text(&received, "text"));
    if (strcmp(received.verb, verb) != 0)
        return bilanx_error_make(BILANX_E_INPUT, "it answered '%.40s', not '%s'", received.verb,
                                 verb);
    *answer = received;
    received = (struct message){0};
    return BILANX_SUCCESS;
}
