// load: reads files into entries: their keys, named setups, included files.
#include "load.h"

#include <ctype.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "check.h"
#include "code.h"
#include "languages.h"

enum { MOST_FILES = 100 };

struct bilanx_error code_read(struct suite_file *file, const struct tree_node *node,
                              const char *key, struct bilanx_suite_code *out)
{
    if (node->kind == YAML_MAP && node->count > 0)
        return tree_read(&file->yaml, node, suite_code_keys, key, out);
    const char *text;
    if (node->kind != YAML_TEXT || node->nothing)
        return tree_error(&file->yaml, node, "'%s' must be code by language, or text in %s", key,
                          suite_language_find(file->traits.language)->word);
    BILANX_TRY(tree_read_text(&file->yaml, node, key, &text));
    code_set(out, suite_language_find(file->traits.language), text);
    return BILANX_SUCCESS;
}

static bool is_name(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
            return false;
    return true;
}

// A single word names a setup; anything else is code.
static struct bilanx_error setup_read(struct suite_file *file, const struct tree_node *node,
                                      struct bilanx_suite_code *out)
{
    if (node->kind != YAML_TEXT || !is_name(node->text))
        return code_read(file, node, "setup", out);
    const struct tree_node *setups = file->text.setups;
    const struct tree_node *named = setups ? tree_get(setups, node->text) : NULL;
    if (named) {
        *out = (struct bilanx_suite_code){0};
        return code_read(file, named, node->text, out);
    }
    size_t count = setups ? setups->count : 0;
    AUTO(memory) const char **names = mem_array(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = setups->pairs[i].key.text;
    const char *nearest = text_nearest(node->text, names, count);
    return tree_error(&file->yaml, node, "'setups' has no '%.60s'%s%s%s", node->text,
                      nearest ? " (did you mean '" : "", nearest ? nearest : "",
                      nearest ? "'?)" : "");
}

static struct bilanx_error each_read(struct suite_file *file, const struct tree_node *node,
                                     const struct bilanx_suite_each **out)
{
    if (node->kind != YAML_MAP)
        return tree_error(&file->yaml, node, "'each' must be a mapping of names to values, not %s",
                          tree_kind_word(node));
    struct bilanx_suite_each *each = tree_keep(&file->yaml, node->count + 1, sizeof *each);
    for (size_t i = 0; i < node->count; i++) {
        each[i].name = node->pairs[i].key.text;
        BILANX_TRY(
            tree_read_texts(&file->yaml, &node->pairs[i].value, each[i].name, &each[i].values));
    }
    *out = each;
    return BILANX_SUCCESS;
}

static struct bilanx_error inputs_read(struct suite_file *file, const struct tree_node *node,
                                       struct bilanx_suite_inputs *out)
{
    *out = (struct bilanx_suite_inputs){0};
    if (node->kind == YAML_MAP)
        return tree_read(&file->yaml, node, suite_inputs_keys, "'inputs'", out);
    return tree_read_text(&file->yaml, node, "inputs", &out->spec);
}

// Replaces an inherited range as a whole.
static struct bilanx_error expect_read(struct suite_file *file, const struct tree_node *node,
                                       struct bilanx_suite_expect *out)
{
    *out = (struct bilanx_suite_expect){0};
    BILANX_TRY(tree_read(&file->yaml, node, suite_expect_keys, "'expect'", out));
    if (!out->time == !out->overhead)
        return tree_error(&file->yaml, node, "'expect' needs either 'time' or 'overhead'");
    return BILANX_SUCCESS;
}

static struct bilanx_error compile_check(struct suite_file *file, const struct tree_node *node)
{
    size_t count = node->kind == YAML_LIST ? node->count : 1;
    const struct tree_node *items = node->kind == YAML_LIST ? node->items : node;
    static const char *const keys[] = {"env", "cc", "cxx", "flags", "ldflags"};
    for (size_t i = 0; i < count; i++) {
        bool says = false;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            says = says || tree_get(&items[i], keys[k]);
        if (!says)
            return tree_error(
                &file->yaml, &items[i],
                "an entry of 'compile' needs one of 'env', 'cc', 'cxx', 'flags', 'ldflags'");
    }
    return BILANX_SUCCESS;
}

// Keys that belong one level deeper, or that the command line has.
static struct bilanx_error check_misplaced(struct suite_file *file, const struct tree_node *map)
{
    static const struct {
        const char *key, *hint;
    } hints[] = {{"cc", "compile: {cc: gcc}"},           {"cxx", "compile: {cxx: g++}"},
                 {"flags", "compile: {flags: -O3}"},     {"cflags", "compile: {flags: -O3}"},
                 {"ldflags", "compile: {ldflags: -lz}"}, {"source", "sources: [file.c]"},
                 {"language", "stmt: {python: ...}"},    {"args", "each: {n: [1, 2]}"}};
    for (size_t i = 0; map->kind == YAML_MAP && i < map->count; i++)
        for (size_t h = 0; h < sizeof hints / sizeof *hints; h++)
            if (strcmp(map->pairs[i].key.text, hints[h].key) == 0)
                return tree_error(&file->yaml, &map->pairs[i].key, "unknown key '%s' (write %s)",
                                  hints[h].key, hints[h].hint);
    return BILANX_SUCCESS;
}

struct bilanx_error entry_read(struct suite_file *file, const struct tree_node *map,
                               struct entry_text *out)
{
    struct entry_text read = {.entry = out->entry};
    BILANX_TRY(check_misplaced(file, map));
    BILANX_TRY(tree_read(&file->yaml, map, suite_entry_keys, "a benchmark", &read));
    const struct {
        const char *key;
        const struct tree_node *node;
        struct bilanx_suite_code *code;
    } codes[] = {
        {"stmt", read.stmt, &read.entry.stmt},
        {"module", read.module, &read.entry.module},
        {"variants", read.variants, &read.entry.variants},
        {"global_setup", read.global_setup, &read.entry.global_setup},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].node)
            BILANX_TRY(code_read(file, codes[i].node, codes[i].key, codes[i].code));
    if (read.setup)
        BILANX_TRY(setup_read(file, read.setup, &read.entry.setup));
    if (read.each)
        BILANX_TRY(each_read(file, read.each, &read.entry.each));
    if (read.inputs)
        BILANX_TRY(inputs_read(file, read.inputs, &read.entry.inputs));
    if (read.expect)
        BILANX_TRY(expect_read(file, read.expect, &read.entry.expect));
    if (tree_get(map, "compile"))
        BILANX_TRY(compile_check(file, tree_get(map, "compile")));
    *out = read;
    return BILANX_SUCCESS;
}

