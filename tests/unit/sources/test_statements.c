// Statements of C and Python, with this program as their worker. It compiles nothing, and notes
// what it is asked for in $HERE/requests.
#include "sources/statements/statements.h"

#include "core/worker/server.h"
#include "own_cache.h"
#include "own_folder.h"
#include "sources/source/source.h"
#include "sources/statements/sources.h"

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void note(const struct message *request)
{
    AUTO(memory) char *path = mem_format("%s/requests", getenv("HERE"));
    AUTO(file) FILE *file = fopen(path, "a");
    for (size_t i = 0; file && i < request->count; i++)
        if (strcmp(request->pairs[i].key, "cache") != 0)
            fprintf(file, "%s=%s|", request->pairs[i].key, request->pairs[i].value);
    if (file)
        fprintf(file, "\n");
}

static void answer(struct text *out, const char *key, uint64_t index, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%llu", key, (unsigned long long)index);
    message_add(out, name, value);
}

static struct bilanx_error prepare_python(const struct message *request, struct text *out)
{
    const char *stmt = message_text(request, "stmt");
    if (text_equal(stmt, "bad"))
        return bilanx_error_make(BILANX_E_COMPILE, "invalid syntax");
    if (text_equal(stmt, "lost"))
        return bilanx_error_make(BILANX_E_FAILED, "no module");
    if (text_equal(stmt, "numpy"))
        message_add(out, "preload", "numpy,torch");
    if (text_equal(stmt, "more"))
        message_add(out, "preload", "torch,json");
    if (getenv("PLAIN"))
        message_add(out, "plain", "1");
    if (getenv("FOREIGN"))
        message_add(out, "foreign_threads", "2");
    return BILANX_SUCCESS;
}

