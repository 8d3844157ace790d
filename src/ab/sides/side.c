// side: one side of a comparison: turns a SPEC into the surroundings that processes start in.
#include "side.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "side_kinds.h"

static const char BLANKS[] = " \t\r\n";

// Resolved here, because workers of other sides may start elsewhere.
static char *absolute(const char *path)
{
    if (path[0] == '/')
        return mem_text(path);
    AUTO(memory) char *here = getcwd(NULL, 0);
    return here ? mem_format("%s/%s", here, path) : mem_text(path);
}

static struct bilanx_error compiler_open(struct side *side, const char *rest,
                                         const struct side_options *options)
{
    (void)options;
    AUTO(list) struct list words = {0};
    BILANX_TRY(list_split(&words, rest));
    AUTO(memory) char *path = words.count ? file_find_program(words.items[0]) : NULL;
    if (!path)
        return bilanx_error_make(BILANX_E_USAGE, "cannot find the compiler '%s'%s",
                                 words.count ? words.items[0] : "",
                                 words.count && strchr(words.items[0], '/') ? "" : " on the PATH");
    AUTO(text) struct text cc = {0};
    AUTO(text) struct text cflags = {0};
    text_add_quoted(&cc, words.items[0]);
    for (size_t i = 1; i < words.count; i++) {
        text_add(&cflags, i > 1 ? " " : "");
        text_add_quoted(&cflags, words.items[i]);
    }
    side->cc = text_take(&cc);
    side->cflags = mem_text(text_get(&cflags));
    side->title = mem_text(rest);
    return BILANX_SUCCESS;
}

static struct bilanx_error file_open(struct side *side, const char *path, int access_mode)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return bilanx_error_make(BILANX_E_USAGE, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is a directory", path);
    if (access_mode == X_OK && !S_ISREG(status.st_mode))
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not a regular file", path);
    if (access(path, access_mode) != 0)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' cannot be %s: %s", path,
                                 access_mode == X_OK ? "executed" : "read", strerror(errno));
    side->path = absolute(path);
    side->title = mem_text(path);
    return BILANX_SUCCESS;
}

static struct bilanx_error program_open(struct side *side, const char *rest,
                                        const struct side_options *options)
{
    (void)options;
    return file_open(side, rest, X_OK);
}

static struct bilanx_error records_open(struct side *side, const char *rest,
                                        const struct side_options *options)
{
    (void)options;
    return file_open(side, rest, R_OK);
}

static struct bilanx_error command_open(struct side *side, const char *rest,
                                        const struct side_options *options)
{
    (void)options;
    side->command = mem_text(rest);
    side->title = mem_text(rest);
    return BILANX_SUCCESS;
}

const struct side_kind side_shell = {"", "COMMAND", false, shell_open};
const struct side_kind side_revision = {"git:", "REVISION", true, revision_open};
const struct side_kind side_compiler = {"cc:", "COMPILER FLAGS", true, compiler_open};
const struct side_kind side_program = {"bin:", "PROGRAM", false, program_open};
const struct side_kind side_command = {"cmd:", "COMMAND", false, command_open};
const struct side_kind side_records = {"file:", "RECORDS", false, records_open};

const struct side_kind *const side_kinds[] = {
    &side_shell, &side_revision, &side_compiler, &side_program, &side_command, &side_records, NULL};

// A word directly followed by a colon, such as "gti:HEAD", is hardly ever a command.
static struct bilanx_error mistyped_prefix(const char *spec)
{
    size_t size = 0;
    while (isalnum((unsigned char)spec[size]) || (size && strchr("-_", spec[size]) && spec[size]))
        size++;
    if (size == 0 || spec[size] != ':')
        return BILANX_SUCCESS;
    const char *prefixes[8];
    size_t count = 0;
    for (size_t i = 1; side_kinds[i]; i++)
        prefixes[count++] = side_kinds[i]->prefix;
    AUTO(memory) char *word = mem_text_n(spec, size + 1);
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    const char *nearest = text_nearest(word, prefixes, count);
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE, "unknown kind of side '%.*s' (did you mean '%s'?)",
                                 (int)size + 1, spec, nearest);
    return bilanx_error_make(BILANX_E_USAGE,
                             "unknown kind of side '%.*s': use git:, cc:, bin:, cmd: or file:, or "
                             "put a space before it if it is a shell command",
                             (int)size + 1, spec);
}

// "gcc", "clang-16", "/usr/bin/g++"
static bool is_compiler(const char *word, size_t size)
{
    static const char *const names[] = {"gcc", "g++", "clang", "clang++", "cc", "c++", "tcc"};
    AUTO(memory) char *path = mem_text_n(word, size);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t plain = strcspn(name, "-");
    if (name[plain] && strspn(name + plain + 1, "0123456789.") != strlen(name + plain + 1))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == plain && strncmp(names[i], name, plain) == 0)
            return true;
    return false;
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size > strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

