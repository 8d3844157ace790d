// sink: writes the records of a run, one per line, as they complete.
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "core/record/provenance.h"
#include "core/show/show_run.h"

// NULL: there are none.
static char *facts_of(const struct words *facts)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    if (facts->count == 0)
        return NULL;
    writer_open(&json, '{');
    for (size_t i = 0; i < facts->count; i++) {
        const char *value = strchr(facts->items[i], '=');
        AUTO(memory) char *key = mem_text_n(facts->items[i], (size_t)(value - facts->items[i]));
        writer_key_text(&json, key, value + 1);
    }
    writer_close(&json, '}');
    return text_take(&out);
}

struct bilanx_error sink_open(struct sink *sink, const struct show_settings *settings)
{
    const char *path = show_records_path(settings);
    *sink = (struct sink){.name = path, .env = settings->env};
    if (!path)
        return BILANX_SUCCESS;
    if (strcmp(path, "-") != 0)
        BILANX_TRY(output_open(path, &output_records, show_output_mode(settings), &sink->file));
    else
        sink->file = stdout;
    sink->facts = facts_of(&settings->facts);
    sink->git = provenance_of(NULL, NULL);
    return BILANX_SUCCESS;
}

void sink_done(struct sink *sink)
{
    if (sink->file && sink->file != stdout)
        fclose(sink->file);
    free(sink->git);
    free(sink->facts);
    *sink = (struct sink){0};
}

// Bypasses stdio, which would keep what it could not write and write it again later.
static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written < 0 ? 0 : written;
        size -= written < 0 ? 0 : (size_t)written;
    }
    return true;
}

struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record)
{
    if (!sink->file)
        return BILANX_SUCCESS;
    struct bilanx_record whole = *record;
    whole.git = record->git ? record->git : sink->git;
    whole.facts = record->facts ? record->facts : sink->facts;
    whole.task.env = record->task.env ? record->task.env : (char *)sink->env;
    AUTO(memory) char *json = bilanx_record_json(&whole);
    AUTO(memory) char *line = mem_format("%s\n", json);
    int fd = fileno(sink->file);
    off_t before = lseek(fd, 0, SEEK_END);  // -1: a pipe
    if (fflush(sink->file) == 0 && write_all(fd, line, strlen(line)))
        return BILANX_SUCCESS;
    int reason = errno;
    // If this fails too, it leaves an incomplete line, which --resume and --append remove.
    bool removed = before >= 0 && ftruncate(fd, before) == 0;
    (void)removed;
    if (sink->failed)
        return BILANX_SUCCESS;
    sink->failed = true;
    return bilanx_error_make(BILANX_E_SYSTEM,
                             "cannot write '%s': %s (the run continues without it)", sink->name,
                             strerror(reason));
}
