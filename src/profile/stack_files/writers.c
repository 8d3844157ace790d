// writers: stacks as folded lines, in speedscope's format, and as a record.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "folded.h"
#include "profile/stacks/stacks_record.h"

// Formats that repeat a whole path for each stack grow with the depth of the tree as well.
#define LARGEST ((double)((size_t)2 << 30))

static bool is_written(const struct stacks *stacks, unsigned node)
{
    return stacks->nodes[node].self > 0;
}

static struct bilanx_error too_large(const char *format)
{
    return bilanx_error_make(
        BILANX_E_INPUT,
        "the stacks are too deep for %s, which repeats every caller: over %.0f MB. Write a record "
        "or a graph instead",
        format, LARGEST / (1 << 20));
}

// "main", or "forward (model.py:12)" for Python. Semicolons and ends of lines would split it.
static void add_name(struct text *out, const struct stack_frame *frame)
{
    size_t start = out->size;
    text_add(out, frame->name);
    if (frame->kind == FRAME_PYTHON && frame->file)
        text_format(out, " (%s)", frame->file);
    for (char *at = out->data + start; at < out->data + out->size; at++)
        if (*at == ';')
            *at = ':';
        else if (*at == '\n' || *at == '\r')
            *at = ' ';
}

static void add_weight(struct text *out, double weight)
{
    char digits[NUMBER_SIZE];
    if (weight < 0x1p63 && weight == (double)(uint64_t)weight)
        text_format(out, " %llu", (unsigned long long)weight);
    else
        text_format(out, " %s", number_shortest(weight, digits));
}

struct folded_line {
    char *stack;
    double weights[2];
};

struct folded_lines {
    struct folded_line *items;
    size_t count;
};

static void folded_lines_done(struct folded_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].stack);
    free(lines->items);
}
SCOPE_VALUE(folded_lines, folded_lines_done)

static int by_stack(const void *a, const void *b)
{
    const struct folded_line *left = a, *right = b;
    return strcmp(left->stack, right->stack);
}

static bool fits(const struct stacks *stacks)
{
    AUTO(memory) double *sizes = mem_array(double, stacks->node_count);
    double sum = 0;
    for (size_t i = 1; i < stacks->node_count; i++) {
        const struct stack_node *node = &stacks->nodes[i];
        sizes[i] = sizes[node->parent] + (double)strlen(stacks->frames[node->frame].name) + 1;
        sum += node->self > 0 ? sizes[i] : 0;
    }
    return sum < LARGEST;
}

// Visits the nodes depth first, with the path in `path`, which ends at `ends[parent]` for a child.
static void collect(const struct stacks *stacks, struct folded_lines *out)
{
    AUTO(text) struct text path = {0};
    AUTO(memory) size_t *ends = mem_array(size_t, stacks->node_count);
    out->items = mem_array(struct folded_line, stacks->node_count);
    for (unsigned node = stacks_next(stacks, 0); node; node = stacks_next(stacks, node)) {
        unsigned parent = stacks->nodes[node].parent;
        path.size = ends[parent];
        if (parent)
            text_add_char(&path, ';');
        add_name(&path, &stacks->frames[stacks->nodes[node].frame]);
        ends[node] = path.size;
        if (!is_written(stacks, node))
            continue;
        struct folded_line *line = &out->items[out->count++];
        line->stack = mem_text_n(path.data ? path.data : "", path.size);
        line->weights[0] = stacks->changes ? stacks->changes[node].self[0] : 0;
        line->weights[1] =
            stacks->changes ? stacks->changes[node].self[1] : stacks->nodes[node].self;
    }
}

static void print_line(const struct folded_line *line, bool both, struct text *text, FILE *out)
{
    text_clear(text);
    text_add(text, line->stack);
    if (both)
        add_weight(text, line->weights[0]);
    add_weight(text, line->weights[1]);
    if (folded_is_comment(text->data))
        fputc(' ', out);  // or it would not be read
    text_add_char(text, '\n');
    fwrite(text->data, 1, text->size, out);
}

struct bilanx_error stacks_write_folded(const struct stacks *stacks, FILE *out)
{
    if (!fits(stacks))
        return too_large("folded lines");
    AUTO(folded_lines) struct folded_lines lines = {0};
    AUTO(text) struct text text = {0};
    collect(stacks, &lines);
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, by_stack);
    for (size_t i = 0; i < lines.count; i++) {
        struct folded_line *line = &lines.items[i], *next = line + 1;
        // Frames that differ only in their object look alike here.
        if (i + 1 < lines.count && strcmp(line->stack, next->stack) == 0) {
            next->weights[0] += line->weights[0];
            next->weights[1] += line->weights[1];
        } else {
            print_line(line, stacks->changes, &text, out);
        }
    }
    return BILANX_SUCCESS;
}

