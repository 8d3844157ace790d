// compiled: C and C++, compiled by workers, several at a time.
#include <stdlib.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "lang/snippet.h"
#include "statements/compile_commands.h"
#include "statements/language.h"
#include "worker/client.h"

enum { MOST_COMPILERS = 8 };
static const double PREPARE_TIMEOUT_S = 900;

static void add_text(struct text *request, const char *key, const char *value)
{
    if (value)
        message_add(request, key, value);
}

// Paths are told whole: with a compilation database the compiler runs elsewhere.
static void add_paths(struct text *request, const char *key, const struct words *paths)
{
    AUTO(text) struct text lines = {0};
    for (size_t i = 0; i < paths->count; i++) {
        AUTO(memory) char *real = realpath(paths->items[i], NULL);
        text_format(&lines, "%s\n", real ? real : paths->items[i]);
    }
    if (lines.size)
        message_add(request, key, text_get(&lines));
}

static void add_list(struct text *request, const char *key, char **items, size_t count)
{
    AUTO(text) struct text lines = {0};
    for (size_t i = 0; i < count; i++)
        text_format(&lines, "%s\n", items[i]);
    if (lines.size)
        message_add(request, key, text_get(&lines));
}

// What all requests to prepare have in common.
static struct bilanx_error common_words(const struct statement_options *options, struct text *out)
{
    AUTO(list) struct list flags = {0};
    AUTO(memory) char *directory = NULL;
    for (size_t i = 0; i < options->sources.count; i++)
        if (access(options->sources.items[i], R_OK) != 0)
            return bilanx_error_make(BILANX_E_INPUT, "cannot read '%s'", options->sources.items[i]);
    if (options->compile_commands) {
        if (options->sources.count == 0)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "--compile-commands needs a --source to look up");
        BILANX_TRY(compile_commands_read(options->compile_commands, options->sources.items[0],
                                         &flags, &directory));
    }
    add_text(out, "language", options->language);
    add_text(out, "setup", options->setup);
    add_text(out, "global_setup", options->global_setup);
    add_text(out, "sync", options->sync);
    add_text(out, "cc", options->cc);
    add_text(out, "cflags", options->cflags);
    add_text(out, "ldflags", options->ldflags);
    add_text(out, "directory", directory);
    add_list(out, "flags", flags.items, flags.count);
    add_paths(out, "sources", &options->sources);
    add_paths(out, "includes", &options->includes);
    add_list(out, "packages", (char **)options->packages.items, options->packages.count);
    if (options->plain)
        message_add(out, "plain", "1");
    if (options->counting)
        message_add(out, "counting", "1");
    return BILANX_SUCCESS;
}

static struct bilanx_error read_prepared(const struct message *answer, struct statement *statement,
                                         struct run_case *item)
{
    uint64_t removed = 0, traced = 0, plain = 0, cached = 0, replaced = 0;
    const char *object = message_text(answer, "object");
    if (!object)
        return bilanx_error_make(BILANX_E_INPUT, "the worker prepared nothing");
    BILANX_TRY(message_count(answer, "removed", &removed));
    BILANX_TRY(message_count(answer, "traced", &traced));
    BILANX_TRY(message_count(answer, "plain", &plain));
    BILANX_TRY(message_count(answer, "cached", &cached));
    BILANX_TRY(message_count(answer, "replaced", &replaced));
    BILANX_TRY(message_number(answer, "seconds", &statement->compile_seconds));
    statement->object = mem_text(object);
    statement->removed = removed;
    statement->traced = traced;
    statement->plain = plain;
    statement->cached = cached;
    size_t notes = 0;
    if (removed)
        item->notes[notes++] = &note_removed;
    if (plain)
        item->notes[notes++] = &note_plain;
    if (replaced)
        item->notes[notes++] = &note_replaced;
    item->task.compile = mem_new(struct bilanx_compile);
    item->task.compile->cc = mem_text(message_text(answer, "cc"));
    item->task.compile->flags = mem_text(message_text(answer, "flags"));
    struct text words = {0};
    message_add(&words, "object", object);
    message_add_count(&words, "shifts", statement->copies ? 2 : 1);
    item->open = text_take(&words);
    return BILANX_SUCCESS;
}

struct compilers {
    struct client clients[MOST_COMPILERS];
    size_t count;
};

