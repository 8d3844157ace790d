// flame_frames: draws frames as rectangles with labels and tooltips.
#include <string.h>

#include "flame_label.h"
#include "flame_layout.h"
#include "flame_palette.h"
#include "flame_parts.h"
#include "profile/stacks/trees.h"

enum { MOST_FRAMES = 3000, MOST_ROWS = 200 };
static const double least_share = .001;   // 1.2 units wide
static const double letter_width = 6.75;  // of 11 units of any monospaced font, rounded up
static const double padding = 4;

struct drawing {
    const struct stacks *stacks;
    const struct flame_layout *layout;
    bool inverted;
    double top, rows, scale;  // units per weight
    struct text *out;
};

static void add_tooltip(const struct drawing *drawing, unsigned node, const char *name)
{
    const struct stacks *stacks = drawing->stacks;
    const struct stack_node *here = &stacks->nodes[node];
    AUTO(text) struct text tip = {0};
    const struct stack_frame *frame = node ? &stacks->frames[here->frame] : NULL;
    AUTO(text) struct text where = {0};
    text_add(&tip, name);
    if (frame)
        label_where(&where, frame, frame->object);
    if (where.size)
        text_format(&tip, " (%s)", text_get(&where));
    text_add(&tip, ": ");
    if (stacks->changes) {
        const double *total = stacks->changes[node].total;
        label_weight(&tip, stacks->unit, total[0]);
        text_add(&tip, " to ");
        label_weight(&tip, stacks->unit, total[1]);
        text_add(&tip, ", ");
        label_change(&tip, total[0], total[1]);
    } else {
        label_weight(&tip, stacks->unit, here->total);
        text_add(&tip, ", ");
        label_share(&tip, here->total, stacks->nodes[0].total);
        text_add(&tip, "; itself ");
        label_share(&tip, here->self, stacks->nodes[0].total);
    }
    text_add(drawing->out, "<title>");
    xml_add(drawing->out, text_get(&tip));
    text_add(drawing->out, "</title>");
}

static void add_label(const struct drawing *drawing, const char *name, double x, double y,
                      double width)
{
    double columns = (width - 2 * padding) / letter_width;
    if (columns < 3)
        return;
    AUTO(text) struct text harmless = {0}, label = {0};
    text_add_harmless(&harmless, name);
    label_fit(&label, text_get(&harmless), (size_t)columns);
    if (label.size == 0)
        return;
    text_format(drawing->out, "<text x=\"%.1f\" y=\"%.1f\">", x + padding, y + 12);
    xml_add(drawing->out, text_get(&label));
    text_add(drawing->out, "</text>");
}

static const char *class_of(const struct stacks *stacks, unsigned node, char out[8])
{
    if (stacks->changes)
        return palette_change(stacks->changes[node].total[0], stacks->changes[node].total[1], out);
    if (node == 0)
        return strcpy(out, "t0");
    return palette_class(&stacks->frames[stacks->nodes[node].frame], out);
}

static void add_frame(const struct drawing *drawing, unsigned node)
{
    const struct stacks *stacks = drawing->stacks;
    unsigned depth = drawing->layout->depth[node];
    double x = PAGE_MARGIN + drawing->layout->start[node] * drawing->scale;
    double width = stacks->nodes[node].total * drawing->scale;
    if (depth >= drawing->rows || width < .5)
        return;
    double row = drawing->inverted ? depth : drawing->rows - 1 - depth;
    double y = drawing->top + row * ROW_HEIGHT;
    AUTO(text) struct text name = {0};
    if (node)
        label_name(&name, &stacks->frames[stacks->nodes[node].frame]);
    else
        text_add(&name, "all");
    char class[8];
    text_add(drawing->out, "<g>");
    add_tooltip(drawing, node, text_get(&name));
    text_format(
        drawing->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
        class_of(stacks, node, class), x, y, width > 2 ? width - .6 : width, ROW_HEIGHT - 1);
    add_label(drawing, text_get(&name), x, y, width);
    text_add(drawing->out, "</g>\n");
}

double frames_add(const struct stacks *stacks, bool inverted, double top, struct text *out)
{
    double whole = stacks->nodes[0].total;
    AUTO(stacks) struct stacks *large = stacks_cut(stacks, whole * least_share, MOST_FRAMES);
    AUTO(flame_layout) struct flame_layout layout = {0};
    flame_layout_make(large, &layout);
    double rows = layout.deepest + 1 < MOST_ROWS ? layout.deepest + 1 : MOST_ROWS;
    struct drawing drawing = {
        .stacks = large,
        .layout = &layout,
        .inverted = inverted,
        .top = top,
        .rows = rows,
        .scale = whole > 0 ? (PAGE_WIDTH - 2 * PAGE_MARGIN) / whole : 0,
        .out = out,
    };
    text_add(out, "<g class=\"frames\">\n");
    add_frame(&drawing, 0);
    for (size_t i = 0; i < layout.count; i++)
        add_frame(&drawing, layout.order[i]);
    text_add(out, "</g>\n");
    return top + rows * ROW_HEIGHT;
}
