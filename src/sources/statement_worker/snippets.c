// snippets: the worker for statements.
#include "snippets.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process.h"
#include "core/worker/libraries.h"
#include "core/worker/threads.h"
#include "sources/compile/compiler.h"
#include "sources/statement_worker/loading.h"
#include "sources/statement_worker/made_inputs.h"
#include "sources/statement_worker/running.h"

static void add_lines(const struct message *request, const char *key, struct list *out)
{
    const char *lines = message_text(request, key);
    list_split_lines(out, lines ? lines : "");
}

static void options_done(struct compile_options *options)
{
    list_done(&options->flags);
    list_done(&options->sources);
    list_done(&options->includes);
    list_done(&options->packages);
    list_done(&options->recipes);
    list_done(&options->quoted);
}

// The key of one of several snippets: "stmt.3".
enum { KEY_SIZE = 64 };
static const char *key_at(const char *key, size_t index, char out[KEY_SIZE])
{
    snprintf(out, KEY_SIZE, "%s.%zu", key, index);
    return out;
}

// A snippet's own value for the key, or the common one.
static const char *text_at(const struct message *request, const char *key, size_t index)
{
    char name[KEY_SIZE];
    const char *own = message_text(request, key_at(key, index, name));
    return own ? own : message_text(request, key);
}

// Searches as if the statement were in a file here, or next to the sources.
static void add_quoted(struct compile_options *options)
{
    list_take(&options->quoted, options->directory ? getcwd(NULL, 0) : mem_text("."));
    for (size_t i = 0; i < options->sources.count; i++) {
        const char *path = options->sources.items[i], *slash = strrchr(path, '/');
        if (slash)
            list_take(&options->quoted, mem_text_n(path, (size_t)(slash - path) + 1));
    }
}

static struct bilanx_error build(const struct message *request, size_t count, struct built *out)
{
    uint64_t layouts = 0;
    BILANX_TRY(message_count(request, "layouts", &layouts));
    if (!message_text(request, "cache"))  // a temporary one would vanish with this process
        return bilanx_error_make(BILANX_E_INPUT, "prepare needs a cache");
    struct compile_options options = {.cc = message_text(request, "cc"),
                                      .cflags = message_text(request, "cflags"),
                                      .ldflags = message_text(request, "ldflags"),
                                      .directory = message_text(request, "directory"),
                                      .cache = message_text(request, "cache"),
                                      .counting = message_text(request, "counting") != NULL,
                                      .layouts = (unsigned)layouts};
    add_lines(request, "flags", &options.flags);
    add_lines(request, "sources", &options.sources);
    add_lines(request, "includes", &options.includes);
    add_lines(request, "packages", &options.packages);
    add_lines(request, "recipes", &options.recipes);
    add_quoted(&options);
    // A single source is included, so the statement can use its static functions.
    AUTO(memory) char *included = NULL;
    if (options.sources.count == 1) {
        included = mem_text(options.sources.items[0]);
        list_done(&options.sources);
    }
    AUTO(memory) struct snippet *snippets = mem_array(struct snippet, count);
    for (size_t i = 0; i < count; i++)
        snippets[i] = (struct snippet){
            .cplusplus = text_equal(message_text(request, "language"), "c++"),
            .stmt = text_at(request, "stmt", i),
            .setup = text_at(request, "setup", i),
            .global_setup = text_at(request, "global_setup", i),
            .sync = message_text(request, "sync"),
            .plain = message_text(request, "plain") != NULL,
            .source = included,
            .inputs = text_at(request, "inputs", i),
        };
    struct bilanx_error error = compiler_build(snippets, count, &options, out);
    options_done(&options);
    return error;
}

