// models: TorchScript models, saved once per interpreter.
#include "models.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/place.h"
#include "sources/compile/cache.h"
#include "support/digest/digest.h"

static const double SAVE_TIMEOUT_S = 600;

// Each program has its own file, because scripting a function reads its source. Failures are
// reported and leave that model missing; the others are saved.
static const char driver[] = "import os, runpy, sys, traceback\n"
                             "pairs = sys.argv[1:]\n"
                             "for i in range(0, len(pairs), 2):\n"
                             "    sys.argv = [pairs[i], pairs[i + 1] + '.part']\n"
                             "    try:\n"
                             "        runpy.run_path(pairs[i])\n"
                             "        os.rename(pairs[i + 1] + '.part', pairs[i + 1])\n"
                             "    except Exception:\n"
                             "        traceback.print_exc(limit=-1)\n";

static struct bilanx_error make_folder(const char *python, const struct surroundings *surroundings,
                                       char **out)
{
    AUTO(cache) struct cache cache = {0};
    AUTO(memory) char *place = NULL;
    BILANX_TRY(place_find(surroundings, &place));
    BILANX_TRY(cache_open(place, &cache));
    AUTO(digester) struct digester *digester = digester_new();
    AUTO(memory) char *path = surroundings_path(surroundings, python);
    AUTO(memory) char *real = realpath(path, NULL);
    struct stat facts = {0};
    stat(real ? real : path, &facts);
    digester_add_text(digester, python);
    digester_add(digester, &facts.st_mtim, sizeof facts.st_mtim);
    struct digest digest = digester_get(digester);
    char digits[DIGEST_TEXT];
    AUTO(memory) char *folder =
        mem_format("%s/models-%.16s", cache.objects, digest_text(&digest, digits));
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make '%s': %s", folder, strerror(errno));
    *out = TAKE(folder);
    return BILANX_SUCCESS;
}

// Adds the arguments for a model that does not exist yet.
static void add_missing(const char *folder, const struct bilanx_suite_model *model,
                        struct list *argv)
{
    AUTO(memory) char *saved = mem_format("%s/%s.pt", folder, model->name);
    AUTO(memory) char *program = mem_format("%s/%s.py", folder, model->name);
    for (size_t i = 0; i < argv->count; i++)
        if (strcmp(argv->items[i], saved) == 0)
            return;
    if (access(saved, R_OK) == 0 ||
        file_write(program, model->program, strlen(model->program)).status != BILANX_OK)
        return;
    list_add(argv, program);
    list_add(argv, saved);
}

struct bilanx_error models_save(struct bilanx_suite_case *const *cases, size_t count,
                                const struct statement_options *options, char **folder)
{
    const struct surroundings *surroundings = options->surroundings;
    const char *asked = statements_python(options);
    AUTO(memory) char *python = surroundings_find_program(surroundings, asked ? asked : "python3");
    AUTO(list) struct list argv = {0};
    AUTO(text) struct text output = {0};
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= cases[i]->model != NULL;
    if (!any || !python)  // without Python the cases report it themselves
        return BILANX_SUCCESS;
    BILANX_TRY(make_folder(python, surroundings, folder));
    list_add(&argv, python);
    list_add(&argv, "-c");
    list_add(&argv, driver);
    size_t before = argv.count;
    for (size_t i = 0; i < count; i++)
        if (cases[i]->model)
            add_missing(*folder, cases[i]->model, &argv);
    if (argv.count == before)
        return BILANX_SUCCESS;
    int status = 0;
    return capture_run(&(struct capture_options){.argv = (const char *const *)argv.items,
                                                 .surroundings = surroundings,
                                                 .timeout_s = SAVE_TIMEOUT_S},
                       &output, &status);
}