static void write_frame(struct json_writer *json, const struct stack_frame *frame)
{
    writer_open(json, '{');
    writer_key_text(json, "name", frame->name);
    const char *file = frame->file ? frame->file : frame->object;
    const char *colon = file ? strrchr(file, ':') : NULL;
    uint64_t line;
    if (colon && number_read_count(colon + 1, &line)) {
        AUTO(memory) char *path = mem_text_n(file, (size_t)(colon - file));
        writer_key_text(json, "file", path);
        writer_key_count(json, "line", line);
    } else if (file) {
        writer_key_text(json, "file", file);
    }
    writer_close(json, '}');
}

static void flush(struct json_writer *json, FILE *out)
{
    fwrite(text_get(json->out), 1, json->out->size, out);
    text_clear(json->out);
}

static void write_sample(const struct stacks *stacks, unsigned node, unsigned *path,
                         struct json_writer *json)
{
    size_t depth = 0;
    for (; node; node = stacks->nodes[node].parent)
        path[depth++] = stacks->nodes[node].frame;
    writer_open(json, '[');
    while (depth)
        writer_count(json, path[--depth]);
    writer_close(json, ']');
}

static double weight_of(const struct stacks *stacks, unsigned node)
{
    return stacks->changes ? stacks->changes[node].self[1] : stacks->nodes[node].self;
}

static size_t deepest(const struct stacks *stacks, double *sum)
{
    AUTO(memory) unsigned *depths = mem_array(unsigned, stacks->node_count);
    size_t most = 0;
    *sum = 0;
    for (size_t i = 1; i < stacks->node_count; i++) {
        depths[i] = depths[stacks->nodes[i].parent] + 1;
        most = depths[i] > most ? depths[i] : most;
        *sum += stacks->nodes[i].self > 0 ? depths[i] : 0;
    }
    return most;
}

static const char *speedscope_unit(const struct stacks *stacks)
{
    if (text_equal(stacks->unit, "nanoseconds") || text_equal(stacks->unit, "bytes"))
        return stacks->unit;
    return text_equal(stacks->unit, "nanoseconds per call") ? "nanoseconds" : "none";
}

static void write_samples(const struct stacks *stacks, unsigned *path, struct json_writer *json,
                          FILE *out)
{
    writer_key(json, "samples");
    writer_open(json, '[');
    for (unsigned i = 0; i < stacks->node_count; i++)
        if (weight_of(stacks, i) > 0) {
            write_sample(stacks, i, path, json);
            flush(json, out);
        }
    writer_close(json, ']');
    writer_key(json, "weights");
    writer_open(json, '[');
    for (unsigned i = 0; i < stacks->node_count; i++)
        if (weight_of(stacks, i) > 0)
            writer_number(json, weight_of(stacks, i));
    writer_close(json, ']');
}

static void write_frames(const struct stacks *stacks, struct json_writer *json, FILE *out)
{
    writer_key(json, "shared");
    writer_open(json, '{');
    writer_key(json, "frames");
    writer_open(json, '[');
    for (size_t i = 0; i < stacks->frame_count; i++) {
        write_frame(json, &stacks->frames[i]);
        flush(json, out);
    }
    writer_close(json, ']');
    writer_close(json, '}');
}

struct bilanx_error stacks_write_speedscope(const struct stacks *stacks, FILE *out)
{
    enum { DIGITS = 5 };  // for one frame in a sample
    double sum;
    AUTO(memory) unsigned *path = mem_array(unsigned, deepest(stacks, &sum) + 1);
    if (sum * DIGITS > LARGEST)
        return too_large("speedscope's format");
    const char *title = stacks->title ? stacks->title : "stacks";
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    writer_key_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    writer_key_text(&json, "exporter", "bilanx " BILANX_VERSION);
    writer_key_text(&json, "name", title);
    write_frames(stacks, &json, out);
    writer_key(&json, "profiles");
    writer_open(&json, '[');
    writer_open(&json, '{');
    writer_key_text(&json, "type", "sampled");
    writer_key_text(&json, "name", title);
    writer_key_text(&json, "unit", speedscope_unit(stacks));
    writer_key_count(&json, "startValue", 0);
    writer_key_number(&json, "endValue",
                      stacks->changes ? stacks->changes[0].total[1] : stacks->nodes[0].total);
    write_samples(stacks, path, &json, out);
    writer_close(&json, '}');
    writer_close(&json, ']');
    writer_close(&json, '}');
    text_add_char(&text, '\n');
    flush(&json, out);
    return BILANX_SUCCESS;
}

void stacks_write_record(const struct stacks *stacks, FILE *out)
{
    AUTO(bilanx_record) struct bilanx_record record = {
        .kind = mem_text("stacks"),
        .stacks = stacks_to_record(stacks),
    };
    AUTO(memory) char *json = bilanx_record_json(&record);
    fprintf(out, "%s\n", json);
}
