// bundle_page: index.html: all of a bundle on one page, without scripts or anything from elsewhere.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bilanx/version.h"
#include "bundle_parts.h"
#include "bundle_style.h"
#include "page_parts.h"
#include "profile/flame/flame_label.h"
#include "support/json/json.h"

static void add_head(const struct bundle *bundle, struct text *out)
{
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'\">\n"
                  "<title>");
    xml_add(out, bundle->sides[0].title);
    for (size_t i = 1; i < bundle->side_count; i++) {
        text_add(out, i == 1 ? " against " : " and ");
        xml_add(out, bundle->sides[i].title);
    }
    text_add(out, "</title>\n<style>\n");
    text_add_n(out, (const char *)bundle_style, sizeof bundle_style);
    text_add(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void add_total(const char *word, size_t count, struct text *out)
{
    if (count)
        text_format(out, "<li class=\"%s\"><b>%zu</b>%s</li>\n", word, count, word);
}

// The first facts that a reader wants to know.
static void add_headline(const struct bundle_totals *totals, struct text *out)
{
    if (totals->slower)
        text_format(out, "%zu of %zu case%s got slower", totals->slower, totals->cases,
                    totals->cases == 1 ? "" : "s");
    else if (totals->faster + totals->same == totals->cases && totals->cases)
        text_add(out, "No case got slower");
    else
        bundle_add_totals(totals, out);
}

static void add_totals(const struct bundle *bundle, struct text *out)
{
    struct bundle_totals totals = bundle_total(bundle);
    text_add(out, "<h1>");
    add_headline(&totals, out);
    text_format(out, "</h1>\n<p class=\"dim\">%zu case%s compared by bilanx %s</p>\n", totals.cases,
                totals.cases == 1 ? "" : "s", bilanx_version());
    text_add(out, "<ul class=\"totals\">\n");
    add_total("slower", totals.slower, out);
    add_total("faster", totals.faster, out);
    add_total("same", totals.same, out);
    add_total("undecided", totals.undecided, out);
    add_total("failed", totals.failed, out);
    add_total("skipped", totals.skipped, out);
    if (isfinite(totals.mean) && totals.cases > 1)
        text_format(out, "<li><b>%+.2f %%</b>geometric mean</li>\n", 100 * totals.mean);
    text_add(out, "</ul>\n");
}

static void add_missing(const struct bundle *bundle, struct text *out)
{
    if (!bundle->missing.count)
        return;
    text_add(out, "<section class=\"card missing\">\n<h2>Missing from this bundle</h2>\n<ul>\n");
    for (size_t i = 0; i < bundle->missing.count; i++) {
        text_add(out, "<li>");
        xml_add(out, bundle->missing.items[i]);
        text_add(out, "</li>\n");
    }
    text_add(out, "</ul>\n</section>\n");
}

static void add_sides(const struct bundle *bundle, struct text *out)
{
    text_add(out, "<section class=\"card\">\n<dl>\n");
    for (size_t i = 0; i < bundle->side_count; i++) {
        const struct bundle_side *side = &bundle->sides[i];
        text_format(out, "<dt>%s ", i ? "Branch" : "Base");
        xml_add(out, side->name);
        text_add(out, "</dt><dd>");
        xml_add(out, side->title);
        if (!text_equal(side->spec, side->title)) {
            text_add(out, " <code class=\"dim\">");
            xml_add(out, side->spec);
            text_add(out, "</code>");
        }
        text_add(out, "</dd>\n");
    }
    text_add(out, "</dl>\n</section>\n");
}

// ---- How it was made

static void add_fact(const char *key, const json_t *value, struct text *out)
{
    enum { GIGABYTE = 1000000000 };
    AUTO(memory) char *other = json_is_string(value) ? NULL : print_json(value);
    text_add(out, "<dt>");
    xml_add(out, key);
    text_add(out, "</dt><dd>");
    if (strcmp(key, "memory") == 0 && json_is_number(value))
        text_format(out, "%.1f GB", json_number_value(value) / GIGABYTE);
    else
        xml_add(out, other ? other : json_string_value(value));
    text_add(out, "</dd>\n");
}

static void add_machine(const struct bundle *bundle, struct text *out)
{
    const char *machine = bundle_machine(bundle);
    AUTO(json) json_t *facts = NULL;
    if (!machine || read_json(machine, strlen(machine), "machine", &facts).status != BILANX_OK)
        return;
    text_add(out, "<section class=\"card\">\n<h2>Machine</h2>\n<dl>\n");
    const char *key;
    json_t *value;
    json_object_foreach(facts, key, value) add_fact(key, value, out);
    text_add(out, "</dl>\n</section>\n");
}

static void add_commands(const struct bundle *bundle, struct text *out)
{
    text_add(out, "<section class=\"card\">\n<h2>Command</h2>\n<pre>");
    xml_add(out, bundle->command);
    text_add(out, "</pre>\n</section>\n");
}

static void add_files(const struct bundle_entries *files, struct text *out)
{
    text_add(out, "<section class=\"card\">\n<h2>Files</h2>\n<table class=\"files\">\n<tbody>\n");
    for (size_t i = 0; i < files->count; i++) {
        text_add(out, "<tr><td class=\"name\"><a href=\"");
        xml_add(out, files->items[i].name);
        text_add(out, "\">");
        xml_add(out, files->items[i].name);
        text_format(out, "</a></td><td>%s</td><td class=\"right\">%.1f kB</td></tr>\n",
                    files->items[i].what, (double)files->items[i].content->size / 1000);
    }
    text_add(out, "</tbody>\n</table>\n</section>\n");
}

void bundle_add_page(const struct bundle *bundle, const struct bundle_entries *files,
                     struct text *out)
{
    add_head(bundle, out);
    add_totals(bundle, out);
    add_missing(bundle, out);
    add_sides(bundle, out);
    page_add_verdicts(bundle, out);
    page_add_cases(bundle, out);
    add_machine(bundle, out);
    add_commands(bundle, out);
    add_files(files, out);
    text_add(out, "</main>\n</body>\n</html>\n");
}
