// snippets: the worker for statements.
#include "snippets.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process.h"
#include "lang/compiler.h"
#include "worker/server.h"
#include "worker/shift.h"

// What a compiled snippet sees: its prelude declares the same.
struct bilanx_loop {
    uint64_t (*next)(struct bilanx_loop *loop);
};

struct running {
    struct bilanx_loop face;  // first: a pointer to one is a pointer to the other
    struct loop loop;
    void (*function)(struct bilanx_loop *loop);
};

static uint64_t next_batch(struct bilanx_loop *face)
{
    return loop_next(&((struct running *)face)->loop);
}

static void call(void *context)
{
    struct running *running = context;
    running->function(&running->face);
}

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
}

static struct bilanx_error build(const struct message *request, struct text *diagnostics,
                                 struct object *object)
{
    const char *language = message_text(request, "language");
    struct snippet snippet = {
        .cplusplus = text_equal(language, "c++"),
        .stmt = message_text(request, "stmt"),
        .setup = message_text(request, "setup"),
        .global_setup = message_text(request, "global_setup"),
        .sync = message_text(request, "sync"),
        .plain = message_text(request, "plain") != NULL,
    };
    struct compile_options options = {.cc = message_text(request, "cc"),
                                      .cflags = message_text(request, "cflags"),
                                      .ldflags = message_text(request, "ldflags"),
                                      .directory = message_text(request, "directory"),
                                      .counting = message_text(request, "counting") != NULL};
    add_lines(request, "flags", &options.flags);
    add_lines(request, "sources", &options.sources);
    add_lines(request, "includes", &options.includes);
    add_lines(request, "packages", &options.packages);
    // Alone, a source is included: its static functions are the statement's then.
    AUTO(memory) char *included = NULL;
    if (options.sources.count == 1) {
        included = mem_text(options.sources.items[0]);
        list_done(&options.sources);
        snippet.source = included;
    }
    struct bilanx_error error = compiler_build(&snippet, &options, diagnostics, object);
    options_done(&options);
    return error;
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    interrupt_catch();  // a compilation that is cut short cleans up
    AUTO(text) struct text diagnostics = {0};
    AUTO(object) struct object object = {0};
    struct bilanx_error error = build(request, &diagnostics, &object);
    if (error.status != BILANX_OK) {
        fputs(text_get(&diagnostics), stderr);  // the controller keeps what we print
        fflush(stderr);
        return error;
    }
    message_add(out, "object", object.path);
    message_add(out, "cc", object.cc ? object.cc : "");
    message_add(out, "flags", object.flags);
    message_add_count(out, "cached", object.cached);
    message_add_count(out, "plain", object.plain);
    message_add_count(out, "replaced", object.replaced);
    message_add_count(out, "removed", object.removed);
    message_add_count(out, "traced", object.traced);
    message_add_number(out, "seconds", object.seconds);
    return BILANX_SUCCESS;
}

static struct bilanx_error load(const char *path, const struct snippet_variant *variant,
                                void **handle, struct running *out)
{
    char symbol[64];
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return bilanx_error_make(BILANX_E_INPUT, "cannot load the compiled statement: %s",
                                 dlerror());
    *(void **)&out->function = dlsym(*handle, snippet_symbol(variant, symbol));
    if (!out->function)
        return bilanx_error_make(BILANX_E_INPUT, "the compiled statement has no '%s'", symbol);
    return BILANX_SUCCESS;
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context;
    uint64_t copies = 1, barrier = 0, shifts = 1, seed = 0;
    const char *path = message_text(request, "object");
    BILANX_TRY(message_count(request, "copies", &copies));
    BILANX_TRY(message_count(request, "barrier", &barrier));
    BILANX_TRY(message_count(request, "shifts", &shifts));
    BILANX_TRY(message_count(request, "seed", &seed));
    if (!path || shifts == 0)
        return bilanx_error_make(BILANX_E_INPUT, "open needs an object");
    struct snippet_variant variant = {.copies = (unsigned)copies,
                                      .shift = copies == 1 ? (unsigned)(seed / 65536 % shifts) : 0,
                                      .barrier = barrier != 0};
    struct running running = {
        .face = {next_batch},
        .loop = {.clock = &server->clock, .decide = server_decide, .context = server}};
    void *handle = NULL;
    BILANX_TRY(load(path, &variant, &handle, &running));
    server->loop = &running.loop;
    shift_call(seed, call, &running);
    // A fork is about to end, and under valgrind unloading takes long. Or it stays, and so do the
    // libraries, which are those of the cases to come.
    if (!server->zygote.child)
        dlclose(handle);
    return BILANX_SUCCESS;
}

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    (void)context;
    (void)index;
    (void)out;
}

static void describe_result(void *context, struct text *out)
{
    (void)context;
    (void)out;
}

int snippets_serve(void)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in < 0)
        return 2;
    struct server_subject subject = {.describe = describe,
                                     .describe_case = describe_case,
                                     .prepare = prepare,
                                     .run = run,
                                     .describe_result = describe_result};
    return server_run(&subject, in, out);
}
