// Compiles with the installed compiler, behind a script that counts its calls.
#include "sources/compile/compiler.h"

#include <dlfcn.h>

#include "own_folder.h"

enum { MOST = 4 };

struct fixture {
    struct snippet snippets[MOST];
    struct built built[MOST];
    size_t count;
    struct compile_options options;
    char *cache;
};
static struct fixture fixture;

static int enter(void **state)
{
    if (own_folder_enter(state) != 0)
        return -1;
    program_make("cc", "#!/bin/sh\necho \"$@\" >>\"$HERE/calls\"\nexec cc \"$@\"\n");
    fixture = (struct fixture){.cache = mem_format("%s/cache", own_folder)};
    static char cc[4096];
    snprintf(cc, sizeof cc, "%s/cc", own_folder);
    fixture.options = (struct compile_options){.cc = cc, .cache = fixture.cache};
    return setenv("HERE", own_folder, 1);
}

static void forget(void)
{
    for (size_t i = 0; i < fixture.count; i++)
        built_done(&fixture.built[i]);
    memset(fixture.built, 0, sizeof fixture.built);
    fixture.count = 0;
}

static int leave(void **state)
{
    forget();
    free(fixture.cache);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static struct snippet *add(const char *stmt, const char *setup)
{
    struct snippet *snippet = &fixture.snippets[fixture.count++];
    *snippet = (struct snippet){.stmt = stmt, .setup = setup};
    return snippet;
}

static struct bilanx_error build(void)
{
    for (size_t i = 0; i < fixture.count; i++)
        built_done(&fixture.built[i]);
    memset(fixture.built, 0, sizeof fixture.built);
    unlink("calls");
    return compiler_build(fixture.snippets, fixture.count, &fixture.options, fixture.built);
}

static size_t calls(void)
{
    AUTO(text) struct text text = {0};
    size_t count = 0;
    if (!file_exists("calls"))
        return 0;
    assert_ok(file_read("calls", &text));
    for (const char *at = text_get(&text); (at = strchr(at, '\n')); at++)
        count++;
    return count;
}

static const struct object *object_at(size_t at)
{
    if (fixture.built[at].error.status != BILANX_OK)
        fail_msg("%s: %s", fixture.built[at].error.text, text_get(&fixture.built[at].diagnostics));
    return &fixture.built[at].object;
}

static bool has_symbol(const struct object *object, const char *name)
{
    void *handle = dlopen(object->path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    bool found = dlsym(handle, name) != NULL;
    dlclose(handle);
    return found;
}

static void a_statement_is_compiled_once(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    fixture.options.cflags = "-DX=1";
    assert_ok(build());
    const struct object *object = object_at(0);
    assert_int_equal(calls(), 1);
    assert_true(text_starts(object->path, fixture.cache));
    assert_int_equal(object->place, 0);
    assert_int_equal(object->layouts, 1);
    assert_true(object->laundered && object->traced && object->copies);
    assert_false(object->plain || object->cached || object->removed || object->replaced);
    assert_null(object->fixed);
    assert_true(object->seconds > 0);
    assert_string_equal(object->flags, "-O2 -DX=1");
    assert_true(strlen(object->cc) > 4 && strchr(object->cc, ' '));
    assert_true(has_symbol(object, "bilanx_copies1") && has_symbol(object, "bilanx_copies8"));
    AUTO(memory) char *path = mem_text(object->path);
    AUTO(memory) char *version = mem_text(object->cc);
    assert_ok(build());
    object = object_at(0);
    assert_int_equal(calls(), 0);
    assert_true(object->cached && object->seconds == 0);
    assert_string_equal(object->path, path);
    assert_string_equal(object->cc, version);
    assert_true(object->traced && object->laundered);
    fixture.options.fresh = true;
    assert_ok(build());
    assert_int_equal(calls(), 1);
    assert_false(object_at(0)->cached);
}

static void other_flags_make_another_object(void **state)
{
    (void)state;
    add("x += N", "volatile long x = 0");
    fixture.options.cflags = "-DN=1";
    assert_ok(build());
    fixture.options.cflags = "-DN=2";
    assert_ok(build());
    assert_false(object_at(0)->cached);
    fixture.options.cflags = "-DN=1";
    assert_ok(build());
    assert_true(object_at(0)->cached);
}

static void statements_share_a_unit_and_the_faulty_one_is_found(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    add("y = nothing(y)", "volatile int y = 0");
    add("z += 3", "volatile long z = 0");
    assert_ok(build());
    assert_string_equal(object_at(0)->path + strlen(object_at(0)->path) - 3, ".so");
    assert_true(object_at(0)->place > 0 && object_at(2)->place > 0);
    assert_int_not_equal(object_at(0)->place, object_at(2)->place);
    assert_int_equal(fixture.built[1].error.status, BILANX_E_COMPILE);
    assert_non_null(strstr(fixture.built[1].error.text, "nothing"));
    assert_non_null(strstr(text_get(&fixture.built[1].diagnostics), "nothing"));
    AUTO(memory) char *symbol = mem_format("bilanx_at%zu_copies1", object_at(2)->place);
    assert_true(has_symbol(object_at(2), symbol));
    assert_ok(build());
    assert_true(object_at(0)->cached && object_at(2)->cached);
}

static void good_statements_take_one_call(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    add("y += 2", "volatile long y = 0");
    add("z += 3", "volatile long z = 0");
    assert_ok(build());
    assert_int_equal(calls(), 1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(object_at(i)->place, i + 1);
    forget();
    add("x += 1", "volatile long x = 0");
    add("y += 4", "volatile long y = 0");
    assert_ok(build());
    assert_int_equal(calls(), 1);
    assert_true(object_at(0)->cached);
    assert_false(object_at(1)->cached);
    assert_int_equal(object_at(1)->place, 0);  // alone
}

static void counted_statements_in_c_are_compiled_alone(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    add("y += 2", "volatile long y = 0");
    fixture.options.counting = true;
    assert_ok(build());
    assert_int_equal(calls(), 2);
    assert_int_equal(object_at(0)->place, 0);
    assert_int_equal(object_at(1)->place, 0);
}

static void the_machine_code_shows_whether_a_statement_was_removed(void **state)
{
    (void)state;
    add("", NULL);
    add("x += 1", "volatile long x = 0");
    assert_ok(build());
    assert_true(object_at(0)->removed && !object_at(0)->traced);
    assert_true(!object_at(1)->removed && object_at(1)->traced);
}

static void a_plain_statement_is_not_laundered(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0")->plain = true;
    assert_ok(build());
    assert_false(object_at(0)->laundered);
    assert_false(object_at(0)->plain);  // as requested, so there is nothing to report
}

static void mistakes_are_reported_in_the_words_of_the_user(void **state)
{
    (void)state;
    add("x = ;", "int x = 0");
    assert_ok(build());
    const struct built *built = &fixture.built[0];
    assert_int_equal(built->error.status, BILANX_E_COMPILE);
    assert_null(strstr(built->error.text, "error: "));
    assert_null(strchr(built->error.text, '\n'));
    assert_null(strstr(text_get(&built->diagnostics), "bilanx_copies"));
    assert_null(built->object.path);
}

static void a_missing_symbol_is_reported_once(void **state)
{
    (void)state;
    add("gone()", "extern int gone(void)");
    fixture.options.layouts = 3;
    assert_ok(build());
    const char *text = text_get(&fixture.built[0].diagnostics);
    assert_int_equal(fixture.built[0].error.status, BILANX_E_COMPILE);
    const char *first = strstr(text, "undefined reference to");
    assert_non_null(first);
    assert_non_null(strstr(first, "gone"));
    assert_null(strstr(first + 1, "undefined reference to"));
    assert_non_null(strstr(fixture.built[0].error.text, "undefined reference to"));
}

static void a_name_of_a_header_may_be_the_users(void **state)
{
    (void)state;
    add("x = index(x)", "volatile int x = 1")->global_setup =
        "static int index(int i) { return 2 * i; }";
    add("x = strlen(x)", "volatile int x = 1")->global_setup =
        "static int strlen(int i) { return 2 * i; }";
    assert_ok(build());
    assert_false(object_at(0)->plain);
    assert_true(object_at(0)->traced);
    assert_false(object_at(1)->plain);
}

static void sources_and_their_folders_are_found(void **state)
{
    (void)state;
    AUTO(list) struct list sources = {0}, includes = {0};
    assert_int_equal(mkdir("inc", 0700), 0);
    file_make("inc/n.h", "#define N 3\n");
    file_make("one.c", "#include <n.h>\nint one(void) { return N; }\n");
    file_make("two.c", "int two(void) { return 2; }\n");
    list_add(&sources, "one.c");
    list_add(&sources, "two.c");
    list_add(&includes, "inc");
    fixture.options.sources = sources;
    fixture.options.includes = includes;
    add("x = one() + two()", "int one(void), two(void); volatile int x");
    assert_ok(build());
    assert_int_equal(calls(), 3);
    assert_non_null(strstr(object_at(0)->flags, "-Iinc -lm one.c two.c"));
    assert_ok(build());
    assert_true(object_at(0)->cached);
    file_make("inc/n.h", "#define N 4 // changed\n");
    assert_ok(build());
    assert_false(object_at(0)->cached);
    file_make("two.c", "int two(void) { return }\n");
    assert_ok(build());
    assert_int_equal(fixture.built[0].error.status, BILANX_E_COMPILE);
    assert_non_null(strstr(text_get(&fixture.built[0].diagnostics), "two.c"));
}

static void code_is_linked_in_several_layouts(void **state)
{
    (void)state;
    add("x = f(x)", "volatile int x = 1")->global_setup =
        "__attribute__((noinline)) static int f(int i) { return 2 * i; }";
    fixture.options.layouts = 3;
    assert_ok(build());
    const struct object *object = object_at(0);
    assert_int_equal(object->layouts, 3);
    assert_null(object->fixed);
    assert_true(has_symbol(object, "bilanx_copies1") && has_symbol(object, "bilanx_copies1.1") &&
                has_symbol(object, "bilanx_copies1.2"));
    assert_false(has_symbol(object, "bilanx_copies1.3"));
    assert_ok(build());
    assert_int_equal(object_at(0)->layouts, 3);
    assert_true(object_at(0)->cached);
}

static void members_of_archives_are_part_of_every_layout(void **state)
{
    (void)state;
    file_make("a.c", "int member(int i) { return 3 * i; }\n");
    assert_int_equal(system("cc -O2 -fPIC -ffunction-sections -c a.c -o a.o && ar rc liba.a a.o"),
                     0);
    add("x = member(x)", "int member(int); volatile int x = 1");
    fixture.options.layouts = 2;
    fixture.options.ldflags = "./liba.a";
    assert_ok(build());
    assert_int_equal(object_at(0)->layouts, 2);
    AUTO(text) struct text calls_made = {0};
    assert_ok(file_read("calls", &calls_made));
    assert_non_null(strstr(text_get(&calls_made), "-Wl,-t,-t"));
    assert_non_null(strstr(text_get(&calls_made), "l1.m0.o"));
}

static void code_that_cannot_move_says_why(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    fixture.options.layouts = 2;
    fixture.options.cflags = "-flto";
    assert_ok(build());
    const struct object *object = object_at(0);
    if (object->layouts == 2)
        skip_because("this compiler adds machine code for link-time optimisation");
    assert_int_equal(object->layouts, 1);
    assert_non_null(strstr(object->fixed, "link-time optimisation"));
    assert_ok(build());
    assert_true(object_at(0)->cached);
    assert_non_null(object_at(0)->fixed);
}

static void a_compiler_that_is_missing_affects_all_statements(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    fixture.options.cc = "no-such-cc";
    assert_error(build(), BILANX_E_COMPILE, "cannot find the compiler 'no-such-cc'");
}

static void a_full_disk_is_not_the_fault_of_the_statement(void **state)
{
    (void)state;
    add("x += 1", "volatile long x = 0");
    program_make("cc", "#!/bin/sh\necho 's.c: No space left on device'\nexit 1\n");
    assert_ok(build());
    assert_int_equal(fixture.built[0].error.status, BILANX_E_SYSTEM);
    assert_non_null(strstr(fixture.built[0].error.text, "cannot compile: the disk of the cache"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_statement_is_compiled_once),
        TEST(other_flags_make_another_object),
        TEST(statements_share_a_unit_and_the_faulty_one_is_found),
        TEST(good_statements_take_one_call),
        TEST(counted_statements_in_c_are_compiled_alone),
        TEST(the_machine_code_shows_whether_a_statement_was_removed),
        TEST(a_plain_statement_is_not_laundered),
        TEST(mistakes_are_reported_in_the_words_of_the_user),
        TEST(a_missing_symbol_is_reported_once),
        TEST(a_name_of_a_header_may_be_the_users),
        TEST(sources_and_their_folders_are_found),
        TEST(code_is_linked_in_several_layouts),
        TEST(members_of_archives_are_part_of_every_layout),
        TEST(code_that_cannot_move_says_why),
        TEST(a_compiler_that_is_missing_affects_all_statements),
        TEST(a_full_disk_is_not_the_fault_of_the_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
