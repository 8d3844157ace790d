#include "own_folder.h"
#include "sources/source/source.h"

static bool takes(const char *content)
{
    file_make("times", content);
    return null_source.takes("times");
}

static void a_file_is_recognised_by_its_first_line(void **state)
{
    (void)state;
    assert_true(takes("#bilanx-null\na 1us\n"));
    assert_true(takes("#bilanx-null"));
    assert_false(takes("#bilanx-nul"));
    assert_false(takes("#bilanx-nulL\n"));
    assert_false(takes(" #bilanx-null\n"));
    assert_false(takes(""));
    assert_false(null_source.takes("missing"));
    assert_false(null_source.takes("."));
}

static struct bilanx_error open_times(const char *content, const char *filter, struct source *out)
{
    static const char *const words[] = {"times"};
    file_make("times", content);
    return source_open(&null_source,
                       &(struct source_request){.words = words, .word_count = 1, .filter = filter},
                       out);
}

static void each_line_is_a_case(void **state)
{
    (void)state;
    AUTO(source) struct source all = {0}, some = {0};
    static const char times[] = "#bilanx-null\n# a remark\n\n \t\nparse 1.5us\nrender it 20us\n";
    assert_ok(open_times(times, NULL, &all));
    assert_int_equal(all.cases.count, 2);
    assert_string_equal(all.cases.items[0].name, "parse");
    assert_string_equal(all.cases.items[1].name, "render it");
    assert_string_equal(all.cases.items[1].task.label, "null");
    assert_string_equal(all.cases.items[1].task.sub_label, "render it");
    assert_string_equal(all.cases.items[1].task.language, "null");
    assert_string_equal(all.cases.items[1].open, " case=1");
    assert_ok(open_times(times, "render", &some));
    assert_int_equal(some.cases.count, 1);
    assert_string_equal(some.cases.items[0].open, " case=1");
    assert_ok(source_keep(&all, (const bool[]){false, true}));
    assert_int_equal(all.cases.count, 1);
    assert_int_equal(source_place(&all, 0), 1);
}

static void mistakes_have_a_line(void **state)
{
    (void)state;
    static const char *const wrong[] = {"#bilanx-null\nparse\n", "\nparse fast\n", "a 1us\nb 0us\n",
                                        "a 1us\nb -1us\n", "a 1us\n 5us\n"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        AUTO(source) struct source source = {0};
        assert_error(open_times(wrong[i], NULL, &source), BILANX_E_INPUT,
                     "times:2: expected 'NAME TIME'");
    }
}

static void fixed_times_are_measured_as_they_are(void **state)
{
    (void)state;
    AUTO(source) struct source source = {0};
    assert_ok(open_times("#bilanx-null\na 1ms\n", NULL, &source));
    assert_ok(source_prepare(&source));
    assert_ptr_equal(source_case(&source, 0), &source.cases.items[0]);
    assert_string_equal(source.cases.items[0].subject->name, "times");
    assert_ptr_equal(source_kind_of("times"), &null_source);
    assert_ptr_equal(source_kind_of("no-such-thing"), &program_source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(a_file_is_recognised_by_its_first_line),
        IN_OWN_FOLDER(each_line_is_a_case),
        IN_OWN_FOLDER(mistakes_have_a_line),
        IN_OWN_FOLDER(fixed_times_are_measured_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
