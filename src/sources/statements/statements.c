// statements: what all languages share.
#include "statements.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/run/case_names.h"
#include "core/worker/server.h"
#include "sources/compile/loops.h"
#include "sources/compile/snippet.h"
#include "sources/statements/language.h"

static const struct language *const languages[] = {&language_c, &language_cplusplus,
                                                   &language_python};
const char *const statements_languages[] = {"c", "c++", "python", NULL};

const struct language *languages_find(const char *name)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (text_equal(languages[i]->name, name))
            return languages[i];
    return NULL;
}

void statements_done(struct statements *statements)
{
    for (size_t i = 0; i < statements->cases.count; i++) {
        free(statements->items[i].object);
        free((char *)statements->items[i].fixed.text);
        free(statements->items[i].inputs);
    }
    free(statements->items);
    free(statements->program);
    free(statements->script);
    free(statements->preparing);
    run_standby_free(statements->standby);
    free(statements->barrier);
    list_done(&statements->environment);
    free((char *)statements->left_out.text);
    run_cases_done(&statements->cases);
    *statements = (struct statements){0};
}

void language_refused(struct run_case *item, const struct bilanx_error *error, const char *phase,
                      const char *output)
{
    struct bilanx_record failed = {0};
    record_fail(&failed, error, phase, output);
    item->failure = failed.error;
    failed.error = NULL;
    bilanx_record_done(&failed);
}

// The folder of the file that contains this code: a program, or a module that Python has loaded.
static char *own_folder(void)
{
    Dl_info found;
    if (!dladdr((void *)(uintptr_t)languages_find, &found) || !found.dli_fname)
        return mem_text(".");
    AUTO(memory) char *path = mem_text(found.dli_fname);
    return mem_text(dirname(path));
}

// Next to this program or this module, as in a build; or where it is installed.
struct bilanx_error language_find_part(const char *name, const char *variable,
                                       const struct surroundings *surroundings, char **out)
{
    const char *told = variable ? surroundings_variable(surroundings, variable) : NULL;
    AUTO(memory) char *folder = file_own_folder();
    AUTO(memory) char *own = own_folder();
    if (!folder)
        return bilanx_error_make(BILANX_E_SYSTEM, "/proc is not mounted, and bilanx needs it to "
                                                  "measure: mount -t proc proc /proc");
    char *candidates[] = {told && *told ? surroundings_path(surroundings, told) : mem_text(""),
                          mem_format("%s/%s", folder, name),
                          mem_format("%s/../libexec/bilanx/%s", folder, name),
                          mem_format("%s/libexec/bilanx/%s", own, name),  // in the Python package
                          mem_format("%s/../../%s", own, name),           // in a build of it
                          mem_format("%s/%s", BILANX_LIBEXEC, name)};
    char *found = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!found && candidates[i][0] && access(candidates[i], R_OK) == 0)
            found = candidates[i];
        else
            free(candidates[i]);
    }
    if (!found)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot find '%s' next to this program or in '%s': install "
                                 "bilanx%s%s",
                                 name, BILANX_LIBEXEC, variable ? ", or set " : "",
                                 variable ? variable : "");
    *out = found;
    return BILANX_SUCCESS;
}

