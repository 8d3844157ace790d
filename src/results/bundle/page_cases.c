// page_cases: the cases on the page of a bundle: the table of verdicts, graphs and counts.
#include <ctype.h>
#include <math.h>

#include "base/mem.h"
#include "core/stats/units.h"
#include "page_parts.h"
#include "profile/flame/flame_label.h"

// The colour and the word for a result.
static const char *result_class(const struct bilanx_record *record)
{
    static const char *const known[] = {"slower", "faster", "same", "undecided"};
    if (record->error)
        return record_skipped(record) ? "skipped" : "failed";
    for (size_t i = 0; record->verdict && i < sizeof known / sizeof *known; i++)
        if (text_equal(known[i], record->verdict->verdict))
            return known[i];
    return "undecided";
}

static const char *result_word(const struct bilanx_record *record)
{
    if (record->error)
        return record->error->code;
    return record->verdict ? record->verdict->verdict : "unknown";
}

// ---- Table of verdicts

static double widest(const struct bundle *bundle)
{
    static const double LEAST = .01, MOST = 5;  // beyond, intervals are cut off
    double most = LEAST;
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++) {
            const struct bilanx_verdict *verdict = part_verdict(&bundle->cases[i].parts[side]);
            for (size_t end = 0; verdict && end < 2; end++)
                if (isfinite(verdict->interval[end]))
                    most = fmax(most, fabs(verdict->interval[end]));
        }
    return fmin(most, MOST);
}

static double place_of(double change, double limit)
{
    enum { HALF = 70, MARGIN = 8 };
    return MARGIN + HALF * (1 + fmax(-1, fmin(1, change / limit)));
}

// The interval of the change, with "no change" in the middle.
static void add_plot(const struct bilanx_verdict *verdict, double limit, struct text *out)
{
    if (!isfinite(verdict->interval[0]) || !isfinite(verdict->change))
        return;
    text_format(out,
                "<svg class=\"plot\" width=\"156\" height=\"16\" viewBox=\"0 0 156 16\" "
                "aria-hidden=\"true\"><line x1=\"78\" x2=\"78\" y1=\"0\" y2=\"16\"/>"
                "<line class=\"range\" x1=\"%.1f\" x2=\"%.1f\" y1=\"8\" y2=\"8\"/>"
                "<circle cx=\"%.1f\" cy=\"8\" r=\"4\"/></svg>",
                place_of(verdict->interval[0], limit), place_of(verdict->interval[1], limit),
                place_of(verdict->change, limit));
}

static void add_time(double seconds, struct text *out)
{
    char text[UNITS_SIZE];
    text_format(out, "<td class=\"right\">%s</td>",
                seconds > 0 ? units_time(seconds, NAN, text) : "");
}

static void add_verdict_cells(const struct bilanx_verdict *verdict, double limit, struct text *out)
{
    add_time(verdict->times[0], out);
    add_time(verdict->times[1], out);
    text_add(out, "<td class=\"right\">");
    verdict_add_change(verdict, out);
    text_add(out, "</td><td class=\"plotted\">");
    add_plot(verdict, limit, out);
    text_add(out, "</td><td class=\"right\">");
    verdict_add_interval(verdict, out);
    text_add(out, "</td>");
}

static const char *reason_of(const struct bilanx_record *record)
{
    const char *class = result_class(record);
    if (record->error)
        return record->error->text;
    bool reached =
        text_equal(class, "slower") || text_equal(class, "faster") || text_equal(class, "same");
    return record->verdict && !reached ? record->verdict->reason : NULL;
}

static void add_row(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                    double limit, struct text *out)
{
    const struct bilanx_record *record = &item->parts[side].slots[BUNDLE_VERDICT];
    bool examined = bundle_is_examined(bundle, item);
    text_format(out, "<tr class=\"%s\"><td class=\"name\">", result_class(record));
    if (examined)
        text_format(out, "<a href=\"#%s\">", item->stem);
    xml_add(out, item->name);
    text_add(out, examined ? "</a>" : "");
    if (reason_of(record)) {
        text_add(out, "<small>");
        xml_add(out, reason_of(record));
        text_add(out, "</small>");
    }
    text_add(out, "</td>");
    if (bundle->side_count > 2) {
        text_add(out, "<td>");
        xml_add(out, bundle->sides[side].name);
        text_add(out, "</td>");
    }
    text_add(out, "<td><span class=\"word\">");
    xml_add(out, result_word(record));
    text_add(out, "</span></td>");
    if (record->verdict && !record->error)
        add_verdict_cells(record->verdict, limit, out);
    else
        text_add(out, "<td></td><td></td><td></td><td class=\"plotted\"></td><td></td>");
    text_add(out, "</tr>\n");
}

