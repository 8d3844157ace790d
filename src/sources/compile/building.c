// building: one compilation, in its own temporary folder.
#include "building.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "linking.h"
#include "rules.h"

static const double COMPILE_TIMEOUT_S = 600;

struct bilanx_error building_begin(struct building *building)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    building->started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return temporary_init(&building->workplace, building->cache->building);
}

void building_done(struct building *building)
{
    temporary_done(&building->workplace);
    list_done(&building->objects);
    list_done(&building->source_inputs);
    list_done(&building->inputs);
    free(building->fixed);
}

char *building_path(const struct building *building, const char *name)
{
    return mem_format("%s/%s", building->workplace.path, name);
}

// Lines that mention our functions and temporary files mean nothing to the user.
static bool is_ours(const char *line)
{
    return strstr(line, "In function") || strstr(line, "in function") ||
           strstr(line, "bilanx_copies") || strstr(line, "more undefined references") ||
           strstr(line, "linker input file unused") ||
           strstr(line, "-Wno-unused-command-line-argument") || strstr(line, "At top level:") ||
           strstr(line, "At global scope:");
}

// The linker reports a missing symbol once per layout; one report is enough.
static void drop_our_names(struct text *diagnostics)
{
    AUTO(list) struct list lines = {0};
    AUTO(index) struct index missing = {0};
    list_split_lines(&lines, text_get(diagnostics));
    text_clear(diagnostics);
    for (size_t i = 0; i < lines.count; i++) {
        const char *undefined = strstr(lines.items[i], "undefined reference to");
        bool added = true;
        if (undefined) {
            struct hash key = hash_start();
            hash_add_text(&key, undefined);
            index_find_or_add(&missing, key, i, &added);
        }
        if (undefined ? added : !is_ours(lines.items[i]))
            text_format(diagnostics, "%s%s\n", undefined ? "error: " : "",
                        undefined ? undefined : lines.items[i]);
    }
}

// A compiler may report a full disk, speak another language, or say only that its linker failed.
static struct bilanx_error refusal(const struct building *building, const struct text *diagnostics)
{
    AUTO(memory) char *space =
        mem_format("the disk of the cache '%s' is full (set XDG_CACHE_HOME to use another)",
                   building->cache->root);
    if (strstr(text_get(diagnostics), strerror(ENOSPC)) ||
        strstr(text_get(diagnostics), strerror(EDQUOT)))
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot compile: %s", space);
    bool full = file_disk_is_full(building->workplace.path);
    const char *first = strstr(text_get(diagnostics), "error: ");
    first = first ? first + strlen("error: ") : text_get(diagnostics);
    return bilanx_error_make(BILANX_E_COMPILE, "%.*s%s%s", (int)strcspn(first, "\n"), first,
                             full ? "; " : "", full ? space : "");
}

struct bilanx_error building_run(const struct building *building, const struct list *argv,
                                 struct text *diagnostics)
{
    // Temporary files of the compiler vanish with the workplace, even if it is killed.
    AUTO(memory) char *temporary = mem_format("TMPDIR=%s", building->workplace.path);
    int status = 0;
    text_clear(diagnostics);
    BILANX_TRY(capture_run(&(struct capture_options){.argv = (const char *const *)argv->items,
                                                     .directory = building->options->directory,
                                                     .environment = (char *[]){temporary, NULL},
                                                     .timeout_s = COMPILE_TIMEOUT_S},
                           diagnostics, &status));
    if (status == 0)
        return BILANX_SUCCESS;
    drop_our_names(diagnostics);
    return refusal(building, diagnostics);
}

static void read_inputs(const struct building *building, const char *rule, struct list *inputs)
{
    AUTO(memory) char *path = building_path(building, rule);
    rules_read(path, building->workplace.path, building->options->directory, inputs);
}

void building_inputs(struct building *building, const char *rule)
{
    read_inputs(building, rule, &building->inputs);
}

// Compiles one source per call: several in one call would all write the same dependency file.
static struct bilanx_error compile_source(struct building *building, const char *source,
                                          struct text *diagnostics)
{
    AUTO(memory) char *name = mem_format("%zu.o", building->objects.count);
    AUTO(memory) char *object = building_path(building, name);
    AUTO(memory) char *rule = building_path(building, "source.d");
    AUTO(list) struct list argv = {0};
    toolchain_begin(building->toolchain, &argv);
    const char *const words[] = {"-c", "-MD",  "-MF",  rule,
                                 "-o", object, source, "-Wno-unused-command-line-argument"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)  // the last silences linker flags
        list_add(&argv, words[i]);
    toolchain_end(building->toolchain, false, &argv);
    BILANX_TRY(building_run(building, &argv, diagnostics));
    read_inputs(building, "source.d", &building->source_inputs);
    list_take(&building->objects, TAKE(object));
    return BILANX_SUCCESS;
}

struct bilanx_error building_sources(struct building *building, struct text *diagnostics)
{
    const struct list *sources = &building->options->sources;
    for (size_t i = building->objects.count; i < sources->count; i++)
        BILANX_TRY(compile_source(building, sources->items[i], diagnostics));
    return BILANX_SUCCESS;
}

// Adds the arguments that compile the unit, up to its name.
static void begin_unit(const struct building *building, const char *code, struct list *argv)
{
    if (building->precompiled) {
        list_add(argv, "-include");
        list_take(argv, building_path(building, "h.hpp"));
    }
    toolchain_quoted(building->toolchain, building->options, argv);
    list_add(argv, "-MD");
    list_add(argv, "-MF");
    list_take(argv, building_path(building, "s.d"));
    if (building->options->counting)  // a random path must not appear in a record
        list_take(argv, mem_format("-fdebug-prefix-map=%s=bilanx", building->workplace.path));
    list_add(argv, code);
}

static struct bilanx_error compile_unit(const struct building *building, const char *code,
                                        struct text *diagnostics)
{
    AUTO(list) struct list argv = {0};
    toolchain_begin(building->toolchain, &argv);
    list_add(&argv, "-c");
    list_add(&argv, "-Wno-unused-command-line-argument");
    begin_unit(building, code, &argv);
    list_add(&argv, "-o");
    list_take(&argv, building_path(building, "s.o"));
    toolchain_end(building->toolchain, false, &argv);
    return building_run(building, &argv, diagnostics);
}

struct bilanx_error building_compile(struct building *building, const struct text *source,
                                     bool math, struct text *diagnostics)
{
    AUTO(memory) char *code =
        building_path(building, building->toolchain->cplusplus ? "s.cpp" : "s.c");
    BILANX_TRY(file_write(code, text_get(source), source->size));
    list_done(&building->inputs);
    list_add_all(&building->inputs, &building->source_inputs);
    AUTO(list) struct list unit = {0};
    // If nothing has to be examined in between, a single call is a tenth faster.
    building->apart = building->toolchain->moves || building->toolchain->cplusplus;
    if (building->apart)
        BILANX_TRY(compile_unit(building, code, diagnostics));
    else
        begin_unit(building, code, &unit);
    return linking_run(building, &unit, math, diagnostics);
}

char *building_code(const struct building *building)
{
    return building_path(building, building->apart ? "s.o" : "s.so");
}
