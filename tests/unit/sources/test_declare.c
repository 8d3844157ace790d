#include "sources/compile/declare.h"

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static void assert_names_in(const char *text, bool cplusplus, const char *expected)
{
    AUTO(names) struct names names = {0};
    AUTO(text) struct text joined = {0};
    declare_names(text, cplusplus, &names);
    for (size_t i = 0; i < names.count; i++)
        text_format(&joined, "%s%s", i ? " " : "", names.items[i].text);
    if (strcmp(text_get(&joined), expected) != 0)
        fail_msg("'%s' declares '%s', not '%s'", text, text_get(&joined), expected);
}

static void assert_names(const char *text, const char *expected)
{
    assert_names_in(text, false, expected);
}

static void assert_names_cplusplus(const char *text, const char *expected)
{
    assert_names_in(text, true, expected);
}

static void assert_expression(const char *statement, const char *expected)
{
    const char *start;
    size_t size;
    if (!declare_expression(statement, &start, &size))
        fail_msg("'%s' is taken for no expression", statement);
    AUTO(memory) char *found = mem_text_n(start, size);
    assert_string_equal(found, expected);
}

static void assert_no_expression(const char *statement)
{
    const char *start = NULL;
    size_t size;
    if (declare_expression(statement, &start, &size))
        fail_msg("'%s' is taken for an expression", statement);
    assert_null(start);
}

static void plain_variables_are_found(void **state)
{
    (void)state;
    assert_names("int x", "x");
    assert_names("int x = 0;", "x");
    assert_names("unsigned long long int x = 0, y, z = 3;", "x y z");
    assert_names("volatile long x = 0", "x");
    assert_names("static double d = 1.5e3; float f", "d f");
    assert_names("size_t n = sizeof(int)", "n");
    assert_names("_Bool b; __int128 w; _Complex double c", "b w c");
    assert_names("int größe = 1", "größe");
    assert_names("int x; /* int y; */ // int z;\nint w;", "x w");
}

static void lasting_variables_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool lasting;
    } cases[] = {
        {"int x = 1", false},          {"static int x = 1", true}, {"_Atomic int x = 1", true},
        {"static int a[3], x;", true}, {"register int x", false},  {"volatile int x", false},
        {"thread_local int x", true},  {"__thread int x", true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(names) struct names names = {0};
        declare_names(cases[i].text, true, &names);
        assert_string_equal(names.items[names.count - 1].text, "x");
        assert_int_equal(names.items[names.count - 1].lasting, cases[i].lasting);
    }
}

static void a_mention_is_a_whole_word_but_not_a_member(void **state)
{
    (void)state;
    static const char *const with[] = {"x",    "x + 1",   "f(y, x)", "xx + x", "a[x]",  "x.y",
                                       "x->y", "p.x + x", "*x",      "-x",     "y > x", "y<x>z"};
    static const char *const without[] = {"",    "xx",   "x1",     "_x",     "ex",
                                          "p.x", "p->x", "p -> x", "größex", NULL};
    for (size_t i = 0; i < LENGTH(with); i++)
        if (!declare_mentions(with[i], "x"))
            fail_msg("'%s' does not mention x", with[i]);
    for (size_t i = 0; i < LENGTH(without); i++)
        if (declare_mentions(without[i], "x"))
            fail_msg("'%s' mentions x", without[i]);
}

static void named_types_are_recognised(void **state)
{
    (void)state;
    assert_names("uint32_t x = 1; FILE *f = stdin;", "x f");
    assert_names("struct point p = {1, 2}, *q = &p;", "p q");
    assert_names("struct point { int x, y; } p;", "p");
    assert_names("enum color { RED, BLUE = 3 } c = RED;", "c");
    assert_names("union { int i; float f; } u;", "u");
    assert_names("__typeof__(x) y = x; typeof(x) z", "y z");
    assert_names("__attribute__((aligned(64))) char line[64];", "line");
    assert_names("_Alignas(64) char line[64];", "line");
    assert_names("__extension__ unsigned __int128 w = 1", "w");
}

