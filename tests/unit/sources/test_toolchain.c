#include "sources/compile/toolchain.h"

#include "own_folder.h"
#include "sources/compile/headers.h"
#include "sources/compile/rules.h"

static int enter(void **state)
{
    static char path[4096];
    if (own_folder_enter(state) != 0)
        return -1;
    if (!path[0])
        snprintf(path, sizeof path, "%s", getenv("PATH"));
    AUTO(memory) char *with_folder = mem_format("%s:%s", own_folder, path);
    program_make("cc", "#!/bin/sh\n");
    program_make("c++", "#!/bin/sh\n");
    program_make("fake-cc", "#!/bin/sh\n");
    unsetenv("TORCH_ROOT");
    return setenv("PATH", with_folder, 1);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, own_folder_leave)

static void assert_words(const struct list *words, const char *expected)
{
    AUTO(text) struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_format(&text, "%s%s", i ? " " : "", words->items[i]);
    assert_string_equal(text_get(&text), expected);
}

static void flags_come_from_the_weakest_to_the_strongest(void **state)
{
    (void)state;
    AUTO(toolchain) struct toolchain toolchain = {0};
    struct compile_options options = {
        .cc = "fake-cc -m64", .cflags = "-O3 '-DX=a b'", .ldflags = "-lz"};
    AUTO(list) struct list flags = {0}, includes = {0};
    list_add(&flags, "-DPROJECT");
    list_add(&includes, "inc");
    options.flags = flags;
    options.includes = includes;
    assert_ok(toolchain_find(false, &options, &toolchain));
    AUTO(memory) char *path = mem_format("%s/fake-cc", own_folder);
    assert_string_equal(toolchain.path, path);
    assert_words(&toolchain.flags, "-m64 -O2 -DPROJECT -Iinc -O3 -DX=a b -lz");
    assert_false(toolchain.cplusplus || toolchain.shares || toolchain.moves || toolchain.replaced);
}

static void the_usual_compiler_is_that_of_the_language(void **state)
{
    (void)state;
    static const char *const names[] = {"cc", "c++"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        AUTO(toolchain) struct toolchain toolchain = {0};
        assert_ok(toolchain_find(i == 1, &(struct compile_options){0}, &toolchain));
        AUTO(memory) char *path = mem_format("%s/%s", own_folder, names[i]);
        assert_string_equal(toolchain.path, path);
        assert_int_equal(toolchain.cplusplus, i == 1);
        assert_words(&toolchain.flags, "-O2");
    }
}

static void a_compiler_that_is_missing_can_be_installed(void **state)
{
    (void)state;
    AUTO(toolchain) struct toolchain c = {0}, cplusplus = {0}, none = {0};
    assert_error(toolchain_find(false, &(struct compile_options){.cc = "no-cc -x"}, &c),
                 BILANX_E_COMPILE,
                 "cannot find the compiler 'no-cc': install one (apt-get install gcc)");
    assert_error(toolchain_find(true, &(struct compile_options){.cc = "no-cc"}, &cplusplus),
                 BILANX_E_COMPILE, "apt-get install g++");
    assert_error(toolchain_find(true, &(struct compile_options){.cc = " "}, &none),
                 BILANX_E_COMPILE, "cannot find the compiler ''");
}

static void data_is_shared_with_libraries_in_cplusplus(void **state)
{
    (void)state;
    AUTO(list) struct list one = {0};
    list_add(&one, "threads");
    const struct compile_options with[] = {
        {0}, {.ldflags = "-lz"}, {.recipes = one}, {.cflags = "-lz"}};
    static const bool shares[] = {false, true, true, false};
    for (size_t i = 0; i < LENGTH(with); i++) {
        AUTO(toolchain) struct toolchain cplusplus = {0}, c = {0};
        assert_ok(toolchain_find(true, &with[i], &cplusplus));
        assert_int_equal(cplusplus.shares, shares[i]);
        assert_ok(toolchain_find(false, &with[i], &c));
        assert_false(c.shares);
        AUTO(list) struct list begin = {0};
        toolchain_begin(&cplusplus, &begin);
        bool hidden = false;
        for (size_t k = 0; k < begin.count; k++)
            hidden |= strcmp(begin.items[k], "-fvisibility=hidden") == 0;
        assert_int_equal(hidden, !shares[i]);
    }
}

