#include "profile/flame/flame.h"

#include <stdlib.h>

#include "base/mem.h"
#include "profile/flame/flame_label.h"
#include "profile/flame/flame_layout.h"
#include "profile/flame/flame_palette.h"
#include "profile/stacks/trees.h"
#include "stacks_made.h"
#include "unit.h"

static char *drawn(const struct stacks *stacks, const struct flame_options *options, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    flame_svg(stacks, options, out);
    fclose(out);
    return text;
}

static char *printed(const struct stacks *stacks, const struct flame_text_options *options)
{
    struct text out = {0};
    flame_text(stacks, options, &out);
    return text_take(&out);
}

static void assert_fits(const char *name, size_t width, const char *expected)
{
    AUTO(text) struct text label = {0};
    label_fit(&label, name, width);
    assert_string_equal(text_get(&label), expected);
}

static void labels_lose_namespaces_before_their_end(void **state)
{
    (void)state;
    assert_fits("main", 4, "main");
    assert_fits("at::native::add", 15, "at::native::add");
    assert_fits("at::native::add", 14, "…native::add");
    assert_fits("at::native::add", 11, "…add");
    assert_fits("java/util/List:.add", 12, "…List:.add");
    assert_fits("ns::map<std::string, int>::find", 12, "…find");
    assert_fits("ns::long_function_name", 10, "…long_fun…");
    assert_fits("ns::long_function_name", 5, "ns::…");
    assert_fits("long_function_name", 10, "long_func…");
    assert_fits("main", 3, "ma…");
    assert_fits("main", 2, "");
    assert_fits("日本語の名前", 7, "日本語…");
}

static void assert_weight(const char *unit, double weight, const char *expected)
{
    AUTO(text) struct text out = {0};
    label_weight(&out, unit, weight);
    assert_string_equal(text_get(&out), expected);
}

static void weights_have_units_for_people(void **state)
{
    (void)state;
    assert_weight("samples", 1, "1 sample");
    assert_weight("samples", 1234567, "1,234,567 samples");
    assert_weight("instructions", 12.25, "12.25 instructions");
    assert_weight("nanoseconds", 1234567, "1.235 ms");
    assert_weight("nanoseconds per call", 12.5, "12.50 ns per call");
    assert_weight(NULL, 12, "12 samples");
}

static void heavier_children_are_further_left_and_small_ones_last(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("m;b 2\nm;a 2\nm;c 5\nm;d;x 1\n");
    AUTO(stacks) struct stacks *cut = stacks_cut(stacks, 2, SIZE_MAX);
    AUTO(flame_layout) struct flame_layout layout = {0};
    flame_layout_make(cut, &layout);
    AUTO(text) struct text order = {0};
    for (size_t i = 0; i < layout.count; i++)
        text_format(&order, "%s ", cut->frames[cut->nodes[layout.order[i]].frame].name);
    assert_string_equal(text_get(&order), "m c a b (small frames) ");
    assert_near(layout.start[find(cut, "m;b")], 7, 0);
    assert_int_equal(layout.depth[find(cut, "m;b")], 2);
    assert_int_equal(layout.deepest, 2);
}

static void colours_depend_on_name_and_kind_alone(void **state)
{
    (void)state;
    char one[8], two[8];
    struct stack_frame frame = {.name = "read", .object = "a.so"};
    palette_class(&frame, one);
    frame.object = "b.so";
    assert_string_equal(palette_class(&frame, two), one);
    assert_int_equal(one[0], 'n');
    frame.kind = FRAME_KERNEL;
    assert_int_equal(palette_class(&frame, two)[0], 'k');
    assert_string_equal(one + 1, two + 1);
}

static void changes_are_red_or_blue_by_their_size(void **state)
{
    (void)state;
    char class[8];
    assert_string_equal(palette_change(10, 10, class), "z");
    assert_string_equal(palette_change(100, 101, class), "z");
    assert_string_equal(palette_change(100, 104, class), "m1");
    assert_string_equal(palette_change(104, 100, class), "l1");
    assert_string_equal(palette_change(0, 1, class), "m6");
    assert_string_equal(palette_change(1, 0, class), "l6");
    assert_string_equal(palette_change(0, 0, class), "z");
}

