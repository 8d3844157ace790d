// statements: compiled by workers, several at a time.
#include "statements.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "lang/loops.h"
#include "lang/snippet.h"
#include "statements/compile_commands.h"
#include "worker/client.h"
#include "worker/server.h"

enum { MOST_COMPILERS = 8 };
static const double PREPARE_TIMEOUT_S = 900;

void statements_done(struct statements *statements)
{
    for (size_t i = 0; i < statements->cases.count; i++)
        free(statements->items[i].object);
    free(statements->items);
    free(statements->program);
    free(statements->barrier);
    list_done(&statements->environment);
    run_cases_done(&statements->cases);
    *statements = (struct statements){0};
}

// Beside this program, as in a build; or where it is installed.
static struct bilanx_error find_worker(char **out)
{
    const char *told = getenv("BILANX_WORKER_PROGRAM");
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    const char *folder = dirname(self);
    char *candidates[] = {mem_text(told ? told : ""), mem_format("%s/bilanx-worker", folder),
                          mem_format("%s/../libexec/bilanx/bilanx-worker", folder),
                          mem_text(BILANX_LIBEXEC "/bilanx-worker")};
    char *found = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!found && candidates[i][0] && access(candidates[i], X_OK) == 0)
            found = candidates[i];
        else
            free(candidates[i]);
    }
    if (!found)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot find 'bilanx-worker' beside this program or in '%s': "
                                 "install bilanx, or name it in BILANX_WORKER_PROGRAM",
                                 BILANX_LIBEXEC);
    *out = found;
    return BILANX_SUCCESS;
}

static void set_threads(struct statements *statements, uint64_t threads)
{
    static const char *const variables[] = {"OMP_NUM_THREADS",        "OPENBLAS_NUM_THREADS",
                                            "MKL_NUM_THREADS",        "BLIS_NUM_THREADS",
                                            "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        list_take(&statements->environment,
                  mem_format("%s=%llu", variables[i], (unsigned long long)threads));
}

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

static char *name_of(const char *stmt, const struct statement_options *options, size_t count)
{
    if (count == 1 && options->label)
        return mem_text(options->label);
    AUTO(text) struct text name = {0};
    const char *start = stmt + strspn(stmt, " \t\r\n");
    enum { LONGEST = 60 };
    size_t size = strcspn(start, "\n");
    size_t shown = size > LONGEST ? LONGEST : size;
    while (shown < size && shown > 0 && ((unsigned char)start[shown] & 0xC0) == 0x80)
        shown--;  // not in the middle of a character
    text_add_n(&name, start, shown);
    if (start[shown])
        text_add(&name, "\u2026");
    return text_take(&name);
}

static void add_case(struct statements *statements, const char *stmt, size_t count,
                     const struct statement_options *options)
{
    struct run_case *item = &statements->cases.items[statements->cases.count];
    struct snippet snippet = {.stmt = stmt, .setup = options->setup};
    statements->items[statements->cases.count++] = (struct statement){
        .marginal = options->marginal,
        .setup_once = options->setup_once,
        .copies = snippet_has_variant(&snippet, &(struct snippet_variant){.copies = 8})};
    *item = (struct run_case){
        .subject = &statements->worker,
        .name = name_of(stmt, options, count),
        .task = {.stmt = mem_text(stmt),
                 .setup = mem_text(options->setup),
                 .global_setup = mem_text(options->global_setup),
                 .language = mem_text(options->language),
                 .label = mem_text(options->label),
                 .sub_label = mem_text(options->sub_label),
                 .description = mem_text(options->description),
                 .env = mem_text(options->env),
                 .num_threads = options->threads ? options->threads : 1},
    };
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
    struct bilanx_record failed = {0};
    record_fail(&failed, &error, "compile", text_get(&client->process.output));
    item->failure = failed.error;
    failed.error = NULL;
    bilanx_record_done(&failed);
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

struct bilanx_error statements_prepare(const char *const *stmts, size_t count,
                                       const struct statement_options *options,
                                       struct statements *out)
{
    AUTO(text) struct text common = {0};
    BILANX_TRY(find_worker(&out->program));
    BILANX_TRY(common_words(options, &common));
    set_threads(out, options->threads ? options->threads : 1);
    out->argv[0] = out->program;
    out->worker = (struct run_subject){.name = "bilanx-worker",
                                       .launch = {.argv = out->argv,
                                                  .channel = WORKER_CHANNEL,
                                                  .environment = out->environment.items,
                                                  .cpu = -1}};
    out->items = mem_array(struct statement, count);
    out->cases.items = mem_array(struct run_case, count);
    for (size_t i = 0; i < count; i++)
        add_case(out, stmts[i], count, options);
    return compile_all(stmts, count, &common, out);
}

struct bilanx_error statements_add_barrier(const struct statement_options *options,
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
    statements->worker.barrier = statements->barrier;
    return BILANX_SUCCESS;
}

struct bilanx_error statements_disassemble(const struct statement *statement, struct text *out)
{
    char symbol[64];
    snippet_symbol(&(struct snippet_variant){.copies = 1}, symbol);
    return loops_disassemble(statement->object, symbol, out);
}