static void add_title(const char *name, struct text *out)
{
    text_add(out, "<th class=\"right\">");
    xml_add(out, name);
    text_add(out, "</th>");
}

void page_add_verdicts(const struct bundle *bundle, struct text *out)
{
    double limit = widest(bundle);
    bool many = bundle->side_count > 2;
    text_add(out, "<section class=\"card\">\n<h2>Verdicts</h2>\n<div class=\"scroll\">\n<table>\n"
                  "<thead><tr><th>case</th>");
    text_add(out, many ? "<th>side</th>" : "");
    text_add(out, "<th>verdict</th>");
    add_title(bundle->sides[0].name, out);
    add_title(many ? "branch" : bundle->sides[1].name, out);
    text_add(out, "<th class=\"right\">change</th><th class=\"plotted\"></th>"
                  "<th class=\"right\">interval, %</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++)
            if (bundle->cases[i].parts[side].slots[BUNDLE_VERDICT].kind)
                add_row(bundle, &bundle->cases[i], side, limit, out);
    text_add(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

// ---- One case

// As high as the graph, within limits; longer ones scroll.
static void add_frame(const struct bundle_graph *graph, struct text *out)
{
    static const double LEAST = 300, MOST = 900, CONTROLS = 100;
    text_format(out,
                "<iframe src=\"%s.svg\" title=\"%s\" height=\"%.0f\" loading=\"lazy\"></iframe>\n",
                graph->file, graph->file, fmax(LEAST, fmin(MOST, graph->height + CONTROLS)));
}

static void add_links(const struct bundle_graph *graph, struct text *out)
{
    text_format(out, "<a href=\"%s.svg\">%s.svg</a>", graph->file, graph->file);
    if (graph->png.size)
        text_format(out, " · <a href=\"%s.png\">%s.png</a>", graph->file, graph->file);
}

// Whether the samples agree with the verdict: in the caption, and louder if they do not.
static void add_remark(const struct bundle_graph *graph, struct text *out)
{
    if (!graph->remark)
        return;
    AUTO(memory) char *sentence = mem_text(graph->remark);
    sentence[0] = (char)toupper((unsigned char)sentence[0]);
    text_add(out, graph->disagrees ? " <strong class=\"disagrees\">" : " ");
    xml_add(out, sentence);
    text_add(out, graph->disagrees ? ".</strong>" : ".");
}

static void add_folded_graph(const struct bundle *bundle, const struct bundle_case *item,
                             size_t side, struct text *out)
{
    const struct bundle_graph *graph = &item->parts[side].own;
    if (!graph->svg.size)
        return;
    text_format(out, "<details>\n<summary>%s ", side ? "Branch" : "Base");
    xml_add(out, bundle->sides[side].name);
    text_add(out, ": ");
    xml_add(out, bundle->sides[side].title);
    text_add(out, "</summary>\n<figure class=\"graph\">\n");
    add_frame(graph, out);
    text_add(out, "<figcaption>");
    add_links(graph, out);
    text_add(out, graph->remark ? "." : "");
    add_remark(graph, out);
    text_add(out, "</figcaption>\n</figure>\n</details>\n");
}

static void add_graphs(const struct bundle *bundle, const struct bundle_case *item,
                       struct text *out)
{
    bool any = false;
    for (size_t side = 0; side < bundle->side_count; side++)
        any |= item->parts[side].own.svg.size > 0;
    text_add(out, any ? "<h3>Where the time goes</h3>\n" : "");
    for (size_t side = 1; side < bundle->side_count; side++) {
        const struct bundle_graph *graph = &item->parts[side].difference;
        if (!graph->svg.size)
            continue;
        text_add(out, "<figure class=\"graph\">\n");
        add_frame(graph, out);
        text_add(out, "<figcaption>Red costs more on ");
        xml_add(out, bundle->sides[side].name);
        text_add(out, ", blue less. ");
        add_links(graph, out);
        text_add(out, graph->remark ? "." : "");
        add_remark(graph, out);
        text_add(out, "</figcaption>\n</figure>\n");
    }
    for (size_t side = 0; side < bundle->side_count; side++)
        add_folded_graph(bundle, item, side, out);
}

static void add_count(double count, bool is_change, struct text *out)
{
    text_format(out, "<td class=\"right%s\">",
                !is_change || count == 0 ? ""
                : count > 0              ? " more"
                                         : " less");
    if (count != 0)
        count_add(out, count, is_change);
    text_add(out, "</td>");
}

static void add_function(const char *name, double before, double after, struct text *out)
{
    text_add(out, "<tr><td class=\"code\">");
    xml_add(out, name);
    text_add(out, "</td>");
    add_count(before, false, out);
    add_count(after, false, out);
    add_count(after - before, true, out);
    text_add(out, "</tr>\n");
}

static void add_counts(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                       struct text *out)
{
    enum { MOST = 12 };
    static const double SMALL = .005;  // of all; if it did not change either
    AUTO(counted_functions) struct counted_functions functions = {0};
    if (!bundle_functions(item, side, &functions))
        return;
    text_add(out, "<h3>Instructions per call, by function</h3>\n<div class=\"scroll\">\n<table>\n"
                  "<thead><tr><th>function</th>");
    add_title(bundle->sides[0].name, out);
    add_title(bundle->sides[side].name, out);
    text_add(out, "<th class=\"right\">change</th></tr></thead>\n<tbody>\n");
    size_t shown = 0;
    for (size_t i = 0; i < functions.count && shown < MOST; i++) {
        const struct counted_function *one = &functions.items[i];
        if (one->before == one->after && one->after < SMALL * functions.after)
            continue;
        add_function(one->name, one->before, one->after, out);
        shown++;
    }
    add_function("all", functions.before, functions.after, out);
    text_add(out, "</tbody>\n</table>\n</div>\n");
    AUTO(text) struct text variants = {0};
    case_add_variants(item, side, &variants);
    if (variants.size) {
        text_add(out, "<p class=\"dim\">");
        xml_add(out, text_get(&variants));
        text_add(out, "</p>\n");
    }
    if (functions.count > shown)
        text_format(out, "<p class=\"dim\">%zu more in <a href=\"counts.txt\">counts.txt</a></p>\n",
                    functions.count - shown);
}

// "12.3 ns, then 20.5 ns: +66 %"
static void add_facts(const struct bundle *bundle, const struct bundle_case *item, size_t side,
                      struct text *out)
{
    const struct bilanx_record *record = &item->parts[side].slots[BUNDLE_VERDICT];
    char times[2][UNITS_SIZE];
    if (!record->verdict)
        return;
    text_format(out, "<p><span class=\"word %s\">", result_class(record));
    xml_add(out, result_word(record));
    text_add(out, "</span> ");
    if (bundle->side_count > 2) {
        xml_add(out, bundle->sides[side].name);
        text_add(out, ": ");
    }
    if (record->verdict->times[0] > 0)
        text_format(out, "%s → %s, ", units_time(record->verdict->times[0], NAN, times[0]),
                    units_time(record->verdict->times[1], NAN, times[1]));
    verdict_add_change(record->verdict, out);
    text_add(out, "</p>\n");
}

void page_add_cases(const struct bundle *bundle, struct text *out)
{
    for (size_t i = 0; i < bundle->case_count; i++) {
        const struct bundle_case *item = &bundle->cases[i];
        if (!bundle_is_examined(bundle, item))
            continue;
        text_format(out, "<section class=\"card\" id=\"%s\">\n<h2>", item->stem);
        xml_add(out, item->name);
        text_add(out, "</h2>\n");
        for (size_t side = 1; side < bundle->side_count; side++)
            add_facts(bundle, item, side, out);
        add_graphs(bundle, item, out);
        for (size_t side = 1; side < bundle->side_count; side++)
            add_counts(bundle, item, side, out);
        text_add(out, "</section>\n");
    }
}
