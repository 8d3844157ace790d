// formats: records read in one format can be written in all, and read again.
#ifndef FUZZ_FORMATS_H
#define FUZZ_FORMATS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/convert/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
    struct bilanx_record *records;
    size_t count, room;
};

static void taken_done(struct taken *taken)
{
    for (size_t i = 0; i < taken->count; i++)
        bilanx_record_done(&taken->records[i]);
    free(taken->records);
}
SCOPE_VALUE(taken, taken_done)

// Every record returned by a reader can be read by bilanx itself.
static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct taken *taken = context;
    AUTO(memory) char *json = bilanx_record_json(record);
    AUTO(bilanx_record) struct bilanx_record again = {0};
    if (bilanx_record_read(json, strlen(json), "again", &again).status != BILANX_OK)
        abort();
    mem_grow(taken->records, taken->count, &taken->room);
    taken->records[taken->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

static struct bilanx_error read_text(const struct format *format, const char *text, size_t size,
                                     struct taken *taken)
{
    AUTO(lines) struct lines lines = {.name = mem_text("fuzz"), .fd = 0, .ended = true};
    lines.buffer = mem_text_n(text, size);
    lines.size = size;
    lines.room = size + 1;
    return format->read(&lines, &(struct reader_sink){take, taken});
}

static void write_again(const struct format *format, const struct taken *taken)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    AUTO(losses) struct losses losses = {0};
    format->write(taken->records, taken->count, out, &losses);
    fclose(out);
    AUTO(taken) struct taken again = {0};
    struct bilanx_error error = read_text(format, text, size, &again);
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n%s\n", error.text, text);
        abort();
    }
    free(text);
}

static inline void check_format(const struct format *format, const uint8_t *data, size_t size)
{
    static const struct format *const all[] = {&format_bilanx, &format_google, &format_hyperfine,
                                               &format_pyperf, &format_benchfmt};
    AUTO(taken) struct taken taken = {0};
    if (read_text(format, (const char *)data, size, &taken).status != BILANX_OK)
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        write_again(all[i], &taken);
}

#endif
