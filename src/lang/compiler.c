// compiler: from a snippet to a shared object.
//
// One call of the compiler does everything: compile, link, and say which files it read. A snippet
// that does not compile is tried once more without what we put around the user's text: if that
// works the fault was ours, and if not its messages speak of nothing but that text.
#include "compiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "cache.h"
#include "counting.h"
#include "loops.h"

static const double COMPILE_TIMEOUT_S = 600;

// What every snippet is compiled with.
static const char *const recipe[] = {
    "-shared", "-pipe", "-fPIC", "-fdiagnostics-color=never", "-Wl,-z,now,-z,defs", "-MD", NULL};

void object_done(struct object *object)
{
    free(object->path);
    free(object->cc);
    free(object->flags);
    *object = (struct object){0};
}

struct toolchain {
    char *path;         // of the compiler
    struct list flags;  // that the user's options amount to, in the order of the command line
    bool replaced;      // one of them, for counting
};

static void toolchain_done(struct toolchain *toolchain)
{
    free(toolchain->path);
    list_done(&toolchain->flags);
}
SCOPE_VALUE(toolchain, toolchain_done)

static struct bilanx_error ask_packages(const struct list *packages, struct list *flags)
{
    if (packages->count == 0)
        return BILANX_SUCCESS;
    AUTO(list) struct list argv = {0};
    AUTO(text) struct text output = {0};
    int status = 0;
    list_add(&argv, "pkg-config");
    list_add(&argv, "--cflags");
    list_add(&argv, "--libs");
    list_add_all(&argv, packages);
    BILANX_TRY(capture_run((const char *const *)argv.items, NULL, 20, &output, &status));
    if (status != 0)
        return bilanx_error_make(BILANX_E_COMPILE, "pkg-config: %.*s",
                                 (int)strcspn(text_get(&output), "\n"), text_get(&output));
    return list_split(flags, text_get(&output));
}

static struct bilanx_error find_toolchain(const struct snippet *snippet,
                                          const struct compile_options *options,
                                          struct toolchain *out)
{
    AUTO(list) struct list command = {0};
    const char *standard = snippet->cplusplus ? "c++" : "cc";
    BILANX_TRY(list_split(&command, options->cc ? options->cc : standard));
    out->path = command.count ? file_find_program(command.items[0]) : NULL;
    if (!out->path)
        return bilanx_error_make(BILANX_E_COMPILE,
                                 "there is no compiler '%s': install one (apt-get install %s) or "
                                 "name another with --cc",
                                 command.count ? command.items[0] : "",
                                 snippet->cplusplus ? "g++" : "gcc");
    for (size_t i = 1; i < command.count; i++)
        list_add(&out->flags, command.items[i]);
    list_add(&out->flags, "-O2");
    list_add_all(&out->flags, &options->flags);
    for (size_t i = 0; i < options->includes.count; i++)
        list_take(&out->flags, mem_format("-I%s", options->includes.items[i]));
    if (options->cflags)
        BILANX_TRY(list_split(&out->flags, options->cflags));
    if (options->ldflags)
        BILANX_TRY(list_split(&out->flags, options->ldflags));
    BILANX_TRY(ask_packages(&options->packages, &out->flags));
    if (snippet_has_headers(snippet))
        list_add(&out->flags, "-lm");
    return options->counting ? counting_flags(&out->flags, &out->replaced) : BILANX_SUCCESS;
}