static void a_graph_holds_title_frames_and_table(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;parse 75\nmain;write 25\n");
    stacks->note = mem_text("overhead 1.2 %");
    stacks->lost = 7;
    size_t size;
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){.title = "A & B"}, &size);
    assert_non_null(strstr(svg, "<title>A &amp; B</title>"));
    assert_non_null(strstr(svg, "100 samples · 7 samples lost · overhead 1.2 %"));
    assert_non_null(strstr(svg, "<title>parse: 75 samples, 75.0 %; itself 75.0 %</title>"));
    assert_non_null(strstr(svg, "Hottest functions"));
    assert_non_null(strstr(svg, "class=\"bilanx\""));
    assert_null(strstr(svg, "http://www.speedscope"));
}

static void the_same_stacks_give_the_same_bytes(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *one = made("main;parse 7\nmain;write 3\nmain;parse;lex 2\n");
    AUTO(stacks) struct stacks *two = made("main;parse 7\nmain;write 3\nmain;parse;lex 2\n");
    size_t size_one, size_two;
    AUTO(memory) char *svg_one = drawn(one, &(struct flame_options){0}, &size_one);
    AUTO(memory) char *svg_two = drawn(two, &(struct flame_options){0}, &size_two);
    assert_int_equal(size_one, size_two);
    assert_memory_equal(svg_one, svg_two, size_one);
}

static void names_are_text_wherever_they_appear(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks =
        made("</metadata><script>alert(1)</script>;]]>&\"' 5\n\x1b[31m\x01;\xff\xef\xbf\xbf 4\n");
    size_t size;
    AUTO(memory) char *svg =
        drawn(stacks, &(struct flame_options){.title = "<script>x</script>"}, &size);
    int scripts = 0;
    for (const char *at = svg; (at = strstr(at, "<script")); at++)
        scripts++;
    assert_int_equal(scripts, 1);
    assert_null(strchr(svg, '\x1b'));
    assert_null(strchr(svg, '\x01'));
    assert_null(strchr(svg, '\xff'));
    assert_null(strstr(svg, "\xef\xbf\xbf"));
}

static void a_graph_of_a_million_frames_is_bounded(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    for (unsigned i = 0; i < 300000; i++) {
        char name[32];
        snprintf(name, sizeof name, "frame_%u", i);
        unsigned frame = stacks_frame(stacks, &(struct stack_frame){.name = name});
        stacks_add(stacks, &frame, 1, 1 + (i == 7));
    }
    stacks_sum(stacks);
    size_t size;
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){0}, &size);
    assert_true(size < 4 << 20);
    assert_non_null(strstr(svg, "250,000 small frames merged"));
}

static void frames_below_the_asked_share_are_merged(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;big 98\nmain;little 2\n");
    size_t size;
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){.least_share = .05}, &size);
    assert_non_null(strstr(svg, "(small frames)"));
    AUTO(memory) char *all = drawn(stacks, &(struct flame_options){0}, &size);
    assert_null(strstr(all, "(small frames)"));
}

static void the_tree_is_indented_at_branches(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;run;a;x 50\nmain;run;b 30\nmain;run 20\n");
    AUTO(memory) char *text = printed(stacks, &(struct flame_text_options){0});
    assert_string_equal(text, "100 samples\n"
                              "  total     self              function\n"
                              "100.0 %   0.00 %  ██████████  all\n"
                              "100.0 %   0.00 %  ██████████  main\n"
                              "100.0 %   20.0 %  ██████████  run\n"
                              " 50.0 %   0.00 %  █████       ├ a\n"
                              " 50.0 %   50.0 %  █████       │ x\n"
                              " 30.0 %   30.0 %  ███         └ b\n");
}

static void the_tree_is_cut_to_the_lines_and_columns(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    for (unsigned i = 0; i < 200; i++) {
        char name[64];
        snprintf(name, sizeof name, "a_very_long_name_of_a_function_that_is_cut_%u", i);
        unsigned frame = stacks_frame(stacks, &(struct stack_frame){.name = name});
        stacks_add(stacks, &frame, 1, i + 1);
    }
    stacks_sum(stacks);
    AUTO(memory) char *text =
        printed(stacks, &(struct flame_text_options){.rows = 20, .columns = 60});
    int lines = 0;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        assert_true(text_width(line) <= 60);
        lines++;
    }
    assert_int_equal(lines, 20);
}

static void bars_are_visible_in_every_colour(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;hot 99\nmain;cold 1\n");
    AUTO(memory) char *text = printed(stacks, &(struct flame_text_options){.color = true});
    assert_non_null(strstr(text, "\x1b[1;31m"));
    assert_null(strstr(text, "7;3"));  // reverse video, in which a block is a space
}

