// flame_svg: puts a graph together: texts, frames and table as plain SVG, which any viewer shows,
// then the stacks and a script that replaces all of it by something to explore.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "flame.h"
#include "flame_label.h"
#include "flame_palette.h"
#include "flame_parts.h"
#include "flame_script.h"
#include "flame_style.h"
#include "profile/stacks/embedded.h"
#include "profile/stacks/stacks_record.h"
#include "profile/stacks/trees.h"

// Limits of what a file contains: nodes of the tree, and bytes of their names.
enum { MOST_NODES = 50000, MOST_NAME_BYTES = 16 << 20, SHORTEST_NAME = 300 };
enum { HOTTEST = 20 };  // functions in the table

// Splits a subtitle at separators into lines of about the page's width, and adds them.
static double add_lines(const char *text, double y, struct text *out)
{
    enum { LONGEST = 170 };
    while (*text) {
        size_t size = strlen(text);
        if (size > LONGEST) {
            const char *cut = memrchr(text, ' ', LONGEST);
            size = cut && cut > text ? (size_t)(cut - text) : LONGEST;
            while (size && ((unsigned char)text[size] & 0xC0) == 0x80)
                size--;
        }
        AUTO(memory) char *line = mem_text_n(text, size);
        text_format(out, "<text class=\"subtitle\" x=\"%d\" y=\"%.0f\">", PAGE_MARGIN, y);
        xml_add(out, line);
        text_add(out, "</text>\n");
        y += 18;
        text += size + (text[size] == ' ');
    }
    return y;
}

static void add_part(struct text *out, const char *part)
{
    text_format(out, "%s%s", out->size ? " · " : "", part);
}

static void add_totals(const struct stacks *stacks, struct text *out)
{
    if (!stacks->changes) {
        label_weight(out, stacks->unit, stacks->nodes[0].total);
        return;
    }
    const double *total = stacks->changes[0].total;
    text_add(out, "A: ");
    label_weight(out, stacks->unit, total[0]);
    text_add(out, ", B: ");
    label_weight(out, stacks->unit, total[1]);
    text_add(out, " (");
    label_change(out, total[0], total[1]);
    text_add(out, ") · widths are the larger of both");
}

static size_t real_nodes(const struct stacks *stacks)
{
    size_t count = 0;
    for (size_t i = 1; i < stacks->node_count; i++)
        count += stacks->frames[stacks->nodes[i].frame].kind != FRAME_SMALL;
    return count;
}

// "1,000 calls". A command is measured once.
static void add_calls(double calls, struct text *out)
{
    if (calls == 1) {
        text_add(out, "one run");
        return;
    }
    label_number(out, calls);
    text_add(out, " calls");
}

// What was measured: totals, per call, what was lost, and remarks. `shown` are the stacks as they
// are shown, which may be parts of a measured time.
static void subtitle(const struct stacks *stacks, const struct stacks *shown,
                     const struct stacks *drawn, struct text *out)
{
    AUTO(text) struct text part = {0};
    add_totals(shown, out);
    if (shown != stacks) {
        label_weight(&part, stacks->unit, stacks->nodes[0].total);
        if (stacks->calls > 0) {
            text_add(&part, " in ");
            add_calls(stacks->calls, &part);
        }
        add_part(out, text_get(&part));
    } else if (stacks->calls > 0 && stacks->seconds > 0) {
        label_weight(&part, "nanoseconds", stacks->seconds * 1e9 / stacks->calls);
        text_add(&part, stacks->calls == 1 ? ", " : " per call, ");
        add_calls(stacks->calls, &part);
        add_part(out, text_get(&part));
    }
    if (stacks->lost > 0) {
        text_clear(&part);
        label_number(&part, stacks->lost);
        add_part(out, text_get(&part));
        text_add(out, " samples lost");
    }
    if (stacks->note)
        add_part(out, stacks->note);
    size_t merged = real_nodes(stacks) - real_nodes(drawn);
    if (merged) {
        text_clear(&part);
        label_number(&part, (double)merged);
        text_add(&part, " small frames merged");
        add_part(out, text_get(&part));
    }
}

static double add_chip(const char *class, const char *word, double x, double y, struct text *out)
{
    text_format(out,
                "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\"/>"
                "<text class=\"subtitle\" x=\"%.0f\" y=\"%.0f\">%s</text>\n",
                class, x, y - 10, x + 17, y, word);
    return x + 17 + 7 * (double)strlen(word) + 18;
}

static void add_legend(const struct stacks *stacks, double y, struct text *out)
{
    double x = PAGE_MARGIN;
    if (stacks->changes) {
        static const char *const chips[][2] = {{"l6", "gone"},
                                               {"l3", "B costs less"},
                                               {"z", "the same"},
                                               {"m3", "B costs more"},
                                               {"m6", "new"}};
        for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
            x = add_chip(chips[i][0], chips[i][1], x, y, out);
        return;
    }
    bool used[FRAME_KINDS] = {0};
    for (size_t i = 0; i < stacks->frame_count; i++)
        used[stacks->frames[i].kind] = true;
    for (int kind = 0; kind < FRAME_KINDS; kind++) {
        char class[8];
        struct stack_frame frame = {.name = "", .kind = (enum frame_kind)kind};
        if (used[kind])
            x = add_chip(palette_class(&frame, class), palette_kinds[kind], x, y, out);
    }
}