static struct hash key_of(const struct text *source, const struct toolchain *toolchain,
                          const struct compile_options *options)
{
    struct hash key = hash_start();
    struct stat status = {0};
    AUTO(memory) char *real = realpath(toolchain->path, NULL);
    AUTO(memory) char *here = options->directory ? mem_text(options->directory) : getcwd(NULL, 0);
    stat(toolchain->path, &status);
    hash_add(&key, text_get(source), source->size);
    hash_add_text(&key, toolchain->path);  // by which one file may be several compilers
    hash_add_text(&key, real);
    hash_add(&key, &status.st_size, sizeof status.st_size);
    hash_add(&key, &status.st_mtim, sizeof status.st_mtim);
    for (size_t i = 0; i < toolchain->flags.count; i++)
        hash_add_text(&key, toolchain->flags.items[i]);
    for (size_t i = 0; i < options->sources.count; i++)
        hash_add_text(&key, options->sources.items[i]);
    for (const char *const *flag = recipe; *flag; flag++)
        hash_add_text(&key, *flag);
    hash_add_text(&key, BILANX_VERSION);
    hash_add_text(&key, here);
    static const char *const variables[] = {"CPATH",        "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                            "LIBRARY_PATH", "COMPILER_PATH",  "GCC_EXEC_PREFIX"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        hash_add_text(&key, getenv(variables[i]));
    return key;
}

struct rule_reader {
    const char *workplace, *directory;  // of the compiler; NULL: ours
    struct list *inputs;
};

// Our own files and the linker's temporary ones are gone when it matters.
static void take_input(const struct rule_reader *reader, struct text *word)
{
    AUTO(memory) char *path = text_take(word);
    if (path[0] != '/' && reader->directory) {
        char *whole = mem_format("%s/%s", reader->directory, path);
        free(path);
        path = whole;
    }
    if (!text_starts(path, reader->workplace) && access(path, R_OK) == 0)
        list_take(reader->inputs, TAKE(path));
}

// Files of a Make rule "target: a b \<newline> c\ d". A backslash is one unless it stands before a
// character that Make would not take as it is.
static void read_rule(const char *path, const struct rule_reader *reader)
{
    AUTO(text) struct text rule = {0}, word = {0};
    if (file_read(path, &rule).status != BILANX_OK)
        return;
    const char *at = strstr(text_get(&rule), ": ");
    for (at = at ? at + 1 : ""; *at; at++) {
        if (at[0] == '\\' && at[1] == '\n') {
            at++;
        } else if ((at[0] == '\\' && at[1] && strchr(" \t#:\\", at[1])) ||
                   (at[0] == '$' && at[1] == '$')) {
            text_add_char(&word, *++at);
            continue;
        } else if (*at != ' ' && *at != '\n') {
            text_add_char(&word, *at);
            continue;
        }
        if (word.size)
            take_input(reader, &word);
        if (*at == '\n' && at[1] != ' ')  // the rules after the first are for missing headers
            break;
    }
    if (word.size)
        take_input(reader, &word);
}

struct build {
    const struct snippet *snippet;
    const struct toolchain *toolchain;
    const struct compile_options *options;
    char *workplace;
    struct list objects;  // of the sources
    struct list inputs;
};

static void build_done(struct build *build)
{
    free(build->workplace);
    list_done(&build->objects);
    list_done(&build->inputs);
}

static char *in_workplace(const struct build *build, const char *name)
{
    return mem_format("%s/%s", build->workplace, name);
}

// Lines that name our functions and temporary files tell the user nothing.
static void drop_our_names(struct text *diagnostics)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(diagnostics));
    text_clear(diagnostics);
    for (size_t i = 0; i < lines.count; i++)
        if (!strstr(lines.items[i], "In function") && !strstr(lines.items[i], "bilanx_copies"))
            text_format(diagnostics, "%s\n", lines.items[i]);
}

static struct bilanx_error run_compiler(const struct build *build, struct list *argv,
                                        struct text *diagnostics)
{
    if (!build->snippet->cplusplus)
        list_add(argv, "-Werror=implicit-function-declaration");
    list_add_all(argv, &build->toolchain->flags);
    int status = 0;
    BILANX_TRY(capture_run((const char *const *)argv->items, build->options->directory,
                           COMPILE_TIMEOUT_S, diagnostics, &status));
    if (status == 0)
        return BILANX_SUCCESS;
    drop_our_names(diagnostics);
    const char *first = strstr(text_get(diagnostics), "error: ");
    first = first ? first + strlen("error: ") : text_get(diagnostics);
    return bilanx_error_make(BILANX_E_COMPILE, "%.*s", (int)strcspn(first, "\n"), first);
}

static void take_inputs(struct build *build, const char *rule)
{
    AUTO(memory) char *path = in_workplace(build, rule);
    struct rule_reader reader = {build->workplace, build->options->directory, &build->inputs};
    read_rule(path, &reader);
}

// Each by itself: of several in one call, all would write the same dependency file.
static struct bilanx_error compile_source(struct build *build, const char *source,
                                          struct text *diagnostics)
{
    AUTO(memory) char *name = mem_format("%zu.o", build->objects.count);
    AUTO(memory) char *object = in_workplace(build, name);
    AUTO(memory) char *rule = in_workplace(build, "source.d");
    AUTO(list) struct list argv = {0};
    const char *const words[] = {build->toolchain->path,
                                 "-c",
                                 "-fPIC",
                                 "-fdiagnostics-color=never",
                                 "-MD",
                                 "-MF",
                                 rule,
                                 "-o",
                                 object,
                                 source,
                                 "-Wno-unused-command-line-argument"};  // of the linker
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list_add(&argv, words[i]);
    BILANX_TRY(run_compiler(build, &argv, diagnostics));
    take_inputs(build, "source.d");
    list_take(&build->objects, TAKE(object));
    return BILANX_SUCCESS;
}

static struct bilanx_error compile(const struct build *build, const struct text *source,
                                   struct text *diagnostics)
{
    AUTO(memory) char *code = in_workplace(build, build->snippet->cplusplus ? "s.cpp" : "s.c");
    AUTO(memory) char *object = in_workplace(build, "s.so");
    AUTO(memory) char *rule = in_workplace(build, "s.d");
    AUTO(memory) char *linked = mem_format("-Wl,--dependency-file=%s/s.ld", build->workplace);
    FILE *file = fopen(code, "we");
    bool written = file && fwrite(source->data, 1, source->size, file) == source->size;
    if (!file || fclose(file) != 0 || !written)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", code, strerror(errno));
    AUTO(list) struct list argv = {0};
    const char *const where[] = {"-MF", rule, linked, "-o", object, code};
    list_add(&argv, build->toolchain->path);
    for (const char *const *flag = recipe; *flag; flag++)
        list_add(&argv, *flag);
    for (size_t i = 0; i < sizeof where / sizeof *where; i++)
        list_add(&argv, where[i]);
    if (build->options->counting)  // a name that is another every time has no place in a record
        list_take(&argv, mem_format("-fdebug-prefix-map=%s=bilanx", build->workplace));
    list_add_all(&argv, &build->objects);
    return run_compiler(build, &argv, diagnostics);
}