static void locate(void *context, const char *text, size_t offset, struct place *place)
{
    const struct loading *loading = context;
    for (size_t i = 0; i < loading->file_count; i++) {
        const struct yaml *yaml = &loading->files[i]->yaml;
        if (tree_find_place(yaml, text, offset, &place->line, &place->column)) {
            place->file = yaml->name;
            return;
        }
    }
}

static struct bilanx_error expand_definition(struct loading *loading, struct definition *definition)
{
    struct entry_text text;
    BILANX_TRY(definition_read(loading, definition, &text));
    struct suite_file *file = definition->file;
    // The last label is a row of the table named by the others; a single label is both.
    AUTO(memory) char *label = mem_text_n(definition->path, definition->label_size);
    text.entry.label = *label ? label : definition->path;
    if (!text.entry.sub_label)
        text.entry.sub_label = definition->key->text;
    struct origin origin = {
        .traits = &file->traits,
        .path = definition->path,
        .directory = file->directory,
        .place = {file->yaml.name, definition->key->line, definition->key->column},
        .locate = locate,
        .context = loading,
    };
    return suite_expand(loading->suite, &text.entry, &origin);
}

static struct bilanx_error check_language(struct suite_file *file)
{
    const struct tree_node *node = tree_get(&file->yaml.root, "language");
    if (!node || suite_language_find(node->text))
        return BILANX_SUCCESS;
    const char *nearest = suite_language_nearest(node->text);
    return tree_error(&file->yaml, node, "unknown language '%.40s' (%s%s%s)", node->text,
                      nearest ? "did you mean '" : "use c, c++ or python", nearest ? nearest : "",
                      nearest ? "'?" : "");
}