static void add_built(struct text *out, size_t i, const struct built *built)
{
    char key[KEY_SIZE];
    const struct object *object = &built->object;
    if (built->error.status != BILANX_OK) {
        message_add(out, key_at("code", i, key), bilanx_status_code(built->error.status));
        message_add(out, key_at("text", i, key), built->error.text);
        message_add(out, key_at("output", i, key), text_get(&built->diagnostics));
        return;
    }
    message_add(out, key_at("object", i, key), object->path);
    message_add_count(out, key_at("place", i, key), object->place);
    message_add(out, key_at("cc", i, key), object->cc ? object->cc : "");
    message_add(out, key_at("flags", i, key), object->flags);
    message_add_count(out, key_at("cached", i, key), object->cached);
    message_add_count(out, key_at("plain", i, key), object->plain);
    message_add_count(out, key_at("laundered", i, key), object->laundered);
    message_add_count(out, key_at("replaced", i, key), object->replaced);
    message_add_count(out, key_at("removed", i, key), object->removed);
    message_add_count(out, key_at("traced", i, key), object->traced);
    message_add_count(out, key_at("copies", i, key), object->copies);
    message_add_count(out, key_at("layouts", i, key), object->layouts);
    if (object->fixed)
        message_add(out, key_at("fixed", i, key), object->fixed);
    message_add_number(out, key_at("seconds", i, key), object->seconds);
}

// Which function of which object an "open" selects.
struct chosen {
    const char *path;
    uint64_t place, layout;
    struct snippet_variant variant;
    bool keep_pages;
};

// From the last loaded case, for "closed".
static char taken_by_libc[128];

static struct bilanx_error load(const struct chosen *chosen, void **handle, struct running *out,
                                enum pages *pages)
{
    char name[64];
    *handle = loading_open(chosen->path);
    if (!*handle)
        return bilanx_error_make(BILANX_E_INPUT, "cannot load the compiled statement: %s",
                                 dlerror());
    snippet_symbol(&chosen->variant, chosen->place, name);
    *(void **)&out->function = loading_find(*handle, name, chosen->layout);
    if (!out->function)
        return bilanx_error_make(BILANX_E_INPUT, "the compiled statement has no '%s' in layout %u",
                                 name, (unsigned)chosen->layout);
    const char *taken = loading_taken_by_libc(*handle);
    snprintf(taken_by_libc, sizeof taken_by_libc, "%s", taken ? taken : "");
    if (!chosen->keep_pages)
        *pages = loading_draw_pages(*handle, chosen->layout, *(void **)&out->function);
    loading_construct(*handle, chosen->layout);
    return BILANX_SUCCESS;
}

static uint64_t no_batch(struct bilanx_loop *face, uint64_t left)
{
    (void)face, (void)left;
    return 0;
}