const char *side_likely_prefix(const char *word)
{
    if (is_compiler(word, strcspn(word, BLANKS)))
        return side_compiler.prefix;
    if (ends_in(word, ".jsonl") || ends_in(word, ".json"))
        return side_records.prefix;
    if (strpbrk(word, BLANKS))
        return side_command.prefix;
    return strchr(word, '/') || access(word, F_OK) == 0 ? side_program.prefix
                                                        : side_revision.prefix;
}

// A compiler or a file of records where a command is expected.
static struct bilanx_error missing_prefix(const char *spec)
{
    const char *prefix = side_likely_prefix(spec);
    if (prefix == side_compiler.prefix && !strpbrk(spec, ";&|<>$`"))
        return bilanx_error_make(BILANX_E_USAGE, "a compiler is given as cc:%s", spec);
    if (prefix == side_records.prefix && !strpbrk(spec, BLANKS))
        return bilanx_error_make(BILANX_E_USAGE, "a file of records is given as file:%s", spec);
    return BILANX_SUCCESS;
}

// A path alone cannot set up an environment: a program changes only its own.
static struct bilanx_error mistaken_program(const char *spec)
{
    static const char BEYOND_PATHS[] = " \t\r\n;&|<>$`'\"()*?";
    if (!strchr(spec, '/') || strpbrk(spec, BEYOND_PATHS))
        return BILANX_SUCCESS;
    struct stat status;
    if (stat(spec, &status) != 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "cannot open it: %s (a benchmark program is given as bin:%s)",
                                 strerror(errno), spec);
    AUTO(fd) int fd = open(spec, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char magic[4] = "";
    bool binary = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic &&
                  memcmp(magic, "\177ELF", sizeof magic) == 0;
    return binary ? bilanx_error_make(BILANX_E_USAGE,
                                      "this is a program, not a script that sets up an "
                                      "environment: to compare benchmark programs, use bin:%s; "
                                      "to compare whole commands, cmd:%s",
                                      spec, spec)
                  : BILANX_SUCCESS;
}

static const struct side_kind *kind_of(const char *spec)
{
    for (size_t i = 1; side_kinds[i]; i++)
        if (text_starts(spec, side_kinds[i]->prefix))
            return side_kinds[i];
    return &side_shell;
}

static struct bilanx_error about_side(const char *name, const char *spec,
                                      const struct bilanx_error *error)
{
    AUTO(text) struct text shown = {0};
    text_add_shortened(&shown, spec, 100);
    return bilanx_error_make(error->status, "side %s ('%s'): %s", name, text_get(&shown),
                             error->text);
}

struct bilanx_error side_check(const char *name, const char *spec)
{
    if (kind_of(spec) != &side_shell)
        return BILANX_SUCCESS;
    struct bilanx_error error = mistyped_prefix(spec);
    if (error.status == BILANX_OK)
        error = missing_prefix(spec);
    if (error.status == BILANX_OK)
        error = mistaken_program(spec);
    return error.status == BILANX_OK ? error : about_side(name, spec, &error);
}

static struct bilanx_error open_kind(struct side *side, const struct side_options *options)
{
    side->kind = kind_of(side->spec);
    if (side->kind == &side_shell) {
        BILANX_TRY(mistyped_prefix(side->spec));
        return shell_open(side, side->spec, options);
    }
    const char *rest = side->spec + strlen(side->kind->prefix);
    rest += strspn(rest, BLANKS);
    size_t size = strlen(rest);
    while (size && strchr(BLANKS, rest[size - 1]))
        size--;
    if (size == 0)
        return bilanx_error_make(BILANX_E_USAGE, "nothing follows the prefix: %s%s",
                                 side->kind->prefix, side->kind->takes);
    AUTO(memory) char *trimmed = mem_text_n(rest, size);
    return side->kind->open(side, trimmed, options);
}

struct bilanx_error side_open(const char *name, const char *spec,
                              const struct side_options *options, struct side *out)
{
    AUTO(side) struct side side = {.name = mem_text(name), .spec = mem_text(spec)};
    struct bilanx_error error = open_kind(&side, options);
    if (error.status != BILANX_OK) {
        bool word = side.kind == &side_shell && !strpbrk(spec, BLANKS);
        if (word && strstr(error.text, "status 127"))
            error = bilanx_error_make(error.status, "%s (a revision is given as git:%s)",
                                      error.text, spec);
        return about_side(name, spec, &error);
    }
    *out = side;
    side = (struct side){0};
    return BILANX_SUCCESS;
}

void side_done(struct side *side)
{
    free(side->name);
    free(side->spec);
    free(side->title);
    free(side->cc);
    free(side->cflags);
    free(side->path);
    free(side->command);
    free(side->commit);
    free(side->tree);
    surroundings_done(&side->surroundings);
    if (side->lock > 0)
        close(side->lock);
    *side = (struct side){0};
}
