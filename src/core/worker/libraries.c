// libraries: finds OpenMP and BLAS by the names of their functions.
//
// An extension module loads its libraries privately, often several copies under unusual names
// (libgomp-a34b3233.so.1). So we look into every loaded library, not just the global scope.
#include "libraries.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/list.h"

static const struct library {
    const char *part_of_name;
    const char *set, *get;
} libraries[] = {
    {"libgomp", "omp_set_num_threads", NULL},
    {"libomp", "omp_set_num_threads", NULL},
    {"libiomp", "omp_set_num_threads", NULL},
    {"blas", "openblas_set_num_threads", "openblas_get_num_threads"},  // Debian: libblas.so.3
    {"blas", "openblas_set_num_threads64_", "openblas_get_num_threads64_"},
    {"blas", "scipy_openblas_set_num_threads", "scipy_openblas_get_num_threads"},
    {"blas", "scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"},
    {"libmkl_rt", "MKL_Set_Num_Threads", NULL},
    {"libblis", "bli_thread_set_num_threads", NULL},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static int add_path(struct dl_phdr_info *info, size_t size, void *paths)
{
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0])
        list_add(paths, info->dlpi_name);
    return 0;
}

struct visit {
    int threads;  // number to set; 0: query
    int sum;      // libraries set, or threads they have started
    void *seen[32];
    size_t count;
};

// Libraries are found repeatedly, through others that are linked to them.
static bool is_new(struct visit *visit, void *function)
{
    for (size_t i = 0; i < visit->count; i++)
        if (visit->seen[i] == function)
            return false;
    if (visit->count < sizeof visit->seen / sizeof *visit->seen)
        visit->seen[visit->count++] = function;
    return true;
}

static void visit_library(struct visit *visit, const char *path, const struct library *library)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!handle)
        return;
    const char *symbol = visit->threads ? library->set : library->get;
    void *function = symbol ? dlsym(handle, symbol) : NULL;
    if (function && is_new(visit, function)) {
        void (*set)(int);
        int (*get)(void);
        *(void **)&set = *(void **)&get = function;
        if (visit->threads)
            set(visit->threads);
        visit->sum += visit->threads ? 1 : get() - 1;
    }
    dlclose(handle);
}

static int visit_all(int threads)
{
    AUTO(list) struct list paths = {0};
    struct visit visit = {.threads = threads};
    dl_iterate_phdr(add_path, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        const char *slash = strrchr(paths.items[i], '/');
        const char *name = slash ? slash + 1 : paths.items[i];
        for (size_t j = 0; j < LIBRARIES; j++)
            if (strstr(name, libraries[j].part_of_name))
                visit_library(&visit, paths.items[i], &libraries[j]);
    }
    return visit.sum;
}

int libraries_set_threads(int threads)
{
    return visit_all(threads);
}

int libraries_safe_threads(void)
{
    return visit_all(0);
}
