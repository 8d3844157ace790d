// stack_files: detects the format of a file and reads it.
#include "stack_files.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "results/convert/gzip.h"
#include "results/convert/recognise.h"
#include "utf16.h"

// The first that recognises a file reads it; folded stacks are the least distinctive.
static const struct stacks_format *const formats[] = {
    &stacks_format_svg,       &stacks_format_record, &stacks_format_speedscope,
    &stacks_format_callgrind, &stacks_format_perf,   &stacks_format_difference,
    &stacks_format_folded,
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct stacks_format *stacks_format(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

// What a file is read from: as it is, or through gzip or from UTF-16, or both.
struct stack_input {
    struct lines file, unpacked;
    struct gzip gzip;
    struct utf16 utf16;
    struct lines lines;
};

static void stack_input_done(struct stack_input *input)
{
    lines_done(&input->lines);
    gzip_done(&input->gzip);
    lines_done(&input->unpacked);
    lines_done(&input->file);
}
SCOPE_VALUE(stack_input, stack_input_done)

static struct bilanx_error open_input(const char *path, struct stack_input *input)
{
    const char *bytes;
    size_t size;
    struct lines *lines = &input->lines;
    BILANX_TRY(lines_open(path, lines));
    BILANX_TRY(lines_peek(lines, 4, &bytes, &size));
    if (gzip_recognises(bytes, size)) {
        input->file = *lines;
        *lines = (struct lines){0};
        BILANX_TRY(gzip_open(&input->file, &input->gzip, lines));
        BILANX_TRY(lines_peek(lines, 4, &bytes, &size));
    }
    if (utf16_recognises(bytes, size)) {
        input->unpacked = *lines;
        *lines = (struct lines){0};
        utf16_open(&input->unpacked, &input->utf16, lines);
        BILANX_TRY(lines_peek(lines, 4, &bytes, &size));
    }
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        lines->at += 3;
    return BILANX_SUCCESS;
}

static const char *name_of(size_t index)
{
    return formats[index]->name;
}

static bool recognises(size_t index, const char *bytes, size_t size)
{
    return formats[index]->recognises(bytes, size);
}

static const struct recogniser recogniser = {
    FORMAT_COUNT, name_of, recognises, "not a known format of stacks", "--as FORMAT", true};

static void stack_reading_done(struct stack_reading *reading)
{
    stacks_free(reading->stacks);
}
SCOPE_VALUE(stack_reading, stack_reading_done)

static struct bilanx_error check_result(const struct stack_reading *reading,
                                        const struct stacks_format *format)
{
    const char *name = reading->lines->name;
    stacks_sum(reading->stacks);
    double total = reading->stacks->nodes[0].total;
    if (!(total > 0))
        return bilanx_error_make(BILANX_E_INPUT, "%s: contains no stacks (read as '%s')%s%.200s",
                                 name, format->name, reading->remarks->count ? ": " : "",
                                 reading->remarks->count ? reading->remarks->items[0] : "");
    if (total > 1e300)
        return bilanx_error_make(BILANX_E_INPUT, "%s: the weights add up to more than 1e300", name);
    return BILANX_SUCCESS;
}

// Refuses what the format would ignore.
static struct bilanx_error check_options(const char *path, const struct stacks_format *format,
                                         const struct stack_file_options *options)
{
    bool is_perf = format == &stacks_format_perf;
    const struct {
        const char *name;
        bool given, known;
    } asked[] = {{"event", options->event, is_perf || format == &stacks_format_callgrind},
                 {"pid", options->pid, is_perf},
                 {"tid", options->tid, is_perf},
                 {"addresses", options->addresses, is_perf},
                 {"annotate", options->kernel || options->jit, is_perf}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (asked[i].given && !asked[i].known)
            return bilanx_error_make(
                BILANX_E_USAGE, "--%s is for the text of 'perf script'%s, but '%s' is %s",
                asked[i].name, i == 0 ? " and callgrind's files" : "", path, format->name);
    return BILANX_SUCCESS;
}

struct bilanx_error stack_file_read(const char *path, const struct stack_file_options *options,
                                    struct list *remarks, struct stacks **out)
{
    size_t index = 0;
    if (options->format)
        BILANX_TRY(recogniser_find(&recogniser, options->format, &index));
    AUTO(stack_input) struct stack_input input = {0};
    BILANX_TRY(open_input(path, &input));
    if (!options->format)
        BILANX_TRY(recogniser_look(&recogniser, &input.lines, &index));
    const struct stacks_format *format = formats[index];
    BILANX_TRY(check_options(path, format, options));
    AUTO(list) struct list found = {0};
    AUTO(stack_reading) struct stack_reading reading = {&input.lines, options, stacks_new(),
                                                        &found};
    BILANX_TRY(format->read(&reading));
    BILANX_TRY(check_result(&reading, format));
    list_add_all(remarks, &found);
    *out = TAKE(reading.stacks);
    return BILANX_SUCCESS;
}

bool stack_file_is_one(const char *path)
{
    AUTO(stack_input) struct stack_input input = {0};
    size_t index;
    return open_input(path, &input).status == BILANX_OK &&
           recogniser_look(&recogniser, &input.lines, &index).status == BILANX_OK;
}
