// preload: libraries that are loaded into the processes of a case before anything else.
#include "preload.h"

#include "base/capture.h"
#include "base/mem.h"

static const double COMPILE_TIMEOUT_S = 60;

// The directory belongs to the surroundings of the options.
void preload_done(struct preload *preload)
{
    list_done(&preload->surroundings.variables);
    temporary_done(&preload->folder);
}

static struct bilanx_error compile(const char *file, const char *library,
                                   const struct statement_options *options)
{
    AUTO(list) struct list argv = {0};
    AUTO(text) struct text output = {0};
    int status = 0;
    BILANX_TRY(list_split(&argv, options->cc ? options->cc : "cc"));
    const char *const usual[] = {"-O2", "-fPIC", "-shared", "-o", library, file};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        list_add(&argv, usual[i]);
    BILANX_TRY(list_split(&argv, options->cflags ? options->cflags : ""));
    BILANX_TRY(list_split(&argv, options->ldflags ? options->ldflags : ""));
    BILANX_TRY(capture_run(&(struct capture_options){.argv = (const char *const *)argv.items,
                                                     .surroundings = options->surroundings,
                                                     .timeout_s = COMPILE_TIMEOUT_S},
                           &output, &status));
    if (status == 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_FAILED, "cannot compile '%s': %.300s", file,
                             text_get(&output));
}

// Replaces the variable, keeping libraries that were to be loaded anyway.
static void set_variable(struct preload *preload, const struct surroundings *base,
                         const char *libraries)
{
    const char *before = surroundings_variable(base, "LD_PRELOAD");
    preload->surroundings = base ? *base : (struct surroundings){0};
    preload->surroundings.variables = (struct list){0};
    for (char *const *each = surroundings_variables(base); *each; each++)
        if (!text_starts(*each, "LD_PRELOAD="))
            list_add(&preload->surroundings.variables, *each);
    list_take(&preload->surroundings.variables,
              mem_format("LD_PRELOAD=%s%s%s", libraries, before ? ":" : "", before ? before : ""));
}

struct bilanx_error preload_build(struct preload *preload, const struct list *files,
                                  struct statement_options *options)
{
    AUTO(text) struct text libraries = {0};
    if (files->count == 0)
        return BILANX_SUCCESS;
    AUTO(memory) char *where = surroundings_temporary(options->surroundings);
    BILANX_TRY(temporary_init(&preload->folder, where));
    for (size_t i = 0; i < files->count; i++) {
        AUTO(memory) char *library = mem_format("%s/%zu.so", preload->folder.path, i);
        BILANX_TRY(compile(files->items[i], library, options));
        text_format(&libraries, "%s%s", i ? ":" : "", library);
    }
    set_variable(preload, options->surroundings, text_get(&libraries));
    options->surroundings = &preload->surroundings;
    return BILANX_SUCCESS;
}