// JSON needs none of these characters outside of strings, and can escape them inside.
static void add_json(const char *json, struct text *out)
{
    for (const char *at = json; *at; at++) {
        if (*at == '<' || *at == '>' || *at == '&')
            text_format(out, "\\u%04x", (unsigned)*at);
        else if (strncmp(at, "\xEF\xBF\xBE", 3) == 0 || strncmp(at, "\xEF\xBF\xBF", 3) == 0) {
            text_format(out, "\\uff%x", at[2] == '\xBE' ? 0xfeu : 0xffu);
            at += 2;
        } else {
            text_add_char(out, *at);
        }
    }
}

static void shorten(char *name, size_t longest)
{
    if (!name || strlen(name) <= longest)
        return;
    while (longest && ((unsigned char)name[longest] & 0xC0) == 0x80)
        longest--;
    strcpy(name + longest - 3, "...");
}

// Samples stay samples in the file: the script scales them too.
static void add_record(const struct stacks *drawn, const char *title, struct text *out)
{
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("stacks")};
    struct bilanx_stacks *stacks = record.stacks = stacks_to_record(drawn);
    size_t longest = MOST_NAME_BYTES / (stacks->frame_count + 1);
    longest = longest > NAME_LONGEST    ? NAME_LONGEST
              : longest < SHORTEST_NAME ? SHORTEST_NAME
                                        : longest;
    for (size_t i = 0; i < stacks->frame_count; i++) {
        shorten(stacks->frames[i].name, longest);
        shorten(stacks->frames[i].file, SHORTEST_NAME);
        shorten(stacks->frames[i].object, SHORTEST_NAME);
    }
    free(stacks->title);
    stacks->title = mem_text(title);
    AUTO(memory) char *json = bilanx_record_json(&record);
    text_add(out, EMBEDDED_START);
    add_json(json, out);
    text_add(out, EMBEDDED_END "\n");
}

static void add_embedded(const char *id, const char *json, struct text *out)
{
    text_format(out, "<metadata id=\"%s\">", id);
    add_json(json, out);
    text_add(out, "</metadata>\n");
}

// Data that the script cannot derive from the stacks.
static void add_view(const char *lines, bool inverted, const char *hottest, struct text *out)
{
    AUTO(text) struct text view = {0};
    struct json_writer json = {.out = &view};
    writer_open(&json, '{');
    writer_key_text(&json, "subtitle", lines);
    writer_key(&json, "inverted");
    writer_bool(&json, inverted);
    writer_key(&json, "kinds");
    writer_open(&json, '{');
    for (int kind = 0; kind < FRAME_KINDS; kind++)
        writer_key_text(&json, frame_kind_names[kind], palette_kinds[kind]);
    writer_close(&json, '}');
    writer_key(&json, "hottest");
    writer_raw(&json, hottest);
    writer_close(&json, '}');
    add_embedded("bilanx-view", text_get(&view), out);
}

static void add_head(const char *title, double height, struct text *out)
{
    text_format(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bilanx\" width=\"%d\" "
                "height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n<title>",
                PAGE_WIDTH, height, PAGE_WIDTH, height);
    xml_add(out, title);
    text_add(out, "</title>\n<style>\n");
    text_add_n(out, (const char *)flame_style, sizeof flame_style);
    palette_style(out);
    text_add(out, "</style>\n");
}

void flame_svg(const struct stacks *stacks, const struct flame_options *options, FILE *file)
{
    AUTO(stacks) struct stacks *scaled = stacks_are_timed(stacks) ? stacks_per_call(stacks) : NULL;
    const struct stacks *shown = scaled ? scaled : stacks;
    double whole = shown->nodes[0].total;
    const char *own_title = options->title ? options->title : stacks->title;
    const char *title = own_title         ? own_title
                        : stacks->changes ? "Difference of A and B"
                                          : "Flame graph";
    AUTO(stacks) struct stacks *drawn = stacks_cut(shown, whole * options->least_share, MOST_NODES);
    AUTO(stacks) struct stacks *kept =
        stacks_cut(stacks, stacks->nodes[0].total * options->least_share, MOST_NODES);
    AUTO(text) struct text lines = {0}, page = {0}, hottest = {0}, out = {0};
    subtitle(stacks, shown, drawn, &lines);

    AUTO(text) struct text heading = {0};
    text_add_shortened(&heading, title, 95);
    text_format(&page, "<text class=\"title\" x=\"%d\" y=\"34\">", PAGE_MARGIN);
    xml_add(&page, text_get(&heading));
    text_add(&page, "</text>\n");
    double y = add_lines(text_get(&lines), 56, &page) + 6;
    add_legend(drawn, y, &page);
    y = frames_add(drawn, options->inverted, y + 14, &page);
    size_t count;
    AUTO(memory) struct stack_function *functions = stack_functions(shown, HOTTEST, &count);
    y = hottest_add(shown, functions, count, y + 16, &page) + PAGE_MARGIN;
    hottest_json(shown, functions, count, &hottest);

    add_head(title, y, &out);
    text_add(&out, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n<g class=\"static\">\n");
    text_add_n(&out, page.data, page.size);
    text_add(&out, "</g>\n");
    add_record(kept, own_title, &out);
    add_view(text_get(&lines), options->inverted, text_get(&hottest), &out);
    text_add(&out, "<script><![CDATA[\n");
    text_add_n(&out, (const char *)flame_script, sizeof flame_script);
    text_add(&out, "]]></script>\n</svg>\n");
    fwrite(out.data, 1, out.size, file);
}
