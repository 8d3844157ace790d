// flame_hottest: the table below a graph.
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "flame_label.h"
#include "flame_palette.h"
#include "flame_parts.h"
#include "profile/stacks/trees.h"

static const double self_right = 120, self_share = 200, total_right = 320, total_share = 400,
                    bar_left = 420, bar_width = 120, name_left = 560;
static const double letter_width = 6.75;

static void add_cell(struct text *out, double x, double y, const char *class, const char *text)
{
    text_format(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", class, x, y);
    xml_add(out, text);
    text_add(out, "</text>");
}

static void add_weight(const struct stacks *stacks, double x, double y, double weight,
                       struct text *out)
{
    AUTO(text) struct text cell = {0};
    label_amount(&cell, stacks->unit, weight);
    add_cell(out, x, y, "right", text_get(&cell));
}

static void add_share(const struct stacks *stacks, double x, double y, double weight,
                      struct text *out)
{
    AUTO(text) struct text cell = {0};
    label_share(&cell, weight, stacks->nodes[0].total);
    add_cell(out, x, y, "right", text_get(&cell));
}

static void add_change(double x, double y, double before, double after, struct text *out)
{
    AUTO(text) struct text cell = {0};
    label_change(&cell, before, after);
    add_cell(out, x, y, "right", text_get(&cell));
}

static void add_bar(const struct stacks *stacks, const struct stack_function *function, double y,
                    struct text *out)
{
    double whole = stacks->nodes[0].total;
    char class[8];
    if (stacks->changes)
        palette_change(function->before[0], function->after[0], class);
    else
        palette_class(&stacks->frames[function->frame], class);
    text_format(out,
                "<rect class=\"bar\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"11\"/>"
                "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"11\"/>",
                bar_left, y - 10, bar_width * function->total / whole, class, bar_left, y - 10,
                bar_width * function->self / whole);
}

static void add_name(const struct stack_frame *frame, double y, struct text *out)
{
    AUTO(text) struct text name = {0}, harmless = {0}, cell = {0};
    label_name(&name, frame);
    AUTO(text) struct text where = {0};
    label_where(&where, frame, NULL);
    if (where.size)
        text_format(&name, "  %.200s", text_get(&where));
    text_add_harmless(&harmless, text_get(&name));
    size_t columns = (size_t)((PAGE_WIDTH - PAGE_MARGIN - name_left) / letter_width);
    text_add_shortened(&cell, text_get(&harmless), columns);
    add_cell(out, name_left, y, "code", text_get(&cell));
}

static void add_row(const struct stacks *stacks, const struct stack_function *function, double y,
                    struct text *out)
{
    if (stacks->changes) {
        add_weight(stacks, self_right, y, function->before[0], out);
        add_weight(stacks, self_share + 40, y, function->after[0], out);
        add_change(total_right, y, function->before[0], function->after[0], out);
        add_change(total_share, y, function->before[1], function->after[1], out);
    } else {
        add_weight(stacks, self_right, y, function->self, out);
        add_share(stacks, self_share, y, function->self, out);
        add_weight(stacks, total_right, y, function->total, out);
        add_share(stacks, total_share, y, function->total, out);
    }
    add_bar(stacks, function, y, out);
    add_name(&stacks->frames[function->frame], y, out);
    text_add(out, "\n");
}

static void add_heading(const struct stacks *stacks, double y, struct text *out)
{
    AUTO(text) struct text title = {0};
    text_add(&title, stacks->changes ? "Functions that changed most" : "Hottest functions");
    if (!stacks_are_times(stacks))
        text_format(&title, ", in %.100s", stacks->unit ? stacks->unit : "samples");
    add_cell(out, PAGE_MARGIN, y, "heading", text_get(&title));
    y += 22;
    bool both = stacks->changes;
    add_cell(out, self_right, y, "right dim", both ? "self, A" : "self");
    add_cell(out, self_share + 40, y, "right dim", both ? "self, B" : "");
    add_cell(out, total_right, y, "right dim", both ? "change" : "total");
    add_cell(out, total_share, y, "right dim", both ? "in total" : "");
    add_cell(out, name_left, y, "dim", "function");
}

double hottest_add(const struct stacks *stacks, const struct stack_function *functions,
                   size_t count, double top, struct text *out)
{
    double y = top + 20;
    text_add(out, "<g class=\"table\">\n");
    add_heading(stacks, y, out);
    y += 42;
    for (size_t i = 0; i < count; i++, y += 18)
        add_row(stacks, &functions[i], y, out);
    text_add(out, "</g>\n");
    return y;
}

static void write_function(const struct stacks *stacks, const struct stack_function *function,
                           struct json_writer *json)
{
    static const char *const keys[] = {"self",         "total",      "before_self",
                                       "before_total", "after_self", "after_total"};
    const double numbers[] = {function->self,      function->total,    function->before[0],
                              function->before[1], function->after[0], function->after[1]};
    const struct stack_frame *frame = &stacks->frames[function->frame];
    AUTO(memory) char *name = mem_text_n(frame->name, strnlen(frame->name, NAME_LONGEST));
    writer_open(json, '{');
    writer_key_text(json, "name", name);
    if (frame->file)
        writer_key_text(json, "file", frame->file);
    writer_key_text(json, "kind", frame_kind_names[frame->kind]);
    for (size_t i = 0; i < (stacks->changes ? 6 : 2); i++)
        writer_key_number(json, keys[i], numbers[i]);
    writer_close(json, '}');
}

void hottest_json(const struct stacks *stacks, const struct stack_function *functions, size_t count,
                  struct text *out)
{
    struct json_writer json = {.out = out};
    writer_open(&json, '[');
    for (size_t i = 0; i < count; i++)
        write_function(stacks, &functions[i], &json);
    writer_close(&json, ']');
}
