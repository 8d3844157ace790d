// requirements: whether what a case needs is installed.
#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "requirements.h"
#include "sources/compile/recipes.h"

static const double LOOK_TIMEOUT_S = 60;

static bool succeeds(const char *const *argv, const struct statement_options *options)
{
    AUTO(text) struct text output = {0};
    int status = 0;
    return capture_run(&(struct capture_options){.argv = argv,
                                                 .surroundings = options->surroundings,
                                                 .timeout_s = LOOK_TIMEOUT_S},
                       &output, &status)
                   .status == BILANX_OK &&
           status == 0;
}

static bool has_program(const char *name, const struct statement_options *options)
{
    AUTO(list) struct list words = {0};
    AUTO(memory) char *path = NULL;
    if (list_split(&words, name).status == BILANX_OK && words.count)
        path = surroundings_find_program(options->surroundings, words.items[0]);
    return path != NULL;
}

static bool has_module(const char *name, const struct statement_options *options)
{
    const char *python = statements_python(options);
    AUTO(memory) char *code = mem_format("import importlib.util as u, sys\n"
                                         "sys.exit(u.find_spec(sys.argv[1]) is None)");
    return succeeds((const char *[]){python ? python : "python3", "-c", code, name, NULL}, options);
}

static bool has_package(const char *name, const struct statement_options *options)
{
    return succeeds((const char *[]){"pkg-config", "--exists", name, NULL}, options);
}

static bool compiles(const char *text, const char *library, const struct statement_options *options)
{
    AUTO(memory) char *line = mem_format("%s\nint main(void) { return 0; }\n", text);
    AUTO(temporary) struct temporary folder = {0};
    AUTO(memory) char *where = surroundings_temporary(options->surroundings);
    if (temporary_init(&folder, where).status != BILANX_OK)
        return false;
    AUTO(memory) char *file = mem_format("%s/look.c", folder.path);
    return file_write(file, line, strlen(line)).status == BILANX_OK &&
           succeeds((const char *[]){options->cc ? options->cc : "cc", "-o", "/dev/null", file,
                                     library, NULL},
                    options);
}

static bool has_header(const char *name, const struct statement_options *options)
{
    AUTO(memory) char *text = mem_format("#include <%s>", name);
    return compiles(text, NULL, options);
}

static bool has_library(const char *name, const struct statement_options *options)
{
    AUTO(memory) char *library = mem_format("-l%s", name);
    return compiles("", library, options);
}

static const struct requirement {
    const char *kind;
    bool (*met)(const char *name, const struct statement_options *options);
    const char *missing;
} requirements[] = {
    {"program", has_program, "missing program"},
    {"python", has_module, "missing Python module"},
    {"pkg", has_package, "missing pkg-config package"},
    {"header", has_header, "missing header"},
    {"library", has_library, "missing library"},
};

static bool torch_met(const struct bilanx_suite_case *item, const struct statement_options *options)
{
    if (text_equal(item->task.language, "python"))
        return has_module("torch", options);
    AUTO(list) struct list names = {0}, flags = {0};
    AUTO(recipe_parts) struct recipe_parts parts = {0};
    list_add(&names, "torch");
    return recipes_apply(&names, true, options->surroundings, &flags, &parts).status == BILANX_OK &&
           (!item->model || has_module("torch", options));
}

// Writes why a requirement is not met; nothing if it is.
static void look(const struct bilanx_suite_case *item, const char *word,
                 const struct statement_options *options, struct text *reason)
{
    if (strcmp(word, "torch") == 0 && !torch_met(item, options))
        text_format(reason, "PyTorch is not installed for %s", item->task.language);
    const char *colon = strchr(word, ':');
    for (size_t i = 0; colon && i < sizeof requirements / sizeof *requirements; i++) {
        const struct requirement *requirement = &requirements[i];
        if (strncmp(word, requirement->kind, (size_t)(colon - word)) == 0 &&
            !requirement->met(colon + 1, options))
            text_format(reason, "%s '%s'", requirement->missing, colon + 1);
    }
}

static bool unmet(struct requirements *known, const struct bilanx_suite_case *item,
                  const struct statement_options *options, struct text *reason)
{
    for (char **word = item->required; word && *word; word++) {
        AUTO(memory) char *name =
            mem_format("%s %s %d", *word, item->task.language, item->model != NULL);
        size_t at = 0;
        while (at < known->names.count && strcmp(known->names.items[at], name) != 0)
            at++;
        if (at == known->names.count) {
            AUTO(text) struct text found = {0};
            look(item, *word, options, &found);
            list_add(&known->names, name);
            list_add(&known->reasons, text_get(&found));
        }
        text_add(reason, known->reasons.items[at]);
        if (reason->size)
            return true;
    }
    return false;
}

bool requirements_refuse(struct requirements *known, const struct bilanx_suite_case *item,
                         const struct statement_options *options, struct text *reason)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (item->skip)
        text_add(reason, item->skip);
    else if (item->task.num_threads > (uint64_t)(cores < 1 ? 1 : cores))
        text_format(reason, "it needs %llu threads, but there are only %ld cores",
                    (unsigned long long)item->task.num_threads, cores);
    else
        return unmet(known, item, options, reason);
    return true;
}

void requirements_done(struct requirements *known)
{
    list_done(&known->names);
    list_done(&known->reasons);
}
