#include "sources/suite_cases/selection.h"

#include "core/worker/server.h"
#include "own_folder.h"

// This program is also a benchmark program, with as many cases as its name says: "bench2".

static size_t case_count;

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    (void)context;
    static const char *const names[] = {"add", "sub"};
    message_add(out, "name", names[index]);
    if (index == 0) {
        message_add(out, "label", "own");
        message_add(out, "description", "own words");
        message_add_count(out, "arg.n", 8);
    }
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context, (void)request, (void)server;
    return bilanx_error_make(BILANX_E_FAILED, "nothing is measured here");
}

static int serve(const char *name, int in, int out)
{
    case_count = (size_t)(name[strlen(name) - 1] - '0');
    if (case_count == 9) {
        printf("a word before the end\n");
        fflush(stdout);
        return 3;
    }
    const struct server_subject subject = {
        .describe = describe, .case_count = case_count, .describe_case = describe_case, .run = run};
    return server_run(&subject, in, out);
}

struct fixture {
    struct bilanx_suite *suite;
    struct statement_options code;
    struct selection_options options;
    struct selection selection;
};
static struct fixture fixture;

static int enter(void **state)
{
    char self[4096] = "";
    if (own_folder_enter(state) != 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    static const char *const programs[] = {"bench0", "bench1", "bench2", "below/bench1", "bench9"};
    if (mkdir("below", 0700) != 0)
        return -1;
    for (size_t i = 0; i < LENGTH(programs); i++)
        if (symlink(self, programs[i]) != 0)
            return -1;
    fixture = (struct fixture){.suite = bilanx_suite_new(NULL)};
    fixture.options.defaults = &fixture.code;
    return 0;
}

static int leave(void **state)
{
    selection_done(&fixture.selection);
    bilanx_suite_free(fixture.suite);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static struct bilanx_error select_from(const char *benchmarks)
{
    AUTO(memory) char *text = mem_format("benchmarks:\n%s", benchmarks);
    assert_ok(bilanx_suite_read_text(fixture.suite, text, strlen(text), "s.yaml"));
    return selection_make(fixture.suite, &fixture.options, &fixture.selection);
}

static void assert_names(const char *expected)
{
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < fixture.selection.count; i++)
        text_format(&names, "%s\n", fixture.selection.cases[i]->name);
    assert_string_equal(text_get(&names), expected);
}

static void statements_are_selected_in_order_of_definition(void **state)
{
    (void)state;
    assert_ok(select_from("  b: {stmt: x}\n  a: {stmt: y}\n"));
    assert_names("b\na\n");
    for (size_t i = 0; i < 2; i++) {
        assert_null(fixture.selection.listed[i]);
        assert_null(fixture.selection.faults[i]);
    }
}

static void any_number_of_cases_is_selected(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    AUTO(text) struct text suite = {0};
    for (int i = 0; i < COUNT; i++)
        text_format(&suite, "  c%03d: {stmt: x}\n", i);
    assert_ok(select_from(text_get(&suite)));
    assert_int_equal(fixture.selection.count, COUNT);
    assert_string_equal(fixture.selection.cases[COUNT - 1]->name, "c199");
}

static void a_program_stands_for_its_cases_under_the_labels_of_its_entry(void **state)
{
    (void)state;
    assert_ok(select_from("  first: {stmt: x}\n"
                          "  prog: {program: ./bench2, timeout: 7, tags: [t]}\n"));
    const struct selection *selection = &fixture.selection;
    assert_names("first\nprog/add\nprog/sub\n");
    assert_null(selection->listed[0]);
    const struct run_case *add = selection->listed[1], *sub = selection->listed[2];
    assert_string_equal(add->name, "prog/add");
    assert_string_equal(add->open, " case=0");
    assert_string_equal(sub->open, " case=1");
    assert_string_equal(add->task.label, "prog/own");
    assert_string_equal(sub->task.label, "prog/");
    assert_string_equal(add->task.description, "own words");
    assert_null(sub->task.description);
    assert_string_equal(add->task.parameters, "{\"n\":8}");
    assert_true(add->timeout == 7 && sub->timeout == 7);
    assert_string_equal(add->subject->name, "./bench2");
    assert_string_equal(add->subject->launch.argv[0], "./bench2");
    assert_null(add->subject->launch.argv[1]);
    assert_string_equal(add->subject->barrier, " case=0 barrier=1");
    const struct bilanx_suite_case *made = selection->cases[1];
    assert_string_equal(made->task.label, "prog/own");
    assert_string_equal(made->task.description, "own words");
    assert_string_equal(made->tags[0], "t");
    assert_ptr_not_equal(made->task.label, add->task.label);
}

static void an_entry_describes_the_cases_of_its_program(void **state)
{
    (void)state;
    assert_ok(select_from("  prog: {program: ./bench2, description: more, env: here}\n"));
    const struct run_case *add = fixture.selection.listed[0], *sub = fixture.selection.listed[1];
    assert_string_equal(add->task.description, "own words, more");
    assert_string_equal(sub->task.description, "more");
    assert_string_equal(add->task.env, "here");
}

static void a_filter_and_languages_apply_to_the_cases_of_programs(void **state)
{
    (void)state;
    fixture.options.suite.filter = "sub";
    assert_ok(select_from("  prog: {program: ./bench2}\n  sub: {stmt: x}\n  other: {stmt: x}\n"));
    assert_names("prog/sub\nsub\n");
    selection_done(&fixture.selection);
    const char *const without[] = {"python", "c", NULL};
    fixture.options.suite = (struct bilanx_suite_options){.without_languages = without};
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("prog/add\nprog/sub\n");
    selection_done(&fixture.selection);
    fixture.options.suite = (struct bilanx_suite_options){.filter = "("};
    assert_true(selection_make(fixture.suite, &fixture.options, &fixture.selection).status !=
                BILANX_OK);
}

static void a_program_is_found_beside_its_suite_and_not_on_the_path(void **state)
{
    (void)state;
    AUTO(memory) char *absolute = mem_format("%s/bench1", own_folder);
    AUTO(memory) char *suite = mem_format(
        "benchmarks:\n  beside: {program: bench1}\n  absolute: {program: %s}\n", absolute);
    file_make("below/s.yaml", suite);
    file_make("s.yaml", "benchmarks:\n  here: {program: bench1}\n");
    assert_ok(bilanx_suite_read_file(fixture.suite, "below/s.yaml"));
    assert_ok(bilanx_suite_read_file(fixture.suite, "s.yaml"));
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("beside/add\nabsolute/add\nhere/add\n");
    assert_string_equal(fixture.selection.listed[0]->subject->name, "below/bench1");
    assert_string_equal(fixture.selection.listed[1]->subject->name, absolute);
    assert_string_equal(fixture.selection.listed[2]->subject->name, "./bench1");
}

static void a_program_without_cases_is_one_faulty_case(void **state)
{
    (void)state;
    assert_ok(select_from("  none: {program: ./bench0}\n  ends: {program: ./bench9}\n"
                          "  gone: {program: ./missing}\n  good: {program: ./bench1}\n"));
    assert_names("none\nends\ngone\ngood/add\n");
    for (size_t i = 0; i < 3; i++)
        assert_null(fixture.selection.listed[i]);
    assert_string_equal(fixture.selection.faults[0], "'./bench0' has no benchmarks");
    assert_non_null(
        strstr(fixture.selection.faults[1], "'./bench9' is not a working benchmark program"));
    assert_non_null(strstr(fixture.selection.faults[2], "./missing"));
    assert_null(fixture.selection.faults[3]);
    selection_done(&fixture.selection);
    fixture.options.suite.filter = "good";
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("good/add\n");
}

static void a_program_that_lacks_a_requirement_is_not_started(void **state)
{
    (void)state;
    assert_ok(
        select_from("  skipped: {program: ./bench2, skip: slow}\n"
                    "  lacking: {program: ./bench2, requires: ['program:no-such-program']}\n"));
    assert_names("skipped\nlacking\n");
    for (size_t i = 0; i < 2; i++) {
        assert_null(fixture.selection.listed[i]);
        assert_null(fixture.selection.faults[i]);
    }
    assert_int_equal(fixture.selection.program_count, 0);
    selection_done(&fixture.selection);
    fixture.options.suite.filter = "lack";
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("lacking\n");
}

static void versions_matter_only_if_asked_for(void **state)
{
    (void)state;
    static const char suite[] = "  old: {stmt: x, until: '2.0'}\n  new: {stmt: y, since: '2.0'}\n"
                                "  always: {stmt: z}\n";
    AUTO(memory) char *text = mem_format("subject: 'program:./tool'\nbenchmarks:\n%s", suite);
    program_make("tool", "#!/bin/sh\necho 1.5\n");
    assert_ok(bilanx_suite_read_text(fixture.suite, text, strlen(text), "s.yaml"));
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("old\nnew\nalways\n");
    selection_done(&fixture.selection);
    fixture.options.backtest = true;
    assert_ok(selection_make(fixture.suite, &fixture.options, &fixture.selection));
    assert_names("old\nalways\n");
    selection_done(&fixture.selection);
    program_make("tool", "#!/bin/sh\nexit 1\n");
    assert_error(selection_make(fixture.suite, &fixture.options, &fixture.selection),
                 BILANX_E_FAILED, "is unknown");
}

static void cases_can_be_dropped(void **state)
{
    (void)state;
    assert_ok(
        select_from("  a: {stmt: x}\n  prog: {program: ./bench2}\n  gone: {program: ./bench0}\n"
                    "  z: {stmt: x}\n"));
    assert_names("a\nprog/add\nprog/sub\ngone\nz\n");
    const struct run_case *sub = fixture.selection.listed[2];
    selection_keep(&fixture.selection, (const bool[]){false, false, true, true, false});
    assert_names("prog/sub\ngone\n");
    assert_ptr_equal(fixture.selection.listed[0], sub);
    assert_null(fixture.selection.listed[1]);
    assert_null(fixture.selection.faults[0]);
    assert_string_equal(fixture.selection.faults[1], "'./bench0' has no benchmarks");
}

int main(int argc, char **argv)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in >= 0 && argc == 1)
        return serve(argv[0], in, out);
    const struct CMUnitTest tests[] = {
        TEST(statements_are_selected_in_order_of_definition),
        TEST(any_number_of_cases_is_selected),
        TEST(a_program_stands_for_its_cases_under_the_labels_of_its_entry),
        TEST(an_entry_describes_the_cases_of_its_program),
        TEST(a_filter_and_languages_apply_to_the_cases_of_programs),
        TEST(a_program_is_found_beside_its_suite_and_not_on_the_path),
        TEST(a_program_without_cases_is_one_faulty_case),
        TEST(a_program_that_lacks_a_requirement_is_not_started),
        TEST(versions_matter_only_if_asked_for),
        TEST(cases_can_be_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
