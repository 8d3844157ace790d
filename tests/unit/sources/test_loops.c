// The code that compilers generate for snippets, examined in the object: nothing is measured.
#include "sources/compile/loops.h"

#include <stdlib.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "sources/compile/snippet.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-loops-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *text)
{
    AUTO(file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
}

static void build(const char *cc, const char *level, const char *code)
{
    write_file("s.c", code);
    AUTO(text) struct text output = {0};
    int status = -1;
    const char *argv[] = {cc, level, "-shared", "-fPIC", "-o", "s.so", "s.c", NULL};
    assert_ok(
        capture_run(&(struct capture_options){.argv = argv, .timeout_s = 60}, &output, &status));
    if (status != 0)
        fail_msg("%s: %s", cc, text_get(&output));
}

static const char *const compilers[] = {"gcc", "clang"};
static const char *const levels[] = {"-O1", "-O2", "-O3"};

static struct bilanx_error removed_in(const char *object, bool *out)
{
    AUTO(loops) struct loops loops = {.object = object};
    return loops_removed(&loops, 0, out);
}

// Whether all compilers at all levels remove the statement, or none does.
static void assert_removed(const char *stmt, const char *setup, bool expected)
{
    for (size_t i = 0; i < LENGTH(compilers); i++)
        for (size_t j = 0; j < LENGTH(levels); j++) {
            AUTO(memory) char *there = file_find_program(compilers[i]);
            if (!there)
                continue;
            AUTO(text) struct text code = {0};
            snippet_write(&(struct snippet){.stmt = stmt, .setup = setup}, &code);
            build(compilers[i], levels[j], text_get(&code));
            bool removed = !expected;
            assert_ok(removed_in("./s.so", &removed));
            if (removed != expected)
                fail_msg("%s %s: '%s' is %sremoved", compilers[i], levels[j], stmt,
                         removed ? "" : "not ");
        }
}

static void statements_without_effect_are_removed(void **state)
{
    (void)state;
    assert_removed("", "", true);
    assert_removed(";", NULL, true);
    assert_removed("int y = x * 3;", "int x = 2", true);
}

static void statements_with_an_effect_are_not_removed(void **state)
{
    (void)state;
    assert_removed("x += 1", "long x = 0", false);
    assert_removed("x += 3", "long x = 0", false);
    assert_removed("x++", "unsigned x = 0", false);
    assert_removed("x", "volatile int x = 0", false);
    assert_removed("__asm__ volatile(\"nop\");", "", false);
}

static const struct {
    const char *stmt, *setup;
    bool removed;
} inputs[] = {
    {"x * 3", "int x = 2", false},
    {"x * 3", "double x = 2", false},
    {"x * 3", "float x = 2", false},
    {"x * 3", "static int x = 2", false},
    {"x * 3", "register int x = 2", false},
    {"x * 3", "_Atomic int x = 2", false},
    {"(int)x * 3", "__int128 x = 2", false},
    {"x[1] * 3", "int x[3] = {1}", false},
    {"x[1] * 3", "int n = 9; int x[n]; x[1] = 2;", false},
    {"x.a * x.b", "struct { int a, b; } x = {1, 2}", false},
    {"*x * 3", "int y = 2, *x = &y;", false},
    {"x * 3", "const int x = 2", true},
    {"int y = x * 3;", "int x = 2, z = 3", true},
    {"int y[4] = {x, z, x, z};", "int x = 2, z = 3", true},
    {"double y = x * x;", "double x = 2", true},
};

// All in one unit, compiled once per compiler and level.
static void inputs_of_every_kind_are_hidden_from_the_compiler(void **state)
{
    (void)state;
    AUTO(text) struct text code = {0};
    snippet_write_prelude(&(struct snippet){.headers = true}, &code);
    for (size_t i = 0; i < LENGTH(inputs); i++)
        snippet_write_functions(&(struct snippet){.stmt = inputs[i].stmt, .setup = inputs[i].setup},
                                i + 1, &code);
    for (size_t i = 0; i < LENGTH(compilers) * LENGTH(levels); i++) {
        const char *cc = compilers[i / LENGTH(levels)], *level = levels[i % LENGTH(levels)];
        AUTO(memory) char *there = file_find_program(cc);
        if (!there)
            continue;
        build(cc, level, text_get(&code));
        AUTO(loops) struct loops loops = {.object = "./s.so"};
        for (size_t j = 0; j < LENGTH(inputs); j++) {
            bool removed = !inputs[j].removed;
            assert_ok(loops_removed(&loops, j + 1, &removed));
            if (removed != inputs[j].removed)
                fail_msg("%s %s: '%s' of '%s' is %sremoved", cc, level, inputs[j].stmt,
                         inputs[j].setup, removed ? "" : "not ");
        }
    }
}

static void a_call_through_a_pointer_is_found_in_the_loop(void **state)
{
    (void)state;
    assert_removed("f(x)", "int (*f)(int) = abs; int x = 3", false);
    assert_removed("t.f(x)", "struct { int (*f)(int); } t = {abs}; int x = 3", false);
}

static void a_loop_in_the_setup_is_not_mistaken_for_ours(void **state)
{
    (void)state;
    static const char setup[] =
        "int a[999]; long x = 0;"
        "for (int i = 0; i < 999; i++) if (i % 7) a[i] = rand() * i; else a[i] = x / (i + 1);";
    assert_removed("x += 3", setup, false);
    assert_removed("a[x & 1] = 1", setup, false);
    assert_removed("int y = x * 3;", setup, true);
    assert_removed(";", setup, true);
}

static void a_switch_is_found_in_the_loop(void **state)
{
    (void)state;
    assert_removed(
        "switch (x++ % 8) { case 0: v++; break; case 1: v = 5; break; case 2: v--; break;"
        " case 3: v ^= 7; break; case 4: v *= 3; break; case 5: v = x; break; }",
        "unsigned x = 0; volatile int v = 0", false);
}

static void a_loop_can_be_disassembled(void **state)
{
    (void)state;
    AUTO(text) struct text code = {0}, shown = {0}, none = {0};
    const struct snippet snippet = {
        .stmt = "__asm__ volatile(\"nop\"); if (x) __asm__ volatile(\"nop\");",
        .setup = "int x = 0"};
    snippet_write(&snippet, &code);
    build("cc", "-O2", text_get(&code));
    assert_ok(loops_disassemble("./s.so", "bilanx_copies1", &shown));
    assert_non_null(strstr(text_get(&shown), "nop"));
    assert_non_null(strstr(text_get(&shown), "<bilanx_copies1"));
    assert_null(strstr(text_get(&shown), "bilanx_next_"));
    text_clear(&code);
    snippet_write(&(struct snippet){.stmt = "(void)0", .plain = true}, &code);
    build("cc", "-O2", text_get(&code));
    assert_ok(loops_disassemble("./s.so", "bilanx_copies1", &none));
    assert_string_equal(text_get(&none), "");
}

// Too large for one listing: its functions are found one by one.
static void a_large_object_can_be_examined(void **state)
{
    (void)state;
    AUTO(text) struct text code = {0}, shown = {0};
    text_add(&code, "__asm__(\".text\\n.rept 400000\\nnop\\n.endr\\n\");\n");
    snippet_write(&(struct snippet){.stmt = "v = 3", .setup = "volatile long v = 0"}, &code);
    build("cc", "-O2", text_get(&code));
    bool removed = true;
    assert_ok(removed_in("./s.so", &removed));
    assert_false(removed);
    assert_ok(loops_disassemble("./s.so", "bilanx_copies1", &shown));
    assert_non_null(strstr(text_get(&shown), "$0x3") ? "" : strstr(text_get(&shown), "#0x3"));
}

static void an_unreadable_object_is_an_error(void **state)
{
    (void)state;
    AUTO(text) struct text shown = {0};
    bool removed = true;
    write_file("text.so", "not an object");
    assert_error(removed_in("./text.so", &removed), BILANX_E_SYSTEM, "cannot read './text.so'");
    assert_error(removed_in("./missing.so", &removed), BILANX_E_SYSTEM, "missing.so");
    build("cc", "-O2", "int x;");
    assert_error(removed_in("./s.so", &removed), BILANX_E_INPUT, "has no 'bilanx_barrier'");
    assert_error(loops_disassemble("./s.so", "f", &shown), BILANX_E_INPUT, "has no 'f'");
    assert_true(removed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_without_effect_are_removed),
        cmocka_unit_test(statements_with_an_effect_are_not_removed),
        cmocka_unit_test(inputs_of_every_kind_are_hidden_from_the_compiler),
        cmocka_unit_test(a_call_through_a_pointer_is_found_in_the_loop),
        cmocka_unit_test(a_loop_in_the_setup_is_not_mistaken_for_ours),
        cmocka_unit_test(a_switch_is_found_in_the_loop),
        cmocka_unit_test(a_loop_can_be_disassembled),
        cmocka_unit_test(a_large_object_can_be_examined),
        cmocka_unit_test(an_unreadable_object_is_an_error),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
