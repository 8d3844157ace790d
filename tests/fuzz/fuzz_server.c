// Whatever a controller sends, the worker answers line by line and exits when the channel closes.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/worker/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATIENCE = 200 };  // batches per case; a controller may request any number

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", "1");
}

static void describe_case(void *context, size_t index, struct text *out)
{
    (void)context;
    message_add(out, "name", index ? "b" : "a");
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    for (size_t i = 0; i < request->count; i++)
        message_add(out, request->pairs[i].key, request->pairs[i].value);
    return request->count % 2 ? BILANX_SUCCESS : bilanx_error_make(BILANX_E_COMPILE, "uneven");
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    if (message_text(request, "refused"))
        return bilanx_error_make(BILANX_E_INPUT, "as you like");
    static struct clock_fake time;  // a real clock would spend milliseconds on every request
    time = (struct clock_fake){.step_ns = 1000};
    clock_open_fake(&server->clock, &time);
    struct loop *loop = context;
    *loop = (struct loop){.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = loop;
    for (int batches = 0; loop_next(loop); batches++)
        if (batches == PATIENCE)
            server_fail(server, BILANX_E_FAILED, "enough");
    return BILANX_SUCCESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // The heir of a worker would go on fuzzing in place of this process.
    if (memmem(data, size, "stay=1", strlen("stay=1")))
        return -1;
    int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
    if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size)
        abort();
    lseek(in, 0, SEEK_SET);
    int answers = dup(out);
    struct loop loop;
    const struct server_subject subject = {.context = &loop,
                                           .describe = describe,
                                           .case_count = 2,
                                           .describe_case = describe_case,
                                           .prepare = prepare,
                                           .run = run,
                                           .describe_result = describe};
    if (server_run(&subject, in, out) != 0)
        abort();
    off_t length = lseek(answers, 0, SEEK_END);
    char *text = length ? mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, answers, 0) : NULL;
    for (char *at = text, *end; at && at < text + length; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + length - at));
        AUTO(message) struct message answer = {0};
        if (!end || message_parse(at, (size_t)(end - at), &answer).status != BILANX_OK)
            abort();
    }
    if (text)
        munmap(text, (size_t)length);
    close(in);
    close(answers);
    return 0;
}