// What a statement becomes is in its text.
static struct bilanx_error prepare(void *context, const struct message *request, struct text *out)
{
    (void)context;
    uint64_t count = 0;
    BILANX_TRY(message_count(request, "count", &count));
    note(request);
    if (!count)
        return prepare_python(request, out);
    for (uint64_t i = 0; i < count; i++) {
        char key[64];
        snprintf(key, sizeof key, "stmt.%llu", (unsigned long long)i);
        const char *stmt = message_text(request, key);
        if (text_equal(stmt, "exit"))
            exit(5);
        if (text_equal(stmt, "nothing"))
            continue;
        if (text_equal(stmt, "bad")) {
            answer(out, "code", i, "compile-failed");
            answer(out, "text", i, "it does not compile");
            answer(out, "output", i, "line 1: wrong");
            continue;
        }
        AUTO(memory) char *object = mem_format("/objects/%s", stmt);
        answer(out, "object", i, object);
        answer(out, "place", i, text_equal(stmt, "placed") ? "7" : "0");
        answer(out, "cc", i, "cc 1.0");
        answer(out, "flags", i, "-O2");
        answer(out, "layouts", i, text_equal(stmt, "layouts") ? "32" : "1");
        answer(out, text_equal(stmt, "removed") ? "removed" : "traced", i, "1");
        answer(out, text_equal(stmt, "plain") ? "plain" : "laundered", i, "1");
        answer(out, "copies", i, "1");
        answer(out, "cached", i, text_equal(stmt, "cached") ? "1" : "0");
        answer(out, "seconds", i, "0.25");
        if (text_equal(stmt, "replaced"))
            answer(out, "replaced", i, "1");
        if (text_equal(stmt, "fixed"))
            answer(out, "fixed", i, "it cannot move");
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context, (void)request, (void)server;
    return bilanx_error_make(BILANX_E_FAILED, "nothing is measured here");
}

struct fixture {
    struct statement_options options;
    struct statements statements;
};
static struct fixture fixture;

static int enter(void **state)
{
    char self[4096] = "";
    if (own_folder_enter(state) != 0 || own_cache_begin(state) != 0 ||
        readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    fixture = (struct fixture){.options = {.language = "c"}};
    AUTO(memory) char *python = mem_format("#!/bin/sh\n[ \"$1\" = -c ] && { printf "
                                           "'\\nbilanx-python\\n%%s\\n3 11 0\\n' \"$0\"; exit; }\n"
                                           "exec '%s' serve\n",
                                           self);
    program_make("python", python);
    setenv("HERE", own_folder, 1);
    unsetenv("BILANX_PYTHON");
    unsetenv("PLAIN");
    unsetenv("FOREIGN");
    unsetenv("PYTHONHASHSEED");
    return setenv("BILANX_WORKER_PROGRAM", self, 1);
}

static int leave(void **state)
{
    statements_done(&fixture.statements);
    return own_cache_end(state) == 0 ? own_folder_leave(state) : -1;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static struct bilanx_error prepare_all(const char *const *stmts)
{
    size_t count = 0;
    while (stmts[count])
        count++;
    statements_done(&fixture.statements);
    unlink("requests");
    return statements_prepare_plain(stmts, count, &fixture.options, &fixture.statements);
}
#define PREPARE(...) prepare_all((const char *const[]){__VA_ARGS__, NULL})

static const struct run_case *case_at(size_t at)
{
    return &fixture.statements.cases.items[at];
}

// Something that was in some request.
static void assert_requested(const char *part)
{
    AUTO(text) struct text text = {0};
    assert_ok(file_read("requests", &text));
    if (!strstr(text_get(&text), part))
        fail_msg("no '%s' in '%s'", part, text_get(&text));
}

static void assert_not_requested(const char *part)
{
    AUTO(text) struct text text = {0};
    assert_ok(file_read("requests", &text));
    if (strstr(text_get(&text), part))
        fail_msg("'%s' in '%s'", part, text_get(&text));
}

static void assert_notes(size_t at, const char *expected)
{
    AUTO(text) struct text codes = {0};
    for (const struct run_note *const *note = case_at(at)->notes; *note; note++)
        text_format(&codes, "%s%s", codes.size ? " " : "", (*note)->code);
    assert_string_equal(text_get(&codes), expected);
}

static void a_compiled_statement_becomes_a_case(void **state)
{
    (void)state;
    assert_ok(PREPARE("placed", "layouts"));
    assert_int_equal(fixture.statements.cases.count, 2);
    const struct run_case *placed = case_at(0);
    assert_string_equal(placed->name, "placed");
    assert_string_equal(placed->open, " object=/objects/placed place=7");
    assert_string_equal(placed->rival, " rival=/objects/placed rival_place=7");
    assert_string_equal(placed->task.stmt, "placed");
    assert_string_equal(placed->task.language, "c");
    assert_int_equal(placed->task.num_threads, 1);
    assert_string_equal(placed->task.compile->cc, "cc 1.0");
    assert_string_equal(placed->task.compile->flags, "-O2");
    assert_string_equal(placed->task.compile->launder, "each");
    assert_int_equal(placed->layouts, 0);
    assert_int_equal(case_at(1)->layouts, 32);
    assert_ptr_equal(placed->subject, &fixture.statements.worker);
    const struct statement *statement = &fixture.statements.items[0];
    assert_string_equal(statement->object, "/objects/placed");
    assert_int_equal(statement->place, 7);
    assert_true(statement->traced && statement->laundered && statement->copies);
    assert_false(statement->removed || statement->plain || statement->cached || statement->empty);
    assert_true(statement->compile_seconds == 0.25);
    AUTO(memory) char *libraries = statement_libraries(statement);
    assert_true(text_starts(libraries, "/objects/placed"));
    assert_true(strlen(libraries) > strlen("/objects/placed"));
}

static void what_is_known_of_a_statement_is_noted(void **state)
{
    (void)state;
    assert_ok(PREPARE("usual", "removed", "plain", "replaced", "fixed", "cached", ""));
    assert_notes(0, "");
    assert_notes(1, "optimised-away");
    assert_notes(2, "not-laundered");
    assert_notes(3, "other-march");
    assert_notes(4, "layout-fixed");
    assert_string_equal(case_at(4)->notes[0]->text,
                        "measured in a single code layout: it cannot move");
    assert_true(fixture.statements.items[5].cached);
    assert_true(fixture.statements.items[6].empty && !fixture.statements.items[0].empty);
    assert_string_equal(case_at(2)->task.compile->launder, "none");
}

static void one_that_does_not_compile_fails_alone(void **state)
{
    (void)state;
    assert_ok(PREPARE("good", "bad", "nothing"));
    assert_null(case_at(0)->failure);
    assert_string_equal(case_at(1)->failure->code, "compile-failed");
    assert_string_equal(case_at(1)->failure->phase, "compile");
    assert_string_equal(case_at(1)->failure->text, "it does not compile");
    assert_string_equal(case_at(1)->failure->output, "line 1: wrong");
    assert_null(case_at(1)->open);
    assert_string_equal(case_at(2)->failure->text, "nothing was prepared");
}

static void a_compiler_that_dies_takes_its_statements_along(void **state)
{
    (void)state;
    assert_ok(PREPARE("exit"));
    assert_non_null(case_at(0)->failure);
    assert_string_equal(case_at(0)->failure->code, "exited");
    assert_string_equal(case_at(0)->failure->phase, "compile");
}

static void equal_statements_are_compiled_once(void **state)
{
    (void)state;
    assert_ok(PREPARE("same", "other", "same", "bad", "fixed", "fixed", "bad"));
    AUTO(text) struct text text = {0};
    assert_ok(file_read("requests", &text));
    size_t count = 0;
    for (const char *at = text_get(&text); (at = strstr(at, "=same|")); at++)
        count++;
    assert_int_equal(count, 1);
    assert_string_equal(case_at(2)->open, case_at(0)->open);
    assert_string_equal(case_at(2)->rival, case_at(0)->rival);
    assert_string_equal(case_at(2)->task.compile->flags, "-O2");
    assert_ptr_not_equal(case_at(2)->open, case_at(0)->open);
    assert_string_equal(case_at(6)->failure->text, case_at(3)->failure->text);
    assert_notes(5, "layout-fixed");
    assert_string_equal(fixture.statements.items[5].fixed.text,
                        fixture.statements.items[4].fixed.text);
}

static void any_number_of_statements_is_compiled(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    const char *stmts[COUNT + 1] = {NULL};
    char texts[COUNT][8];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "s%zu", i);
        stmts[i] = texts[i];
    }
    assert_ok(prepare_all(stmts));
    for (size_t i = 0; i < COUNT; i++) {
        AUTO(memory) char *open = mem_format(" object=/objects/s%zu place=0", i);
        assert_string_equal(case_at(i)->open, open);
    }
    assert_not_requested("count=33|");
    assert_not_requested("stmt.32=");
    assert_requested("count=32|");
}

static void options_are_passed_on(void **state)
{
    (void)state;
    const char *packages[] = {"zlib"}, *recipes[] = {"openmp"}, *sources[] = {"f.c"},
               *includes[] = {"."};
    file_make("f.c", "");
    fixture.options = (struct statement_options){.language = "c++",
                                                 .setup = "int s",
                                                 .global_setup = "int g;",
                                                 .sync = "wait()",
                                                 .cc = "my-cc",
                                                 .cflags = "-O3",
                                                 .ldflags = "-lz",
                                                 .plain = true,
                                                 .layouts = 9,
                                                 .packages = {packages, 1},
                                                 .recipes = {recipes, 1},
                                                 .sources = {sources, 1},
                                                 .includes = {includes, 1},
                                                 .label = "named",
                                                 .threads = 3};
    assert_ok(PREPARE("x"));
    AUTO(memory) char *here = realpath(".", NULL);
    AUTO(memory) char *expected = mem_format(
        "language=c++|setup=int s|global_setup=int g;|sync=wait()|cc=my-cc|cflags=-O3|ldflags=-lz|"
        "sources=%s/f.c\n|includes=%s\n|packages=zlib\n|recipes=openmp\n|layouts=9|plain=1|\n",
        here, here);
    assert_requested(expected);
    assert_string_equal(case_at(0)->name, "named");
    assert_string_equal(case_at(0)->task.setup, "int s");
    assert_int_equal(case_at(0)->task.num_threads, 3);
    assert_int_equal(case_at(0)->threads, 3);
    AUTO(text) struct text environment = {0};
    for (size_t i = 0; i < fixture.statements.environment.count; i++)
        text_format(&environment, "%s\n", fixture.statements.environment.items[i]);
    assert_non_null(strstr(text_get(&environment), "OMP_NUM_THREADS=3\n"));
}

static void counting_and_sampling_compile_in_their_ways(void **state)
{
    (void)state;
    fixture.options.layouts = 9;
    fixture.options.counting = true;
    fixture.options.threads = 2;
    assert_ok(PREPARE("x"));
    assert_requested("|counting=1|");
    assert_not_requested("layouts");
    assert_string_equal(case_at(0)->open, " object=/objects/x place=0 threads=2");
    assert_ok(statements_add_barrier(&fixture.options, &fixture.statements));
    assert_string_equal(fixture.statements.worker.barrier, " object=/objects/ barrier=1");
    assert_requested("ldflags=-Wl,--no-as-needed -lm ");
    assert_null(fixture.statements.worker.prepare);
    fixture.options = (struct statement_options){.language = "c", .layouts = 9, .sampling = true};
    assert_ok(PREPARE("x"));
    assert_requested("|flags=-g\n|");
    assert_not_requested("layouts");
    assert_not_requested("counting");
}

static void mistakes_in_options_are_explained(void **state)
{
    (void)state;
    const char *missing[] = {"missing.c"}, *python[] = {"x.py"}, *unknown[] = {"opnmp"};
    fixture.options.sources = (struct words){missing, 1};
    assert_error(PREPARE("x"), BILANX_E_INPUT, "cannot read 'missing.c'");
    fixture.options.sources = (struct words){python, 1};
    assert_error(PREPARE("x"), BILANX_E_USAGE, "'x.py' is not C or C++");
    fixture.options.sources = (struct words){0};
    fixture.options.recipes = (struct words){unknown, 1};
    assert_error(PREPARE("x"), BILANX_E_USAGE, "unknown recipe 'opnmp'");
    fixture.options.recipes = (struct words){0};
    fixture.options.compile_commands = "compile_commands.json";
    assert_error(PREPARE("x"), BILANX_E_USAGE, "--compile-commands needs a --source");
    fixture.options.compile_commands = NULL;
    fixture.options.trust_flags = true;
    assert_error(PREPARE("x"), BILANX_E_USAGE, "--trust-flags needs --compile-commands");
    fixture.options = (struct statement_options){.language = "rust"};
    assert_error(PREPARE("x"), BILANX_E_USAGE, "unknown language 'rust': use c, c++ or python");
}

static void flags_that_were_left_out_are_noted(void **state)
{
    (void)state;
    const char *sources[] = {"f.c"};
    file_make("f.c", "");
    AUTO(memory) char *database = mem_format("[{\"directory\":\"%s\",\"file\":\"f.c\","
                                             "\"arguments\":[\"cc\",\"-DX\",\"-fplugin=evil.so\","
                                             "\"-c\",\"f.c\"]}]\n",
                                             own_folder);
    file_make("compile_commands.json", database);
    fixture.options.sources = (struct words){sources, 1};
    fixture.options.compile_commands = "compile_commands.json";
    assert_ok(PREPARE("removed", "good"));
    assert_requested("flags=-DX\n|");
    AUTO(memory) char *directory = mem_format("directory=%s|", own_folder);
    assert_requested(directory);
    assert_notes(0, "optimised-away flags-left-out");
    assert_notes(1, "flags-left-out");
    assert_non_null(strstr(fixture.statements.left_out.text, "-fplugin=evil.so"));
}

static struct bilanx_error open_statements(const char *const *words, size_t count,
                                           enum source_purpose purpose, const char *filter,
                                           struct source *out)
{
    BILANX_TRY(source_open(&statement_source,
                           &(struct source_request){.words = words,
                                                    .word_count = count,
                                                    .code = &fixture.options,
                                                    .purpose = purpose,
                                                    .filter = filter},
                           out));
    return source_prepare(out);
}

static void assert_names(const struct source *source, const char *expected)
{
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < source->cases.count; i++)
        text_format(&names, "%s|", source->cases.items[i].name);
    assert_string_equal(text_get(&names), expected);
}