static struct bilanx_error compile_again(const struct build *build, const struct snippet *snippet,
                                         struct text *diagnostics)
{
    AUTO(text) struct text source = {0};
    snippet_write(snippet, &source);
    text_clear(diagnostics);
    return compile(build, &source, diagnostics);
}

// As we would have it, else with all headers, else as it stands.
static struct bilanx_error compile_somehow(const struct build *build, const struct text *source,
                                           struct text *diagnostics, bool *plain)
{
    struct snippet snippet = *build->snippet;
    struct bilanx_error error = compile(build, source, diagnostics);
    *plain = snippet.plain;
    if (error.status == BILANX_E_COMPILE && !snippet_has_headers(&snippet)) {
        snippet.headers = true;
        error = compile_again(build, &snippet, diagnostics);
    }
    if (error.status != BILANX_E_COMPILE || *plain)
        return error;
    snippet.plain = snippet.single = *plain = true;
    BILANX_TRY(compile_again(build, &snippet, diagnostics));
    snippet.single = false;
    return compile_again(build, &snippet, diagnostics);
}

// The compiler left its name in the object: asking it would take a process of its own.
static void add_version(const char *object, struct list *facts)
{
    static const char mark[] = "bilanx-compiler:";
    AUTO(text) struct text content = {0};
    if (file_read(object, &content).status != BILANX_OK)
        return;
    const char *found = memmem(content.data, content.size, mark, sizeof mark - 1);
    if (found)
        list_take(facts, mem_format("cc %s", found + sizeof mark - 1));
}

static void add_facts(const struct build *build, const char *object, bool plain, struct list *facts)
{
    add_version(object, facts);
    bool removed = false;
    // With a sync the loop may be the sync's own: there time alone can tell.
    if (!build->snippet->sync && loops_removed(object, &removed).status == BILANX_OK)
        list_add(facts, removed ? "removed 1" : "traced 1");
    if (plain && !build->snippet->plain)
        list_add(facts, "plain 1");
}

static struct bilanx_error build_fresh(struct build *build, const struct cache *cache,
                                       const struct hash *key, const struct text *source,
                                       struct text *diagnostics, struct cache_entry *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    for (size_t i = 0; i < build->options->sources.count; i++)
        BILANX_TRY(compile_source(build, build->options->sources.items[i], diagnostics));
    bool plain = false;
    BILANX_TRY(compile_somehow(build, source, diagnostics, &plain));
    AUTO(memory) char *object = in_workplace(build, "s.so");
    take_inputs(build, "s.d");
    take_inputs(build, "s.ld");
    add_facts(build, object, plain, &out->facts);
    return cache_keep(cache, key, object, &build->inputs, started_ns, out);
}

static char *join(const struct list *flags, const struct list *sources)
{
    struct text text = {0};
    const struct list *lists[] = {flags, sources};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < lists[i]->count; j++)
            text_format(&text, "%s%s", text.size ? " " : "", lists[i]->items[j]);
    return text_take(&text);
}

struct bilanx_error compiler_build(const struct snippet *snippet,
                                   const struct compile_options *options, struct text *diagnostics,
                                   struct object *out)
{
    uint64_t started = monotonic_ns();
    AUTO(toolchain) struct toolchain toolchain = {0};
    AUTO(text) struct text source = {0};
    AUTO(cache) struct cache cache = {0};
    AUTO(cache_entry) struct cache_entry entry = {0};
    BILANX_TRY(find_toolchain(snippet, options, &toolchain));
    snippet_write(snippet, &source);
    BILANX_TRY(cache_open(&cache));
    struct hash key = key_of(&source, &toolchain, options);
    bool cached = !options->fresh && cache_find(&cache, &key, &entry);
    if (!cached) {
        struct build build = {.snippet = snippet, .toolchain = &toolchain, .options = options};
        BILANX_TRY(cache_workplace(&cache, &build.workplace));
        struct bilanx_error error = build_fresh(&build, &cache, &key, &source, diagnostics, &entry);
        cache_remove_workplace(build.workplace);
        build_done(&build);
        BILANX_TRY(error);
    }
    *out = (struct object){.path = TAKE(entry.object),
                           .cc = mem_text(cache_fact(&entry, "cc")),
                           .flags = join(&toolchain.flags, &options->sources),
                           .cached = cached,
                           .replaced = toolchain.replaced,
                           .plain = cache_fact(&entry, "plain") != NULL,
                           .removed = cache_fact(&entry, "removed") != NULL,
                           .traced = cache_fact(&entry, "traced") != NULL,
                           .seconds = (double)(monotonic_ns() - started) / 1e9};
    return BILANX_SUCCESS;
}