const char *statements_python(const struct statement_options *options)
{
    const char *told = surroundings_variable(options->surroundings, "BILANX_PYTHON");
    return options->python ? options->python : told && *told ? told : NULL;
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

static char *name_of(const char *stmt, const struct statement_options *options, size_t count)
{
    if (count == 1 && options->label)
        return mem_text(options->label);
    return case_name_of(stmt);
}

static const char *either(const char *own, const char *common)
{
    return own ? own : common;
}

static char *describe(const struct statement_text *text, const struct statement_options *options)
{
    const char *own = either(text->description, options->description);
    if (!text->inputs.description || !own)
        return mem_text(either(own, text->inputs.description));
    return mem_format("%s, %s", own, text->inputs.description);
}

static void make_task(const struct statement_text *text, const struct statement_options *options,
                      struct bilanx_task *out)
{
    uint64_t threads = text->threads ? text->threads : options->threads;
    *out = (struct bilanx_task){.stmt = mem_text(text->stmt),
                                .setup = mem_text(either(text->setup, options->setup)),
                                .global_setup =
                                    mem_text(either(text->global_setup, options->global_setup)),
                                .language = mem_text(options->language),
                                .label = mem_text(options->label),
                                .sub_label = mem_text(either(text->sub_label, options->sub_label)),
                                .description = describe(text, options),
                                .env = mem_text(options->env),
                                .num_threads = threads ? threads : 1,
                                .parameters = mem_text(text->inputs.parameters)};
}

// "sum(x) [16x34]": what distinguishes the cases of a statement.
char *statement_name(const struct statement_text *text, size_t count,
                     const struct statement_options *options)
{
    const char *inputs = text->inputs.description;
    AUTO(memory) char *name =
        text->name ? mem_text(text->name) : name_of(text->stmt, options, count);
    return inputs ? mem_format("%s [%s]", name, inputs) : TAKE(name);
}

static void add_case(struct statements *statements, const struct statement_text *text, size_t count,
                     const struct statement_options *options)
{
    struct run_case *item = &statements->cases.items[statements->cases.count];
    statements->items[statements->cases.count++] =
        (struct statement){.empty = snippet_says_nothing(text->stmt),
                           .marginal = options->marginal,
                           .setup_once = options->setup_once};
    *item = (struct run_case){.subject = &statements->worker,
                              .name = statement_name(text, count, options)};
    if (text->inputs.text) {
        item->arguments = mem_new(struct run_argument);
        item->arguments[item->argument_count++] =
            (struct run_argument){mem_text(SAMPLES_ELEMENTS), text->inputs.elements};
    }
    if (text->task)
        record_copy_task(text->task, &item->task);
    else
        make_task(text, options, &item->task);
    item->threads = item->task.num_threads;
}

// The kernel would kill a process that runs out of memory, and perhaps others with it.
static void check_size(const struct statement_inputs *inputs, struct statements *statements,
                       size_t at)
{
    struct run_case *item = &statements->cases.items[at];
    uint64_t limit = inputs->text ? run_memory_limit(0) : 0;
    statements->items[at].inputs = mem_text(inputs->text);
    if (!inputs->text || item->failure || inputs->bytes < limit)
        return;
    struct bilanx_error error = bilanx_error_make(
        BILANX_E_MEMORY,
        "its inputs have %.3g GB, more than the %.3g GB that a process may use here: limit them "
        "in their specification (max_elements, max_bytes)",
        (double)inputs->bytes / 1e9, (double)limit / 1e9);
    language_refused(item, &error, "setup", NULL);
}

struct bilanx_error statements_begin(const struct statement_text *canary,
                                     const struct statement_options *options,
                                     struct statements *out)
{
    const struct language *language = languages_find(options->language);
    if (!language)
        return bilanx_error_make(BILANX_E_USAGE, "unknown language '%s': use c, c++ or python",
                                 options->language);
    set_threads(out, options->threads ? options->threads : 1);
    if (options->models)
        list_take(&out->environment, mem_format("BILANX_MODELS=%s", options->models));
    out->worker = (struct run_subject){.name = "bilanx-worker",
                                       .launch = {.argv = out->argv,
                                                  .channel = WORKER_CHANNEL,
                                                  .environment = out->environment.items,
                                                  .surroundings = options->surroundings}};
    return language->begin ? language->begin(canary, options, out) : BILANX_SUCCESS;
}

struct bilanx_error statements_prepare(const struct statement_text *texts, size_t count,
                                       const struct statement_options *options,
                                       struct statements *out)
{
    if (!out->worker.name)
        BILANX_TRY(statements_begin(NULL, options, out));
    out->items = mem_array(struct statement, count);
    out->cases.items = mem_array(struct run_case, count);
    for (size_t i = 0; i < count; i++)
        add_case(out, &texts[i], count, options);
    BILANX_TRY(languages_find(options->language)->prepare(texts, count, options, out));
    for (size_t i = 0; i < count; i++)
        check_size(&texts[i].inputs, out, i);
    return BILANX_SUCCESS;
}

struct bilanx_error statements_prepare_plain(const char *const *stmts, size_t count,
                                             const struct statement_options *options,
                                             struct statements *out)
{
    AUTO(memory) struct statement_text *texts = mem_array(struct statement_text, count);
    for (size_t i = 0; i < count; i++)
        texts[i].stmt = stmts[i];
    return statements_prepare(texts, count, options, out);
}

struct bilanx_error statements_add_barrier(const struct statement_options *options,
                                           struct statements *statements)
{
    BILANX_TRY(languages_find(options->language)->add_barrier(options, statements));
    statements->worker.barrier = statements->barrier;
    return BILANX_SUCCESS;
}

struct bilanx_error statements_disassemble(const struct statement *statement, struct text *out)
{
    char symbol[64];
    snippet_symbol(&(struct snippet_variant){.copies = 1}, statement->place, symbol);
    return loops_disassemble(statement->object, symbol, out);
}