static void functions_can_move_if_there_are_layouts(void **state)
{
    (void)state;
    static const unsigned layouts[] = {0, 1, 2};
    for (size_t i = 0; i < LENGTH(layouts); i++) {
        AUTO(toolchain) struct toolchain toolchain = {0};
        AUTO(list) struct list argv = {0};
        assert_ok(
            toolchain_find(false, &(struct compile_options){.layouts = layouts[i]}, &toolchain));
        toolchain_begin(&toolchain, &argv);
        AUTO(memory) char *expected =
            mem_format("%s/cc -pipe -fPIC -fno-semantic-interposition -fdiagnostics-color=never "
                       "-fvisibility=hidden%s",
                       own_folder, layouts[i] > 1 ? " -ffunction-sections" : "");
        assert_words(&argv, expected);
    }
}

static void functions_must_be_declared_in_c(void **state)
{
    (void)state;
    for (int cplusplus = 0; cplusplus < 2; cplusplus++)
        for (int math = 0; math < 2; math++) {
            AUTO(toolchain) struct toolchain toolchain = {0};
            AUTO(list) struct list argv = {0};
            assert_ok(
                toolchain_find(cplusplus, &(struct compile_options){.cflags = "-g"}, &toolchain));
            toolchain_end(&toolchain, math, &argv);
            AUTO(memory) char *expected =
                mem_format("%s-O2 -g%s", cplusplus ? "" : "-Werror=implicit-function-declaration ",
                           math ? " -lm" : "");
            assert_words(&argv, expected);
        }
}

static void quoted_includes_are_searched_in_explicit_folders_first(void **state)
{
    (void)state;
    AUTO(toolchain) struct toolchain toolchain = {0};
    AUTO(list) struct list quoted = {0}, argv = {0};
    list_add(&quoted, ".");
    struct compile_options options = {.cflags = "-Ia -I b -iquote c -isystem d -I",
                                      .quoted = quoted};
    assert_ok(toolchain_find(false, &options, &toolchain));
    toolchain_quoted(&toolchain, &options, &argv);
    assert_words(&argv, "-iquote a -iquote b -iquote c -iquote .");
}

static void packages_are_asked_for_their_flags(void **state)
{
    (void)state;
    AUTO(toolchain) struct toolchain good = {0}, bad = {0};
    AUTO(list) struct list packages = {0};
    list_add(&packages, "one");
    list_add(&packages, "two");
    struct compile_options options = {.packages = packages};
    program_make("pkg-config", "#!/bin/sh\n[ \"$*\" = '--cflags --libs one two' ] && "
                               "echo \"-Done '-I/a b' -lone\"\n");
    assert_ok(toolchain_find(false, &options, &good));
    assert_words(&good.flags, "-O2 -Done -I/a b -lone");
    assert_int_equal(good.flags.count, 4);
    program_make("pkg-config", "#!/bin/sh\necho 'no such package'; echo more; exit 1\n");
    struct bilanx_error error = toolchain_find(false, &options, &bad);
    assert_int_equal(error.status, BILANX_E_COMPILE);
    assert_string_equal(error.text, "pkg-config: no such package");
}

static void counting_replaces_what_valgrind_cannot_run(void **state)
{
    (void)state;
    AUTO(toolchain) struct toolchain timed = {0}, counted = {0};
    struct compile_options options = {.cflags = "-march=native"};
    assert_ok(toolchain_find(false, &options, &timed));
    assert_false(timed.replaced);
    options.counting = true;
    assert_ok(toolchain_find(false, &options, &counted));
    assert_true(counted.replaced);
}

static struct digest key_with(struct compile_options options, const char *source, bool math)
{
    AUTO(toolchain) struct toolchain toolchain = {0};
    AUTO(text) struct text text = {0};
    text_add(&text, source);
    options.cc = options.cc ? options.cc : "fake-cc";
    assert_ok(toolchain_find(false, &options, &toolchain));
    return toolchain_key(&toolchain, &options, &text, math);
}

