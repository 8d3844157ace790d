// operator_log: reads logs line by line and merges their contents.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/index.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/name_pool.h"
#include "base/number.h"
#include "call_parser.h"
#include "operators.h"

enum { FOLDER_DEPTH = 8 };

struct log_storage {
    struct name_pool files;
    struct index operators, samples;
    size_t operator_room;
    size_t *sample_rooms;  // as many as operators
    size_t sample_rooms_room;
};

// A file that is being read into a log.
struct log_reader {
    struct operator_log *log;
    const char *file;
    unsigned line_number;
    size_t current;  // operator; SIZE_MAX: none yet
};

void operator_log_done(struct operator_log *log)
{
    struct log_storage *storage = log->storage;
    for (size_t i = 0; i < log->operator_count; i++) {
        struct logged_operator *logged = &log->operators[i];
        for (size_t j = 0; j < logged->sample_count; j++)
            free(logged->samples[j].arguments);
        free(logged->samples);
        free(logged->name);
    }
    free(log->operators);
    if (storage) {
        name_pool_done(&storage->files);
        index_done(&storage->operators);
        index_done(&storage->samples);
        free(storage->sample_rooms);
        free(storage);
    }
    *log = (struct operator_log){0};
}

static struct bilanx_error complain(const struct log_reader *reader, size_t column,
                                    const char *cause)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s:%u:%zu: %s", reader->file, reader->line_number,
                             column, cause);
}

// "namespace.name.overload".
static struct bilanx_error check_name(const struct log_reader *reader, const char *name,
                                      size_t column)
{
    unsigned dots = 0;
    for (const char *at = name; *at; at++) {
        if (*at == '.' ? at == name || at[-1] == '.' || !at[1]
                       : !isalnum((unsigned char)*at) && *at != '_')
            return complain(reader, column + (size_t)(at - name),
                            "an operator's name consists of letters, digits, _ and dots");
        dots += *at == '.';
    }
    if (dots < 2)
        return complain(reader, column, "an operator has a name like 'aten.add.Tensor'");
    return BILANX_SUCCESS;
}

static size_t find_or_add_operator(struct operator_log *log, const char *name)
{
    struct log_storage *storage = log->storage;
    struct hash key = hash_start();
    hash_add_text(&key, name);
    bool added = false;
    size_t place = index_find_or_add(&storage->operators, key, log->operator_count, &added);
    if (!added)
        return place;
    mem_grow(log->operators, log->operator_count, &storage->operator_room);
    mem_grow(storage->sample_rooms, log->operator_count, &storage->sample_rooms_room);
    storage->sample_rooms[place] = 0;
    log->operators[log->operator_count++] = (struct logged_operator){.name = mem_text(name)};
    return place;
}

// Names that PyTorch no longer uses; the arguments are the same.
static const char *const renamed[][2] = {
    {"aten.sum.SymInt", "aten.sum.dim_IntList"},
    {"aten.im2col_backward.default", "aten.col2im.default"},
    {"aten.col2im_backward.default", "aten.im2col.default"},
};

static const char *current_name(const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(name, renamed[i][0]) == 0)
            return renamed[i][1];
    return name;
}

static struct bilanx_error read_operator(struct log_reader *reader, const char *line,
                                         const char *name)
{
    name += strspn(name, " \t");
    BILANX_TRY(check_name(reader, name, (size_t)(name - line) + 1));
    reader->current = find_or_add_operator(reader->log, current_name(name));
    return BILANX_SUCCESS;
}

static struct operator_sample *find_or_add_sample(const struct log_reader *reader,
                                                  const char *arguments)
{
    struct log_storage *storage = reader->log->storage;
    struct logged_operator *logged = &reader->log->operators[reader->current];
    struct hash key = hash_start();
    hash_add_text(&key, logged->name);
    hash_add_text(&key, arguments);
    bool added = false;
    size_t place = index_find_or_add(&storage->samples, key, logged->sample_count, &added);
    if (added) {
        mem_grow(logged->samples, logged->sample_count, &storage->sample_rooms[reader->current]);
        logged->samples[logged->sample_count++] = (struct operator_sample){
            .arguments = mem_text(arguments), .file = reader->file, .line = reader->line_number};
    }
    return &logged->samples[place];
}

static struct bilanx_error read_count(const struct log_reader *reader, const char *line,
                                      const char *at, uint64_t *count, const char **end)
{
    char digits[24];
    at += strspn(at, " \t");
    size_t size = strspn(at, "0123456789"), column = (size_t)(at - line) + 1;
    if (size == 0 || size >= sizeof digits)
        return complain(reader, column, "expected how often it was called: 'cnt: 12, ...'");
    memcpy(digits, at, size);
    digits[size] = '\0';
    if (!number_read_count(digits, count) || *count == 0)
        return complain(reader, column, "it was called at least once, and less than 2^64 times");
    at += size;
    at += strspn(at, " \t");
    if (*at != ',')
        return complain(reader, (size_t)(at - line) + 1, "expected ',' after the count");
    *end = at + 1 + strspn(at + 1, " \t");
    return BILANX_SUCCESS;
}

