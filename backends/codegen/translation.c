// translation: compiles the C of plans, keeps the objects in the cache, and loads them.
//
// A kernel is identified by the text of its own translation unit, even if it was compiled in a
// shared one. There, the names of its functions end in its number: bilanx_kernel_3.
#include "translation.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "sources/compile/building.h"
#include "vocabulary.h"

static const char ENTRY[] = "bilanx_kernel";

// By default, the compiler would inline less in a unit with more kernels.
static const char ALWAYS_INLINE[] = "-Dinline=inline __attribute__((always_inline))";

void translator_done(struct translator *translator)
{
    list_done(&translator->how.flags);
    toolchain_done(&translator->toolchain);
    cache_done(&translator->cache);
}

struct bilanx_error translator_init(struct translator *translator, const char *cc,
                                    const char *cflags, int threads)
{
    static const char *const flags[] = {
        "-O3",
        "-march=native",
        "-std=gnu17",
        "-ffp-contract=fast",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fwrapv",
        "-Wno-psabi",
        ALWAYS_INLINE,
#if defined(__x86_64__)
        // For some processors GCC prefers half of that, and splits our vectors into a loop over
        // their lanes.
        "-mprefer-vector-width=512",
#endif
    };
    *translator = (struct translator){.how = {.cc = cc, .cflags = cflags, .directory = "/"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        list_add(&translator->how.flags, flags[i]);
    if (threads > 1)  // a library of its own, which may be missing for clang
        list_add(&translator->how.flags, "-fopenmp");
    BILANX_TRY(toolchain_find(false, &translator->how, &translator->toolchain));
    return cache_open(NULL, &translator->cache);
}

struct functions {  // the C of a plan, without the vocabulary it is written in
    struct text text;
    const struct dtype *computed;  // NULL: there is nothing to compute
    unsigned lanes;
};

static void functions_done(struct functions *functions)
{
    text_done(&functions->text);
}

SCOPE_VALUE(functions, functions_done)

// The suffix of function names; "" in a separate unit.
static void ending_of(size_t place, char out[24])
{
    out[0] = '\0';
    if (place)
        snprintf(out, 24, "_%zu", place);
}

// The function that calls all others.
static void write_entry(const struct schedule *schedules, int count, const char *ending,
                        struct text *out)
{
    bool by_row = schedules_share_rows(schedules, count), parallel = false;
    AUTO(text) struct text calls = {0};
    for (int i = 0; i < count; i++) {
        parallel = parallel || schedules[i].parallel;
        text_format(&calls, "%sstep%d%s(at%s)", i ? " | " : "", i, ending, by_row ? ", i0" : "");
    }
    text_format(out,
                "__attribute__((visibility(\"default\"))) int %s%s(void *const *at);\n"
                "int %s%s(void *const *at)  // pointers to tensors, results among them\n{\n",
                ENTRY, ending, ENTRY, ending);
    if (!by_row) {
        text_format(out, "    %sreturn %s;\n}\n", count ? "" : "(void)at;\n    ",
                    count ? text_get(&calls) : "0");
        return;
    }
    text_add(
        out,
        "    int bad = 0;\n    // All write to the same result: row by row, it is visited once.\n");
    if (parallel)
        text_format(out, "#pragma omp parallel for num_threads(%d) reduction(| : bad)\n",
                    schedules->tuning->threads);
    text_format(out,
                "    for (long i0 = 0; i0 < %lld; i0++)\n        bad |= %s;\n"
                "    return bad;\n}\n",
                (long long)schedules->kernel.shape[0], text_get(&calls));
}

static void write_functions(const struct translation *translation, size_t place,
                            struct functions *out)
{
    const struct plan *plan = translation->plan;
    char ending[24];
    int count = 0;
    ending_of(place, ending);
    out->lanes = schedule_lanes(plan->kernels, &translation->tuning);
    for (const struct kernel *kernel = plan->kernels; kernel; kernel = kernel->next)
        count++;
    AUTO(memory) struct schedule *schedules = mem_array(struct schedule, (size_t)count);
    count = 0;
    for (const struct kernel *kernel = plan->kernels; kernel; kernel = kernel->next)
        schedule_choose(kernel, &translation->tuning, out->lanes, &schedules[count++]);
    bool by_row = schedules_share_rows(schedules, count);
    for (int i = 0; i < count; i++) {
        AUTO(memory) char *name = mem_format("step%d%s", i, ending);
        schedules[i].is_row = by_row;
        schedule_write(&schedules[i], name, &out->text);
        text_add(&out->text, "\n");
        out->computed = schedules[i].kernel.computed;
    }
    write_entry(schedules, count, ending, &out->text);
}

static void write_unit(const struct functions *functions, struct text *out)
{
    const char *text = text_get(&functions->text);
    if (functions->computed)
        vocabulary_write(out, text, functions->computed, functions->lanes);
    text_add(out, "\n");
    text_add_n(out, text, functions->text.size);
}

void translation_write(const struct translation *translation, struct text *out)
{
    AUTO(functions) struct functions functions = {0};
    write_functions(translation, 0, &functions);
    text_format(out, "// %s, as generated by bilanx.\n", translation->plan->frame->call->name);
    write_unit(&functions, out);
}

static struct digest key_of(const struct translation *translation, const struct text *source)
{
    const struct translator *translator = translation->translator;
    return toolchain_key(&translator->toolchain, &translator->how, source, true);
}

// Compiles a unit into an object in the folder of the building; the caller frees its path.
static struct bilanx_error compile(struct building *building, const struct text *source, char **out)
{
    BILANX_TRY(building_begin(building));
    AUTO(memory) char *code = building_path(building, "kernel.c");
    AUTO(memory) char *object = building_path(building, "kernel.so");
    BILANX_TRY(file_write(code, text_get(source), source->size));
    AUTO(list) struct list argv = {0};
    toolchain_begin(building->toolchain, &argv);
    const char *const words[] = {"-shared", "-nostartfiles", "-o", object, code};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list_add(&argv, words[i]);
    toolchain_end(building->toolchain, true, &argv);
    AUTO(text) struct text diagnostics = {0};
    BILANX_TRY(building_run(building, &argv, &diagnostics));
    *out = TAKE(object);
    return BILANX_SUCCESS;
}

static struct building building_for(const struct translator *translator)
{
    return (struct building){.toolchain = &translator->toolchain,
                             .options = &translator->how,
                             .cache = &translator->cache};
}

static struct bilanx_error compile_alone(const struct translator *translator,
                                         const struct text *source, const struct digest *key,
                                         struct cache_entry *out)
{
    AUTO(building) struct building building = building_for(translator);
    AUTO(memory) char *object = NULL;
    AUTO(list) struct list inputs = {0};
    BILANX_TRY(compile(&building, source, &object));
    return cache_keep(building.cache, key, object, &inputs, building.started_ns, out);
}

// OpenMP's threads wait for work inside its library, which must stay when kernels are unloaded.
static void keep_runtime(void *library)
{
    void *function = dlsym(library, "omp_get_num_threads");
    Dl_info found;
    if (!function || !dladdr(function, &found))
        return;
    void *runtime = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (runtime)
        dlclose(runtime);
}

struct bilanx_error translation_load(const struct translation *translation, void **library,
                                     kernel_function **function)
{
    const struct translator *translator = translation->translator;
    AUTO(text) struct text source = {0};
    translation_write(translation, &source);
    struct digest key = key_of(translation, &source);
    AUTO(cache_entry) struct cache_entry entry = {0};
    if (!cache_find(&translator->cache, &key, &entry))
        BILANX_TRY(compile_alone(translator, &source, &key, &entry));
    const char *place = cache_fact(&entry, "place");
    AUTO(memory) char *name = mem_format("%s%s%s", ENTRY, place ? "_" : "", place ? place : "");
    *library = dlopen(entry.object, RTLD_NOW | RTLD_LOCAL);
    void *symbol = *library ? dlsym(*library, name) : NULL;
    if (!symbol)
        return bilanx_error_make(BILANX_E_FAILED, "cannot load the kernel of '%s': %s",
                                 translation->plan->frame->call->name, dlerror());
    keep_runtime(*library);
    memcpy(function, &symbol, sizeof symbol);
    return BILANX_SUCCESS;
}

// ---- Several at once

struct job {
    const struct translation *translation;
    struct digest key;
    size_t place;
    struct functions functions;
    bool done;
};

static bool is_known(const struct job *jobs, size_t count, const struct digest *key)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&jobs[i].key, key, sizeof *key) == 0)
            return true;
    return false;
}

