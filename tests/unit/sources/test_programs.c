// This program is also a benchmark program, with one case.
#include "core/worker/server.h"
#include "own_folder.h"
#include "sources/programs/recognise.h"
#include "sources/source/source.h"

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void describe_case(void *context, size_t index, struct text *out)
{
    (void)context, (void)index;
    message_add(out, "name", "case");
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context, (void)request, (void)server;
    return bilanx_error_make(BILANX_E_FAILED, "nothing is measured here");
}

static int enter(void **state)
{
    char self[4096] = "";
    static const char *const programs[] = {"a/one", "a/two", "b/one"};
    if (own_folder_enter(state) != 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
        mkdir("a", 0700) != 0 || mkdir("b", 0700) != 0)
        return -1;
    for (size_t i = 0; i < LENGTH(programs); i++)
        if (symlink(self, programs[i]) != 0)
            return -1;
    program_make("a/fails", "#!/bin/sh\nexit 1\n");
    return 0;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, own_folder_leave)

static char told[4096];

static void tell(void *context, const char *text)
{
    (void)context;
    snprintf(told, sizeof told, "%s", text);
}

static struct bilanx_error open_programs(const char *const *words, size_t count, struct source *out)
{
    told[0] = '\0';
    return source_open(
        &program_source,
        &(struct source_request){.words = words, .word_count = count, .tell = {.line = tell}}, out);
}

static void assert_envs(const char *const *words, size_t count, const char *expected)
{
    AUTO(source) struct source source = {0};
    AUTO(text) struct text envs = {0};
    assert_ok(open_programs(words, count, &source));
    for (size_t i = 0; i < source.cases.count; i++) {
        const char *env = source.cases.items[i].task.env;
        text_format(&envs, "%s%s", i ? " " : "", env ? env : "-");
        assert_string_equal(source.cases.items[i].name, "case");
    }
    assert_string_equal(text_get(&envs), expected);
    assert_false(source.incomplete);
}
#define ENVS(expected, ...)                                                                       \
    assert_envs((const char *const[]){__VA_ARGS__}, LENGTH(((const char *const[]){__VA_ARGS__})), \
                expected)

static void programs_are_environments_if_there_are_several(void **state)
{
    (void)state;
    ENVS("-", "a/one");
    ENVS("one two", "a/one", "a/two");
    ENVS("a/one b/one two", "a/one", "b/one", "a/two");
}

static void a_program_of_several_may_fail(void **state)
{
    (void)state;
    static const char *const two[] = {"a/fails", "a/one"};
    AUTO(source) struct source both = {0}, alone = {0};
    assert_ok(open_programs(two, 2, &both));
    assert_true(both.incomplete);
    assert_int_equal(both.cases.count, 1);
    assert_non_null(strstr(told, "'a/fails' is not a working benchmark program"));
    assert_error(open_programs(two, 1, &alone), BILANX_E_EXITED,
                 "'a/fails' is not a working benchmark program");
}

static void assert_refused(const char *word, const char *text)
{
    AUTO(source) struct source source = {0};
    assert_error(open_programs(&word, 1, &source), BILANX_E_USAGE, text);
}

static void what_is_no_program_is_explained(void **state)
{
    (void)state;
    assert_refused("copy.c", "'copy.c' is source code: compile it first, with cc -O2 copy.c "
                             "-lbilanx-bench -o copy");
    assert_refused("x/copy.cpp", "with c++ -O2 x/copy.cpp -lbilanx-bench -o x/copy");
    assert_refused("copy.cxx", "c++ -O2");
    assert_refused("copy.cc", "c++ -O2");
    program_make("here", "#!/bin/sh\n");
    assert_refused("here", "'here' is not on the PATH (did you mean './here'?)");
    file_make("text", "x");
    assert_refused("./text", "'./text' is neither a suite nor a program: it is not executable");
    assert_refused("text", "it is not executable");
}

static struct bilanx_error recognise(const char *content, size_t size)
{
    assert_ok(file_write("program", content, size));
    return recognise_program("program", NULL);
}
#define RECOGNISE(content) recognise(content, sizeof(content) - 1)

static void programs_of_other_libraries_are_recognised(void **state)
{
    (void)state;
    assert_error(RECOGNISE("\177ELF....\0_ZN9benchmark10InitializeEPi\0"), BILANX_E_USAGE,
                 "'program' is a program for Google Benchmark: time it as a command");
    assert_error(RECOGNISE("\177ELF [--benchmark_filter=<regex>]"), BILANX_E_USAGE,
                 "its results can be compared, too (program --benchmark_out=new.json");
    assert_error(RECOGNISE("\177ELF benchmark_enable_random_interl"), BILANX_E_USAGE, "Google");
    struct bilanx_error error = RECOGNISE("\177ELF _ZN6ankerl9nanobench");
    assert_non_null(strstr(error.text, "nanobench"));
    assert_null(strstr(error.text, "its results"));
    assert_error(RECOGNISE("\177ELF _ZN5Catch9Benchmark"), BILANX_E_USAGE, "Catch2");
    assert_error(RECOGNISE("\177ELF _ZN5Catch11CaptureExpr"), BILANX_E_USAGE, "Catch2");
    assert_error(RECOGNISE("\177ELF _ZN6celero"), BILANX_E_USAGE, "Celero");
}

static void all_other_files_may_be_programs_of_ours(void **state)
{
    (void)state;
    assert_ok(RECOGNISE("\177ELF _ZN9benchmark10Initialize bilanx/1"));
    assert_ok(RECOGNISE("#!/bin/sh _ZN9benchmark10Initialize"));
    assert_ok(RECOGNISE("\177ELF"));
    assert_ok(RECOGNISE("\177E"));
    assert_ok(RECOGNISE(""));
    assert_ok(recognise_program("missing", NULL));
    assert_ok(recognise_program(".", NULL));
}

int main(void)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in >= 0) {
        const struct server_subject subject = {
            .describe = describe, .case_count = 1, .describe_case = describe_case, .run = run};
        return server_run(&subject, in, out);
    }
    const struct CMUnitTest tests[] = {
        TEST(programs_are_environments_if_there_are_several),
        TEST(a_program_of_several_may_fail),
        TEST(what_is_no_program_is_explained),
        TEST(programs_of_other_libraries_are_recognised),
        TEST(all_other_files_may_be_programs_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