static struct bilanx_error read_sample(struct log_reader *reader, const char *line, const char *at)
{
    uint64_t count = 0;
    const char *arguments = NULL;
    if (reader->current == SIZE_MAX)
        return complain(reader, 1, "a line 'Operator: ...' must come first");
    BILANX_TRY(read_count(reader, line, at, &count, &arguments));
    struct logged_operator *logged = &reader->log->operators[reader->current];
    AUTO(operator_call) struct operator_call call = {.storage = call_memory_new()};
    struct call_parser parser = {.line = line,
                                 .at = arguments,
                                 .file = reader->file,
                                 .line_number = reader->line_number,
                                 .memory = call.storage};
    BILANX_TRY(parser_call(&parser, logged->name, &call.call));
    struct operator_sample *sample = find_or_add_sample(reader, arguments);
    if (__builtin_add_overflow(logged->count, count, &logged->count))
        return complain(reader, 1, "the counts add up to more than 2^64");
    sample->count += count;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_line(struct log_reader *reader, char *line)
{
    static const char name[] = "Operator:", count[] = "cnt:";
    size_t size = strlen(line);
    while (size > 0 && strchr(" \t\r", line[size - 1]))
        line[--size] = '\0';
    if (size == 0 || line[0] == '#')
        return BILANX_SUCCESS;
    if (text_starts(line, name))
        return read_operator(reader, line, line + strlen(name));
    if (text_starts(line, count))
        return read_sample(reader, line, line + strlen(count));
    return complain(reader, 1, "a line starts with 'Operator:' or with 'cnt:'");
}

static struct bilanx_error add_file(struct operator_log *log, const char *path)
{
    AUTO(text) struct text content = {0};
    BILANX_TRY(file_read(path, &content));
    struct log_storage *storage = log->storage;
    struct log_reader reader = {
        .log = log, .file = name_pool_add(&storage->files, path), .current = SIZE_MAX};
    if (content.size && memchr(content.data, '\0', content.size))
        return bilanx_error_make(BILANX_E_INPUT, "'%s' is not a text file", path);
    for (char *line = content.data, *next; line && *line; line = next) {
        size_t size = strcspn(line, "\n");
        next = line + size + (line[size] == '\n');
        line[size] = '\0';
        reader.line_number++;
        BILANX_TRY(read_line(&reader, line));
    }
    if (reader.current == SIZE_MAX)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' names no operator", path);
    return BILANX_SUCCESS;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// The logs and the folders in a folder, as paths.
static struct bilanx_error list_folder(const char *path, struct list *out)
{
    AUTO(directory) DIR *directory = opendir(path);
    if (!directory)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        size_t size = strlen(entry->d_name);
        AUTO(memory) char *child = mem_format("%s/%s", path, entry->d_name);
        bool is_log = size > 4 && strcmp(entry->d_name + size - 4, ".txt") == 0;
        if (entry->d_name[0] != '.' && (is_log || is_folder(child)))
            list_take(out, TAKE(child));
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_name);
    return BILANX_SUCCESS;
}

static struct bilanx_error add_path(struct operator_log *log, const char *path, unsigned depth,
                                    size_t *files)
{
    if (!is_folder(path)) {
        ++*files;
        return add_file(log, path);
    }
    if (depth == FOLDER_DEPTH)
        return bilanx_error_make(BILANX_E_INPUT, "'%s': folders are nested more than %d deep", path,
                                 FOLDER_DEPTH);
    AUTO(list) struct list children = {0};
    BILANX_TRY(list_folder(path, &children));
    for (size_t i = 0; i < children.count; i++)
        BILANX_TRY(add_path(log, children.items[i], depth + 1, files));
    return BILANX_SUCCESS;
}

struct bilanx_error operator_log_add(struct operator_log *log, const char *path)
{
    if (!log->storage)
        log->storage = mem_new(struct log_storage);
    size_t files = 0;
    BILANX_TRY(add_path(log, path, 0, &files));
    if (files == 0)
        return bilanx_error_make(BILANX_E_INPUT, "no *.txt file in '%s'", path);
    return BILANX_SUCCESS;
}

static const char *const suite_folders[][2] = {
    {"huggingface", "hf_train"},
    {"timm", "timm_train"},
    {"torchbench", "torchbench_train"},
};

struct bilanx_error operator_log_add_suite(struct operator_log *log, const char *suite)
{
    const char *data = getenv("BILANX_DATA"), *folder = suite;
    if (!data || !*data)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "suite '%s': set BILANX_DATA to the folder that has it", suite);
    for (size_t i = 0; i < sizeof suite_folders / sizeof *suite_folders; i++)
        if (strcmp(suite, suite_folders[i][0]) == 0)
            folder = suite_folders[i][1];
    if (!*suite || strchr(suite, '/') || *suite == '.')
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not the name of a suite", suite);
    AUTO(memory) char *path = mem_format("%s/%s", data, folder);
    if (!is_folder(path))
        return bilanx_error_make(BILANX_E_USAGE, "there is no suite '%s': no folder '%s'", suite,
                                 path);
    return operator_log_add(log, path);
}
