// perf: reads the text that `perf script` prints: samples, each a header and a frame per line, the
// innermost first, with an empty line after it.
//
// Folding it gives what FlameGraph's stackcollapse-perf.pl gives: names without arguments, the
// command at the root, and the periods of one event as weights.
#include "perf_names.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct perf_reader {
    struct stack_reading *reading;
    char *event;  // the one that is shown; NULL: not known yet
    bool in_sample;
    struct perf_naming naming;
    unsigned command;  // frame at the root
    double period;
    bool has_periods;
    struct text only;  // the only frame, from the header
    unsigned *frames;  // of the sample, innermost first
    size_t count, room;
    unsigned long header_line;
    size_t samples, other_events, unknown_lines;
    unsigned long first_unknown;
    char *other_event;
};

static void perf_reader_done(struct perf_reader *reader)
{
    free(reader->event);
    free(reader->other_event);
    free(reader->frames);
    text_done(&reader->only);
    text_done(&reader->naming.name);
}
SCOPE_VALUE(perf_reader, perf_reader_done)

// Maps of some programs list what was inlined: "outer->inner". But "operator->(int)" is a name.
static const char *find_arrow(const char *at, const char *end)
{
    for (; (at = memmem(at, (size_t)(end - at), "->", 2)); at += 2)
        if (at + 2 == end || at[2] != '(')
            return at;
    return NULL;
}

// "main+0x12": perf prints offsets since Linux 4.8.
static size_t without_offset(struct perf_part symbol)
{
    size_t size = symbol.size;
    while (size && (isdigit((unsigned char)symbol.text[size - 1]) ||
                    (symbol.text[size - 1] >= 'a' && symbol.text[size - 1] <= 'f')))
        size--;
    bool is_offset =
        size < symbol.size && size >= 3 && memcmp(symbol.text + size - 3, "+0x", 3) == 0;
    return is_offset ? size - 3 : symbol.size;
}

static void take_frame(struct perf_reader *reader, const struct perf_frame *frame)
{
    struct perf_part symbol = frame->symbol;
    symbol.size = without_offset(symbol);
    if (symbol.size && symbol.text[0] == '(')
        return;  // the name of a process
    size_t first = reader->count;
    const char *at = symbol.text, *end = at + symbol.size;
    for (bool inlined = false;; inlined = true) {
        const char *arrow = find_arrow(at, end);
        struct perf_part name = {at, (size_t)((arrow ? arrow : end) - at)};
        mem_grow(reader->frames, reader->count, &reader->room);
        unsigned number = perf_names_frame(&reader->naming, frame, name, inlined);
        reader->frames[reader->count++] = number;
        if (!arrow || arrow + 2 == end)
            break;
        at = arrow + 2;
    }
    for (size_t i = first, j = reader->count; i + 1 < j; i++) {
        unsigned other = reader->frames[--j];
        reader->frames[j] = reader->frames[i];
        reader->frames[i] = other;
    }
}

static void finish_sample(struct perf_reader *reader)
{
    struct stacks *stacks = reader->reading->stacks;
    struct perf_frame frame;
    if (!reader->in_sample)
        return;
    if (reader->count == 0 && reader->only.size &&
        perf_frame_parse(text_get(&reader->only), &frame))
        take_frame(reader, &frame);
    unsigned node = stacks_child(stacks, 0, reader->command);
    while (reader->count)
        node = stacks_child(stacks, node, reader->frames[--reader->count]);
    stacks->nodes[node].self += reader->period;
    reader->samples++;
    reader->in_sample = false;
}

static bool is_wanted(struct perf_reader *reader, const struct perf_header *header)
{
    if (header->event.size == 0)
        return true;
    if (!reader->event)
        reader->event = mem_text_n(header->event.text, header->event.size);
    if (perf_part_is(header->event, reader->event))
        return true;
    if (reader->other_events++ == 0)
        reader->other_event = mem_text_n(header->event.text, header->event.size);
    return false;
}

static void start_sample(struct perf_reader *reader, const struct perf_header *header)
{
    if (reader->count || reader->only.size)
        finish_sample(reader);
    reader->in_sample = false;
    if (!is_wanted(reader, header))
        return;
    reader->in_sample = true;
    reader->header_line = reader->reading->lines->number;
    reader->command = perf_names_command(&reader->naming, header);
    reader->naming.is_java = strncmp(header->command.text, "java", 4) == 0;
    reader->has_periods |= header->period > 0;
    reader->period = header->period > 0 ? header->period : 1;
    text_clear(&reader->only);
    if (header->frame)
        text_add(&reader->only, header->frame);
}

static void read_comment(struct perf_reader *reader, const char *line)
{
    static const char key[] = "# cmdline :";
    struct stacks *stacks = reader->reading->stacks;
    if (text_starts(line, key) && !stacks->title)
        stacks->title = mem_text(line + sizeof key - 1 + strspn(line + sizeof key - 1, " "));
}

