// backends: the backends that --backend names.
#include "backends.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "sources/torch_module/torch_module.h"

const struct backend_kind backend_kinds[] = {
    {.name = "reference", .about = "plain C, written to be obviously correct"},
    {.name = "openblas", .about = "matrix products by OpenBLAS", .install = "libopenblas-dev"},
    {.name = "blis", .about = "matrix products by BLIS", .install = "libblis-dev"},
    {.name = "onednn",
     .about = "convolution, pooling, products, norms by oneDNN",
     .install = "libdnnl-dev"},
    {.name = "codegen",
     .about = "C generated and compiled for each call",
     .install = "gcc or clang"},
    {.name = "torch",
     .about = "every operator of PyTorch, through its dispatcher",
     .torch = true,
     .install = "libtorch-dev or python3-torch"},
    {.name = "torchscript",
     .about = "PyTorch's optimised graphs (TorchScript)",
     .torch = true,
     .install = "libtorch-dev or python3-torch"},
    {.name = "inductor",
     .about = "PyTorch's compiler",
     .python = true,
     .install = "PyTorch 2 for Python, and a C++ compiler"},
    {.name = "python", .about = "functions of a Python file", .python = true},
    {0},
};

void ops_backends_done(struct ops_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        struct ops_backend *backend = &backends->items[i];
        free(backend->name);
        free(backend->kind);
        free(backend->module);
        free(backend->symbol);
        free(backend->config);
        free(backend->version);
    }
    free(backends->items);
    *backends = (struct ops_backends){0};
}

// Next to this program, as in a build; or where it is installed.
char *ops_backend_module(const char *name)
{
    AUTO(memory) char *own = file_own_folder();
    const char *folder = own ? own : "";
    char *candidates[] = {
        mem_format("%s/backends/bilanx-backend-%s.so", folder, name),
        mem_format("%s/../lib/bilanx/backends/bilanx-backend-%s.so", folder, name),
        mem_format("%s/bilanx-backend-%s.so", BILANX_BACKENDS, name),
    };
    char *found = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!found && access(candidates[i], R_OK) == 0)
            found = candidates[i];
        else
            free(candidates[i]);
    }
    return found;
}

