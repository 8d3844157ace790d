// Records side by side: whatever can be read can be shown, in every format and with every option,
// with the same result twice, and without control characters that could affect a terminal.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bilanx/compare.h"
#include "core/record/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// One record per line, from three sources in turn, so that files have tasks in common.
static size_t add_lines(struct bilanx_compare *compare, const char *data, size_t size)
{
    static const char *const sources[] = {"a.jsonl", "b/a.jsonl", NULL};
    size_t added = 0;
    for (const char *at = data, *end = data + size; at < end && added < 200;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        for (size_t i = 0; i < 2; i++) {
            struct bilanx_record record = {0};
            if (bilanx_record_read(at, (size_t)(stop - at), "fuzz", &record).status == BILANX_OK)
                bilanx_compare_add(compare, &record, sources[added++ % 3]);
            bilanx_record_done(&record);
        }
        at = stop + 1;
    }
    return added;
}

static char *print(struct bilanx_compare *compare, const struct bilanx_compare_options *options)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    struct bilanx_error error = bilanx_compare_print(compare, options, file);
    fclose(file);
    if (error.status != BILANX_OK && (size || !error.text[0]))
        abort();  // an error has a message, and comes before any output
    if (strlen(out) != size)
        abort();
    return out;
}

static void check(struct bilanx_compare *compare, const struct bilanx_compare_options *options)
{
    AUTO(memory) char *first = print(compare, options);
    AUTO(memory) char *second = print(compare, options);
    if (strcmp(first, second) != 0)
        abort();
    for (const char *at = first; *at && !options->color && !options->colorize; at++)
        if ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\r')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct bilanx_compare_options looks[] = {
        {.width = 60, .summary = true},
        {.width = 1, .color = true},
        {.width = 200, .sort = "value", .metric = "mean"},
        {.transpose = true, .sort = "name", .width = 100},
        {.ratio = "a", .summary = true},
        {.ratio = "", .transpose = true, .sort = "value"},
        {.ratio = "b/a.jsonl", .metric = "stddev", .color = true},
        {.ratio = "row:x", .metric = "bytes-per-second", .format = BILANX_CSV},
        {.metric = "instructions", .width = 80},
        {.metric = "hits", .width = 120, .summary = true},
        {.metric = "max-rss"},
        {.format = BILANX_MARKDOWN, .summary = true, .width = 10},
        {.format = BILANX_CSV, .metric = "cpu"},
        {.format = BILANX_JSON, .summary = true, .ratio = "a.jsonl"},
        {.style = BILANX_COMPARE_TORCH},
        {.style = BILANX_COMPARE_TORCH, .trim = true, .highlight_warnings = true},
        {.style = BILANX_COMPARE_TORCH, .colorize = BILANX_COMPARE_BY_ROW, .transpose = true},
        {.style = BILANX_COMPARE_TORCH, .colorize = BILANX_COMPARE_BY_COLUMN, .trim = true},
    };
    struct bilanx_compare *compare = bilanx_compare_new();
    if (add_lines(compare, (const char *)data, size) > 0)
        for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
            check(compare, &looks[i]);
    bilanx_compare_free(compare);
    return 0;
}
