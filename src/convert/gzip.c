// gzip: with libarchive, which takes bytes from one struct lines and fills another.
#include "gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/mem.h"

void gzip_done(struct gzip *gzip)
{
    archive_read_free(gzip->archive);
    *gzip = (struct gzip){0};
}

bool gzip_recognises(const char *bytes, size_t size)
{
    return size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static struct bilanx_error complain(const struct gzip *gzip)
{
    const char *cause = archive_error_string(gzip->archive);
    return bilanx_error_make(BILANX_E_INPUT, "%s: cannot be unpacked: %s", gzip->packed->name,
                             cause ? cause : "not a whole gzip file");
}

// Gives the buffer of `packed` as it is, and has it filled again.
static la_ssize_t give_packed(struct archive *archive, void *context, const void **bytes)
{
    struct gzip *gzip = context;
    struct lines *packed = gzip->packed;
    const char *at = NULL;
    size_t size = 0;
    struct bilanx_error error = lines_peek(packed, 1, &at, &size);
    if (error.status != BILANX_OK) {
        archive_set_error(archive, ARCHIVE_FATAL, "%s", error.text);
        return -1;
    }
    size = packed->size - packed->at;
    packed->at = packed->size;
    *bytes = at;
    return (la_ssize_t)size;
}

static struct bilanx_error unpack(void *context, char *to, size_t room, size_t *got)
{
    struct gzip *gzip = context;
    la_ssize_t size = archive_read_data(gzip->archive, to, room);
    if (size < 0)
        return complain(gzip);
    gzip->unpacked += (size_t)size;
    if (gzip->unpacked > LINES_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: over %zu MB when unpacked: unpack it with 'gunzip' first",
                                 gzip->packed->name, LINES_LARGEST >> 20);
    *got = (size_t)size;
    return BILANX_SUCCESS;
}

struct bilanx_error gzip_open(struct lines *packed, struct gzip *gzip, struct lines *out)
{
    *gzip = (struct gzip){.packed = packed, .archive = archive_read_new()};
    archive_read_support_filter_gzip(gzip->archive);
    archive_read_support_format_raw(gzip->archive);
    archive_read_support_format_empty(gzip->archive);
    struct archive_entry *entry;
    int opened = archive_read_open(gzip->archive, gzip, NULL, give_packed, NULL);
    int found = opened == ARCHIVE_OK ? archive_read_next_header(gzip->archive, &entry) : opened;
    if (found != ARCHIVE_OK && found != ARCHIVE_EOF)
        return complain(gzip);
    *out = (struct lines){.name = mem_text(packed->name), .fd = -1, .more = unpack, .source = gzip};
    if (found == ARCHIVE_EOF) {
        out->buffer = mem_text("");
        out->room = 1;
        out->ended = true;
    }
    return BILANX_SUCCESS;
}
