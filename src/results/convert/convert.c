// convert: detects formats and reads files; writes records and reports losses.
#include "bilanx/convert.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "base/want.h"
#include "convert_read.h"
#include "format.h"
#include "gzip.h"
#include "recognise.h"

static const struct format *const formats[] = {
    &format_bilanx,           &format_google, &format_hyperfine,
    &format_pytest_benchmark, &format_pyperf, &format_benchfmt,
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct bilanx_format *bilanx_convert_format(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index]->face : NULL;
}

static const char *name_of(size_t index)
{
    return formats[index]->face.name;
}

static bool recognises(size_t index, const char *bytes, size_t size)
{
    return formats[index]->recognises(bytes, size);
}

static const struct recogniser recogniser = {FORMAT_COUNT,     name_of,         recognises,
                                             "unknown format", "--from FORMAT", false};

static struct bilanx_error find_format(const char *name, const struct format **out)
{
    size_t index;
    BILANX_TRY(recogniser_find(&recogniser, name, &index));
    *out = formats[index];
    return BILANX_SUCCESS;
}

static struct bilanx_error recognise(struct lines *lines, const struct format **out)
{
    size_t index;
    BILANX_TRY(recogniser_look(&recogniser, lines, &index));
    *out = formats[index];
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_convert_find(const char *name, const struct bilanx_format **out)
{
    WANT(name);
    WANT(out);
    const struct format *format;
    BILANX_TRY(find_format(name, &format));
    *out = &format->face;
    return BILANX_SUCCESS;
}

const struct bilanx_format *bilanx_convert_format_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(slash ? slash : path, '.') : NULL;
    if (!dot || strchr(dot, ' '))
        return NULL;
    char wanted[32];
    if (snprintf(wanted, sizeof wanted, " %s ", dot) >= (int)sizeof wanted)
        return NULL;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strstr(formats[i]->face.extensions, wanted))
            return &formats[i]->face;
    return NULL;
}

bool format_takes(const struct format *format, const struct bilanx_record *record)
{
    if (!format->kinds)
        return true;
    for (const char *const *kind = format->kinds; *kind; kind++)
        if (text_equal(record->kind, *kind))
            return true;
    return false;
}

struct bilanx_error format_give(const struct reader_sink *sink, struct bilanx_record *record)
{
    record_summarize(record);
    struct bilanx_error error = sink->take(sink->context, record);
    bilanx_record_done(record);
    return error;
}

struct counting {
    const struct reader_sink *sink;
    size_t records;
};

static struct bilanx_error count_record(void *context, struct bilanx_record *record)
{
    struct counting *counting = context;
    counting->records++;
    return counting->sink->take(counting->sink->context, record);
}

static struct bilanx_error read_lines(struct lines *lines, const struct format *format,
                                      const struct reader_sink *sink)
{
    if (!format && sink->salvage && recognise(lines, &format).status != BILANX_OK)
        format = &format_bilanx;
    if (!format)
        BILANX_TRY(recognise(lines, &format));
    struct counting counting = {.sink = sink};
    const struct reader_sink counted = {count_record, &counting, sink->cut_short, sink->salvage,
                                        sink->tell};
    BILANX_TRY(format->read(lines, &counted));
    if (counting.records == 0)
        return bilanx_error_make(BILANX_E_INPUT, "%s: contains no results (read as '%s')",
                                 lines->name, format->face.name);
    return BILANX_SUCCESS;
}

// A file that may be gzipped; `out` reads from `packed`, which must outlive it.
struct packed {
    struct lines lines;
    struct gzip gzip;
};

static void packed_done(struct packed *packed)
{
    gzip_done(&packed->gzip);
    lines_done(&packed->lines);
}
SCOPE_VALUE(packed, packed_done)

static struct bilanx_error open_unpacked(const char *path, struct packed *packed, struct lines *out)
{
    const char *bytes;
    size_t size;
    BILANX_TRY(lines_open(path, out));
    BILANX_TRY(lines_peek(out, 2, &bytes, &size));
    if (!gzip_recognises(bytes, size))
        return BILANX_SUCCESS;
    packed->lines = *out;
    *out = (struct lines){0};
    return gzip_open(&packed->lines, &packed->gzip, out);
}

const struct bilanx_format *bilanx_convert_recognise(const char *path)
{
    AUTO(packed) struct packed packed = {0};
    AUTO(lines) struct lines lines = {0};
    const struct format *found;
    bool known = path && open_unpacked(path, &packed, &lines).status == BILANX_OK &&
                 recognise(&lines, &found).status == BILANX_OK;
    return known ? &found->face : NULL;
}

struct bilanx_error bilanx_convert_read(const char *path, const char *format,
                                        struct bilanx_error (*take)(void *context,
                                                                    struct bilanx_record *record),
                                        void *context)
{
    WANT(path);
    WANT(take);
    return convert_read(path, format, &(struct reader_sink){take, context});
}

struct bilanx_error convert_read(const char *path, const char *format,
                                 const struct reader_sink *sink)
{
    const struct format *found = NULL;
    if (format)
        BILANX_TRY(find_format(format, &found));
    AUTO(packed) struct packed packed = {0};
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(open_unpacked(path, &packed, &lines));
    return read_lines(&lines, found, sink);
}

struct bilanx_error bilanx_convert_write(const char *format, const struct bilanx_record *records,
                                         size_t count, FILE *out,
                                         void (*lost)(void *context, const char *what),
                                         void *context)
{
    if (count > 0)
        WANT(records);
    WANT(format);
    WANT(out);
    const struct format *found;
    BILANX_TRY(find_format(format, &found));
    if (!found->write)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' can be read, but not written",
                                 found->face.name);
    AUTO(losses) struct losses losses = {0};
    for (size_t i = 0; i < count; i++) {
        if (!format_takes(found, &records[i]))
            losses_add(&losses, "records of kind '%.40s'", records[i].kind ? records[i].kind : "");
        else if (found->holds)
            losses_of(&losses, &records[i], found->holds);
    }
    errno = 0;
    found->write(records, count, out, &losses);
    if (fflush(out) != 0 || ferror(out))
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write: %s",
                                 errno ? strerror(errno) : "output error");
    if (lost)
        losses_tell(&losses, lost, context);
    return BILANX_SUCCESS;
}