// Loads what all forks would otherwise load separately. The setup of the empty loop performs the
// first-use initialisation of shared libraries.
static struct bilanx_error load_ahead(const struct message *request)
{
    AUTO(list) struct list objects = {0};
    struct running running = {.face = {no_batch}};
    void *handle;
    add_lines(request, "load", &objects);
    struct chosen empty = {
        .path = objects.items[0], .variant = {.barrier = true}, .keep_pages = true};
    BILANX_TRY(load(&empty, &handle, &running, &(enum pages){0}));
    running.function(&running.face);
    for (size_t i = 1; i < objects.count; i++)
        loading_open(objects.items[i]);  // load errors are reported later
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    if (message_text(request, "load"))
        return load_ahead(request);
    if (message_text(request, "libraries")) {
        loading_libraries(message_text(request, "libraries"));
        return BILANX_SUCCESS;
    }
    interrupt_catch();  // lets an interrupted compilation clean up
    enum { MOST = 1000 };
    uint64_t count = 1;
    BILANX_TRY(message_count(request, "count", &count));
    if (count < 1 || count > MOST)
        return bilanx_error_make(BILANX_E_INPUT, "prepare takes 1 to %d statements", MOST);
    AUTO(memory) struct built *built = mem_array(struct built, count);
    BILANX_TRY(build(request, count, built));
    for (size_t i = 0; i < count; i++) {
        add_built(out, i, &built[i]);
        built_done(&built[i]);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error choose(const struct message *request, struct chosen *out)
{
    uint64_t copies = 1, barrier = 0;
    *out = (struct chosen){.path = message_text(request, "object")};
    BILANX_TRY(message_count(request, "copies", &copies));
    BILANX_TRY(message_count(request, "barrier", &barrier));
    BILANX_TRY(message_count(request, "place", &out->place));
    BILANX_TRY(message_count(request, "layout", &out->layout));
    if (!out->path)
        return bilanx_error_make(BILANX_E_INPUT, "open needs an object");
    out->keep_pages = text_equal(message_text(request, "pages"), "keep");
    out->variant = (struct snippet_variant){.copies = (unsigned)copies, .barrier = barrier != 0};
    return BILANX_SUCCESS;
}

// The other side of a duel in the same process: the same variant of another object.
static struct bilanx_error choose_rival(const struct message *request, struct chosen *rival)
{
    rival->path = message_text(request, "rival");
    return message_count(request, "rival_place", &rival->place);
}

// Each side has its own inputs, of equal content: what one writes, the other does not see, and both
// get the physical pages that the draw of this epoch gives them.
static struct bilanx_error run_rivals(const struct message *request, struct server *server,
                                      struct chosen *chosen, struct running *first, uint64_t seed)
{
    struct running rival = running_begin(server, seed);
    AUTO(made_inputs) struct made_inputs inputs = {0};
    void *handle = NULL;
    enum pages pages;
    BILANX_TRY(choose_rival(request, chosen));
    BILANX_TRY(made_inputs_make(message_text(request, "rival_inputs"), seed, &inputs));
    rival.face.inputs = inputs.items;
    BILANX_TRY(load(chosen, &handle, &rival, &pages));
    server->pages = pages_worst(server->pages, pages);
    return rivals_run(server, first, &rival);
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context;
    uint64_t seed = 0, threads = 0;
    struct chosen chosen;
    AUTO(made_inputs) struct made_inputs inputs = {0};
    BILANX_TRY(message_count(request, "seed", &seed));
    BILANX_TRY(message_count(request, "threads", &threads));
    BILANX_TRY(choose(request, &chosen));
    struct running running = running_begin(server, seed);
    void *handle = NULL;
    BILANX_TRY(made_inputs_make(message_text(request, "inputs"), seed, &inputs));
    running.face.inputs = inputs.items;
    BILANX_TRY(load(&chosen, &handle, &running, &server->pages));
    if (message_text(request, "libraries"))
        loading_note_libraries(message_text(request, "libraries"), chosen.path);
    if (threads)
        libraries_set_threads((int)threads);
    server->loop = &running.loop;
    server->body = *(void **)&running.function;
    server->harness = running_harness;
    if (message_text(request, "rival"))
        return run_rivals(request, server, &chosen, &running, seed);
    running_call(&running);
    // A fork is about to exit, and unloading is slow under valgrind. Or it continues, and the next
    // cases need the same libraries. Threads may be inside a library: OpenMP's wait there for more.
    if (!server->zygote.child && threads_count() == 1)
        dlclose(handle);
    return BILANX_SUCCESS;
}

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_result(void *context, struct text *out)
{
    (void)context;
    if (!taken_by_libc[0])
        return;
    AUTO(memory) char *warning = mem_format(
        "a linked library defines '%s', but libc's was measured, because libc comes first in a "
        "process with another allocator: run it without LD_PRELOAD, or link the library statically",
        taken_by_libc);
    message_add(out, "warning_code", "name-of-libc");
    message_add(out, "warning", warning);
}

int snippets_serve(void)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in < 0)
        return 2;
    struct server_subject subject = {
        .describe = describe, .prepare = prepare, .run = run, .describe_result = describe_result};
    return server_run(&subject, in, out);
}