static void a_terminal_shows_locations_where_they_fit(void **state)
{
    (void)state;
    static const struct stack_frame shown[] = {
        {.name = "<module>", .file = "/usr/lib/bench.py:1", .kind = FRAME_PYTHON},
        {.name = "forward_of_a_long_name", .file = "model.py:40", .kind = FRAME_PYTHON}};
    AUTO(stacks) struct stacks *stacks = stacks_new();
    unsigned frames[] = {stacks_frame(stacks, &shown[0]), stacks_frame(stacks, &shown[1])};
    stacks_add(stacks, frames, 2, 5);
    stacks_sum(stacks);
    struct flame_text_options options = {.columns = 80};
    AUTO(memory) char *usual = printed(stacks, &options);
    assert_non_null(strstr(usual, "  <module>  /usr/lib/bench.py:1\n"));
    assert_non_null(strstr(usual, "  forward_of_a_long_name  model.py:40\n"));
    options.columns = 51;
    AUTO(memory) char *narrow = printed(stacks, &options);
    assert_non_null(strstr(narrow, "  <module>  …bench.py:1\n"));
    assert_non_null(strstr(narrow, "  forward_of_a_long_na…\n"));
    for (char *rest = narrow, *line; (line = strsep(&rest, "\n"));)
        assert_true(text_width(line) <= 51);
}

static void escapes_do_not_reach_the_terminal(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;\x1b[31mred 5\n");
    AUTO(memory) char *text = printed(stacks, &(struct flame_text_options){.title = "\x1b[2J"});
    assert_null(strchr(text, '\x1b'));
    AUTO(memory) char *coloured = printed(stacks, &(struct flame_text_options){.color = true});
    assert_non_null(strchr(coloured, '\x1b'));
    assert_null(strstr(coloured, "\x1b[31mred"));
}

static void a_difference_is_printed_with_both_sides(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;old 4\nmain;both 6\n");
    AUTO(stacks) struct stacks *b = made("main;new 3\nmain;both 9\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    AUTO(memory) char *text = printed(change, &(struct flame_text_options){0});
    assert_non_null(strstr(text, "10 samples in A, 12 samples in B"));
    assert_non_null(strstr(text, "            6              9    +50.0 %"));
    assert_non_null(strstr(text, "       gone"));
    assert_non_null(strstr(text, "        new"));
    size_t size;
    AUTO(memory) char *svg = drawn(change, &(struct flame_options){0}, &size);
    assert_non_null(strstr(svg, "<title>old: 4 samples to 0 samples, gone</title>"));
    assert_non_null(strstr(svg, "B costs more"));
}

static void samples_of_a_measured_time_are_drawn_as_parts_of_it(void **state)
{
    (void)state;
    size_t size;
    AUTO(stacks) struct stacks *stacks = made("main;f 30\nmain;g 10\n");
    stacks->timed_s = 4e-6;
    stacks->calls = 1000;
    stacks->seconds = 1;
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){0}, &size);
    assert_non_null(strstr(svg, "4.000 us per call · 40 samples in 1,000 calls"));
    assert_non_null(strstr(svg, "f: 3.000 us per call"));
    assert_non_null(strstr(svg, "\"unit\":\"samples\""));  // the file has both
    assert_non_null(strstr(svg, "\"time\":4e-06"));
    AUTO(memory) char *text = printed(stacks, &(struct flame_text_options){0});
    assert_non_null(strstr(text, "4.000 us per call"));
}

// What is drawn without scripts, from its beginning to its end.
static void assert_drawing(const char *svg, const char *expected)
{
    static const char start[] = "<g class=\"static\">\n", end[] = "</g>\n<metadata";
    const char *from = strstr(svg, start), *to = from ? strstr(from, end) : NULL;
    assert_true(from && to);
    from += sizeof start - 1;
    AUTO(memory) char *drawing = mem_text_n(from, (size_t)(to - from));
    assert_string_equal(drawing, expected);
}

static unsigned frame_of(struct stacks *stacks, const char *name, enum frame_kind kind,
                         const char *file)
{
    return stacks_frame(stacks, &(struct stack_frame){.name = name, .kind = kind, .file = file});
}

// 200 samples: 120 in a function of Python below main, 30 inlined, 50 in the kernel.
static struct stacks *some_of_each_kind(void)
{
    struct stacks *stacks = stacks_new();
    unsigned start = frame_of(stacks, "main", FRAME_NATIVE, NULL),
             script = frame_of(stacks, "work", FRAME_PYTHON, "m.py"),
             small = frame_of(stacks, "clamp", FRAME_INLINED, "m.c"),
             kernel = frame_of(stacks, "read_[k]", FRAME_KERNEL, NULL);
    const unsigned python[] = {start, script}, inlined[] = {start, small}, system[] = {kernel};
    stacks_add(stacks, python, 2, 120);
    stacks_add(stacks, inlined, 2, 30);
    stacks_add(stacks, system, 1, 50);
    stacks_set_unit(stacks, "samples");
    stacks_sum(stacks);
    return stacks;
}

