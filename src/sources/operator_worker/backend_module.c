// backend_module: a backend in this process.
#include "backend_module.h"

#include <dlfcn.h>
#include <string.h>

void backend_module_done(struct backend_module *module)
{
    if (module->table && module->table->close)
        module->table->close(module->state);
    if (module->library)
        dlclose(module->library);
    *module = (struct backend_module){0};
}

// Lazy binding would fail in the middle of a measurement. Local, so that two backends may bring
// libraries with the same names.
static struct bilanx_error load(const char *path, const char *symbol, struct backend_module *out)
{
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        return bilanx_error_make(BILANX_E_INPUT, "cannot load it: %s", dlerror());
    out->table = dlsym(out->library, symbol);
    if (!out->table)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "'%s' is not a backend: it does not export '%s' (see "
                                 "<bilanx/backend.h>)",
                                 path, symbol);
    return BILANX_SUCCESS;
}

static const struct bilanx_backend *find_own(const struct operator_worker *worker, const char *name)
{
    for (size_t i = 0; i < worker->backend_count; i++)
        if (strcmp(worker->backends[i]->name, name) == 0)
            return worker->backends[i];
    return NULL;
}

static struct bilanx_error check(const struct bilanx_backend *table)
{
    if (table->version != BILANX_BACKEND_VERSION)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "it was compiled for version %u of <bilanx/backend.h>, this is %d",
                                 table->version, BILANX_BACKEND_VERSION);
    if (!table->name || !table->supports || !table->prepare || !table->run || !table->outputs ||
        !table->release)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "its table lacks one of: name, supports, prepare, run, outputs, "
                                 "release");
    return BILANX_SUCCESS;
}

struct bilanx_error backend_module_load(const struct operator_worker *worker,
                                        const struct bilanx_host *host,
                                        const struct backend_request *request,
                                        struct backend_module *out)
{
    AUTO(backend_module) struct backend_module module = {0};
    const char *path = request->path;
    const char *elsewhere =
        path && worker->elsewhere ? worker->elsewhere(request->name, path) : NULL;
    if (elsewhere)
        return bilanx_error_make(BILANX_E_SKIPPED, "%s", elsewhere);
    if (path) {
        BILANX_TRY(load(path, request->symbol ? request->symbol : BILANX_BACKEND_SYMBOL, &module));
    } else {
        module.table = find_own(worker, request->name);
        if (!module.table)
            return bilanx_error_make(BILANX_E_INPUT, "there is no backend '%s'", request->name);
    }
    struct bilanx_error error = check(module.table);
    if (error.status == BILANX_OK && module.table->open)
        error = module.table->open(host, request->config, &module.state);
    if (error.status != BILANX_OK) {
        module.table = NULL;  // not open, so nothing to close
        return bilanx_error_make(BILANX_E_INPUT, "%s", error.text);
    }
    *out = module;
    module = (struct backend_module){0};
    return BILANX_SUCCESS;
}

static void *find(const struct backend_module *module, const char *symbol)
{
    return module->library ? dlsym(module->library, symbol) : NULL;
}

char *backend_module_code(const struct backend_module *module, const struct bilanx_call *call)
{
    bilanx_backend_code_function *code = NULL;
    void *symbol = find(module, BILANX_BACKEND_CODE_SYMBOL);
    memcpy(&code, &symbol, sizeof code);
    return code ? code(module->state, call) : NULL;
}

bool backend_module_compiles(const struct backend_module *module)
{
    return find(module, BILANX_BACKEND_COMPILE_SYMBOL);
}

void backend_module_compile(const struct backend_module *module,
                            const struct bilanx_call *const *calls, size_t count)
{
    bilanx_backend_compile_function *compile = NULL;
    void *symbol = find(module, BILANX_BACKEND_COMPILE_SYMBOL);
    memcpy(&compile, &symbol, sizeof compile);
    if (compile)
        compile(module->state, calls, count);
}

void backend_module_describe(const struct backend_module *module, char *out, size_t size)
{
    out[0] = '\0';
    if (module->table->describe)
        module->table->describe(module->state, out, size);
}
