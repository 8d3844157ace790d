// flame_text: the heaviest part of the tree, for a terminal. Only branches are indented: what has
// one child stands above it.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "flame.h"
#include "flame_label.h"
#include "flame_layout.h"
#include "profile/stacks/trees.h"

enum { BAR = 10, DEEPEST = 30 };  // cells of a bar; branches that are drawn

struct tree_printer {
    const struct stacks *stacks;
    const struct flame_text_options *options;
    unsigned *children;  // by node: how many are printed
    bool *last;          // by node: it is the last child that is printed
    struct text *out;
};

static bool is_printed(const struct stacks *stacks, unsigned node)
{
    return stacks->frames[stacks->nodes[node].frame].kind != FRAME_SMALL;
}

static void add_branches(const struct tree_printer *printer, unsigned node, struct text *line)
{
    const char *branches[DEEPEST];
    size_t count = 0;
    bool own = true;
    for (; node && count < DEEPEST; node = printer->stacks->nodes[node].parent, own = false) {
        if (printer->children[printer->stacks->nodes[node].parent] < 2)
            continue;
        const char *of_parent = printer->last[node] ? "  " : "│ ";
        branches[count++] = own ? printer->last[node] ? "└ " : "├ " : of_parent;
    }
    while (count)
        text_add(line, branches[--count]);
}

static void add_bar(double share, struct text *out)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t cells = (size_t)(share * BAR * 8 + .5);
    cells = cells > BAR * 8 ? BAR * 8 : cells;
    text_add_repeated(out, "█", cells / 8);
    text_add(out, eighths[cells % 8]);
    text_add_repeated(out, " ", BAR - (cells + 7) / 8);
}

static void add_toned(const struct tree_printer *printer, enum table_tone tone, const char *text)
{
    tone_add(printer->out, printer->options->color, tone, text);
}

// The hotter, the more alarming. The last tone is in reverse video, in which a bar is invisible.
static enum table_tone tone_of(double share)
{
    enum { STEPS = TABLE_STEPS - 1 };
    int step = (int)(share * STEPS);
    step = step < STEPS ? step : STEPS - 1;
    return share < .05 ? TABLE_DIM : (enum table_tone)(TABLE_RISE + step);
}

static void add_cell(struct text *out, const struct text *cell, size_t width)
{
    size_t used = text_width(text_get(cell));
    text_add_repeated(out, " ", used < width ? width - used : 0);
    text_add(out, text_get(cell));
}

static void add_numbers(const struct tree_printer *printer, unsigned node)
{
    const struct stacks *stacks = printer->stacks;
    double whole = stacks->nodes[0].total;
    AUTO(text) struct text cell = {0}, line = {0};
    double share = whole > 0 ? stacks->nodes[node].total / whole : 0;
    if (stacks->changes) {
        const double *total = stacks->changes[node].total;
        label_amount(&cell, stacks->unit, total[0]);
        add_cell(&line, &cell, 13);
        text_clear(&cell);
        label_amount(&cell, stacks->unit, total[1]);
        add_cell(&line, &cell, 15);
        text_add(printer->out, text_get(&line));
        text_clear(&cell);
        text_clear(&line);
        label_change(&cell, total[0], total[1]);
        add_cell(&line, &cell, 11);
        add_toned(printer,
                  total[1] > total[0]   ? TABLE_BAD
                  : total[1] < total[0] ? TABLE_GOOD
                                        : TABLE_DIM,
                  text_get(&line));
    } else {
        label_share(&cell, stacks->nodes[node].total, whole);
        add_cell(&line, &cell, 7);
        add_toned(printer, tone_of(share), text_get(&line));
        text_clear(&cell);
        text_clear(&line);
        label_share(&cell, stacks->nodes[node].self, whole);
        add_cell(&line, &cell, 9);
        add_toned(printer, stacks->nodes[node].self > 0 ? TABLE_PLAIN : TABLE_DIM, text_get(&line));
    }
    text_add(printer->out, "  ");
    text_clear(&cell);
    add_bar(share, &cell);
    add_toned(printer, tone_of(share), text_get(&cell));
    text_add(printer->out, "  ");
}

// Whether the file of a location fits, if not all of its folders.
static bool file_fits(const char *where, size_t room)
{
    const char *slash = strrchr(where, '/');
    return text_width(where) <= room || (slash && text_width(slash + 1) + 1 <= room);
}

// Where a function is, if `room` has space for it.
static void add_place(const struct tree_printer *printer, const struct stack_frame *frame,
                      size_t room)
{
    bool inlined = frame && frame->kind == FRAME_INLINED;
    AUTO(text) struct text where = {0}, harmless = {0}, line = {0};
    if (!frame || !frame->file || (frame->kind != FRAME_PYTHON && !inlined))
        return;
    const size_t around = inlined ? 3 : 2;  // " ()", "  "
    label_where(&where, frame, NULL);
    text_add_harmless(&harmless, text_get(&where));
    if (room < around || !file_fits(text_get(&harmless), room - around))
        return;
    text_add(&line, inlined ? " (" : "  ");
    label_fit(&line, text_get(&harmless), room - around);
    text_add(&line, inlined ? ")" : "");
    add_toned(printer, TABLE_DIM, text_get(&line));
}