static void a_drawing_shows_shares_as_widths(void **state)
{
    (void)state;
    size_t size;
    AUTO(stacks) struct stacks *stacks = some_of_each_kind();
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){.title = "T"}, &size);
    assert_drawing(
        svg,
        "<text class=\"title\" x=\"16\" y=\"34\">T</text>\n"
        "<text class=\"subtitle\" x=\"16\" y=\"56\">200 samples</text>\n"
        "<rect class=\"n3\" x=\"16\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"33\" y=\"80\">native</text>\n"
        "<rect class=\"i3\" x=\"93\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"110\" y=\"80\">inlined</text>\n"
        "<rect class=\"p3\" x=\"177\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"194\" y=\"80\">Python</text>\n"
        "<rect class=\"k3\" x=\"254\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"271\" y=\"80\">kernel</text>\n"
        "<g class=\"frames\">\n"
        "<g><title>all: 200 samples, 100.0 %; itself 0.00 %</title><rect class=\"t0\" x=\"16.0\" "
        "y=\"128.0\" width=\"1167.4\" height=\"16\"/><text x=\"20.0\" y=\"140.0\">all</text></g>\n"
        "<g><title>main: 150 samples, 75.0 %; itself 0.00 %</title><rect class=\"n4\" x=\"16.0\" "
        "y=\"111.0\" width=\"875.4\" height=\"16\"/><text x=\"20.0\" y=\"123.0\">main</text></g>\n"
        "<g><title>work (m.py): 120 samples, 60.0 %; itself 60.0 %</title><rect class=\"p4\" "
        "x=\"16.0\" y=\"94.0\" width=\"700.2\" height=\"16\"/><text x=\"20.0\" "
        "y=\"106.0\">work</text></g>\n"
        "<g><title>clamp (inlined, m.c): 30 samples, 15.0 %; itself 15.0 %</title><rect "
        "class=\"i0\" x=\"716.8\" y=\"94.0\" width=\"174.6\" height=\"16\"/><text x=\"720.8\" "
        "y=\"106.0\">clamp</text></g>\n"
        "<g><title>read: 50 samples, 25.0 %; itself 25.0 %</title><rect class=\"k0\" x=\"892.0\" "
        "y=\"111.0\" width=\"291.4\" height=\"16\"/><text x=\"896.0\" y=\"123.0\">read</text></g>\n"
        "</g>\n"
        "<g class=\"table\">\n"
        "<text class=\"heading\" x=\"16\" y=\"181\">Hottest functions, in samples</text><text "
        "class=\"right dim\" x=\"120\" y=\"203\">self</text><text class=\"right dim\" x=\"240\" "
        "y=\"203\"></text><text class=\"right dim\" x=\"320\" y=\"203\">total</text><text "
        "class=\"right dim\" x=\"400\" y=\"203\"></text><text class=\"dim\" x=\"560\" "
        "y=\"203\">function</text><text class=\"right\" x=\"120\" y=\"223\">120</text><text "
        "class=\"right\" x=\"200\" y=\"223\">60.0 %</text><text class=\"right\" x=\"320\" "
        "y=\"223\">120</text><text class=\"right\" x=\"400\" y=\"223\">60.0 %</text><rect "
        "class=\"bar\" x=\"420\" y=\"213\" width=\"72.0\" height=\"11\"/><rect class=\"p4\" "
        "x=\"420\" y=\"213\" width=\"72.0\" height=\"11\"/><text class=\"code\" x=\"560\" "
        "y=\"223\">work  m.py</text>\n"
        "<text class=\"right\" x=\"120\" y=\"241\">50</text><text class=\"right\" x=\"200\" "
        "y=\"241\">25.0 %</text><text class=\"right\" x=\"320\" y=\"241\">50</text><text "
        "class=\"right\" x=\"400\" y=\"241\">25.0 %</text><rect class=\"bar\" x=\"420\" y=\"231\" "
        "width=\"30.0\" height=\"11\"/><rect class=\"k0\" x=\"420\" y=\"231\" width=\"30.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"241\">read</text>\n"
        "<text class=\"right\" x=\"120\" y=\"259\">30</text><text class=\"right\" x=\"200\" "
        "y=\"259\">15.0 %</text><text class=\"right\" x=\"320\" y=\"259\">30</text><text "
        "class=\"right\" x=\"400\" y=\"259\">15.0 %</text><rect class=\"bar\" x=\"420\" y=\"249\" "
        "width=\"18.0\" height=\"11\"/><rect class=\"i0\" x=\"420\" y=\"249\" width=\"18.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"259\">clamp  inlined, m.c</text>\n"
        "<text class=\"right\" x=\"120\" y=\"277\">0</text><text class=\"right\" x=\"200\" "
        "y=\"277\">0.00 %</text><text class=\"right\" x=\"320\" y=\"277\">150</text><text "
        "class=\"right\" x=\"400\" y=\"277\">75.0 %</text><rect class=\"bar\" x=\"420\" y=\"267\" "
        "width=\"90.0\" height=\"11\"/><rect class=\"n4\" x=\"420\" y=\"267\" width=\"0.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"277\">main</text>\n"
        "</g>\n");
    AUTO(memory) char *icicle =
        drawn(stacks, &(struct flame_options){.title = "T", .inverted = true}, &size);
    assert_drawing(
        icicle,
        "<text class=\"title\" x=\"16\" y=\"34\">T</text>\n"
        "<text class=\"subtitle\" x=\"16\" y=\"56\">200 samples</text>\n"
        "<rect class=\"n3\" x=\"16\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"33\" y=\"80\">native</text>\n"
        "<rect class=\"i3\" x=\"93\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"110\" y=\"80\">inlined</text>\n"
        "<rect class=\"p3\" x=\"177\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"194\" y=\"80\">Python</text>\n"
        "<rect class=\"k3\" x=\"254\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"271\" y=\"80\">kernel</text>\n"
        "<g class=\"frames\">\n"
        "<g><title>all: 200 samples, 100.0 %; itself 0.00 %</title><rect class=\"t0\" x=\"16.0\" "
        "y=\"94.0\" width=\"1167.4\" height=\"16\"/><text x=\"20.0\" y=\"106.0\">all</text></g>\n"
        "<g><title>main: 150 samples, 75.0 %; itself 0.00 %</title><rect class=\"n4\" x=\"16.0\" "
        "y=\"111.0\" width=\"875.4\" height=\"16\"/><text x=\"20.0\" y=\"123.0\">main</text></g>\n"
        "<g><title>work (m.py): 120 samples, 60.0 %; itself 60.0 %</title><rect class=\"p4\" "
        "x=\"16.0\" y=\"128.0\" width=\"700.2\" height=\"16\"/><text x=\"20.0\" "
        "y=\"140.0\">work</text></g>\n"
        "<g><title>clamp (inlined, m.c): 30 samples, 15.0 %; itself 15.0 %</title><rect "
        "class=\"i0\" x=\"716.8\" y=\"128.0\" width=\"174.6\" height=\"16\"/><text x=\"720.8\" "
        "y=\"140.0\">clamp</text></g>\n"
        "<g><title>read: 50 samples, 25.0 %; itself 25.0 %</title><rect class=\"k0\" x=\"892.0\" "
        "y=\"111.0\" width=\"291.4\" height=\"16\"/><text x=\"896.0\" y=\"123.0\">read</text></g>\n"
        "</g>\n"
        "<g class=\"table\">\n"
        "<text class=\"heading\" x=\"16\" y=\"181\">Hottest functions, in samples</text><text "
        "class=\"right dim\" x=\"120\" y=\"203\">self</text><text class=\"right dim\" x=\"240\" "
        "y=\"203\"></text><text class=\"right dim\" x=\"320\" y=\"203\">total</text><text "
        "class=\"right dim\" x=\"400\" y=\"203\"></text><text class=\"dim\" x=\"560\" "
        "y=\"203\">function</text><text class=\"right\" x=\"120\" y=\"223\">120</text><text "
        "class=\"right\" x=\"200\" y=\"223\">60.0 %</text><text class=\"right\" x=\"320\" "
        "y=\"223\">120</text><text class=\"right\" x=\"400\" y=\"223\">60.0 %</text><rect "
        "class=\"bar\" x=\"420\" y=\"213\" width=\"72.0\" height=\"11\"/><rect class=\"p4\" "
        "x=\"420\" y=\"213\" width=\"72.0\" height=\"11\"/><text class=\"code\" x=\"560\" "
        "y=\"223\">work  m.py</text>\n"
        "<text class=\"right\" x=\"120\" y=\"241\">50</text><text class=\"right\" x=\"200\" "
        "y=\"241\">25.0 %</text><text class=\"right\" x=\"320\" y=\"241\">50</text><text "
        "class=\"right\" x=\"400\" y=\"241\">25.0 %</text><rect class=\"bar\" x=\"420\" y=\"231\" "
        "width=\"30.0\" height=\"11\"/><rect class=\"k0\" x=\"420\" y=\"231\" width=\"30.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"241\">read</text>\n"
        "<text class=\"right\" x=\"120\" y=\"259\">30</text><text class=\"right\" x=\"200\" "
        "y=\"259\">15.0 %</text><text class=\"right\" x=\"320\" y=\"259\">30</text><text "
        "class=\"right\" x=\"400\" y=\"259\">15.0 %</text><rect class=\"bar\" x=\"420\" y=\"249\" "
        "width=\"18.0\" height=\"11\"/><rect class=\"i0\" x=\"420\" y=\"249\" width=\"18.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"259\">clamp  inlined, m.c</text>\n"
        "<text class=\"right\" x=\"120\" y=\"277\">0</text><text class=\"right\" x=\"200\" "
        "y=\"277\">0.00 %</text><text class=\"right\" x=\"320\" y=\"277\">150</text><text "
        "class=\"right\" x=\"400\" y=\"277\">75.0 %</text><rect class=\"bar\" x=\"420\" y=\"267\" "
        "width=\"90.0\" height=\"11\"/><rect class=\"n4\" x=\"420\" y=\"267\" width=\"0.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"277\">main</text>\n"
        "</g>\n");
}