static void statements_are_a_source_of_cases(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b", "a"};
    const char *names[] = {"first", "second"}, *setups[] = {NULL, "int x"};
    AUTO(source) struct source all = {0}, some = {0}, none = {0}, named = {0}, counted = {0};
    assert_ok(open_statements(words, 2, SOURCE_TO_TIME, NULL, &all));
    assert_names(&all, "a|b|");
    assert_null(all.cases.items[0].subject->barrier);
    assert_ok(open_statements(words, 2, SOURCE_TO_TIME, "b", &some));
    assert_names(&some, "b|");
    assert_error(open_statements(words, 2, SOURCE_TO_TIME, "zzz", &none), BILANX_E_FAILED,
                 "no case matches the filter 'zzz'");
    fixture.options.names = (struct words){names, 2};
    fixture.options.setups = (struct words){setups, 2};
    assert_ok(open_statements(words, 3, SOURCE_TO_TIME, NULL, &named));
    assert_names(&named, "first|second|a|");
    assert_string_equal(named.cases.items[1].task.setup, "int x");
    fixture.options.names = fixture.options.setups = (struct words){0};
    assert_ok(open_statements(words, 1, SOURCE_FOR_VALGRIND, NULL, &counted));
    assert_non_null(counted.cases.items[0].subject->barrier);
    assert_requested("counting=1");
}

