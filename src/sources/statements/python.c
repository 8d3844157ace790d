// python: statements run by the interpreter of an environment.
//
// Nothing is installed there: the interpreter runs our script, which loads the extension module by
// its path. Costly imports are done once, by a standby worker that forks.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "core/run/session.h"
#include "sources/statements/language.h"

static const double ASK_TIMEOUT_S = 30;
static const uint64_t PREPARE_TIMEOUT_NS = 300000000000u;
// CPython 3.11 and later specialise code as it runs: from the eighth iteration of a loop on, each
// instruction when it is next executed. Failed attempts are repeated at growing intervals.
static const uint64_t COUNTED_WARMUP = 110;
// A bare Python starts in 20 ms; then every epoch can have a new process.
static const uint64_t CHEAP_START_NS = 100000000u;

struct interpreter {
    char *path;  // the executable behind shims and links, but that of a virtual environment
    unsigned major, minor;
    bool cpython;
};

// Runs the interpreter once, because the one on the PATH may be a script that finds another.
static struct bilanx_error ask_interpreter(const char *told,
                                           const struct surroundings *surroundings,
                                           struct text *output)
{
    // In syntax common to all versions.
    static const char question[] = "import sys\n"
                                   "sys.stdout.write('\\nbilanx-python\\n%s\\n%d %d %d\\n' % "
                                   "(sys.executable, sys.version_info[0], "
                                   "sys.version_info[1], hasattr(sys, 'getrefcount')))\n";
    const char *argv[] = {told, "-c", question, NULL};
    int status = 0;
    struct bilanx_error error = capture_run(&(struct capture_options){.argv = argv,
                                                                      .surroundings = surroundings,
                                                                      .timeout_s = ASK_TIMEOUT_S},
                                            output, &status);
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    if (error.status != BILANX_OK)
        return bilanx_error_make(
            BILANX_E_INPUT, "cannot find out the version of the Python '%s': %s", told, error.text);
    return BILANX_SUCCESS;
}

static struct bilanx_error find_interpreter(const struct statement_options *options,
                                            struct interpreter *out)
{
    const struct surroundings *surroundings = options->surroundings;
    const char *asked = statements_python(options), *name = asked ? asked : "python3";
    AUTO(memory) char *found = surroundings_find_program(surroundings, name);
    if (!found)
        return bilanx_error_make(BILANX_E_INPUT,
                                 asked ? "cannot execute the Python '%s'"
                                       : "cannot find '%s' on the PATH: install python3, or choose "
                                         "an interpreter with --python or BILANX_PYTHON",
                                 name);
    AUTO(text) struct text output = {0};
    BILANX_TRY(ask_interpreter(found, surroundings, &output));
    const char *mark = strstr(text_get(&output), "\nbilanx-python\n");
    char path[4096] = "";
    unsigned references = 0;
    int first = (int)strcspn(text_get(&output), "\n");
    if (!mark || sscanf(mark, "\nbilanx-python\n%4095[^\n]\n%u %u %u", path, &out->major,
                        &out->minor, &references) != 4)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' is not a working Python%s%.*s", found,
                                 output.size ? ": it printed " : "", first, text_get(&output));
    if (out->major < 3 || (out->major == 3 && out->minor < 5))
        return bilanx_error_make(BILANX_E_INPUT,
                                 "'%s' is Python %u.%u, which is too old: use 3.5 or later", path,
                                 out->major, out->minor);
    AUTO(memory) char *from_here = surroundings_path(surroundings, path);
    out->path = mem_text(access(from_here, X_OK) == 0 ? path : found);
    out->cpython = references != 0;
    return BILANX_SUCCESS;
}