static struct bilanx_error check_shared(struct loading *loading, struct suite_file *file)
{
    for (const char *const *word = file->text.required; word && *word; word++) {
        struct bilanx_error error = suite_check_requirement(*word);
        struct origin origin = {.locate = locate, .context = loading};
        if (error.status != BILANX_OK)
            return origin_error(&origin, *word, 0, error);
    }
    struct bilanx_error error =
        file->text.subject ? suite_check_subject(file->text.subject) : BILANX_SUCCESS;
    if (error.status != BILANX_OK)
        return tree_error(&file->yaml, tree_get(&file->yaml.root, "subject"), "%s", error.text);
    const struct tree_node *setups = file->text.setups;
    if (setups && setups->kind != YAML_MAP)
        return tree_error(&file->yaml, setups, "'setups' must be a mapping of names to code");
    for (size_t i = 0; setups && i < setups->count; i++) {
        const struct tree_pair *pair = &setups->pairs[i];
        struct bilanx_suite_code ignored = {0};
        if (!is_name(pair->key.text))
            return tree_error(&file->yaml, &pair->key,
                              "'%.60s' cannot name a setup: use letters, digits, _ and -",
                              pair->key.text);
        BILANX_TRY(code_read(file, &pair->value, pair->key.text, &ignored));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error load_file(struct loading *loading, const char *path,
                                     const struct suite_file *from, const struct tree_node *at);

static struct bilanx_error load_includes(struct loading *loading, struct suite_file *file)
{
    const struct tree_node *node = tree_get(&file->yaml.root, "include");
    for (size_t i = 0; file->text.include && file->text.include[i]; i++) {
        const char *path = file->text.include[i];
        AUTO(memory) char *whole =
            *path == '/' ? mem_text(path)
                         : mem_format("%s/%s", file->directory ? file->directory : ".", path);
        BILANX_TRY(
            load_file(loading, whole, file, node->kind == YAML_LIST ? &node->items[i] : node));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_file(struct loading *loading, struct suite_file *file)
{
    BILANX_TRY(tree_read(&file->yaml, &file->yaml.root, suite_keys, "a suite", &file->text));
    struct suite_text *text = &file->text;
    BILANX_TRY(check_language(file));
    file->traits = (struct bilanx_suite_traits){
        .name = text->name ? text->name : file->name,
        .language = text->language ? text->language : "c",
        .required = text->required,
        .subject = text->subject,
    };
    BILANX_TRY(check_shared(loading, file));
    if (text->global_setup)
        BILANX_TRY(code_read(file, text->global_setup, "global_setup", &file->traits.global_setup));
    if (text->defaults)
        BILANX_TRY(entry_read(file, text->defaults, &file->defaults));
    BILANX_TRY(load_includes(loading, file));
    if (!text->benchmarks)
        return text->include ? BILANX_SUCCESS
                             : tree_error(&file->yaml, &file->yaml.root,
                                          "a suite needs 'benchmarks': labels, and entries below "
                                          "them");
    size_t first = loading->count;
    BILANX_TRY(definitions_find(loading, file, text->benchmarks));
    for (size_t i = first; i < loading->count; i++)
        BILANX_TRY(expand_definition(loading, &loading->definitions[i]));
    return BILANX_SUCCESS;
}

static struct suite_file *add_file(struct loading *loading)
{
    struct suite_file *file = mem_new(struct suite_file);
    mem_grow(loading->files, loading->file_count, &loading->file_room);
    loading->files[loading->file_count++] = file;
    file->reading = true;
    return file;
}

// A suite without a name gets that of its file, without folders and extension.
static void set_names(struct suite_file *file, const char *path)
{
    AUTO(memory) char *for_directory = mem_text(path);
    AUTO(memory) char *for_name = mem_text(path);
    file->directory = mem_text(dirname(for_directory));
    file->name = mem_text(basename(for_name));
    char *dot = strrchr(file->name, '.');
    if (dot && dot > file->name)
        *dot = '\0';
}

static struct bilanx_error load_file(struct loading *loading, const char *path,
                                     const struct suite_file *from, const struct tree_node *at)
{
    bool standard = strcmp(path, "-") == 0;
    AUTO(memory) char *real = standard ? NULL : realpath(path, NULL);
    for (size_t i = 0; real && i < loading->file_count; i++) {
        const struct suite_file *other = loading->files[i];
        if (!other->real || strcmp(other->real, real) != 0)
            continue;
        if (other->reading)
            return tree_error(&from->yaml, at, "'%.100s' includes itself", path);
        return BILANX_SUCCESS;  // there already
    }
    if (loading->file_count == MOST_FILES)
        return tree_error(&from->yaml, at, "a suite can have at most %d files", MOST_FILES);
    struct suite_file *file = add_file(loading);
    struct bilanx_error error = tree_load_file(path, &file->yaml);
    if (error.status == BILANX_E_SYSTEM && from)
        return tree_error(&from->yaml, at, "%s", error.text);
    BILANX_TRY(error);
    file->real = TAKE(real);
    if (standard)
        file->name = mem_text("stdin");
    else
        set_names(file, path);
    BILANX_TRY(read_file(loading, file));
    file->reading = false;
    return BILANX_SUCCESS;
}

static void loading_done(struct loading *loading)
{
    for (size_t i = 0; i < loading->file_count; i++) {
        struct suite_file *file = loading->files[i];
        tree_done(&file->yaml);
        free(file->real);
        free(file->directory);
        free(file->name);
        free(file);
    }
    for (size_t i = 0; i < loading->count; i++)
        free(loading->definitions[i].path);
    free(loading->files);
    free(loading->definitions);
}

struct bilanx_error bilanx_suite_read_file(struct bilanx_suite *suite, const char *path)
{
    WANT(suite);
    WANT(path);
    struct loading loading = {.suite = suite};
    size_t before = suite->count;
    struct bilanx_error error = load_file(&loading, path, NULL, NULL);
    loading_done(&loading);
    if (error.status != BILANX_OK)
        suite_shorten(suite, before);
    return error;
}

struct bilanx_error bilanx_suite_read_text(struct bilanx_suite *suite, const char *text,
                                           size_t size, const char *name)
{
    WANT(suite);
    WANT(text);
    WANT(name);
    struct loading loading = {.suite = suite};
    size_t before = suite->count;
    struct suite_file *file = add_file(&loading);
    file->name = mem_text(name);
    struct bilanx_error error = tree_load_text(text, size, name, &file->yaml);
    if (error.status == BILANX_OK)
        error = read_file(&loading, file);
    loading_done(&loading);
    if (error.status != BILANX_OK)
        suite_shorten(suite, before);
    return error;
}