static void add_name(const struct tree_printer *printer, unsigned node)
{
    const struct stacks *stacks = printer->stacks;
    const struct stack_frame *frame = node ? &stacks->frames[stacks->nodes[node].frame] : NULL;
    AUTO(text) struct text line = {0}, name = {0}, harmless = {0};
    add_branches(printer, node, &line);
    add_toned(printer, TABLE_DIM, text_get(&line));
    if (frame)
        label_name(&name, frame);
    else
        text_add(&name, "all");
    text_add_harmless(&harmless, text_get(&name));
    size_t numbers = (stacks->changes ? 39 : 16) + BAR + 4,
           used = numbers + text_width(text_get(&line));
    size_t columns = printer->options->columns;
    text_clear(&line);
    if (columns && columns < used + 20)
        columns = used + 20;
    size_t room = columns ? columns - used : SIZE_MAX;
    label_fit(&line, text_get(&harmless), room);
    bool hot = stacks->nodes[node].self >= .1 * stacks->nodes[0].total;
    add_toned(printer, hot ? TABLE_BOLD : TABLE_PLAIN, text_get(&line));
    add_place(printer, frame, columns ? room - text_width(text_get(&line)) : SIZE_MAX);
    text_add(printer->out, "\n");
}

static void add_heading(const struct tree_printer *printer)
{
    const struct stacks *stacks = printer->stacks;
    AUTO(text) struct text line = {0}, harmless = {0};
    const char *title = printer->options->title ? printer->options->title : stacks->title;
    if (title)
        text_format(&line, "%.500s: ", title);
    if (stacks->changes) {
        label_weight(&line, stacks->unit, stacks->changes[0].total[0]);
        text_add(&line, " in A, ");
        label_weight(&line, stacks->unit, stacks->changes[0].total[1]);
        text_add(&line, " in B");
    } else {
        label_weight(&line, stacks->unit, stacks->nodes[0].total);
    }
    text_add_harmless(&harmless, text_get(&line));
    text_clear(&line);
    if (printer->options->columns)
        text_add_shortened(&line, text_get(&harmless), printer->options->columns);
    else
        text_add(&line, text_get(&harmless));
    add_toned(printer, TABLE_BOLD, text_get(&line));
    text_add(printer->out, "\n");
    text_clear(&line);
    if (stacks->changes)
        text_format(&line, "%13s%15s%11s  %-*s  function", "A", "B", "change", BAR, "");
    else
        text_format(&line, "%7s%9s  %-*s  function", "total", "self", BAR, "");
    add_toned(printer, TABLE_DIM, text_get(&line));
    text_add(printer->out, "\n");
}

static void add_tree(const struct stacks *stacks, const struct flame_text_options *options,
                     struct text *out)
{
    enum { HEADING = 3 };  // lines: title, columns, and the root
    double whole = stacks->nodes[0].total;
    size_t most = options->rows > HEADING ? options->rows - HEADING : options->rows ? 1 : SIZE_MAX;
    AUTO(stacks) struct stacks *large = stacks_cut(stacks, options->rows ? 0 : whole / 100, most);
    AUTO(flame_layout) struct flame_layout layout = {0};
    flame_layout_make(large, &layout);
    AUTO(memory) unsigned *children = mem_array(unsigned, large->node_count);
    AUTO(memory) unsigned *latest = mem_array(unsigned, large->node_count);
    AUTO(memory) bool *last = mem_array(bool, large->node_count);
    for (size_t i = 0; i < layout.count; i++) {
        unsigned node = layout.order[i], parent = large->nodes[node].parent;
        if (!is_printed(large, node))
            continue;
        children[parent]++;
        last[latest[parent]] = false;
        latest[parent] = node;
        last[node] = true;
    }
    struct tree_printer printer = {large, options, children, last, out};
    add_heading(&printer);
    add_numbers(&printer, 0);
    add_name(&printer, 0);
    for (size_t i = 0; i < layout.count; i++)
        if (is_printed(large, layout.order[i])) {
            add_numbers(&printer, layout.order[i]);
            add_name(&printer, layout.order[i]);
        }
}

void flame_text(const struct stacks *stacks, const struct flame_text_options *options,
                struct text *out)
{
    AUTO(stacks) struct stacks *scaled = stacks_are_timed(stacks) ? stacks_per_call(stacks) : NULL;
    add_tree(scaled ? scaled : stacks, options, out);
}