// Lists what the cache lacks, each once.
static size_t find_jobs(const struct translation *translations, size_t count, struct job *jobs)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO(text) struct text source = {0};
        AUTO(cache_entry) struct cache_entry entry = {0};
        translation_write(&translations[i], &source);
        struct digest key = key_of(&translations[i], &source);
        if (is_known(jobs, found, &key) ||
            cache_find(&translations[i].translator->cache, &key, &entry))
            continue;
        struct job *job = &jobs[found++];
        *job = (struct job){.translation = &translations[i], .key = key, .place = found};
        write_functions(job->translation, job->place, &job->functions);
    }
    return found;
}

// Whether they can share a unit: it takes the same compiler and the same types of vectors.
static bool fits(const struct job *job, const struct job *other)
{
    return job->translation->translator == other->translation->translator &&
           job->functions.computed == other->functions.computed &&
           job->functions.lanes == other->functions.lanes;
}

static void keep_shared(const struct building *building, const struct job *job, const char *object)
{
    AUTO(cache_entry) struct cache_entry entry = {0};
    AUTO(list) struct list inputs = {0};
    list_take(&entry.facts, mem_format("place %zu", job->place));
    (void)cache_share(building->cache, &job->key, object, &inputs, building->started_ns, &entry);
}

// Compiles the first job, and those after it that fit.
static void compile_unit(struct job *first, const struct job *end)
{
    AUTO(building) struct building building = building_for(first->translation->translator);
    AUTO(memory) char *object = NULL;
    AUTO(functions) struct functions all = {.computed = first->functions.computed,
                                            .lanes = first->functions.lanes};
    AUTO(text) struct text source = {0};
    for (const struct job *job = first; job < end; job++)
        if (fits(job, first))
            text_add_n(&all.text, text_get(&job->functions.text), job->functions.text.size);
    write_unit(&all, &source);
    bool compiled = compile(&building, &source, &object).status == BILANX_OK;
    for (struct job *job = first; job < end; job++) {
        if (!fits(job, first))
            continue;
        if (compiled)
            keep_shared(&building, job, object);
        job->done = true;
    }
}

void translations_compile(const struct translation *translations, size_t count)
{
    AUTO(memory) struct job *jobs = mem_array(struct job, count);
    size_t missing = find_jobs(translations, count, jobs);
    for (size_t i = 0; i < missing; i++)
        if (!jobs[i].done)
            compile_unit(&jobs[i], jobs + missing);
    for (size_t i = 0; i < missing; i++)
        functions_done(&jobs[i].functions);
}