static void names_are_found_in_complex_declarators(void **state)
{
    (void)state;
    assert_names("int *p, **q, a[3], b[2][2] = {{1, 2}, {3, 4}};", "p q a b");
    assert_names("int (*f)(int, int) = g, (*a)[3];", "f a");
    assert_names("char s[] = \"a, b; int c\", t = ';';", "s t");
    assert_names("int x = f(1, 2), y = (3, 4), z = a[1, 2];", "x y z");
    assert_names("char *restrict p = s;", "p");
    assert_names("double v[4] = {[0] = 1, [3] = 2}, w = 0;", "v w");
}

static void constants_are_left_alone(void **state)
{
    (void)state;
    assert_names("const int n = 5;", "");
    assert_names("int const n = 5;", "");
    assert_names("const char *s = \"x\"; char *const t = buffer;", "s");
    assert_names("const char *const s = \"x\";", "");
    assert_names("const int *p = &x, *const q = &y, z = 1;", "p");
    assert_names_cplusplus("constexpr int n = 5;", "");
}

static void code_that_declares_no_variable_has_no_names(void **state)
{
    (void)state;
    assert_names("", "");
    assert_names(";;;", "");
    assert_names("f(x);", "");
    assert_names("x = 5; y += 3; z++; ++z; *p = 4; a[3] = 1;", "");
    assert_names("p->next = q; s.x = 3;", "");
    assert_names("struct point;", "");
    assert_names("struct point { int x, y; };", "");
    assert_names("typedef int number; extern int e;", "");
    assert_names("int f(int x);", "");
    assert_names("int f(int x) { int y = x; return y; }", "");
    assert_names("_Static_assert(sizeof(int) == 4, \"int x;\");", "");
    assert_names("#define X int y;\n#include <stdio.h>\n", "");
    assert_names("#define X \\\n int y;\nint z;", "z");
    assert_names("asm volatile(\"nop\");", "");
}

static void variables_of_inner_scopes_are_ignored(void **state)
{
    (void)state;
    assert_names("for (int i = 0; i < 3; i++) { int j = i; }", "");
    assert_names("for (int i = 0; i < 3; i++) a[i] = i; int after", "after");
    assert_names("if (x) { int y = 0; } else { int z = 0; } int after;", "after");
    assert_names("do { int y = 0; } while (0); int after;", "after");
    assert_names("{ int y = 0; } int after;", "after");
    assert_names("while (f()) g(); int after;", "after");
    assert_names("switch (x) { case 1: f(); } int after;", "after");
}

static void incomplete_code_is_handled(void **state)
{
    (void)state;
    assert_names("int x = (1", "x");
    assert_names("int x = \"abc", "x");
    assert_names("int x; /* open", "x");
    assert_names("int x[", "x");
    assert_names("int x = )]}", "x");
    assert_names("int", "");
    assert_names("int *", "");
    assert_names("const", "");
    assert_names("struct", "");
    assert_names("std::", "");
    assert_names_cplusplus("std::vector<", "");
    assert_names("'\\", "");
}

static void a_very_long_statement_is_handled(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_add(&text, "int x = 0");
    text_add_repeated(&text, " + 1", 100000);
    text_add(&text, "; int y;");
    assert_names(text_get(&text), "y");
    text_clear(&text);
    text_add_repeated(&text, "(", 100000);
    assert_names(text_get(&text), "");
}

static void cplusplus_declarations_are_found(void **state)
{
    (void)state;
    assert_names_cplusplus("std::vector<int> v", "v");
    assert_names_cplusplus("std::vector<int> v(100, 1), w{1, 2};", "v w");
    assert_names_cplusplus("std::map<std::string, std::vector<int>> m;", "m");
    assert_names_cplusplus("auto x = 5; auto *p = &x; auto &r = x;", "x p r");
    assert_names_cplusplus("auto f = [&](int x) { int y = x; return y; };", "f");
    assert_names_cplusplus("std::array<int, 3> a = {1, 2, 3};", "a");
    assert_names_cplusplus("decltype(x) y = x; ::ns::type z;", "y");
    assert_names_cplusplus("alignas(64) char line[64];", "line");
    assert_names_cplusplus("using T = int; using namespace std; T t;", "t");
    assert_names_cplusplus("struct P { int x; void f() { int y; } }; P p;", "p");
    assert_names_cplusplus("for (auto x : v) { int y = x; } int after;", "after");
    assert_names_cplusplus("try { int y; } catch (...) { int z; } int after;", "after");
    assert_names_cplusplus("std::sort(v.begin(), v.end());", "");
}

