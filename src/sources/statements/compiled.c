// compiled: C and C++, compiled by several workers in parallel.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/place.h"
#include "core/worker/client.h"
#include "sources/compile/cache.h"
#include "sources/compile/recipes.h"
#include "sources/statements/compile_commands.h"
#include "sources/statements/language.h"
#include "sources/statements/sources.h"

enum { MOST_COMPILERS = 8 };
static const double PREPARE_TIMEOUT_S = 900;

static void add_text(struct text *request, const char *key, const char *value)
{
    if (value)
        message_add(request, key, value);
}

// Sends absolute paths: with a compilation database the compiler runs elsewhere.
static void add_paths(struct text *request, const char *key, const struct words *paths,
                      const struct surroundings *surroundings)
{
    AUTO(text) struct text lines = {0};
    for (size_t i = 0; i < paths->count; i++) {
        AUTO(memory) char *path = surroundings_path(surroundings, paths->items[i]);
        AUTO(memory) char *real = realpath(path, NULL);
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

// A compiler would wait forever on a FIFO without a writer.
static struct bilanx_error check_sources(const struct words *sources,
                                         const struct surroundings *surroundings)
{
    for (size_t i = 0; i < sources->count; i++) {
        AUTO(memory) char *path = surroundings_path(surroundings, sources->items[i]);
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, ".py") == 0)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "'%s' is not C or C++; for Python, add -l python and import "
                                     "the file in the setup: -s 'from FILE import *'",
                                     sources->items[i]);
        if (access(path, R_OK) != 0)
            return bilanx_error_make(BILANX_E_INPUT, "cannot read '%s': %s", sources->items[i],
                                     strerror(errno));
        BILANX_TRY(file_check(path));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_project(const struct statement_options *options,
                                        struct compile_flags *out)
{
    if (options->trust_flags && !options->compile_commands)
        return bilanx_error_make(BILANX_E_USAGE, "--trust-flags needs --compile-commands");
    if (!options->compile_commands)
        return BILANX_SUCCESS;
    if (options->sources.count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "--compile-commands needs a --source to look up");
    return compile_commands_read(options->compile_commands, options->sources.items[0],
                                 options->surroundings, options->trust_flags, out);
}

static void note_left_out(const struct list *flags, struct run_note *out)
{
    if (flags->count == 0 || out->text)
        return;
    struct text text = {0};
    text_add(&text, "compiled without these flags of the compilation database:");
    for (size_t i = 0; i < flags->count; i++)
        text_format(&text, " %s", flags->items[i]);
    text_add(&text, ". They are not known to be harmless: if you trust it, use --trust-flags");
    *out = (struct run_note){"flags-left-out", text_take(&text)};
}

// What all prepare requests have in common.
static struct bilanx_error common_words(const struct statement_options *options,
                                        struct statements *statements, struct text *out)
{
    AUTO(compile_flags) struct compile_flags project = {0};
    AUTO(memory) char *cache = NULL;
    BILANX_TRY(check_sources(&options->sources, options->surroundings));
    BILANX_TRY(place_find(options->surroundings, &cache));
    for (size_t i = 0; i < options->recipes.count; i++) {
        const struct recipe *recipe = NULL;
        BILANX_TRY(recipes_find(options->recipes.items[i], &recipe));
    }
    BILANX_TRY(read_project(options, &project));
    note_left_out(&project.left_out, &statements->left_out);
    if (options->sampling)
        list_add(&project.flags, "-g");
    message_add(out, "cache", cache);
    add_text(out, "language", options->language);
    add_text(out, "setup", options->setup);
    add_text(out, "global_setup", options->global_setup);
    add_text(out, "sync", options->sync);
    add_text(out, "cc", options->cc);
    add_text(out, "cflags", options->cflags);
    add_text(out, "ldflags", options->ldflags);
    add_text(out, "directory", project.directory);
    add_list(out, "flags", project.flags.items, project.flags.count);
    add_paths(out, "sources", &options->sources, options->surroundings);
    add_paths(out, "includes", &options->includes, options->surroundings);
    add_list(out, "packages", (char **)options->packages.items, options->packages.count);
    add_list(out, "recipes", (char **)options->recipes.items, options->recipes.count);
    if (!options->counting && !options->sampling)
        message_add_count(out, "layouts", options->layouts);
    if (options->plain)
        message_add(out, "plain", "1");
    if (options->counting)
        message_add(out, "counting", "1");
    return BILANX_SUCCESS;
}

char *statement_libraries(const struct statement *statement)
{
    return mem_format("%s" CACHE_LIBRARIES, statement->object);
}

// The part of an answer about one of several statements: "object.3".
struct reply {
    const struct message *answer;
    size_t index;
};

static const char *reply_text(const struct reply *reply, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%zu", key, reply->index);
    return message_text(reply->answer, name);
}

static uint64_t reply_count(const struct reply *reply, const char *key)
{
    const char *text = reply_text(reply, key);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void read_prepared(const struct reply *reply, struct statement *statement,
                          struct run_case *item)
{
    const char *object = reply_text(reply, "object"), *seconds = reply_text(reply, "seconds");
    statement->object = mem_text(object);
    statement->place = reply_count(reply, "place");
    statement->removed = reply_count(reply, "removed");
    statement->traced = reply_count(reply, "traced");
    statement->plain = reply_count(reply, "plain");
    statement->laundered = reply_count(reply, "laundered");
    statement->copies = reply_count(reply, "copies");
    statement->cached = reply_count(reply, "cached");
    if (!seconds || !number_read(seconds, &statement->compile_seconds))
        statement->compile_seconds = 0;
    size_t notes = 0;
    uint64_t layouts = reply_count(reply, "layouts");
    item->layouts = layouts > 1 ? (unsigned)layouts : 0;
    if (reply_text(reply, "fixed")) {
        statement->fixed =
            (struct run_note){"layout-fixed", mem_format("measured in a single code layout: %s",
                                                         reply_text(reply, "fixed"))};
        item->notes[notes++] = &statement->fixed;
    }
    if (statement->removed)
        item->notes[notes++] = statement_note_removed(statement);
    if (statement->plain)
        item->notes[notes++] = &note_plain;
    if (reply_count(reply, "replaced"))
        item->notes[notes++] = &note_replaced;
    item->task.compile = mem_new(struct bilanx_compile);
    item->task.compile->cc = mem_text(reply_text(reply, "cc"));
    item->task.compile->flags = mem_text(reply_text(reply, "flags"));
    item->task.compile->launder = mem_text(statement->laundered ? "each" : "none");
    struct text words = {0};
    message_add(&words, "object", object);
    message_add_count(&words, "place", statement->place);
    item->open = text_take(&words);
    message_add(&words, "rival", object);
    message_add_count(&words, "rival_place", statement->place);
    item->rival = text_take(&words);
}

struct compilers {
    struct client clients[MOST_COMPILERS];
    size_t count;
};

static void compilers_done(struct compilers *compilers)
{
    for (size_t i = 0; i < compilers->count; i++) {
        if (interrupt_caught())  // let it clean up what it is doing
            process_ask_to_end(&compilers->clients[i].process);
        client_done(&compilers->clients[i]);
    }
}
SCOPE_VALUE(compilers, compilers_done)

static struct bilanx_error start_compilers(const struct statements *statements, size_t count,
                                           struct compilers *out)
{
    size_t cpus = cpus_allowed(), wanted = cpus < MOST_COMPILERS ? cpus : MOST_COMPILERS;
    for (wanted = wanted > count ? count : wanted; out->count < wanted; out->count++)
        BILANX_TRY(client_start(&statements->worker.launch, (uint64_t)(PREPARE_TIMEOUT_S * 1e9),
                                &out->clients[out->count]));
    return BILANX_SUCCESS;
}

// Statements that a worker prepares together.
struct share {
    size_t first, count;
};

static void add_numbered(struct text *request, const char *key, size_t index, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%zu", key, index);
    add_text(request, name, value);
}

static struct bilanx_error send_request(struct client *client, const struct statement_text *texts,
                                        struct share share, const struct text *common)
{
    AUTO(text) struct text request = {0};
    message_begin(&request, "prepare");
    message_add_count(&request, "count", share.count);
    for (size_t i = 0; i < share.count; i++) {
        const struct statement_text *text = &texts[share.first + i];
        add_numbered(&request, "stmt", i, text->stmt);
        add_numbered(&request, "setup", i, text->setup);
        add_numbered(&request, "global_setup", i, text->global_setup);
        add_numbered(&request, "inputs", i, text->inputs.names);
    }
    text_add_n(&request, text_get(common), common->size);
    message_end(&request);
    text_clear(&client->process.output);
    return process_send(&client->process, request.data, request.size);
}

// If the compiler rejects a statement, that case fails; other errors affect all.
static struct bilanx_error read_answer(struct client *client, struct share share,
                                       const size_t *places, struct statements *statements)
{
    AUTO(message) struct message answer = {0};
    struct bilanx_error error = client_answer(client, "prepared", &answer);
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    process_listen(&client->process);
    for (size_t i = 0; i < share.count; i++) {
        size_t place = places[share.first + i];
        struct run_case *item = &statements->cases.items[place];
        struct reply reply = {&answer, i};
        const char *output = text_get(&client->process.output);
        struct bilanx_error own = error;
        if (error.status == BILANX_OK && reply_text(&reply, "object")) {
            read_prepared(&reply, &statements->items[place], item);
            continue;
        }
        if (error.status == BILANX_OK) {
            const char *text = reply_text(&reply, "text");
            own = client_error(reply_text(&reply, "code"), text ? text : "nothing was prepared");
            output = reply_text(&reply, "output");
        }
        language_refused(item, &own, "compile", output ? output : "");
    }
    return BILANX_SUCCESS;
}

// A few statements get one worker each; many are split into shares that can use one translation
// unit.
static struct share next_share(size_t first, size_t count, size_t workers)
{
    enum { LARGEST = 32 };
    size_t size = (count + workers - 1) / workers;
    size = size > LARGEST ? LARGEST : size;
    return (struct share){first, count - first < size ? count - first : size};
}

static struct bilanx_error compile_all(const struct sources *sources, const struct text *common,
                                       struct statements *out)
{
    AUTO(compilers) struct compilers compilers = {0};
    struct share shares[MOST_COMPILERS] = {0};
    size_t count = sources->count;
    BILANX_TRY(start_compilers(out, count, &compilers));
    size_t sent = 0;
    for (size_t done = 0, turn = 0; done < count; turn++) {
        size_t worker = turn % compilers.count;
        if (shares[worker].count) {
            BILANX_TRY(
                read_answer(&compilers.clients[worker], shares[worker], sources->places, out));
            done += shares[worker].count;
        }
        shares[worker] = next_share(sent, count, compilers.count);
        if (shares[worker].count)
            BILANX_TRY(
                send_request(&compilers.clients[worker], sources->texts, shares[worker], common));
        sent += shares[worker].count;
    }
    return BILANX_SUCCESS;
}

// When counting, all thread counts share a worker: each fork is told its own.
static void add_threads(struct statements *statements)
{
    for (size_t i = 0; i < statements->cases.count; i++) {
        struct run_case *item = &statements->cases.items[i];
        struct text words = {0};
        if (!item->open || item->threads < 2)
            continue;
        text_add(&words, item->open);
        message_add_count(&words, "threads", item->threads);
        free(item->open);
        item->open = text_take(&words);
    }
}

// Adds the sample to the words that open a case, alone or next to another.
static void add_inputs(const struct statement_text *texts, struct statements *statements)
{
    for (size_t i = 0; i < statements->cases.count; i++) {
        struct run_case *item = &statements->cases.items[i];
        const char *sample = texts[i].inputs.text;
        const struct {
            char **words;
            const char *key;
        } both[] = {{&item->open, "inputs"}, {&item->rival, "rival_inputs"}};
        for (size_t j = 0; sample && j < sizeof both / sizeof *both; j++) {
            struct text words = {0};
            if (!*both[j].words)
                continue;
            text_add(&words, *both[j].words);
            message_add(&words, both[j].key, sample);
            free(*both[j].words);
            *both[j].words = text_take(&words);
        }
    }
}

static void add_note(struct run_case *item, const struct run_note *note)
{
    size_t at = 0;
    while (item->notes[at])
        at++;
    assert(at + 1 < sizeof item->notes / sizeof *item->notes);
    item->notes[at] = note;
}

static struct bilanx_error prepare(const struct statement_text *texts, size_t count,
                                   const struct statement_options *options, struct statements *out)
{
    AUTO(text) struct text common = {0};
    BILANX_TRY(language_find_part("bilanx-worker", "BILANX_WORKER_PROGRAM", options->surroundings,
                                  &out->program));
    BILANX_TRY(common_words(options, out, &common));
    out->argv[0] = out->program;
    AUTO(sources) struct sources sources;
    sources_find(texts, count, &sources);
    BILANX_TRY(compile_all(&sources, &common, out));
    for (size_t i = 0; i < count; i++)
        if (sources.places[sources.of_case[i]] != i)
            sources_copy(out, sources.places[sources.of_case[i]], i);
    for (size_t i = 0; i < count && out->left_out.text; i++)
        add_note(&out->cases.items[i], &out->left_out);
    if (options->counting)
        add_threads(out);
    add_inputs(texts, out);
    return BILANX_SUCCESS;
}

// First-use code of the libraries, for the setup of the empty loop.
static char *first_uses(const struct words *recipes)
{
    struct text uses = {0};
    for (size_t i = 0; i < recipes->count; i++) {
        const struct recipe *recipe = NULL;
        if (recipes_find(recipes->items[i], &recipe).status == BILANX_OK && recipe->first_use)
            text_add(&uses, recipe->first_use);
    }
    return uses.size ? text_take(&uses) : NULL;
}

// Makes a worker load large objects before it forks, starting with the empty loop, whose setup it
// runs.
static void load_ahead(const char *barrier, struct statements *statements)
{
    AUTO(text) struct text objects = {0};
    text_format(&objects, "%s\n", barrier);
    for (size_t i = 0; i < statements->cases.count; i++)
        if (statements->items[i].object)
            text_format(&objects, "%s\n", statements->items[i].object);
    struct text words = {0};
    message_add(&words, "load", text_get(&objects));
    statements->worker.prepare = statements->preparing = text_take(&words);
}

static struct bilanx_error build_barrier(const struct statement_options *options,
                                         struct statements *statements, char **object)
{
    AUTO(text) struct text common = {0};
    AUTO(message) struct message answer = {0};
    AUTO(client) struct client client = {0};
    BILANX_TRY(common_words(options, statements, &common));
    BILANX_TRY(
        client_start(&statements->worker.launch, (uint64_t)(PREPARE_TIMEOUT_S * 1e9), &client));
    BILANX_TRY(
        send_request(&client, &(struct statement_text){.stmt = ""}, (struct share){0, 1}, &common));
    BILANX_TRY(client_answer(&client, "prepared", &answer));
    *object = mem_text(reply_text(&(struct reply){&answer, 0}, "object"));
    return BILANX_SUCCESS;
}

static struct bilanx_error add_barrier(const struct statement_options *options,
                                       struct statements *statements)
{
    // Links all libraries, needed or not: forks need not load what the worker has loaded.
    AUTO(memory) char *ldflags =
        mem_format("-Wl,--no-as-needed -lm %s", options->ldflags ? options->ldflags : "");
    AUTO(memory) char *setup = options->counting ? first_uses(&options->recipes) : NULL;
    AUTO(memory) char *object = NULL;
    const struct statement_options bare = {.language = options->language,
                                           .setup = setup,
                                           .cc = options->cc,
                                           .cflags = options->cflags,
                                           .ldflags = ldflags,
                                           .packages = options->packages,
                                           .recipes = options->recipes,
                                           .counting = options->counting};
    struct bilanx_error error = build_barrier(&bare, statements, &object);
    if (!object)  // errors of the statements themselves are clearer
        return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
    struct text words = {0};
    message_add(&words, "object", object);
    message_add(&words, "barrier", "1");
    statements->barrier = text_take(&words);
    if (setup)
        load_ahead(object, statements);
    return BILANX_SUCCESS;
}

const struct language language_c = {"c", NULL, prepare, add_barrier};
const struct language language_cplusplus = {"c++", NULL, prepare, add_barrier};