static void equal_names_are_told_apart(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "a"};
    AUTO(source) struct source both = {0};
    assert_ok(open_statements(words, 2, SOURCE_TO_TIME, NULL, &both));
    assert_string_not_equal(both.cases.items[0].name, both.cases.items[1].name);
}

static void distinct_statements_are_found(void **state)
{
    (void)state;
    const struct statement_text texts[] = {{.stmt = "a"},
                                           {.stmt = "a", .setup = "s"},
                                           {.stmt = "a"},
                                           {.stmt = "a", .global_setup = "s"},
                                           {.stmt = "a", .inputs.names = "s"},
                                           {.stmt = "a", .setup = "s", .name = "n"}};
    static const size_t of_case[] = {0, 1, 0, 2, 3, 1}, places[] = {0, 1, 3, 4};
    struct sources sources;
    sources_find(texts, LENGTH(texts), &sources);
    assert_int_equal(sources.count, 4);
    assert_memory_equal(sources.of_case, of_case, sizeof of_case);
    assert_memory_equal(sources.places, places, sizeof places);
    sources_done(&sources);
}

static void python_is_prepared_by_its_interpreter(void **state)
{
    (void)state;
    fixture.options = (struct statement_options){.language = "python",
                                                 .python = "./python",
                                                 .setup = "x = 1",
                                                 .preload = "re",
                                                 .threads = 2};
    assert_ok(PREPARE("numpy", "bad", "more"));
    assert_requested("preload=re|language=python|stmt=numpy|setup=x = 1|threads=2|");
    assert_string_equal(case_at(0)->open, " language=python stmt=numpy setup=x%20=%201 threads=2 "
                                          "preload=numpy,torch");
    assert_string_equal(case_at(1)->failure->code, "compile-failed");
    assert_string_equal(case_at(1)->failure->text, "invalid syntax");
    assert_null(case_at(2)->failure);
    assert_string_equal(fixture.statements.worker.prepare,
                        " language=python preload=numpy,torch,json");
    assert_string_equal(fixture.statements.worker.name, "./python");
    assert_int_equal(fixture.statements.worker.warmup, 110);
    assert_string_equal(fixture.statements.worker.hash_variable, "PYTHONHASHSEED");
    assert_ok(statements_add_barrier(&fixture.options, &fixture.statements));
    assert_string_equal(fixture.statements.worker.barrier,
                        " language=python preload=numpy,torch,json stmt= blocks=1");
    fixture.options.counting = true;
    assert_ok(PREPARE("numpy"));
    assert_requested("|blocks=1|");
    assert_string_equal(fixture.statements.worker.prepare,
                        " language=python preload=numpy,torch first_use=numpy,torch");
    assert_error(PREPARE("numpy", "lost"), BILANX_E_FAILED, "'./python' cannot measure: no module");
}

