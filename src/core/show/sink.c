// sink: writes the records of a run, one per line, as they complete.
#include "sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct bilanx_error sink_open(struct sink *sink, const char *path, enum output_mode mode)
{
    *sink = (struct sink){.name = path};
    if (!path)
        return BILANX_SUCCESS;
    if (strcmp(path, "-") != 0)
        return output_open(path, &output_records, mode, &sink->file);
    sink->file = stdout;
    return BILANX_SUCCESS;
}

void sink_done(struct sink *sink)
{
    if (sink->file && sink->file != stdout)
        fclose(sink->file);
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
    AUTO(memory) char *json = bilanx_record_json(record);
    AUTO(memory) char *line = mem_format("%s\n", json);
    int fd = fileno(sink->file);
    off_t before = lseek(fd, 0, SEEK_END);  // -1: a pipe
    if (fflush(sink->file) == 0 && write_all(fd, line, strlen(line)))
        return BILANX_SUCCESS;
    int reason = errno;
    // If this fails too, it leaves an incomplete line, which --resume and --append remove.
    bool whole = before >= 0 && ftruncate(fd, before) == 0;
    (void)whole;
    if (sink->failed)
        return BILANX_SUCCESS;
    sink->failed = true;
    return bilanx_error_make(BILANX_E_SYSTEM,
                             "cannot write '%s': %s (the run continues without it)", sink->name,
                             strerror(reason));
}