static void the_script_gets_the_table_as_data(void **state)
{
    (void)state;
    size_t size;
    AUTO(stacks) struct stacks *stacks = some_of_each_kind();
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){.inverted = true}, &size);
    assert_non_null(strstr(svg, "\"inverted\":true,"));
    assert_non_null(strstr(svg, "\"hottest\":[{\"name\":\"work\",\"file\":\"m.py\",\"kind\":"
                                "\"python\",\"self\":120,\"total\":120},"));
    assert_non_null(
        strstr(svg, "{\"name\":\"main\",\"kind\":\"native\",\"self\":0,\"total\":150}"));
}

static void a_drawing_of_a_difference_has_its_own_colours_and_columns(void **state)
{
    (void)state;
    size_t size;
    AUTO(stacks) struct stacks *a = made("main;old 40\nmain;both 60\n");
    AUTO(stacks) struct stacks *b = made("main;new 30\nmain;both 90\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    AUTO(memory) char *svg = drawn(change, &(struct flame_options){0}, &size);
    assert_drawing(
        svg,
        "<text class=\"title\" x=\"16\" y=\"34\">Difference of A and B</text>\n"
        "<text class=\"subtitle\" x=\"16\" y=\"56\">A: 100 samples, B: 120 samples (+20.0 %) · "
        "widths are the larger of both</text>\n"
        "<rect class=\"l6\" x=\"16\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"33\" y=\"80\">gone</text>\n"
        "<rect class=\"l3\" x=\"79\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"96\" y=\"80\">B costs less</text>\n"
        "<rect class=\"z\" x=\"198\" y=\"70\" width=\"12\" height=\"12\"/><text class=\"subtitle\" "
        "x=\"215\" y=\"80\">the same</text>\n"
        "<rect class=\"m3\" x=\"289\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"306\" y=\"80\">B costs more</text>\n"
        "<rect class=\"m6\" x=\"408\" y=\"70\" width=\"12\" height=\"12\"/><text "
        "class=\"subtitle\" x=\"425\" y=\"80\">new</text>\n"
        "<g class=\"frames\">\n"
        "<g><title>all: 100 samples to 120 samples, +20.0 %</title><rect class=\"m2\" x=\"16.0\" "
        "y=\"128.0\" width=\"1167.4\" height=\"16\"/><text x=\"20.0\" y=\"140.0\">all</text></g>\n"
        "<g><title>main: 100 samples to 120 samples, +20.0 %</title><rect class=\"m2\" x=\"16.0\" "
        "y=\"111.0\" width=\"1167.4\" height=\"16\"/><text x=\"20.0\" y=\"123.0\">main</text></g>\n"
        "<g><title>both: 60 samples to 90 samples, +50.0 %</title><rect class=\"m3\" x=\"16.0\" "
        "y=\"94.0\" width=\"656.4\" height=\"16\"/><text x=\"20.0\" y=\"106.0\">both</text></g>\n"
        "<g><title>old: 40 samples to 0 samples, gone</title><rect class=\"l6\" x=\"673.0\" "
        "y=\"94.0\" width=\"291.4\" height=\"16\"/><text x=\"677.0\" y=\"106.0\">old</text></g>\n"
        "<g><title>new: 0 samples to 30 samples, new</title><rect class=\"m6\" x=\"965.0\" "
        "y=\"94.0\" width=\"218.4\" height=\"16\"/><text x=\"969.0\" y=\"106.0\">new</text></g>\n"
        "</g>\n"
        "<g class=\"table\">\n"
        "<text class=\"heading\" x=\"16\" y=\"181\">Functions that changed most, in "
        "samples</text><text class=\"right dim\" x=\"120\" y=\"203\">self, A</text><text "
        "class=\"right dim\" x=\"240\" y=\"203\">self, B</text><text class=\"right dim\" x=\"320\" "
        "y=\"203\">change</text><text class=\"right dim\" x=\"400\" y=\"203\">in total</text><text "
        "class=\"dim\" x=\"560\" y=\"203\">function</text><text class=\"right\" x=\"120\" "
        "y=\"223\">40</text><text class=\"right\" x=\"240\" y=\"223\">0</text><text "
        "class=\"right\" x=\"320\" y=\"223\">gone</text><text class=\"right\" x=\"400\" "
        "y=\"223\">gone</text><rect class=\"bar\" x=\"420\" y=\"213\" width=\"30.0\" "
        "height=\"11\"/><rect class=\"l6\" x=\"420\" y=\"213\" width=\"30.0\" height=\"11\"/><text "
        "class=\"code\" x=\"560\" y=\"223\">old</text>\n"
        "<text class=\"right\" x=\"120\" y=\"241\">60</text><text class=\"right\" x=\"240\" "
        "y=\"241\">90</text><text class=\"right\" x=\"320\" y=\"241\">+50.0 %</text><text "
        "class=\"right\" x=\"400\" y=\"241\">+50.0 %</text><rect class=\"bar\" x=\"420\" y=\"231\" "
        "width=\"67.5\" height=\"11\"/><rect class=\"m3\" x=\"420\" y=\"231\" width=\"67.5\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"241\">both</text>\n"
        "<text class=\"right\" x=\"120\" y=\"259\">0</text><text class=\"right\" x=\"240\" "
        "y=\"259\">30</text><text class=\"right\" x=\"320\" y=\"259\">new</text><text "
        "class=\"right\" x=\"400\" y=\"259\">new</text><rect class=\"bar\" x=\"420\" y=\"249\" "
        "width=\"22.5\" height=\"11\"/><rect class=\"m6\" x=\"420\" y=\"249\" width=\"22.5\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"259\">new</text>\n"
        "<text class=\"right\" x=\"120\" y=\"277\">0</text><text class=\"right\" x=\"240\" "
        "y=\"277\">0</text><text class=\"right\" x=\"320\" y=\"277\">0 %</text><text "
        "class=\"right\" x=\"400\" y=\"277\">+20.0 %</text><rect class=\"bar\" x=\"420\" y=\"267\" "
        "width=\"120.0\" height=\"11\"/><rect class=\"z\" x=\"420\" y=\"267\" width=\"0.0\" "
        "height=\"11\"/><text class=\"code\" x=\"560\" y=\"277\">main</text>\n"
        "</g>\n");
}

static void trees_say_where_python_and_inlined_functions_are(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = some_of_each_kind();
    AUTO(memory) char *text = printed(stacks, &(struct flame_text_options){.title = "T"});
    assert_string_equal(text, "T: 200 samples\n"
                              "  total     self              function\n"
                              "100.0 %   0.00 %  ██████████  all\n"
                              " 75.0 %   0.00 %  ███████▌    ├ main\n"
                              " 60.0 %   60.0 %  ██████      │ ├ work  m.py\n"
                              " 15.0 %   15.0 %  █▌          │ └ clamp (inlined, m.c)\n"
                              " 25.0 %   25.0 %  ██▌         └ read\n");
    AUTO(memory) char *narrow =
        printed(stacks, &(struct flame_text_options){.title = "T", .columns = 60, .color = true});
    assert_string_equal(narrow,
                        "\033[1mT: 200 samples\033[0m\n"
                        "\033[2m  total     self              function\033[0m\n"
                        "\033[1;31m100.0 %\033[0m\033[2m   0.00 %\033[0m  "
                        "\033[1;31m██████████\033[0m  \033[2m\033[0mall\n"
                        "\033[31m 75.0 %\033[0m\033[2m   0.00 %\033[0m  "
                        "\033[31m███████▌  \033[0m  \033[2m├ \033[0mmain\n"
                        "\033[31m 60.0 %\033[0m   60.0 %  \033[31m██████    \033[0m  "
                        "\033[2m│ ├ \033[0m\033[1mwork\033[0m\033[2m  m.py\033[0m\n"
                        "\033[2;33m 15.0 %\033[0m   15.0 %  \033[2;33m█▌        \033[0m  "
                        "\033[2m│ └ \033[0m\033[1mclamp\033[0m\033[2m (inlined, m.c)\033[0m\n"
                        "\033[33m 25.0 %\033[0m   25.0 %  \033[33m██▌       \033[0m  "
                        "\033[2m└ \033[0m\033[1mread\033[0m\n");
}

static void the_tree_of_a_difference_is_coloured_by_its_direction(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;old 40\nmain;both 60\n");
    AUTO(stacks) struct stacks *b = made("main;new 30\nmain;both 90\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    AUTO(memory) char *text = printed(change, &(struct flame_text_options){.color = true});
    assert_string_equal(
        text,
        "\033[1m100 samples in A, 120 samples in B\033[0m\n"
        "\033[2m            A              B     change              function\033[0m\n"
        "          100            120\033[31m    +20.0 %\033[0m  "
        "\033[1;31m██████████\033[0m  \033[2m\033[0mall\n"
        "          100            120\033[31m    +20.0 %\033[0m  "
        "\033[1;31m██████████\033[0m  \033[2m\033[0mmain\n"
        "           60             90\033[31m    +50.0 %\033[0m  \033[1;33m█████▋    \033[0m  "
        "\033[2m├ \033[0m\033[1mboth\033[0m\n"
        "           40              0\033[32m       gone\033[0m  \033[33m██▌       \033[0m  "
        "\033[2m├ \033[0m\033[1mold\033[0m\n"
        "            0             30\033[31m        new\033[0m  \033[2;33m█▉        \033[0m  "
        "\033[2m└ \033[0m\033[1mnew\033[0m\n");
}

static void one_run_of_a_command_is_called_so(void **state)
{
    (void)state;
    size_t size;
    AUTO(stacks) struct stacks *stacks = made("main;f 30\nmain;g 10\n");
    stacks->calls = 1;
    stacks->seconds = .5052;
    AUTO(memory) char *svg = drawn(stacks, &(struct flame_options){0}, &size);
    assert_non_null(strstr(svg, "40 samples · 505.2 ms, one run"));
    stacks->calls = 2;
    AUTO(memory) char *two = drawn(stacks, &(struct flame_options){0}, &size);
    assert_non_null(strstr(two, "252.6 ms per call, 2 calls"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_a_measured_time_are_drawn_as_parts_of_it),
        cmocka_unit_test(a_drawing_shows_shares_as_widths),
        cmocka_unit_test(the_script_gets_the_table_as_data),
        cmocka_unit_test(a_drawing_of_a_difference_has_its_own_colours_and_columns),
        cmocka_unit_test(trees_say_where_python_and_inlined_functions_are),
        cmocka_unit_test(the_tree_of_a_difference_is_coloured_by_its_direction),
        cmocka_unit_test(labels_lose_namespaces_before_their_end),
        cmocka_unit_test(weights_have_units_for_people),
        cmocka_unit_test(heavier_children_are_further_left_and_small_ones_last),
        cmocka_unit_test(colours_depend_on_name_and_kind_alone),
        cmocka_unit_test(changes_are_red_or_blue_by_their_size),
        cmocka_unit_test(a_graph_holds_title_frames_and_table),
        cmocka_unit_test(the_same_stacks_give_the_same_bytes),
        cmocka_unit_test(names_are_text_wherever_they_appear),
        cmocka_unit_test(a_graph_of_a_million_frames_is_bounded),
        cmocka_unit_test(frames_below_the_asked_share_are_merged),
        cmocka_unit_test(the_tree_is_indented_at_branches),
        cmocka_unit_test(the_tree_is_cut_to_the_lines_and_columns),
        cmocka_unit_test(one_run_of_a_command_is_called_so),
        cmocka_unit_test(bars_are_visible_in_every_colour),
        cmocka_unit_test(a_terminal_shows_locations_where_they_fit),
        cmocka_unit_test(escapes_do_not_reach_the_terminal),
        cmocka_unit_test(a_difference_is_printed_with_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
