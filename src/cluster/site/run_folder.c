// run_folder: the folder that the machines of a run share, and its files.
#include "run_folder.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "json_keys.h"

void run_folder_done(struct run_folder *folder)
{
    free(folder->path);
    free(folder->version);
    free(folder->program);
    free(folder->directory);
    free(folder->out);
    free(folder->launcher);
    free(folder->partition);
    free(folder->digest);
    free(folder->items);
    list_done(&folder->words);
    list_done(&folder->options);
    list_done(&folder->names);
    *folder = (struct run_folder){0};
}

#define AT(member) offsetof(struct run_folder, member)
static const struct json_key run_keys[] = {
    {"version", JSON_TEXT, AT(version)},
    {"program", JSON_TEXT, AT(program)},
    {"words", JSON_TEXTS, AT(words)},
    {"directory", JSON_TEXT, AT(directory)},
    {"out", JSON_TEXT, AT(out)},
    {"launcher", JSON_TEXT, AT(launcher)},
    {"partition", JSON_TEXT, AT(partition)},
    {"options", JSON_TEXTS, AT(options)},
    {"nodes", JSON_COUNT, AT(nodes)},
    {"retries", JSON_COUNT, AT(retries)},
    {"replicas", JSON_COUNT, AT(replicas)},
    {"records", JSON_ENUM, AT(records)},
    {"counted", JSON_BOOL, AT(counted)},
    {"unchecked", JSON_BOOL, AT(unchecked)},
    {"streamed", JSON_BOOL, AT(streamed)},
    {"cases", JSON_COUNT, AT(case_count)},
    {"digest", JSON_TEXT, AT(digest)},
    {0},
};

static struct bilanx_error cannot_create(const char *path)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot create '%s': %s", path, strerror(errno));
}

static struct bilanx_error make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? BILANX_SUCCESS : cannot_create(path);
}

static struct bilanx_error make_folders(const char *path)
{
    static const char *const inner[] = {"batches", "records", "ends", "nodes", "logs"};
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        AUTO(memory) char *part = mem_text_n(path, (size_t)(slash - path));
        BILANX_TRY(make_folder(part));
    }
    if (mkdir(path, 0777) != 0)
        return cannot_create(path);
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        AUTO(memory) char *part = mem_format("%s/%s", path, inner[i]);
        BILANX_TRY(make_folder(part));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error run_file_write(const char *path, const char *bytes, size_t size)
{
    AUTO(memory) char *aside = mem_format("%s.new", path);
    BILANX_TRY(file_write(aside, bytes, size));
    if (rename(aside, path) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

static struct bilanx_error write_cases(const struct run_folder *folder)
{
    AUTO(text) struct text text = {0};
    AUTO(memory) char *path = mem_format("%s/cases", folder->path);
    for (size_t i = 0; i < folder->case_count; i++) {
        text_format(&text, "%.17g %zu ", folder->items[i].cost, folder->items[i].group);
        text_add_harmless(&text, folder->names.items[i]);
        text_add(&text, "\n");
    }
    return run_file_write(path, text_get(&text), text.size);
}

struct bilanx_error run_folder_create(const struct run_folder *folder)
{
    BILANX_TRY(make_folders(folder->path));
    BILANX_TRY(write_cases(folder));
    AUTO(memory) char *path = mem_format("%s/run.json", folder->path);
    return json_keys_write(path, run_keys, folder);
}

static struct bilanx_error read_cases(struct run_folder *folder)
{
    AUTO(memory) char *path = mem_format("%s/cases", folder->path);
    AUTO(text) struct text text = {0};
    AUTO(list) struct list lines = {0};
    BILANX_TRY(file_read(path, &text));
    list_split_lines(&lines, text_get(&text));
    if (folder->case_count > lines.count)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' has only %zu of %zu cases", path,
                                 lines.count, folder->case_count);
    folder->items = mem_array(struct shard_item, folder->case_count + 1);
    for (size_t i = 0; i < folder->case_count; i++) {
        struct shard_item *item = &folder->items[i];
        int used = 0;
        if (sscanf(lines.items[i], "%lf %zu %n", &item->cost, &item->group, &used) != 2 ||
            !(item->cost >= 0 && item->cost <= DBL_MAX) || item->group >= folder->case_count)
            return bilanx_error_make(BILANX_E_INPUT, "%s:%zu: not a case", path, i + 1);
        list_add(&folder->names, lines.items[i] + used);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error refuse(const char *file, const char *key, const char *why)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' %s", file, key, why);
}

static struct bilanx_error check_numbers(const struct run_folder *folder, const char *file)
{
    if (folder->replicas > RUN_REPLICAS_MOST)
        return refuse(file, "replicas", "is too large");
    if (folder->records > RECORDS_WHOLE)
        return refuse(file, "records", "is unknown");
    return BILANX_SUCCESS;
}

// Words that are passed to sbatch and srun.
static struct bilanx_error check_words(const struct run_folder *folder, const char *file)
{
    if (folder->program[0] == '-' || folder->words.items[0][0] == '-')
        return refuse(file, "program", "and its command must not start with '-'");
    for (size_t i = 0; i < folder->options.count; i++)
        if (folder->options.items[i][0] != '-')
            return refuse(file, "options", "must start with '-'");
    return BILANX_SUCCESS;
}

struct bilanx_error run_folder_read(const char *path, bool with_cases, struct run_folder *out)
{
    AUTO(run_folder) struct run_folder folder = {.path = mem_text(path)};
    AUTO(memory) char *file = mem_format("%s/run.json", path);
    BILANX_TRY(json_keys_read(file, run_keys, &folder));
    if (!folder.version || !folder.launcher || !folder.program || !folder.out ||
        !folder.words.count)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' does not describe a run", file);
    BILANX_TRY(check_numbers(&folder, file));
    BILANX_TRY(check_words(&folder, file));
    if (with_cases)
        BILANX_TRY(read_cases(&folder));
    *out = folder;
    folder = (struct run_folder){0};
    return BILANX_SUCCESS;
}