static void epochs_of_python_fork_if_that_is_safe(void **state)
{
    (void)state;
    static const struct {
        const char *variable;
        bool fresh, counting, standby, threaded;
    } ways[] = {{NULL, false, false, true, false},      {"PLAIN", false, false, false, false},
                {"FOREIGN", false, false, false, true}, {NULL, true, false, false, false},
                {"FOREIGN", true, false, false, false}, {NULL, false, true, false, false}};
    for (size_t i = 0; i < LENGTH(ways); i++) {
        fixture.options = (struct statement_options){.language = "python",
                                                     .python = "./python",
                                                     .forks = true,
                                                     .fresh = ways[i].fresh,
                                                     .counting = ways[i].counting};
        if (ways[i].variable)
            setenv(ways[i].variable, "1", 1);
        assert_ok(PREPARE("x"));
        assert_int_equal(fixture.statements.worker.standby != NULL, ways[i].standby);
        assert_int_equal(fixture.statements.items[0].threaded, ways[i].threaded);
        if (ways[i].variable)
            unsetenv(ways[i].variable);
    }
}

static void options_of_compilers_are_refused_in_python(void **state)
{
    (void)state;
    struct statement_options options = {.language = "python", .python = "./python", .cc = "cc"};
    fixture.options = options;
    assert_error(PREPARE("x"), BILANX_E_USAGE, "--cc only applies to C and C++");
    options.cc = NULL;
    options.plain = true;
    fixture.options = options;
    assert_error(PREPARE("x"), BILANX_E_USAGE, "--no-launder only applies to C and C++");
    const char *sources[] = {"x.c"};
    options.plain = false;
    options.sources = (struct words){sources, 1};
    fixture.options = options;
    assert_error(PREPARE("x"), BILANX_E_USAGE,
                 "--source only applies to C and C++; in Python, import the file");
}

