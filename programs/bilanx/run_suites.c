// run_suites: suites read and shown.
#include "run_suites.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mem.h"
#include "bilanx/suite.h"
#include "command.h"

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// A line such as "suite: name", after comments.
static bool starts_like_a_suite(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end && (*bytes == '#' || isspace((unsigned char)*bytes) ||
                           (end - bytes > 3 && strncmp(bytes, "---", 3) == 0))) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        bytes = line_end ? line_end + 1 : end;
    }
    const char *word = bytes;
    while (bytes < end && (islower((unsigned char)*bytes) || *bytes == '_'))
        bytes++;
    return bytes > word && bytes < end && *bytes == ':';
}

bool is_suite(const char *path)
{
    if (strcmp(path, "-") == 0 || ends_in(path, ".yaml") || ends_in(path, ".yml"))
        return true;
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || access(path, X_OK) == 0)
        return false;
    AUTO(lines) struct lines lines = {0};
    const char *bytes;
    size_t size;
    return lines_open(path, &lines).status == BILANX_OK &&
           lines_peek(&lines, 4096, &bytes, &size).status == BILANX_OK &&
           starts_like_a_suite(bytes, size);
}

static void show(struct bilanx_suite_case *const *cases, size_t count, bool expand)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(text) struct text name = {0};
        AUTO(memory) char *json = expand ? bilanx_suite_case_json(cases[i]) : NULL;
        text_add_harmless(&name, cases[i]->name);
        puts(json ? json : text_get(&name));
    }
}

// The words of an option as an array that ends in NULL; NULL for none.
static const char **ended(const struct words *words)
{
    if (words->count == 0)
        return NULL;
    const char **array = mem_array(const char *, words->count + 1);
    memcpy(array, words->items, words->count * sizeof *array);
    return array;
}

static struct bilanx_error show_suites(struct bilanx_suite *suite, const char *const *paths,
                                       size_t count, const struct suite_arguments *arguments)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_suite(paths[i]))
            return bilanx_error_make(
                BILANX_E_USAGE, "'%s' is no suite: suites and programs cannot be mixed", paths[i]);
        BILANX_TRY(bilanx_suite_read_file(suite, paths[i]));
    }
    AUTO(memory) const char **tags = ended(&arguments->tags);
    AUTO(memory) const char **without = ended(&arguments->without_languages);
    struct bilanx_suite_options options = {
        .filter = arguments->filter, .tags = tags, .without_languages = without};
    struct bilanx_suite_case **cases = NULL;
    size_t found = 0;
    BILANX_TRY(bilanx_suite_materialize(suite, &options, &cases, &found));
    if (arguments->list || arguments->expand)
        show(cases, found, arguments->expand);
    free(cases);
    if (!arguments->list && !arguments->expand)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "a suite cannot be measured yet: --list names its cases, --expand "
                                 "shows them");
    return found ? BILANX_SUCCESS : bilanx_error_make(BILANX_E_FAILED, "no case matches");
}

int run_suites(const char *const *paths, size_t count, const struct suite_arguments *arguments)
{
    struct bilanx_suite *suite = bilanx_suite_new(NULL);
    struct bilanx_error error = show_suites(suite, paths, count, arguments);
    bilanx_suite_free(suite);
    return command_fail(error);
}
