// sink: where the records of a run are written, one a line, as they are complete.
#include "sink.h"

#include <errno.h>
#include <string.h>

struct bilanx_error sink_open(struct sink *sink, const char *path, bool append)
{
    *sink = (struct sink){.name = path};
    if (!path)
        return BILANX_SUCCESS;
    sink->file = strcmp(path, "-") == 0 ? stdout : fopen(path, append ? "ae" : "we");
    if (!sink->file)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

void sink_done(struct sink *sink)
{
    if (sink->file && sink->file != stdout)
        fclose(sink->file);
    *sink = (struct sink){0};
}

struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record)
{
    if (!sink->file)
        return BILANX_SUCCESS;
    AUTO(memory) char *line = bilanx_record_json(record);
    bool written = fprintf(sink->file, "%s\n", line) > 0 && fflush(sink->file) == 0;
    if (written || sink->failed)
        return BILANX_SUCCESS;
    sink->failed = true;
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s (going on without it)",
                             sink->name, strerror(errno));
}
