// resume: what a file of records has already.
#include "resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/index.h"
#include "base/mem.h"
#include "reader/reader.h"

// What was written when the run was ended.
static struct bilanx_error drop_torn_line(const char *path)
{
    AUTO(text) struct text content = {0};
    BILANX_TRY(file_read(path, &content));
    if (content.size && content.data[0] != '{')
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s:1: this is no file of records, so it is left alone", path);
    size_t whole = content.size;
    while (whole && content.data[whole - 1] != '\n')
        whole--;
    if (whole < content.size && truncate(path, (off_t)whole) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

struct matching {
    struct index places;  // of cases, by their task
    char **records;
};

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct matching *matching = context;
    size_t place = index_find(&matching->places, record_task_hash(&record->task));
    if (place == SIZE_MAX || record->error)
        return BILANX_SUCCESS;
    free(matching->records[place]);
    matching->records[place] = bilanx_record_json(record);
    return BILANX_SUCCESS;
}

struct bilanx_error resume_read(const char *path, const struct run_cases *cases, char **records)
{
    if (access(path, F_OK) != 0)
        return BILANX_SUCCESS;
    BILANX_TRY(drop_torn_line(path));
    struct matching matching = {.records = records};
    for (size_t i = 0; i < cases->count; i++) {
        bool added;
        index_find_or_add(&matching.places, record_task_hash(&cases->items[i].task), i, &added);
    }
    AUTO(lines) struct lines lines = {0};
    struct bilanx_error error = lines_open(path, &lines);
    if (error.status == BILANX_OK)
        error = reader_each(&lines, &(struct reader_sink){take, &matching});
    index_done(&matching.places);
    return error;
}
