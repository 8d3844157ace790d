// program_source: benchmark programs as a source of cases. Each program lists its cases.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/worker/server.h"
#include "recognise.h"
#include "sources/source/source.h"
#include "sources/statements/language.h"
#include "sources/statements/statements.h"

struct programs {
    struct run_subject *subjects;
    const char *(*argv)[4];
    char *script;  // the worker that runs programs in Python; NULL: there are none
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// With several programs, each is an environment; otherwise equal cases would count as replicates.
// Files of the same name are distinguished by their path.
static const char *env_of(const struct source_request *request, size_t index)
{
    const char *path = request->words[index];
    if (request->word_count == 1)
        return NULL;
    for (size_t i = 0; i < request->word_count; i++)
        if (i != index && strcmp(last_part(request->words[i]), last_part(path)) == 0)
            return path;
    return last_part(path);
}

// People first type "run copy.c" and "run copy".
static struct bilanx_error check_path(const char *path)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "'%s' is source code: compile it first, with %s -O2 %s "
                                     "-lbilanx-bench -o %.*s",
                                     path, i ? "c++" : "cc", path, (int)(dot - path), path);
    AUTO(memory) char *found = strchr(path, '/') ? NULL : file_find_program(path);
    if (!found && !strchr(path, '/') && access(path, X_OK) == 0)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not on the PATH (did you mean './%s'?)",
                                 path, path);
    bool in_python = dot && strcmp(dot, ".py") == 0;
    if (!found && !in_python && access(path, F_OK) == 0 && access(path, X_OK) != 0)
        return bilanx_error_make(
            BILANX_E_USAGE, "'%s' is neither a suite nor a program: it is not executable", path);
    return BILANX_SUCCESS;
}

// A file in Python is run by our worker, in the interpreter that the options name.
static struct bilanx_error find_words(const struct source_request *request, size_t index,
                                      struct programs *programs)
{
    const char *path = request->words[index], *dot = strrchr(path, '.');
    const char **words = programs->argv[index];
    words[0] = path;
    if (!request->surroundings)
        BILANX_TRY(check_path(path));
    BILANX_TRY(recognise_program(path, request->surroundings));
    if (!dot || strcmp(dot, ".py") != 0 || access(path, X_OK) == 0)
        return BILANX_SUCCESS;
    static const struct statement_options none = {0};
    const char *python = statements_python(request->code ? request->code : &none);
    if (!programs->script)
        BILANX_TRY(language_find_part("python/bilanx_worker.py", NULL, NULL, &programs->script));
    words[0] = python ? python : "python3";
    words[1] = programs->script;
    words[2] = path;
    return BILANX_SUCCESS;
}

static struct bilanx_error open_programs(struct source *source)
{
    const struct source_request *request = &source->request;
    struct programs *programs = source->state = mem_new(struct programs);
    programs->subjects = mem_array(struct run_subject, request->word_count);
    programs->argv = mem_zeroed(request->word_count, sizeof *programs->argv);
    for (size_t i = 0; i < request->word_count; i++) {
        BILANX_TRY(find_words(request, i, programs));
        programs->subjects[i] =
            (struct run_subject){.name = request->words[i],
                                 .env = env_of(request, i),
                                 .barrier = " case=0 barrier=1",
                                 .launch = {.argv = programs->argv[i],
                                            .channel = WORKER_CHANNEL,
                                            .surroundings = request->surroundings}};
        struct bilanx_error error =
            run_list(&programs->subjects[i], request->filter, &source->cases);
        if (error.status == BILANX_OK)
            continue;
        // The others can still be measured.
        if (request->word_count == 1 || error.status == BILANX_E_USAGE ||
            error.status == BILANX_E_INTERRUPTED)
            return error;
        source_tell(source, error.text);
        source->incomplete = true;
    }
    return BILANX_SUCCESS;
}

static void done(struct source *source)
{
    struct programs *programs = source->state;
    run_cases_done(&source->cases);
    if (programs) {
        free(programs->subjects);
        free(programs->argv);
        free(programs->script);
    }
    free(programs);
}

const struct source_kind program_source = {
    .name = "program",
    .open = open_programs,
    .keep = source_keep_cases,
    .done = done,
};