// Rejects options that apply only to compiled languages.
static struct bilanx_error refuse_options(const struct statement_options *options)
{
    const struct {
        const char *name;
        bool given;
        const char *instead;
    } refused[] = {
        {"cc", options->cc, ""},
        {"cflags", options->cflags, ""},
        {"ldflags", options->ldflags, ""},
        {"pkg", options->packages.count, ""},
        {"with", options->recipes.count, ""},
        {"source", options->sources.count,
         "; in Python, import the file in the setup: -s 'from FILE import *'"},
        {"include", options->includes.count, ""},
        {"compile-commands", options->compile_commands, ""},
        {"trust-flags", options->trust_flags, ""},
        {"marginal", options->marginal, ""},
        {"no-launder", options->plain, ""},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return bilanx_error_make(BILANX_E_USAGE, "--%s only applies to C and C++%s",
                                     refused[i].name, refused[i].instead);
    return BILANX_SUCCESS;
}

static struct bilanx_error find_worker(const struct interpreter *interpreter, char **out)
{
    AUTO(memory) char *script = NULL;
    AUTO(memory) char *extension = NULL;
    BILANX_TRY(language_find_part("python/bilanx_worker.py", NULL, NULL, &script));
    extension = mem_format("%.*s_bilanx.abi3.so", (int)(strrchr(script, '/') + 1 - script), script);
    if (interpreter->cpython && access(extension, R_OK) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "this bilanx was built without its Python "
                                                  "extension: install python3-dev and rebuild it");
    *out = TAKE(script);
    return BILANX_SUCCESS;
}

static void add_text(struct text *words, const char *key, const char *value)
{
    if (value && *value)
        message_add(words, key, value);
}

// The words that prepare and open a statement.
static void words_of(const struct statement_text *text, const struct statement_options *options,
                     struct text *out)
{
    uint64_t threads = text->threads ? text->threads : options->threads;
    message_add(out, "language", options->language);
    message_add(out, "stmt", text->stmt);
    add_text(out, "setup", text->setup ? text->setup : options->setup);
    add_text(out, "global_setup", text->global_setup ? text->global_setup : options->global_setup);
    add_text(out, "sync", options->sync);
    message_add_count(out, "threads", threads ? threads : 1);
    if (options->counting)
        message_add(out, "blocks", "1");
    add_text(out, "inputs", text->inputs.text);
    if (text->inputs.text)
        add_text(out, "as", text->inputs.as);
}

// What is known after a worker has prepared the statements.
struct prepared {
    uint64_t start_ns;  // time of the first one, including imports
    uint64_t foreign_threads;
    bool plain;           // the pure Python worker, which does not fork
    struct list preload;  // modules to import before the statements run, each once
};

static void note_preload(const char *names, struct list *preload)
{
    while (names && *names) {
        size_t size = strcspn(names, ","), known = 0;
        AUTO(memory) char *name = mem_text_n(names, size);
        while (known < preload->count && strcmp(preload->items[known], name) != 0)
            known++;
        if (size && known == preload->count)
            list_add(preload, name);
        names += size + (names[size] == ',');
    }
}

static void prepared_done(struct prepared *known)
{
    list_done(&known->preload);
}
SCOPE_VALUE(prepared, prepared_done)

static struct bilanx_error prepare_one(struct run_standby *standby,
                                       const struct statement_text *text,
                                       const struct statement_options *options,
                                       struct prepared *known, struct run_case *item)
{
    AUTO(text) struct text words = {0}, request = {0};
    AUTO(message) struct message answer = {0};
    struct client *client = &standby->client;
    words_of(text, options, &words);
    message_begin(&request, "prepare");
    add_text(&request, "preload", options->preload);
    text_add_n(&request, text_get(&words), words.size);
    message_end(&request);
    text_clear(&client->process.output);
    struct bilanx_error error = client_ask(client, &request, "prepared", &answer);
    if (error.status == BILANX_E_COMPILE) {
        process_listen(&client->process);
        language_refused(item, &error, "compile", text_get(&client->process.output));
        return BILANX_SUCCESS;
    }
    BILANX_TRY(error);
    BILANX_TRY(message_count(&answer, "foreign_threads", &known->foreign_threads));
    known->plain = message_text(&answer, "plain") != NULL;
    note_preload(message_text(&answer, "preload"), &known->preload);
    add_text(&words, "preload", message_text(&answer, "preload"));
    item->open = text_take(&words);
    return BILANX_SUCCESS;
}

// If a worker cannot even be queried, all cases fail, and this is reported once.
static struct bilanx_error explain(const struct statements *statements,
                                   const struct bilanx_error *error)
{
    if (error->status == BILANX_OK || error->status == BILANX_E_INTERRUPTED)
        return *error;
    struct process *process = &statements->standby->client.process;
    process_listen(process);
    const char *output = text_get(&process->output);
    const char *tail = output + (strlen(output) > 200 ? strlen(output) - 200 : 0);
    return bilanx_error_make(error->status, "'%s' cannot measure: %s%s%s", statements->program,
                             error->text, *tail ? "; it printed: " : "", tail);
}

static struct bilanx_error prepare_all(const struct statement_text *texts, size_t count,
                                       const struct statement_options *options,
                                       struct prepared *known, struct statements *out)
{
    for (size_t i = 0; i < count; i++) {
        BILANX_TRY(prepare_one(out->standby, &texts[i], options, known, &out->cases.items[i]));
        if (i == 0)
            known->start_ns = monotonic_ns() - out->started_ns;
    }
    return BILANX_SUCCESS;
}

// Forks if that is safe and either starting is slow or two sides are compared.
static void choose_processes(const struct statement_options *options, const struct prepared *known,
                             struct statements *out)
{
    bool threaded = known->foreign_threads && !known->plain;
    if (known->plain || threaded || options->fresh || options->counting ||
        (known->start_ns < CHEAP_START_NS && !options->forks))
        run_standby_done(out->standby);
    else
        out->worker.standby = out->standby;
    for (size_t i = 0; i < out->cases.count; i++)
        out->items[i].threaded = threaded && !options->fresh;
}

// What a worker imports before it forks.
static char *preparing(const struct list *preload, bool counting)
{
    struct text words = {0};
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < preload->count; i++)
        text_format(&names, "%s%s", i ? "," : "", preload->items[i]);
    message_add(&words, "language", "python");
    add_text(&words, "preload", text_get(&names));
    if (counting)
        add_text(&words, "first_use", text_get(&names));
    return text_take(&words);
}

