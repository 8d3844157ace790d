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