static void everything_that_affects_the_code_is_part_of_its_key(void **state)
{
    (void)state;
    AUTO(list) struct list one = {0}, other = {0};
    list_add(&one, "a.c");
    list_add(&other, "b.c");
    enum { KEYS = 16 };
    struct digest keys[KEYS];
    size_t count = 0;
    unsetenv("CPATH");
    keys[count++] = key_with((struct compile_options){0}, "x", false);
    keys[count++] = key_with((struct compile_options){0}, "y", false);
    keys[count++] = key_with((struct compile_options){0}, "x", true);
    keys[count++] = key_with((struct compile_options){.cc = "cc"}, "x", false);
    keys[count++] = key_with((struct compile_options){.cflags = "-g"}, "x", false);
    keys[count++] = key_with((struct compile_options){.cflags = "-g0"}, "x", false);
    keys[count++] = key_with((struct compile_options){.sources = one}, "x", false);
    keys[count++] = key_with((struct compile_options){.sources = other}, "x", false);
    keys[count++] = key_with((struct compile_options){.quoted = other}, "x", false);
    keys[count++] = key_with((struct compile_options){.layouts = 7}, "x", false);
    keys[count++] = key_with((struct compile_options){.directory = "/"}, "x", false);
    setenv("CPATH", "/inc", 1);
    keys[count++] = key_with((struct compile_options){0}, "x", false);
    unsetenv("CPATH");
    program_make("fake-cc", "#!/bin/sh\n# another compiler\n");
    keys[count++] = key_with((struct compile_options){0}, "x", false);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (memcmp(&keys[i], &keys[k], sizeof keys[i]) == 0)
                fail_msg("keys %zu and %zu are equal", k, i);
    struct digest same = key_with((struct compile_options){0}, "x", false);
    assert_memory_equal(&same, &keys[count - 1], sizeof same);
    struct compile_options here = {.directory = own_folder};
    struct digest explicit_here = key_with(here, "x", false);
    char *cwd = getcwd(NULL, 0);
    if (strcmp(cwd, own_folder) == 0)  // naming the current directory changes nothing
        assert_memory_equal(&explicit_here, &same, sizeof same);
    free(cwd);
}

static void recipes_are_found_by_name(void **state)
{
    (void)state;
    const struct recipe *recipe = NULL;
    assert_ok(recipes_find("openmp", &recipe));
    assert_string_equal(recipe->libraries, "-fopenmp");
    assert_error(recipes_find("opnmp", &recipe), BILANX_E_USAGE,
                 "unknown recipe 'opnmp' (did you mean 'openmp'?)");
    assert_error(recipes_find("xxxxxxxxxxx", &recipe), BILANX_E_USAGE,
                 "unknown recipe 'xxxxxxxxxxx': use torch, blas, openblas, openmp, threads, or");
}

static struct bilanx_error apply(const char *name, bool cplusplus, struct list *flags,
                                 struct recipe_parts *parts)
{
    AUTO(list) struct list names = {0};
    list_add(&names, name);
    return recipes_apply(&names, cplusplus, NULL, flags, parts);
}

static void a_recipe_adds_headers_and_flags(void **state)
{
    (void)state;
    AUTO(list) struct list names = {0}, flags = {0};
    AUTO(recipe_parts) struct recipe_parts parts = {0};
    list_add(&names, "openmp");
    list_add(&names, "threads");
    assert_ok(recipes_apply(&names, false, NULL, &flags, &parts));
    assert_words(&flags, "-fopenmp -pthread");
    assert_string_equal(text_get(&parts.headers), "#include <omp.h>\n#include <pthread.h>\n");
    assert_false(parts.costly);
    assert_null(parts.large);
    AUTO(text) struct text headers = {0}, includes = {0};
    assert_false(recipes_slim(&parts, "x", &headers, &includes));
}

static void a_library_elsewhere_is_found_by_its_variable(void **state)
{
    (void)state;
    AUTO(list) struct list flags = {0}, none = {0};
    AUTO(recipe_parts) struct recipe_parts parts = {0}, missing = {0}, c = {0};
    AUTO(memory) char *root = mem_format("%s/torch", own_folder);
    AUTO(memory) char *folders =
        mem_format("/bin/mkdir -p '%s/include/torch/csrc/api/include/torch'", root);
    assert_int_equal(system(folders), 0);
    file_make("torch/include/torch/csrc/api/include/torch/torch.h", "");
    setenv("TORCH_ROOT", root, 1);
    assert_error(apply("torch", false, &none, &c), BILANX_E_USAGE,
                 "'torch' is for C++: add -l c++");
    assert_ok(apply("torch", true, &flags, &parts));
    AUTO(memory) char *expected =
        mem_format("-isystem %s/include -isystem %s/include/torch/csrc/api/include -L%s/lib "
                   "-Wl,-rpath,%s/lib -ltorch -ltorch_cpu -lc10",
                   root, root, root, root);
    assert_words(&flags, expected);
    assert_true(parts.costly);
    assert_string_equal(parts.root, root);
    assert_string_equal(parts.large->name, "torch");
    setenv("TORCH_ROOT", "/no/where", 1);
    assert_error(apply("torch", true, &none, &missing), BILANX_E_COMPILE,
                 "'torch' is not installed: cannot find '/no/where/include/torch/csrc/api/include/"
                 "torch/torch.h'; apt-get install libtorch-dev, or set TORCH_ROOT");
}

