#include "sources/suite_cases/schedule.h"

#include "core/worker/server.h"
#include "own_cache.h"
#include "own_folder.h"
#include "records.h"

// This program is also the worker that prepares statements. It compiles nothing, notes what it is
// asked for in $HERE/requests, and refuses statements that say "bad", and compilers called
// "broken".

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void note(const struct message *request, const char *const *keys)
{
    AUTO(memory) char *path = mem_format("%s/requests", getenv("HERE"));
    AUTO(file) FILE *file = fopen(path, "a");
    for (; file && *keys; keys++)
        if (message_text(request, *keys))
            fprintf(file, "%s=%s|", *keys, message_text(request, *keys));
    if (file)
        fprintf(file, "\n");
}

static const char *numbered(const struct message *request, const char *key, uint64_t index)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%llu", key, (unsigned long long)index);
    return message_text(request, name);
}

static void add_numbered(struct text *out, const char *key, uint64_t index, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%llu", key, (unsigned long long)index);
    message_add(out, name, value);
}

static struct bilanx_error prepare_python(const struct message *request, struct text *out)
{
    note(request, (const char *const[]){"stmt", "setup", "global_setup", "threads", NULL});
    if (text_equal(message_text(request, "stmt"), "bad") ||
        text_equal(message_text(request, "global_setup"), "broken"))
        return bilanx_error_make(BILANX_E_COMPILE, "bad Python");
    message_add(out, "plain", "1");
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    uint64_t count = 0;
    BILANX_TRY(message_count(request, "count", &count));
    if (!count)
        return prepare_python(request, out);
    note(request, (const char *const[]){"language", "stmt.0", "stmt.1", "setup.0", "global_setup.0",
                                        "inputs.0", "cc", "cflags", "ldflags", "flags", "sources",
                                        "includes", "packages", "recipes", "counting", NULL});
    for (uint64_t i = 0; i < count; i++) {
        const char *stmt = numbered(request, "stmt", i);
        if (text_equal(stmt, "bad") || text_equal(message_text(request, "cc"), "broken")) {
            add_numbered(out, "code", i, "compile-failed");
            add_numbered(out, "text", i, "it does not compile");
            continue;
        }
        add_numbered(out, "object", i, "/an/object");
        add_numbered(out, "place", i, i ? "1" : "0");
        add_numbered(out, "cc", i, "cc 1.0");
        add_numbered(out, "flags", i, "-O2");
        add_numbered(out, "traced", i, "1");
        add_numbered(out, "laundered", i, "1");
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context, (void)request, (void)server;
    return bilanx_error_make(BILANX_E_FAILED, "nothing is measured here");
}

// The cases of a test: members that are NULL or 0 are left at that.
enum { MOST = 12 };
struct fixture {
    struct bilanx_suite_case items[MOST];
    struct bilanx_suite_case *cases[MOST];
    const struct run_case *listed[MOST];
    char *faults[MOST];
    struct selection selection;
    struct statement_options code;
    struct schedule schedule;
    struct text told;
};
static struct fixture fixture;

#define T(text) ((char *)(text))
#define NAMES(...) ((char *[]){__VA_ARGS__, NULL})

static struct bilanx_suite_case *add(const char *language, const char *stmt)
{
    static char names[MOST][8];
    size_t at = fixture.selection.count++;
    snprintf(names[at], sizeof names[at], "case%zu", at);
    fixture.cases[at] = &fixture.items[at];
    fixture.items[at] = (struct bilanx_suite_case){
        .name = names[at], .task = {.language = T(language), .stmt = T(stmt), .num_threads = 1}};
    return &fixture.items[at];
}

static void add_line(void *context, const char *text)
{
    (void)context;
    text_format(&fixture.told, "%s\n", text);
}

static struct bilanx_error open_schedule(void)
{
    return schedule_open(&fixture.selection, &fixture.code, &(struct tell){.line = add_line},
                         &fixture.schedule);
}

static int enter(void **state)
{
    char self[4096] = "";
    if (own_folder_enter(state) != 0 || own_cache_begin(state) != 0 ||
        readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    fixture = (struct fixture){.code = {.cc = "usual-cc", .cflags = "-O1", .ldflags = "-lusual"}};
    fixture.selection = (struct selection){
        .cases = fixture.cases, .listed = fixture.listed, .faults = fixture.faults};
    AUTO(memory) char *python = mem_format("#!/bin/sh\n[ \"$1\" = -c ] && { printf "
                                           "'\\nbilanx-python\\n%%s\\n3 11 0\\n' \"$0\"; exit; }\n"
                                           "exec '%s' serve\n",
                                           self);
    program_make("python", python);
    setenv("HERE", own_folder, 1);
    unsetenv("BILANX_PYTHON");
    return setenv("BILANX_WORKER_PROGRAM", self, 1);
}

static int leave(void **state)
{
    schedule_done(&fixture.schedule);
    text_done(&fixture.told);
    return own_cache_end(state) == 0 ? own_folder_leave(state) : -1;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

// The cases of each environment, in the order in which they are prepared: "0 2;1;".
static void assert_environments(const char *expected)
{
    AUTO(text) struct text text = {0};
    for (size_t i = 0; i < fixture.schedule.environment_count; i++) {
        const struct environment *environment = &fixture.schedule.environments[i];
        for (size_t k = 0; k < environment->count; k++)
            text_format(&text, "%s%zu", k ? " " : "", environment->items[k]);
        text_add(&text, ";");
    }
    assert_string_equal(text_get(&text), expected);
}

static void cases_that_are_compiled_alike_share_an_environment(void **state)
{
    (void)state;
    add("c", "a");
    add("c++", "a");
    add("c", "b")->task.num_threads = 1;
    add("c", "b")->cc = T("clang");
    add("c", "b")->flags = T("-O3");
    add("c", "b")->ldflags = T("-lm");
    add("c", "b")->pkg = NAMES(T("zlib"));
    add("c", "b")->with = NAMES(T("zlib"));
    add("c", "b")->include = NAMES(T("zlib"));
    add("c", "b")->sources = NAMES(T("zlib"));
    add("c", "b")->preload = NAMES(T("zlib"));
    add("c", "c")->directory = T("elsewhere");  // does not matter without files
    assert_ok(open_schedule());
    assert_environments("0 2 11;1;3;4;5;6;7;8;9;10;");
}

static void the_folder_of_files_matters(void **state)
{
    (void)state;
    static const char *const folders[] = {"a", "b", "a"};
    char *files[] = {T("f.c"), NULL};
    for (size_t i = 0; i < 6; i++) {
        struct bilanx_suite_case *item = add("c", "x");
        item->directory = T(folders[i % 3]);
        *(i < 3 ? &item->sources : &item->preload) = files;
    }
    assert_ok(open_schedule());
    assert_environments("0 2;1;3 5;4;");
}

static void threads_matter_to_compiled_code_unless_it_is_counted(void **state)
{
    (void)state;
    add("c", "a");
    add("c", "a")->task.num_threads = 2;
    add("c", "b");
    fixture.items[1].task.num_threads = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (fixture.items[1].task.num_threads == 1)
        skip_because("there is only one core");
    assert_ok(open_schedule());
    assert_environments("0 2;1;");
    assert_int_equal(fixture.schedule.environments[1].options.threads,
                     fixture.items[1].task.num_threads);
    schedule_done(&fixture.schedule);
    fixture.code.counting = true;
    assert_ok(open_schedule());
    assert_environments("0 1 2;");
    assert_int_equal(fixture.schedule.environments[0].options.threads, 1);
}

static void what_a_case_says_replaces_the_options(void **state)
{
    (void)state;
    struct bilanx_suite_case *own = add("c++", "a");
    char *sources[] = {T("f.cpp"), T("/abs.cpp"), NULL}, *includes[] = {T("inc"), NULL},
         *packages[] = {T("zlib"), NULL}, *recipes[] = {T("blas"), NULL},
         *preload[] = {T("p.c"), NULL};
    own->cc = T("clang++");
    own->flags = T("-O3");
    own->ldflags = T("-lm");
    own->directory = T("suites");
    own->sources = sources;
    own->include = includes;
    own->pkg = packages;
    own->with = recipes;
    own->preload = preload;
    add("c", "b");
    fixture.code.python = "python4";
    fixture.code.preload = "numpy";
    assert_ok(open_schedule());
    const struct environment *first = &fixture.schedule.environments[0];
    const struct statement_options *options = &first->options;
    assert_string_equal(options->language, "c++");
    assert_string_equal(options->cc, "clang++");
    assert_string_equal(options->cflags, "-O3");
    assert_string_equal(options->ldflags, "-lm");
    assert_int_equal(options->sources.count, 2);
    assert_string_equal(options->sources.items[0], "suites/f.cpp");
    assert_string_equal(options->sources.items[1], "/abs.cpp");
    assert_string_equal(options->includes.items[0], "suites/inc");
    assert_string_equal(options->packages.items[0], "zlib");
    assert_string_equal(options->recipes.items[0], "blas");
    assert_string_equal(first->preloads.items[0], "suites/p.c");
    assert_null(options->python);
    assert_null(options->preload);
    const struct statement_options *usual = &fixture.schedule.environments[1].options;
    assert_string_equal(usual->language, "c");
    assert_string_equal(usual->cc, "usual-cc");
    assert_string_equal(usual->cflags, "-O1");
    assert_string_equal(usual->ldflags, "-lusual");
    assert_int_equal(usual->sources.count, 0);
}

static const struct run_case *case_at(size_t at)
{
    return schedule_case(&fixture.schedule, at);
}

static void assert_given_up(size_t at, const char *code, const char *text)
{
    const struct run_case *item = case_at(at);
    assert_non_null(item);
    assert_string_equal(item->name, fixture.items[at].name);
    assert_string_equal(item->task.stmt, fixture.items[at].task.stmt);
    assert_non_null(item->failure);
    assert_string_equal(item->failure->code, code);
    assert_string_equal(item->failure->phase, "start");
    assert_string_equal(item->failure->text, text);
}

static void cases_that_cannot_run_are_ready_at_once(void **state)
{
    (void)state;
    static const struct run_case listed = {.name = T("prog/case")};
    add("c", "x");
    add("c", "skipped")->skip = T("it is slow");
    add("program", "./p");
    add("program", "./q");
    fixture.listed[2] = &listed;
    fixture.faults[3] = T("it has no cases");
    assert_ok(open_schedule());
    assert_environments("0;");
    assert_null(case_at(0));
    assert_given_up(1, "skipped", "it is slow");
    assert_string_equal(case_at(2)->name, "prog/case");
    assert_null(case_at(2)->failure);
    assert_given_up(3, "failed", "it has no cases");
    struct run_case preview = schedule_preview(&fixture.schedule, 0);
    assert_string_equal(preview.name, "case0");
    assert_string_equal(preview.task.stmt, "x");
}

static void environments_are_prepared_one_by_one(void **state)
{
    (void)state;
    add("c", "a")->timeout = 5;
    add("c++", "b");
    add("c", "bad");
    fixture.items[0].task.setup = T("int s");
    fixture.items[0].task.global_setup = T("int g;");
    bool more = false;
    assert_ok(open_schedule());
    assert_ok(schedule_prepare_next(&fixture.schedule, &more));
    assert_true(more);
    assert_non_null(case_at(0));
    assert_null(case_at(1));
    assert_string_equal(case_at(0)->name, "case0");
    assert_true(case_at(0)->timeout == 5);
    assert_non_null(strstr(case_at(0)->open, "object=/an/object"));
    assert_string_equal(case_at(2)->failure->code, "compile-failed");
    assert_string_equal(case_at(2)->failure->phase, "compile");
    assert_ok(schedule_prepare_next(&fixture.schedule, &more));
    assert_false(more);
    assert_null(case_at(1)->failure);
    assert_ok(schedule_prepare_next(&fixture.schedule, &more));
    assert_false(more);
    assert_true(fixture.schedule.compile_seconds > 0);
    assert_int_equal(fixture.told.size, 0);
    AUTO(text) struct text requests = {0};
    assert_ok(file_read("requests", &requests));
    assert_non_null(strstr(text_get(&requests), "stmt.0=|"));  // the canary
    assert_non_null(strstr(text_get(&requests), "setup.0=int s|global_setup.0=int g;|"));
    assert_non_null(strstr(text_get(&requests), "cc=usual-cc"));
}

static void an_environment_that_does_not_work_is_reported_once(void **state)
{
    (void)state;
    add("c", "a")->cc = T("broken");
    add("c", "b")->cc = T("broken");
    add("c", "c");
    add("c++", "d")->cc = T("broken");
    fixture.code.cflags = NULL;
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_string_equal(text_get(&fixture.told),
                        "c by 'broken' does not work here, so 2 cases are skipped: it does not "
                        "compile\n"
                        "c++ by 'broken' does not work here, so 1 case is skipped: it does not "
                        "compile\n");
    assert_given_up(0, "failed", "it does not compile");
    assert_given_up(1, "failed", "it does not compile");
    assert_null(case_at(2)->failure);
    assert_given_up(3, "failed", "it does not compile");
}

static void the_flags_of_an_environment_that_does_not_work_are_reported(void **state)
{
    (void)state;
    add("c", "a")->cc = T("broken");
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_true(text_starts(text_get(&fixture.told),
                            "c by 'broken' with '-O1' does not work here, so 1 case is skipped: "));
}

static void python_comes_first_and_has_no_compiler(void **state)
{
    (void)state;
    add("c", "x = 1");
    add("python", "y = 2")->task.global_setup = T("import this");
    add("python", "bad")->cc = T("an environment of its own");
    add("python", "z = 3");
    fixture.items[3].task.num_threads = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    fixture.code.python = "./python";
    bool more = false;
    assert_ok(open_schedule());
    assert_environments("1 3;2;0;");
    const struct statement_options *options = &fixture.schedule.environments[0].options;
    assert_null(options->cc);
    assert_null(options->cflags);
    assert_null(options->ldflags);
    assert_string_equal(options->python, "./python");
    assert_ok(schedule_prepare_next(&fixture.schedule, &more));
    assert_true(more);
    assert_non_null(case_at(1));
    assert_null(case_at(0));
    assert_null(case_at(1)->failure);
    assert_non_null(strstr(case_at(1)->open, "global_setup=import%20this"));
    assert_true(fixture.schedule.compile_seconds == 0);
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_string_equal(case_at(2)->failure->phase, "compile");
    assert_null(case_at(0)->failure);
    assert_int_equal(fixture.told.size, 0);
    AUTO(text) struct text requests = {0};
    assert_ok(file_read("requests", &requests));
    assert_non_null(strstr(text_get(&requests), "stmt=pass|global_setup=import this|"));
}

static void an_interpreter_whose_canary_fails_is_reported(void **state)
{
    (void)state;
    add("python", "y = 2")->task.global_setup = T("broken");
    fixture.code.python = "./python";
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_true(text_starts(text_get(&fixture.told),
                            "python by './python' does not work here, so 1 case is skipped: "));
    assert_given_up(0, "failed", "bad Python");
    schedule_done(&fixture.schedule);
    text_clear(&fixture.told);
    fixture.code.python = "./no-python";
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_non_null(strstr(text_get(&fixture.told), "cannot execute the Python './no-python'"));
}

static void counted_cases_get_an_empty_loop(void **state)
{
    (void)state;
    add("c", "x");
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_null(case_at(0)->subject->barrier);
    schedule_done(&fixture.schedule);
    fixture.code.counting = true;
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_non_null(case_at(0)->subject->barrier);
}

static void libraries_to_preload_are_compiled_before_anything_else(void **state)
{
    (void)state;
    char *files[] = {T("p.c"), NULL};
    add("c", "x")->preload = files;
    program_make("fake-cc", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho >\"$2\"\n");
    fixture.items[0].cc = T("./fake-cc");
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    const struct surroundings *surroundings = fixture.schedule.environments[0].options.surroundings;
    assert_non_null(surroundings);
    assert_non_null(strstr(surroundings_variable(surroundings, "LD_PRELOAD"), "/0.so"));
    schedule_done(&fixture.schedule);
    program_make("fake-cc", "#!/bin/sh\nexit 1\n");
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_non_null(strstr(text_get(&fixture.told), "cannot compile 'p.c'"));
}

static void inputs_are_passed_to_the_worker_and_the_canary(void **state)
{
    (void)state;
    struct bilanx_suite_sample sample = {
        .text = T("long n 4"), .names = T("long n"), .elements = 1, .bytes = 8};
    add("c", "x")->inputs = &sample;
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    assert_non_null(strstr(case_at(0)->open, "inputs=long%20n%204"));
    AUTO(text) struct text requests = {0};
    assert_ok(file_read("requests", &requests));
    const char *canary = strstr(text_get(&requests), "stmt.0=|");
    const char *own = strstr(text_get(&requests), "stmt.0=x|");
    assert_true(canary && text_starts(canary, "stmt.0=|inputs.0=long n|"));
    assert_true(own && text_starts(own, "stmt.0=x|inputs.0=long n|"));
}

static void a_record_gets_what_the_suite_says_about_its_case(void **state)
{
    (void)state;
    struct bilanx_expected expected = {
        .says = T("1 us"), .of = T("time"), .low = 1e-7, .high = 1e-5};
    add("c", "x")->bytes = 800;
    fixture.items[0].expected = &expected;
    add("c", "y")->items = 3;
    add("c", "z")->skip = T("not now");
    assert_ok(open_schedule());
    assert_ok(schedule_prepare(&fixture.schedule));
    AUTO(bilanx_record) struct bilanx_record first = MEASURED("[1e-6,1e-6]", ""),
                                             second = MEASURED("[1e-6,1e-6]", ""), third = {0},
                                             given = {0};
    schedule_check(&fixture.schedule, case_at(0), &first);
    assert_true(first.rates && first.rates->bytes == 800 && first.rates->items == 0);
    assert_string_equal(first.expected->says, "1 us");
    assert_string_equal(first.expected->met, "yes");
    schedule_check(&fixture.schedule, case_at(1), &second);
    assert_true(second.rates && second.rates->bytes == 0 && second.rates->items == 3);
    assert_null(second.expected);
    schedule_check(&fixture.schedule, case_at(2), &third);
    assert_null(third.rates);
    given.rates = mem_new(struct bilanx_rates);
    given.rates->bytes = 5;
    schedule_check(&fixture.schedule, case_at(0), &given);
    assert_true(given.rates->bytes == 5);
}

int main(int argc, char **argv)
{
    int in, out;
    (void)argc, (void)argv;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in >= 0) {
        const struct server_subject subject = {
            .describe = describe, .prepare = prepare, .run = run};
        return server_run(&subject, in, out);
    }
    const struct CMUnitTest tests[] = {
        TEST(cases_that_are_compiled_alike_share_an_environment),
        TEST(the_folder_of_files_matters),
        TEST(threads_matter_to_compiled_code_unless_it_is_counted),
        TEST(what_a_case_says_replaces_the_options),
        TEST(cases_that_cannot_run_are_ready_at_once),
        TEST(environments_are_prepared_one_by_one),
        TEST(an_environment_that_does_not_work_is_reported_once),
        TEST(the_flags_of_an_environment_that_does_not_work_are_reported),
        TEST(python_comes_first_and_has_no_compiler),
        TEST(an_interpreter_whose_canary_fails_is_reported),
        TEST(counted_cases_get_an_empty_loop),
        TEST(libraries_to_preload_are_compiled_before_anything_else),
        TEST(inputs_are_passed_to_the_worker_and_the_canary),
        TEST(a_record_gets_what_the_suite_says_about_its_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
