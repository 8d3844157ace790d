// stack_formats: stacks read in one format can be drawn, printed, and written in all; what is
// written reads back with the same weight.
#ifndef FUZZ_STACK_FORMATS_H
#define FUZZ_STACK_FORMATS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/flame/flame.h"
#include "profile/stack_files/stack_files.h"
#include "profile/stacks/trees.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Returns the stacks, or NULL if they cannot be read. The caller frees them.
static struct stacks *read_stacks(const struct stacks_format *format, const char *bytes,
                                  size_t size)
{
    AUTO(lines) struct lines lines = {.name = mem_text("fuzz"), .fd = 0, .ended = true};
    lines.buffer = mem_text_n(bytes, size);
    lines.size = size;
    lines.room = size + 1;
    AUTO(list) struct list remarks = {0};
    struct stack_file_options options = {.tid = size % 2, .addresses = size % 3 == 0};
    struct stack_reading reading = {&lines, &options, stacks_new(), &remarks};
    AUTO(memory) char *start = mem_text_n(bytes, size);
    for (size_t i = 0; i < size; i++)
        start[i] = start[i] ? start[i] : ' ';
    format->recognises(start, size);
    bool read = format->read(&reading).status == BILANX_OK;
    stacks_sum(reading.stacks);
    double total = reading.stacks->nodes[0].total;
    if (read && total > 0 && total < 1e300)
        return reading.stacks;
    stacks_free(reading.stacks);
    return NULL;
}

typedef void write_stacks(const struct stacks *stacks, FILE *out);

static void write_folded(const struct stacks *stacks, FILE *out)
{
    stacks_write_folded(stacks, out);
}

static void write_speedscope(const struct stacks *stacks, FILE *out)
{
    stacks_write_speedscope(stacks, out);
}

static void write_graph(const struct stacks *stacks, FILE *out)
{
    flame_svg(stacks, &(struct flame_options){0}, out);
}

static void write_again(const struct stacks *stacks, write_stacks *write,
                        const struct stacks_format *format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write(stacks, out);
    fclose(out);
    double whole = stacks->changes ? stacks->changes[0].total[1] : stacks->nodes[0].total;
    AUTO(stacks) struct stacks *again = read_stacks(format, text, size);
    double found = again ? again->changes ? again->changes[0].total[1] : again->nodes[0].total : 0;
    // Weights of other units than samples are scaled by some formats, so only their ratio is kept.
    if (whole > 0 && whole < 1e15 && whole > 1e-9 && !(fabs(found / whole - 1) < 1e-6)) {
        fprintf(stderr, "%s: %g became %g\n%s\n", format->name, whole, found, text);
        abort();
    }
    free(text);
}

static void view(const struct stacks *stacks)
{
    AUTO(text) struct text text = {0};
    flame_text(stacks, &(struct flame_text_options){.rows = 20, .columns = 60}, &text);
    AUTO(stacks) struct stacks *callers = NULL;
    AUTO(stacks) struct stacks *change = NULL;
    const char *name = stacks->frames[stacks->frame_count / 2].name;
    if (stacks->changes || stacks_focus(stacks, name, STACKS_CALLERS, &callers).status != BILANX_OK)
        return;
    if (stacks_difference(stacks, callers, STACKS_NORMALIZED, &change).status == BILANX_OK)
        write_again(change, write_graph, &stacks_format_svg);
}

static inline void check_stacks(const struct stacks_format *format, const uint8_t *data,
                                size_t size)
{
    AUTO(stacks) struct stacks *stacks = read_stacks(format, (const char *)data, size);
    if (!stacks)
        return;
    write_again(stacks, stacks_write_record, &stacks_format_record);
    write_again(stacks, write_graph, &stacks_format_svg);
    write_again(stacks, write_speedscope, &stacks_format_speedscope);
    write_again(stacks, write_folded,
                stacks->changes ? &stacks_format_difference : &stacks_format_folded);
    view(stacks);
}

#endif