static void compilers_done(struct compilers *compilers)
{
    for (size_t i = 0; i < compilers->count; i++) {
        if (interrupt_caught())  // in the middle of something that it can clean up
            process_ask_to_end(&compilers->clients[i].process);
        client_done(&compilers->clients[i]);
    }
}
SCOPE_VALUE(compilers, compilers_done)

static struct bilanx_error start_compilers(const struct statements *statements, size_t count,
                                           struct compilers *out)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cores < 1 ? 1 : cores > MOST_COMPILERS ? MOST_COMPILERS : (size_t)cores;
    for (wanted = wanted > count ? count : wanted; out->count < wanted; out->count++)
        BILANX_TRY(client_start(&statements->worker.launch, (uint64_t)(PREPARE_TIMEOUT_S * 1e9),
                                &out->clients[out->count]));
    return BILANX_SUCCESS;
}

static struct bilanx_error send_request(struct client *client, const char *stmt,
                                        const struct text *common)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, "prepare");
    message_add(&request, "stmt", stmt);
    text_add_n(&request, text_get(common), common->size);
    message_end(&request);
    text_clear(&client->process.output);
    return process_send(&client->process, request.data, request.size);
}

// Reads the answer for case `index`; a refusal of the compiler is that case's failure.
static struct bilanx_error read_answer(struct client *client, struct statements *statements,
                                       size_t index)
{
    AUTO(message) struct message answer = {0};
    struct run_case *item = &statements->cases.items[index];
    struct bilanx_error error = client_answer(client, "prepared", &answer);
    if (error.status == BILANX_OK)
        error = read_prepared(&answer, &statements->items[index], item);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    process_listen(&client->process);  // what the compiler said came by another way
    language_refused(item, &error, "compile", text_get(&client->process.output));
    return BILANX_SUCCESS;
}

static struct bilanx_error compile_all(const char *const *stmts, size_t count,
                                       const struct text *common, struct statements *out)
{
    AUTO(compilers) struct compilers compilers = {0};
    BILANX_TRY(start_compilers(out, count, &compilers));
    for (size_t i = 0; i < compilers.count; i++)
        BILANX_TRY(send_request(&compilers.clients[i], stmts[i], common));
    for (size_t i = 0; i < count; i++) {
        struct client *client = &compilers.clients[i % compilers.count];
        BILANX_TRY(read_answer(client, out, i));
        if (i + compilers.count < count)
            BILANX_TRY(send_request(client, stmts[i + compilers.count], common));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(const char *const *stmts, size_t count,
                                   const struct statement_options *options, struct statements *out)
{
    AUTO(text) struct text common = {0};
    BILANX_TRY(language_find_part("bilanx-worker", "BILANX_WORKER_PROGRAM", &out->program));
    BILANX_TRY(common_words(options, &common));
    out->argv[0] = out->program;
    for (size_t i = 0; i < count; i++) {
        struct snippet snippet = {.stmt = stmts[i], .setup = options->setup};
        out->items[i].copies =
            snippet_has_variant(&snippet, &(struct snippet_variant){.copies = 8});
    }
    return compile_all(stmts, count, &common, out);
}

static struct bilanx_error add_barrier(const struct statement_options *options,
                                       struct statements *statements)
{
    // With all libraries, needed or not: what the worker has loaded, its forks need not load.
    AUTO(memory)
    char *ldflags =
        mem_format("-Wl,--no-as-needed -lm %s", options->ldflags ? options->ldflags : "");
    const struct statement_options bare = {.language = options->language,
                                           .cc = options->cc,
                                           .cflags = options->cflags,
                                           .ldflags = ldflags,
                                           .packages = options->packages,
                                           .counting = options->counting};
    AUTO(text) struct text common = {0};
    AUTO(message) struct message answer = {0};
    AUTO(client) struct client client = {0};
    BILANX_TRY(common_words(&bare, &common));
    BILANX_TRY(
        client_start(&statements->worker.launch, (uint64_t)(PREPARE_TIMEOUT_S * 1e9), &client));
    BILANX_TRY(send_request(&client, "", &common));
    struct bilanx_error error = client_answer(&client, "prepared", &answer);
    const char *object = error.status == BILANX_OK ? message_text(&answer, "object") : NULL;
    if (!object)  // whatever is wrong, the statements themselves say it better
        return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
    struct text words = {0};
    message_add(&words, "object", object);
    message_add(&words, "barrier", "1");
    statements->barrier = text_take(&words);
    return BILANX_SUCCESS;
}

const struct language language_c = {"c", prepare, add_barrier};
const struct language language_cplusplus = {"c++", prepare, add_barrier};
