// resume: which cases a file of records already has.
#include "resume.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/index.h"
#include "base/mem.h"
#include "results/read/reader.h"

struct matching {
    struct index places;  // case indices by task
    struct index bare;    // the same, by what is known about a task before compilation
    struct resumed *resumed;
};

static bool was_interrupted(const struct bilanx_record *record)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (text_equal(record->warnings[i].code, "interrupted"))
            return true;
    return false;
}

static bool is_measured_again(const struct matching *matching, const struct bilanx_record *record)
{
    return (record->error || was_interrupted(record)) &&
           index_find(&matching->bare, record_bare_hash(&record->task)) != SIZE_MAX;
}

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct matching *matching = context;
    struct resumed *resumed = matching->resumed;
    size_t place = index_find(&matching->places, record_task_hash(&record->task));
    if (is_measured_again(matching, record)) {
        resumed->any_dropped = true;
        return BILANX_SUCCESS;
    }
    AUTO(memory) char *json = bilanx_record_json(record);
    text_format(&resumed->kept, "%s\n", json);
    if (place == SIZE_MAX || record->error)
        return BILANX_SUCCESS;
    bilanx_record_done(&resumed->records[place]);
    resumed->records[place] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

void resumed_done(struct resumed *resumed)
{
    text_done(&resumed->kept);
    *resumed = (struct resumed){0};
}

struct bilanx_error resume_read(const char *path, const struct run_cases *cases,
                                struct resumed *out)
{
    if (access(path, F_OK) != 0)
        return BILANX_SUCCESS;
    struct matching matching = {.resumed = out};
    for (size_t i = 0; i < cases->count; i++) {
        bool added;
        index_find_or_add(&matching.places, record_task_hash(&cases->items[i].task), i, &added);
        index_find_or_add(&matching.bare, record_bare_hash(&cases->items[i].task), i, &added);
    }
    AUTO(lines) struct lines lines = {0};
    struct bilanx_error error = lines_open(path, &lines);
    if (error.status == BILANX_OK)
        error = reader_each(&lines, &(struct reader_sink){take, &matching, .cut_short = true});
    index_done(&matching.places);
    index_done(&matching.bare);
    return error;
}