// The worker imports what the canary needs, which may take seconds.
static struct bilanx_error start_worker(const struct statement_text *canary,
                                        const struct statement_options *options,
                                        struct statements *out)
{
    AUTO(text) struct text words = {0};
    if (canary) {
        words_of(canary, options, &words);
        add_text(&words, "preload", options->preload);
    }
    out->standby = run_standby_new();
    out->started_ns = monotonic_ns();
    return standby_begin(out->standby, &out->worker.launch, PREPARE_TIMEOUT_NS,
                         canary ? text_get(&words) : NULL);
}

static struct bilanx_error begin(const struct statement_text *canary,
                                 const struct statement_options *options, struct statements *out)
{
    struct interpreter interpreter = {0};
    BILANX_TRY(refuse_options(options));
    BILANX_TRY(find_interpreter(options, &interpreter));
    out->worker.name = out->argv[0] = out->program = interpreter.path;
    BILANX_TRY(find_worker(&interpreter, &out->script));
    out->argv[1] = out->script;
    out->worker.warmup = COUNTED_WARMUP;
    out->worker.hash_variable = "PYTHONHASHSEED";
    // Hash collisions of names depend on the hash seed, which is random by default.
    if (options->counting && !surroundings_variable(options->surroundings, "PYTHONHASHSEED"))
        list_add(&out->environment, "PYTHONHASHSEED=0");
    out->worker.launch.environment = out->environment.items;  // it may have been reallocated
    struct bilanx_error error = start_worker(canary, options, out);
    return explain(out, &error);
}

static struct bilanx_error prepare(const struct statement_text *texts, size_t count,
                                   const struct statement_options *options, struct statements *out)
{
    AUTO(prepared) struct prepared known = {0};
    struct bilanx_error error = standby_await(out->standby, NULL);
    if (error.status == BILANX_E_COMPILE)
        return bilanx_error_make(BILANX_E_FAILED, "%s", error.text);
    if (error.status == BILANX_OK)
        error = prepare_all(texts, count, options, &known, out);
    error = explain(out, &error);
    BILANX_TRY(error);
    out->worker.prepare = out->preparing = preparing(&known.preload, options->counting);
    choose_processes(options, &known, out);
    return BILANX_SUCCESS;
}

static struct bilanx_error add_barrier(const struct statement_options *options,
                                       struct statements *statements)
{
    (void)options;
    struct text words = {0};
    text_add(&words, statements->preparing);
    message_add(&words, "stmt", "");
    message_add(&words, "blocks", "1");
    statements->barrier = text_take(&words);
    return BILANX_SUCCESS;
}

const struct language language_python = {"python", begin, prepare, add_barrier};
