// recipes: libraries by name.
#include "recipes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

// Small enough to start no threads, because the process will fork. PyTorch 2 starts threads for the
// backward pass and then refuses to run it in a fork.
static const char torch_first_use[] =
    "{\n"
    "#if TORCH_VERSION_MAJOR < 2\n"
    "    auto back = [](torch::Tensor tensor) { tensor.backward(); };\n"
    "#else\n"
    "    auto back = [](torch::Tensor) {};\n"
    "#endif\n"
    "    auto x = torch::ones({4, 4}), w = torch::ones({4, 4}, torch::requires_grad());\n"
    "    auto y = (torch::mm(x, w) + x * 2).relu();\n"
    "    back(y.index({torch::indexing::Slice(0, 2), 0}).sum());\n"
    "    torch::jit::Module module(\"first_use\");\n"
    "    module.define(\"def forward(self, x, w):\\n    return torch.relu(x.mm(w) + x * 2)\\n\");\n"
    "    std::stringstream saved;\n"
    "    module.save(saved);\n"
    "    auto loaded = torch::jit::load(saved);\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        back(loaded.forward({x, w}).toTensor().sum());\n"
    "}\n";

static const struct recipe recipes[] = {
    {.name = "torch",
     .summary = "PyTorch's C++ library",
     .install = "libtorch-dev",
     .headers = "#include <torch/torch.h>\n#include <torch/script.h>\n",
     .probe = "include/torch/csrc/api/include/torch/torch.h",
     .variable = "TORCH_ROOT",
     .includes = "include include/torch/csrc/api/include",
     .libraries = "-ltorch -ltorch_cpu -lc10",
     .first_use = torch_first_use,
     .cplusplus = true,
     .costly = true,
     .slim = &slim_torch},
    {.name = "blas",
     .summary = "BLAS through its C interface, with the library that is configured",
     .install = "libblas-dev",
     .headers = "#include <cblas.h>\n",
     .libraries = "-lblas"},
    {.name = "openblas",
     .summary = "OpenBLAS",
     .install = "libopenblas-dev",
     .headers = "#include <cblas.h>\n",
     .libraries = "-lopenblas"},
    {.name = "openmp",
     .summary = "OpenMP",
     .headers = "#include <omp.h>\n",
     .libraries = "-fopenmp"},
    {.name = "threads",
     .summary = "POSIX threads",
     .headers = "#include <pthread.h>\n",
     .libraries = "-pthread"},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

struct bilanx_error recipes_find(const char *name, const struct recipe **out)
{
    const char *names[RECIPES];
    AUTO(text) struct text listed = {0};
    for (size_t i = 0; i < RECIPES; i++) {
        names[i] = recipes[i].name;
        text_format(&listed, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(names[i], name) == 0) {
            *out = &recipes[i];
            return BILANX_SUCCESS;
        }
    }
    const char *nearest = text_nearest(name, names, RECIPES);
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE, "unknown recipe '%s' (did you mean '%s'?)", name,
                                 nearest);
    return bilanx_error_make(
        BILANX_E_USAGE,
        "unknown recipe '%s': use %s, or --pkg with any package that pkg-config knows", name,
        text_get(&listed));
}

static struct bilanx_error check(const struct recipe *recipe, const char *root, bool cplusplus,
                                 const struct surroundings *surroundings)
{
    if (recipe->cplusplus && !cplusplus)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is for C++: add -l c++", recipe->name);
    AUTO(memory) char *probe = mem_format("%s/%s", root, recipe->probe ? recipe->probe : "");
    AUTO(memory) char *path = surroundings_path(surroundings, probe);
    if (access(path, R_OK) == 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_COMPILE, "'%s' is not installed: cannot find '%s'; apt-get install %s%s%s",
        recipe->name, probe, recipe->install, recipe->variable ? ", or set " : "",
        recipe->variable ? recipe->variable : "");
}

// Folders below another root are passed to the compiler and linker; they know those of the system.
static struct bilanx_error add_flags(const struct recipe *recipe, const char *root,
                                     struct list *flags)
{
    AUTO(list) struct list folders = {0};
    BILANX_TRY(list_split(&folders, recipe->includes ? recipe->includes : ""));
    bool elsewhere = strcmp(root, "/usr") != 0;
    for (size_t i = 0; i < folders.count; i++)
        if (elsewhere || strcmp(folders.items[i], "include") != 0) {
            list_add(flags, "-isystem");
            list_take(flags, mem_format("%s/%s", root, folders.items[i]));
        }
    if (elsewhere) {
        list_take(flags, mem_format("-L%s/lib", root));
        list_take(flags, mem_format("-Wl,-rpath,%s/lib", root));
    }
    return list_split(flags, recipe->libraries);
}

struct bilanx_error recipes_apply(const struct list *names, bool cplusplus,
                                  const struct surroundings *surroundings, struct list *flags,
                                  struct recipe_parts *out)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct recipe *recipe = NULL;
        BILANX_TRY(recipes_find(names->items[i], &recipe));
        const char *told =
            recipe->variable ? surroundings_variable(surroundings, recipe->variable) : NULL;
        const char *root = told && *told ? told : "/usr";
        BILANX_TRY(check(recipe, root, cplusplus, surroundings));
        BILANX_TRY(add_flags(recipe, root, flags));
        text_add(&out->headers, recipe->headers);
        out->costly |= recipe->costly;
        if (recipe->slim) {
            free(out->root);
            out->large = recipe;
            out->root = surroundings_path(surroundings, root);
        }
    }
    return BILANX_SUCCESS;
}

void recipe_parts_done(struct recipe_parts *parts)
{
    text_done(&parts->headers);
    free(parts->root);
}

bool recipes_slim(const struct recipe_parts *parts, const char *text, struct text *headers,
                  struct text *includes)
{
    const char *all = text_get(&parts->headers);
    const char *large = parts->large ? strstr(all, parts->large->headers) : NULL;
    if (!large || !slim_includes(parts->large->slim, parts->root, text, includes))
        return false;
    text_add_n(headers, all, (size_t)(large - all));
    text_add(headers, parts->large->slim->always);
    text_add(headers, large + strlen(parts->large->headers));
    return true;
}