static void expressions_are_recognised(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "x",
        "x += 1",
        "x = y = 3",
        "x++",
        "--x",
        "*p = 3",
        "*p++",
        "a[i]",
        "a[i++ & 1023] = 0",
        "f(x)",
        "f()",
        "f(*p)",
        "f(**p)",
        "free(*p)",
        "ns::f<int>(*p)",
        "(void)f(x)",
        "(*f)(x)",
        "f(x)(y)",
        "p->f(x)",
        "s.f(*p)",
        "x * y",
        "x & y",
        "x && y",
        "x * y == z",
        "x & mask == 0",
        "x *= y",
        "x < y",
        "x < y && z > w",
        "x < y || z > w",
        "x < 3 ? y : z > w",
        "a < b + c > d",
        "x, y",
        "!x",
        "~x",
        "-x",
        "x ? y : z",
        "sizeof x",
        "sizeof(int)",
        "\"abc\"[i]",
        "'a' + 1",
        "3 + 4",
        "1.5e-3",
        "({ int y = x; y; })",
        "f((struct p){1, 2})",
        "new int",
        "std::sort(v.begin(), v.end())",
        "[&] { return x; }()",
        "_Generic(x, int: 1, default: 2)",
        "__builtin_popcountll(x)",
        "x == y",
        "größe + 1",
    };
    for (size_t i = 0; i < LENGTH(expressions); i++) {
        AUTO(memory) char *ended = mem_format(" %s ;\n", expressions[i]);
        assert_expression(expressions[i], expressions[i]);
        assert_expression(ended, expressions[i]);
    }
}

static void comments_around_an_expression_are_left_out(void **state)
{
    (void)state;
    assert_expression("/* a */ x + /* b */ 1 // c", "x + /* b */ 1");
    assert_expression("// first\n  x++;  // last\n", "x++");
}

static void other_statements_are_not_taken_for_expressions(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        ";",
        "/* nothing */",
        "{}",
        "{ x; }",
        "int y = x",
        "int y = x * 2;",
        "const int y = x",
        "double y = sqrt(x);",
        "char b[16]; memcpy(b, a, 16)",
        "struct p q = r;",
        "uint64_t y = x;",
        "T *p = q",
        "std::string s = t",
        "std::vector<int> v(3)",
        "typeof(x) y = x",
        "x++; y++",
        "if (x) y()",
        "for (int i = 0; i < 3; i++) x++",
        "while (x--)",
        "do x++; while (x < 3)",
        "switch (x) { default:; }",
        "return",
        "break",
        "goto end",
        "asm volatile(\"nop\")",
        "__asm__ volatile(\"nop\")",
        "BILANX_KEEP(x)",
        "BILANX_CLOBBER()",
        "typedef int t",
        "delete p",
        "throw 1",
    };
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_no_expression(others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_variables_are_found),
        cmocka_unit_test(lasting_variables_are_recognised),
        cmocka_unit_test(a_mention_is_a_whole_word_but_not_a_member),
        cmocka_unit_test(named_types_are_recognised),
        cmocka_unit_test(names_are_found_in_complex_declarators),
        cmocka_unit_test(constants_are_left_alone),
        cmocka_unit_test(code_that_declares_no_variable_has_no_names),
        cmocka_unit_test(variables_of_inner_scopes_are_ignored),
        cmocka_unit_test(incomplete_code_is_handled),
        cmocka_unit_test(a_very_long_statement_is_handled),
        cmocka_unit_test(cplusplus_declarations_are_found),
        cmocka_unit_test(expressions_are_recognised),
        cmocka_unit_test(comments_around_an_expression_are_left_out),
        cmocka_unit_test(other_statements_are_not_taken_for_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