// Source positions (-F +srcline) stand on lines of their own; they are not needed.
static bool is_source_position(const char *line)
{
    const char *start = line + strspn(line, " \t");
    const char *colon = strrchr(start, ':');
    size_t size = strlen(start);
    bool has_line = colon && colon > start && strspn(colon + 1, "0123456789") == strlen(colon + 1);
    bool has_offset = size > 2 && start[size - 1] == ']' && strchr(start, '[');
    return start > line && (has_line || has_offset);
}

static void read_line(struct perf_reader *reader, char *line, size_t size)
{
    if (strspn(line, " \t\r") == size)
        line[size = 0] = '\0';
    if (size && line[size - 1] == '\r')
        line[--size] = '\0';
    struct perf_header header;
    struct perf_frame frame;
    if (line[0] == '#') {
        read_comment(reader, line);
    } else if (size == 0) {
        finish_sample(reader);
    } else if (isspace((unsigned char)line[0]) && perf_frame_parse(line, &frame)) {
        if (reader->in_sample)
            take_frame(reader, &frame);
    } else if (perf_header_parse(line, &header)) {
        start_sample(reader, &header);
    } else if (perf_frame_parse(line, &frame)) {
        if (reader->in_sample)
            take_frame(reader, &frame);
    } else if (!is_source_position(line) && reader->unknown_lines++ == 0) {
        reader->first_unknown = reader->reading->lines->number;
    }
}

// A file that ends within a sample was cut off, so its outer frames may be missing.
static void finish_file(struct perf_reader *reader)
{
    struct stack_reading *reading = reader->reading;
    if (!reader->in_sample)
        return;
    bool whole = reader->count == 0 && reader->only.size;
    if (!whole && reader->samples) {
        AUTO(memory) char *remark =
            mem_format("%s:%lu: the file ends within this sample, which was ignored",
                       reading->lines->name, reader->header_line);
        list_add(reading->remarks, remark);
        return;
    }
    finish_sample(reader);
}

static void tell(struct perf_reader *reader)
{
    struct stack_reading *reading = reader->reading;
    if (reader->unknown_lines) {
        AUTO(memory) char *remark = mem_format(
            "%s:%lu: neither a sample nor a frame: ignored %zu such line%s", reading->lines->name,
            reader->first_unknown, reader->unknown_lines, reader->unknown_lines > 1 ? "s" : "");
        list_add(reading->remarks, remark);
    }
    if (reader->other_events) {
        AUTO(text) struct text events = {0};
        text_add_harmless(&events, reader->event);
        text_add(&events, "', not the ");
        text_format(&events, "%zu of other events, such as '", reader->other_events);
        text_add_harmless(&events, reader->other_event);
        AUTO(memory) char *remark =
            mem_format("%s: shows the samples of event '%s' (choose one with --event)",
                       reading->lines->name, text_get(&events));
        list_add(reading->remarks, remark);
    }
}

// The periods of clocks are nanoseconds.
static void set_unit(const struct perf_reader *reader)
{
    const char *event = reader->event;
    bool is_clock = event && (text_starts(event, "cpu-clock") || text_starts(event, "task-clock"));
    const char *unit = is_clock ? "nanoseconds" : event;
    stacks_set_unit(reader->reading->stacks, reader->has_periods && unit ? unit : "samples");
}

static struct bilanx_error read_perf(struct stack_reading *reading)
{
    AUTO(perf_reader) struct perf_reader reader = {.reading = reading,
                                                   .naming = {reading->stacks, reading->options}};
    reader.event = mem_text(reading->options->event);
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(reading->lines, &line, &size));
        if (!line)
            break;
        read_line(&reader, line, size);
    }
    finish_file(&reader);
    tell(&reader);
    set_unit(&reader);
    if (reader.samples == 0 && reader.other_events)
        return bilanx_error_make(BILANX_E_INPUT, "%s: has no event '%.60s'. There is '%.60s'",
                                 reading->lines->name, reader.event, reader.other_event);
    return BILANX_SUCCESS;
}

// The first sample: a header, with a frame on the next line or at its end.
static bool recognises_perf(const char *bytes, size_t size)
{
    AUTO(memory) char *copy = mem_text_n(bytes, size);
    bool after_header = false;
    for (char *line = copy, *end; *line; line = end) {
        struct perf_header header;
        struct perf_frame frame;
        end = strchrnul(line, '\n');
        if (*end)
            *end++ = '\0';
        if (text_starts(line, "# captured on") || text_starts(line, "# perf version"))
            return true;
        if (after_header && (perf_frame_parse(line, &frame) && frame.object.size))
            return true;
        after_header = line[0] != '#' && perf_header_parse(line, &header);
        if (after_header && (header.frame || header.event.size))
            return true;
    }
    return false;
}

const struct stacks_format stacks_format_perf = {
    .name = "perf",
    .summary = "the text of 'perf script'",
    .recognises = recognises_perf,
    .read = read_perf,
};