static void an_interpreter_must_be_a_recent_python(void **state)
{
    (void)state;
    static const struct {
        const char *script, *refused;
    } interpreters[] = {
        {"#!/bin/sh\necho perl 5\n", "'./python' is not a working Python: it printed perl 5"},
        {"#!/bin/sh\n", "'./python' is not a working Python"},
        {"#!/bin/sh\nprintf '\\nbilanx-python\\n/usr/bin/python2\\n2 7 1\\n'\n",
         "'/usr/bin/python2' is Python 2.7, which is too old: use 3.5 or later"},
        {"#!/bin/sh\nprintf '\\nbilanx-python\\n/usr/bin/p\\n3 4 1\\n'\n", "Python 3.4"},
    };
    fixture.options = (struct statement_options){.language = "python", .python = "./python"};
    for (size_t i = 0; i < LENGTH(interpreters); i++) {
        program_make("python", interpreters[i].script);
        assert_error(PREPARE("x"), BILANX_E_INPUT, interpreters[i].refused);
    }
    fixture.options.python = "./no-python";
    assert_error(PREPARE("x"), BILANX_E_INPUT, "cannot execute the Python './no-python'");
    fixture.options.python = NULL;
    setenv("BILANX_PYTHON", "./mine", 1);
    assert_error(PREPARE("x"), BILANX_E_INPUT, "cannot execute the Python './mine'");
    assert_string_equal(statements_python(&fixture.options), "./mine");
    setenv("BILANX_PYTHON", "", 1);
    assert_null(statements_python(&fixture.options));
    unsetenv("BILANX_PYTHON");
}

int main(void)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in >= 0) {
        const struct server_subject subject = {
            .describe = describe, .prepare = prepare, .run = run};
        return server_run(&subject, in, out);
    }
    const struct CMUnitTest tests[] = {
        TEST(a_compiled_statement_becomes_a_case),
        TEST(what_is_known_of_a_statement_is_noted),
        TEST(one_that_does_not_compile_fails_alone),
        TEST(a_compiler_that_dies_takes_its_statements_along),
        TEST(equal_statements_are_compiled_once),
        TEST(any_number_of_statements_is_compiled),
        TEST(options_are_passed_on),
        TEST(counting_and_sampling_compile_in_their_ways),
        TEST(mistakes_in_options_are_explained),
        TEST(flags_that_were_left_out_are_noted),
        TEST(statements_are_a_source_of_cases),
        TEST(equal_names_are_told_apart),
        TEST(distinct_statements_are_found),
        TEST(python_is_prepared_by_its_interpreter),
        TEST(epochs_of_python_fork_if_that_is_safe),
        TEST(options_of_compilers_are_refused_in_python),
        TEST(an_interpreter_must_be_a_recent_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