static const struct backend_kind *find_kind(const char *name)
{
    for (const struct backend_kind *kind = backend_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

static struct bilanx_error unknown(const char *name)
{
    const char *names[16];
    size_t count = 0;
    while (backend_kinds[count].name) {
        names[count] = backend_kinds[count].name;
        count++;
    }
    const char *nearest = text_nearest(name, names, count);
    return bilanx_error_make(
        BILANX_E_USAGE, "unknown backend '%s'%s%s%s (see 'bilanx ops --backends')", name,
        nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

// A path has a slash or ends in ".so", up to the colon of its configuration. The configuration may
// also contain a slash: codegen:cc=/opt/gcc/bin/gcc. 0: not a path.
static size_t module_path(const char *spec)
{
    AUTO(memory) char *name = mem_text_n(spec, strcspn(spec, ":"));
    if (find_kind(name))
        return 0;
    const char *end = strstr(spec, ".so:");
    size_t size = end ? (size_t)(end - spec) + 3 : strlen(spec);
    bool is_path = memchr(spec, '/', size) || (size > 3 && memcmp(spec + size - 3, ".so", 3) == 0);
    return is_path ? size : 0;
}

static struct bilanx_error find_module(const char *spec, size_t size, struct ops_backend *out)
{
    AUTO(memory) char *path = mem_text_n(spec, size);
    out->module = realpath(path, NULL);  // dlopen() searches for a bare name elsewhere
    if (!out->module)
        return bilanx_error_make(BILANX_E_INPUT, "cannot find the backend '%s'", path);
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    out->own_file = true;
    out->kind = mem_text_n(base, strlen(base) - (strlen(base) > 3 ? 3 : 0));
    if (spec[size] == ':')
        out->config = mem_text(spec + size + 1);
    return BILANX_SUCCESS;
}

static struct bilanx_error find_own(const char *spec, struct ops_backend *out)
{
    size_t size = strcspn(spec, ":");
    AUTO(memory) char *name = mem_text_n(spec, size);
    const char *known = strcmp(name, "eager") == 0 ? "torch" : name;
    const struct backend_kind *kind = find_kind(known);
    if (!kind)
        return unknown(name);
    out->kind = mem_text(known);
    out->config = spec[size] == ':' ? mem_text(spec + size + 1) : NULL;
    out->python = kind->python;
    out->torch = kind->torch;
    if (kind->python || kind->torch)
        return BILANX_SUCCESS;
    out->module = ops_backend_module(known);
    if (!out->module)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "the backend '%s' was not built here: install %s and build "
                                 "bilanx again",
                                 known, kind->install ? kind->install : "bilanx");
    return BILANX_SUCCESS;
}

static void name_column(struct ops_backend *backend, const char *column)
{
    if (column)
        backend->name = mem_text(column);
    else if (backend->config)
        backend->name = mem_format("%s:%s", backend->kind, backend->config);
    else
        backend->name = mem_text(backend->kind);
}

static const struct ops_backend *find_column(const struct ops_backends *backends, const char *name)
{
    for (size_t i = 0; i < backends->count; i++)
        if (strcmp(backends->items[i].name, name) == 0)
            return &backends->items[i];
    return NULL;
}

// The length of NAME in NAME=SPEC; 0: the backend is not given a name.
static size_t given_name(const char *spec)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t size = strspn(spec, letters);
    return spec[size] == '=' && spec[size + 1] ? size : 0;
}

struct bilanx_error ops_backends_add(struct ops_backends *backends, const char *spec,
                                     const char *column)
{
    struct ops_backend found = {0};
    size_t named = given_name(spec);
    AUTO(memory) char *name = named ? mem_text_n(spec, named) : NULL;
    spec += named ? named + 1 : 0;
    size_t path = module_path(spec);
    struct bilanx_error error = path ? find_module(spec, path, &found) : find_own(spec, &found);
    if (error.status == BILANX_OK) {
        name_column(&found, name ? name : column);
        found.own_file &= !name;
        if (find_column(backends, found.name))
            error = bilanx_error_make(BILANX_E_USAGE,
                                      "the backend '%s' is given twice: give one another name, "
                                      "as in NAME=%s",
                                      found.name, found.name);
    }
    mem_grow(backends->items, backends->count, &backends->room);
    backends->items[backends->count++] = found;
    if (error.status != BILANX_OK) {
        struct ops_backends last = {.items = mem_new(struct ops_backend), .count = 1};
        last.items[0] = backends->items[--backends->count];
        ops_backends_done(&last);
    }
    return error;
}

struct bilanx_error ops_backends_baseline(struct ops_backends *backends, const char *spec)
{
    const char *known = strcmp(spec, "eager") == 0 ? "torch" : spec;
    const struct ops_backend *found = find_column(backends, known);
    size_t place = found ? (size_t)(found - backends->items) : backends->count;
    if (!found)
        BILANX_TRY(ops_backends_add(backends, known, NULL));
    struct ops_backend baseline = backends->items[place];
    memmove(backends->items + 1, backends->items, place * sizeof *backends->items);
    backends->items[0] = baseline;
    return BILANX_SUCCESS;
}

static bool is_here(const char *name)
{
    const struct backend_kind *kind = find_kind(name);
    if (kind->torch) {
        AUTO(torch_place) struct torch_place place = {0};
        return torch_place_find(&(struct torch_module_options){0}, &place).status == BILANX_OK;
    }
    AUTO(memory) char *module = ops_backend_module(name);
    return module != NULL;
}

struct bilanx_error ops_backends_usual(struct ops_backends *backends)
{
    static const char *const usual[] = {"torch", "reference", "openblas", "onednn"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool superfluous = strcmp(usual[i], "reference") == 0 && backends->count > 0;
        if (superfluous || !is_here(usual[i]))
            continue;
        BILANX_TRY(ops_backends_add(backends, usual[i], NULL));
        backends->items[backends->count - 1].implied = true;
    }
    if (backends->count == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "no backend was built here: give one with --backend");
    return BILANX_SUCCESS;
}

struct bilanx_error ops_backends_usual_baseline(struct ops_backends *backends)
{
    return ops_backends_baseline(backends, is_here("torch") ? "torch" : "reference");
}

struct bilanx_error ops_backend_find_torch(struct ops_backend *backend, const char *python,
                                           const struct tell *tell)
{
    if (!backend->torch || backend->module)
        return BILANX_SUCCESS;
    struct torch_module_options options = {.python = python, .tell = *tell};
    struct bilanx_error error = torch_module_find(&options, &backend->module);
    if (error.status != BILANX_OK)
        return bilanx_error_make(BILANX_E_INPUT, "%s", error.text);
    if (strcmp(backend->kind, "torchscript") == 0)
        backend->symbol = mem_text(TORCHSCRIPT_BACKEND_SYMBOL);
    return BILANX_SUCCESS;
}
