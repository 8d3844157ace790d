// null_source: cases that take the times given in a file, for testing bilanx itself.
//
//     #bilanx-null
//     parse 1.5us
//     render 20us
//
// Each line is the name of a case and its time. Forks of this process serve the cases. They speak
// the protocol of any worker but execute nothing; everything above them is real.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/number.h"
#include "core/worker/server.h"
#include "sources/source/source.h"

static const char MARK[] = "#bilanx-null";

struct null_case {
    char *name;
    double seconds;
};

struct null_state {
    struct null_case *items;
    size_t count, room;
    struct run_subject subject;
    struct server_subject served;
};

static bool takes(const char *word)
{
    struct stat facts;
    if (stat(word, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    AUTO(lines) struct lines lines = {0};
    const char *bytes;
    size_t size;
    return lines_open(word, &lines).status == BILANX_OK &&
           lines_peek(&lines, sizeof MARK - 1, &bytes, &size).status == BILANX_OK &&
           size >= sizeof MARK - 1 && memcmp(bytes, MARK, sizeof MARK - 1) == 0;
}

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    const struct null_state *state = context;
    message_add(out, "name", state->items[index].name);
    message_add(out, "label", "null");
    message_add(out, "sub_label", state->items[index].name);
    message_add(out, "language", "null");
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    const struct null_state *state = context;
    uint64_t index = UINT64_MAX, barrier = 0;
    BILANX_TRY(message_count(request, "case", &index));
    BILANX_TRY(message_count(request, "barrier", &barrier));
    if (index >= state->count)
        return bilanx_error_make(BILANX_E_INPUT, "no such case");
    struct loop loop = {.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    for (uint64_t n; (n = loop_next(&loop)) != 0;) {
        loop.manual = true;
        loop.manual_ns += barrier ? 0 : (double)n * state->items[index].seconds * 1e9;
    }
    return BILANX_SUCCESS;
}

// A fork without exec keeps the pipes to processes that were started before it, which would then
// not see their ends.
static void close_others(int in, int out)
{
    enum { FIRST = STDERR_FILENO + 1 };
    unsigned low = (unsigned)(in < out ? in : out), high = (unsigned)(in < out ? out : in);
    const unsigned gaps[][2] = {{FIRST, low - 1}, {low + 1, high - 1}, {high + 1, ~0u}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (gaps[i][0] <= gaps[i][1])
            syscall(SYS_close_range, gaps[i][0], gaps[i][1], 0);
}

static int serve(void *context, int in, int out)
{
    const struct null_state *state = context;
    close_others(in, out);
    return server_run(&state->served, in, out);
}

static struct bilanx_error read_line(struct null_state *state, const char *path, size_t number,
                                     char *line)
{
    if (*line == '#' || strspn(line, " \t") == strlen(line))
        return BILANX_SUCCESS;
    char *blank = strrchr(line, ' ');
    double seconds;
    if (!blank || blank == line || !number_read_seconds(blank + 1, &seconds) || !(seconds > 0))
        return bilanx_error_make(BILANX_E_INPUT, "%s:%zu: expected 'NAME TIME'", path, number);
    *blank = '\0';
    mem_grow(state->items, state->count, &state->room);
    state->items[state->count++] = (struct null_case){mem_text(line), seconds};
    return BILANX_SUCCESS;
}

static struct bilanx_error read_file(struct null_state *state, const char *path)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    char *line;
    size_t size;
    for (size_t number = 1;; number++) {
        BILANX_TRY(lines_next(&lines, &line, &size));
        if (!line)
            return BILANX_SUCCESS;
        BILANX_TRY(read_line(state, path, number, line));
    }
}

static struct bilanx_error open_null(struct source *source)
{
    const struct source_request *request = &source->request;
    struct null_state *state = source->state = mem_new(struct null_state);
    for (size_t i = 0; i < request->word_count; i++)
        BILANX_TRY(read_file(state, request->words[i]));
    state->served = (struct server_subject){.context = state,
                                            .describe = describe,
                                            .case_count = state->count,
                                            .describe_case = describe_case,
                                            .run = run};
    state->subject = (struct run_subject){.name = request->words[0],
                                          .launch = {.body = serve, .context = state}};
    return run_list(&state->subject, request->filter, &source->cases);
}

static void done(struct source *source)
{
    struct null_state *state = source->state;
    run_cases_done(&source->cases);
    for (size_t i = 0; state && i < state->count; i++)
        free(state->items[i].name);
    if (state)
        free(state->items);
    free(state);
}

const struct source_kind null_source = {
    .name = "null",
    .takes = takes,
    .open = open_null,
    .keep = source_keep_cases,
    .done = done,
};