static void a_rule_lists_files_that_were_read(void **state)
{
    (void)state;
    static const char *const names[] = {"a.h",           "b c.h",  "d#e.h",  "f$g.h",
                                        "back\\slash.h", "last.h", "later.h"};
    for (size_t i = 0; i < LENGTH(names); i++)
        file_make(names[i], "");
    assert_int_equal(mkdir("built", 0700), 0);
    file_make("built/own.h", "");
    AUTO(memory) char *rule = mem_format(
        "x.o: a.h %s/built/own.h missing.h \\\n b\\ c.h d\\#e.h\tf$$g.h \\\n back\\slash.h last.h\n"
        "later.h:\n",
        own_folder);
    for (char *at = rule; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    file_make("rule", rule);
    AUTO(memory) char *built = mem_format("%s/built", own_folder);
    AUTO(list) struct list here = {0}, there = {0}, none = {0};
    rules_read("rule", built, NULL, &here);
    assert_words(&here, "a.h b c.h d#e.h f$g.h back\\slash.h last.h");
    assert_int_equal(here.count, 6);
    assert_int_equal(chdir("built"), 0);
    AUTO(memory) char *elsewhere = mem_format("%s/rule", own_folder);
    rules_read(elsewhere, built, own_folder, &there);
    assert_int_equal(there.count, 6);
    AUTO(memory) char *first = mem_format("%s/a.h", own_folder);
    assert_string_equal(there.items[0], first);
    rules_read("missing", built, NULL, &none);
    assert_int_equal(none.count, 0);
}

static void names_say_which_headers_are_needed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool cplusplus;
        const char *headers;
    } texts[] = {
        {"std::vector<int> v; std::sort(v.begin(), v.end())", true, "algorithm vector"},
        {"vector<int> v", true, ""},
        {"using namespace std; vector<int> v", true, "vector"},
        {"std::vectors v; xstd::list; std::mapped", true, "list"},
        {"bool x = true", false, "stdbool.h"},
        {"boolean x", false, ""},
        {"bool x", true, ""},
        {NULL, true, ""},
        {"", false, ""},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        AUTO(text) struct text written = {0}, expected = {0};
        headers_write(headers_named(texts[i].text, texts[i].cplusplus), &written);
        AUTO(list) struct list names = {0};
        assert_ok(list_split(&names, texts[i].headers));
        for (size_t k = 0; k < names.count; k++)
            text_format(&expected, "#if __has_include(<%s>)\n#include <%s>\n#endif\n",
                        names.items[k], names.items[k]);
        assert_string_equal(text_get(&written), text_get(&expected));
    }
    assert_int_equal(headers_named("true", false), HEADERS_BOOL);
    assert_int_equal(headers_word("ab_1 c"), 4);
    assert_int_equal(headers_word("\xc3\xa9x+"), 3);
    assert_int_equal(headers_word("+"), 0);
    assert_true(headers_among("one two  three", "two", 3));
    assert_true(headers_among("one two  three", "three", 5));
    assert_false(headers_among("one two", "tw", 2));
    assert_false(headers_among("one two", "twos", 4));
    assert_false(headers_among("", "", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flags_come_from_the_weakest_to_the_strongest),
        TEST(the_usual_compiler_is_that_of_the_language),
        TEST(a_compiler_that_is_missing_can_be_installed),
        TEST(data_is_shared_with_libraries_in_cplusplus),
        TEST(functions_can_move_if_there_are_layouts),
        TEST(functions_must_be_declared_in_c),
        TEST(quoted_includes_are_searched_in_explicit_folders_first),
        TEST(packages_are_asked_for_their_flags),
        TEST(counting_replaces_what_valgrind_cannot_run),
        TEST(everything_that_affects_the_code_is_part_of_its_key),
        TEST(recipes_are_found_by_name),
        TEST(a_recipe_adds_headers_and_flags),
        TEST(a_library_elsewhere_is_found_by_its_variable),
        TEST(a_rule_lists_files_that_were_read),
        TEST(names_say_which_headers_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
