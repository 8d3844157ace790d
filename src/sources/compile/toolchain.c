// toolchain: this environment's compiler and its arguments.
#include "toolchain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "counting.h"
#include "recipes.h"

// Flags for everything. User-defined functions are called directly and inlined, as in a program.
// -fPIE would do that too, but does not allow thread-local variables in a shared library.
static const char *const common_flags[] = {"-pipe", "-fPIC", "-fno-semantic-interposition",
                                           "-fdiagnostics-color=never", NULL};

void toolchain_done(struct toolchain *toolchain)
{
    free(toolchain->path);
    list_done(&toolchain->flags);
    recipe_parts_done(&toolchain->recipes);
}

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
    BILANX_TRY(capture_run(
        &(struct capture_options){.argv = (const char *const *)argv.items, .timeout_s = 20},
        &output, &status));
    if (status != 0)
        return bilanx_error_make(BILANX_E_COMPILE, "pkg-config: %.*s",
                                 (int)strcspn(text_get(&output), "\n"), text_get(&output));
    return list_split(flags, text_get(&output));
}

struct bilanx_error toolchain_find(bool cplusplus, const struct compile_options *options,
                                   struct toolchain *out)
{
    AUTO(list) struct list command = {0};
    const char *standard = cplusplus ? "c++" : "cc";
    BILANX_TRY(list_split(&command, options->cc ? options->cc : standard));
    out->cplusplus = cplusplus;
    out->shares =
        cplusplus && (options->recipes.count || options->packages.count || options->ldflags);
    out->moves = options->layouts > 1;
    out->path = command.count ? file_find_program(command.items[0]) : NULL;
    if (!out->path)
        return bilanx_error_make(BILANX_E_COMPILE,
                                 "cannot find the compiler '%s': install one (apt-get install %s) "
                                 "or choose another with --cc",
                                 command.count ? command.items[0] : "", cplusplus ? "g++" : "gcc");
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
    BILANX_TRY(recipes_apply(&options->recipes, cplusplus, NULL, &out->flags, &out->recipes));
    return options->counting ? counting_flags(&out->flags, &out->replaced) : BILANX_SUCCESS;
}

// With its length, so that a word cannot be taken for one of the next list.
static void add_words(struct digester *key, const struct list *words)
{
    digester_add(key, &words->count, sizeof words->count);
    for (size_t i = 0; i < words->count; i++)
        digester_add_text(key, words->items[i]);
}

struct digest toolchain_key(const struct toolchain *toolchain,
                            const struct compile_options *options, const struct text *source,
                            bool math)
{
    AUTO(digester) struct digester *key = digester_new();
    struct stat status = {0};
    AUTO(memory) char *real = realpath(toolchain->path, NULL);
    AUTO(memory) char *here = options->directory ? mem_text(options->directory) : getcwd(NULL, 0);
    stat(toolchain->path, &status);
    digester_add(key, text_get(source), source->size);
    digester_add_text(key, toolchain->path);  // the name may select the compiler
    digester_add_text(key, real);
    digester_add(key, &status.st_size, sizeof status.st_size);
    digester_add(key, &status.st_mtim, sizeof status.st_mtim);
    add_words(key, &toolchain->flags);
    add_words(key, &options->sources);
    add_words(key, &options->quoted);
    for (const char *const *flag = common_flags; *flag; flag++)
        digester_add_text(key, *flag);
    digester_add(key, &math, sizeof math);
    digester_add(key, &options->layouts, sizeof options->layouts);
    digester_add_text(key, BILANX_VERSION);
    digester_add_text(key, here);
    static const char *const variables[] = {"CPATH",        "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                            "LIBRARY_PATH", "COMPILER_PATH",  "GCC_EXEC_PREFIX"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        digester_add_text(key, getenv(variables[i]));
    return digester_get(key);
}

static void add_quoted(struct list *argv, const char *folder)
{
    list_add(argv, "-iquote");
    list_add(argv, folder);
}

void toolchain_quoted(const struct toolchain *toolchain, const struct compile_options *options,
                      struct list *argv)
{
    const struct list *flags = &toolchain->flags;
    for (size_t i = 0; i < flags->count; i++) {
        bool apart = text_equal(flags->items[i], "-I") || text_equal(flags->items[i], "-iquote");
        if (apart && i + 1 < flags->count)
            add_quoted(argv, flags->items[++i]);
        else if (!apart && text_starts(flags->items[i], "-I"))
            add_quoted(argv, flags->items[i] + strlen("-I"));
    }
    for (size_t i = 0; i < options->quoted.count; i++)
        add_quoted(argv, options->quoted.items[i]);
}

void toolchain_begin(const struct toolchain *toolchain, struct list *argv)
{
    list_add(argv, toolchain->path);
    for (const char *const *flag = common_flags; *flag; flag++)
        list_add(argv, *flag);
    if (!toolchain->shares)
        list_add(argv, "-fvisibility=hidden");
    if (toolchain->moves)
        list_add(argv, "-ffunction-sections");
}

void toolchain_end(const struct toolchain *toolchain, bool math, struct list *argv)
{
    if (!toolchain->cplusplus)
        list_add(argv, "-Werror=implicit-function-declaration");
    list_add_all(argv, &toolchain->flags);
    if (math)
        list_add(argv, "-lm");
}
