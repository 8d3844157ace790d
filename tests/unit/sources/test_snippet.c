#include "sources/compile/snippet.h"

#include "base/mem.h"
#include "sources/compile/headers.h"
#include "sources/compile/snippet_inputs.h"
#include "unit.h"

static char *text_of(struct snippet snippet)
{
    struct text text = {0};
    snippet_write(&snippet, &text);
    return text_take(&text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("there is no '%s'", part);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("there is a '%s'", part);
}

static void every_variant_is_a_function(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "MARK;", .setup = "int x"});
    char symbol[64], definition[128];
    for (size_t i = 0; i < snippet_variant_count; i++) {
        snippet_symbol(&snippet_variants[i], 0, symbol);
        snprintf(definition, sizeof definition, "void %s(struct bilanx_loop *bilanx_loop_)\n{",
                 symbol);
        assert_int_equal(count_of(text, definition), 1);
        for (size_t j = 0; j < i; j++) {
            char other[64];
            assert_string_not_equal(snippet_symbol(&snippet_variants[j], 0, other), symbol);
        }
    }
    assert_string_equal(snippet_symbol(&(struct snippet_variant){.copies = 8}, 0, symbol),
                        "bilanx_copies8");
}

static void a_variant_has_its_number_of_copies(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "{ MARK; }"});
    for (size_t i = 0; i < snippet_variant_count; i++) {
        char symbol[64];
        AUTO(memory) char *definition = mem_format("\nvoid %s(struct bilanx_loop *bilanx_loop_)\n{",
                                                   snippet_symbol(&snippet_variants[i], 0, symbol));
        AUTO(memory) char *rest = mem_text(strstr(text, definition));
        char *end = strstr(rest + 1, "\nvoid ");
        if (end)
            *end = '\0';
        assert_int_equal(count_of(rest, "MARK"), snippet_variants[i].copies);
        assert_int_equal(count_of(rest, "volatile(\"\");"), snippet_variants[i].barrier);
    }
}

static void code_from_the_user_has_names_and_line_numbers(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "{ a();\n b(); }",
                                                       .setup = "c();",
                                                       .global_setup = "#include <x.h>",
                                                       .sync = "d()"});
    assert_has(text, "\n#line 1 \"statement\"\n{ a();\n b(); }\n#line 2 \"statement\"\n;\n"
                     "#line 1 \"bilanx\"\n");
    assert_has(text, "\n#line 1 \"setup\"\nc();\n#line 1 \"setup\"\n;\n");
    assert_has(text, "\n#line 1 \"global setup\"\n#include <x.h>\n");
    assert_has(text, "\n#line 1 \"sync\"\nd()\n#line 1 \"sync\"\n;\n");
}

static void code_may_end_in_a_comment_or_a_newline(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "{ a(); } // b\n"});
    assert_has(text, "{ a(); } // b\n\n#line 1 \"statement\"\n;\n");
}

// The number of places in all variants: after each setup, and before each execution or empty asm.
static size_t executions(void)
{
    size_t count = 0;
    for (size_t i = 0; i < snippet_variant_count; i++)
        count += snippet_variants[i].copies + snippet_variants[i].barrier;
    return count;
}

static void inputs_are_laundered_before_each_execution(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of(
        (struct snippet){.stmt = "f(x, p.y)", .setup = "int x = 1; long y = 2; static int z = 3;"});
    assert_int_equal(count_of(text, "BILANX_LAUNDER(x);"), snippet_variant_count + executions());
    assert_int_equal(count_of(text, "BILANX_LAUNDER(y);"), snippet_variant_count);
    assert_int_equal(count_of(text, "BILANX_LAUNDER_MEMORY_(z);"), snippet_variant_count);
    assert_int_equal(count_of(text, "BILANX_CLOBBER();"), snippet_variant_count);
}

static void inputs_used_by_macros_are_laundered_too(void **state)
{
    (void)state;
    AUTO(memory) char *text =
        text_of((struct snippet){.stmt = "TWICE",
                                 .global_setup = "#define TWICE \\\n (2 * x)\nint y;",
                                 .setup = "int x = 1, y = 2;\n#define Z z\nint z;"});
    assert_int_equal(count_of(text, "BILANX_LAUNDER(x);"), snippet_variant_count + executions());
    assert_int_equal(count_of(text, "BILANX_LAUNDER(y);"), snippet_variant_count);
    assert_int_equal(count_of(text, "BILANX_LAUNDER(z);"), snippet_variant_count + executions());
}

static void inputs_beyond_the_tenth_are_laundered_in_memory(void **state)
{
    (void)state;
    AUTO(text) struct text setup = {0}, stmt = {0};
    for (int i = 0; i < 20; i++) {
        text_format(&setup, "int v%d = 1; ", i);
        text_format(&stmt, "%sv%d", i ? " + " : "", i);
    }
    AUTO(memory) char *text =
        text_of((struct snippet){.stmt = text_get(&stmt), .setup = text_get(&setup)});
    assert_int_equal(count_of(text, "BILANX_LAUNDER(v9);"), snippet_variant_count + executions());
    assert_int_equal(count_of(text, "BILANX_LAUNDER(v10);"), snippet_variant_count);
    assert_int_equal(count_of(text, "BILANX_LAUNDER_MEMORY_(v10);"), executions());
}

static void headers_are_included_for_the_names_used(void **state)
{
    (void)state;
    const struct {
        struct snippet snippet;
        const char *has, *has_not;
    } cases[] = {
        {{.stmt = "x", .setup = "bool x = 1"}, "#include <stdbool.h>", "#include <vector>"},
        {{.stmt = "x = true"}, "#include <stdbool.h>", "#include <vector>"},
        {{.stmt = "boolean"}, "bilanx_copies1", "#include <stdbool.h>"},
        {{.stmt = "x", .setup = "bool x = 1", .without = snippet_conflicts("a/stdbool.h:1:")},
         "bilanx_copies1",
         "#include <stdbool.h>"},
        {{.stmt = "v[0]", .setup = "std::vector<int> v", .cplusplus = true},
         "#include <vector>",
         "#include <map>"},
        {{.stmt = "vector", .cplusplus = true}, "bilanx_copies1", "#include <vector>"},
        {{.stmt = "sort(a, b)", .global_setup = "using namespace std;", .cplusplus = true},
         "#include <algorithm>",
         "#include <vector>"},
        {{.stmt = "x", .cplusplus = true, .named = headers_named("std::map", true)},
         "#include <map>",
         "#include <vector>"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(memory) char *text = text_of(cases[i].snippet);
        assert_has(text, cases[i].has);
        assert_has_not(text, cases[i].has_not);
    }
}

static void the_value_of_an_expression_is_kept_in_c(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "MARK + 1;"});
    assert_has(text, "__auto_type bilanx_value_ = ");
    assert_has(text, "BILANX_KEEP(bilanx_value_);");
    assert_has_not(text, "MARK + 1;");
}

static void the_value_of_an_expression_is_kept_in_cplusplus(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "MARK + 1;", .cplusplus = true});
    assert_has(text, ", bilanx_kept_();");
    assert_has_not(text, "__auto_type bilanx_value_");
    assert_has(text, "extern \"C\" __attribute__");
}

static void a_plain_snippet_is_compiled_as_written(void **state)
{
    (void)state;
    AUTO(memory) char *text =
        text_of((struct snippet){.stmt = "MARK + 1", .setup = "int x = 1", .plain = true});
    assert_has_not(text, "BILANX_LAUNDER(x);");
    assert_has_not(text, "BILANX_KEEP(bilanx_value_)");
    assert_has(text, "\n#line 1 \"statement\"\nMARK + 1\n#line 1 \"statement\"\n;\n");
}

static void a_long_statement_is_compiled_only_once(void **state)
{
    (void)state;
    AUTO(text) struct text stmt = {0};
    text_add_repeated(&stmt, "MARK; ", 5000);
    const struct snippet snippet = {.stmt = text_get(&stmt)};
    AUTO(memory) char *text = text_of(snippet);
    assert_int_equal(count_of(text, "MARK"), 5000);
    size_t variants = 0;
    for (size_t i = 0; i < snippet_variant_count; i++)
        variants += snippet_has_variant(&snippet, &snippet_variants[i]);
    assert_int_equal(variants, 1);
    assert_true(snippet_has_variant(&snippet, &(struct snippet_variant){.copies = 1}));
}

static void a_single_snippet_is_one_function(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "{ MARK; }", .single = true});
    assert_int_equal(count_of(text, "MARK"), 1);
}

static void a_source_is_included_after_the_global_setup(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of(
        (struct snippet){.stmt = "f()", .global_setup = "#define N 3", .source = "/a b/größe.c"});
    const char *source = strstr(text, "\n#include \"/a b/größe.c\"\n");
    assert_non_null(source);
    assert_true(strstr(text, "#define N 3") < source);
    assert_true(source < strstr(text, "bilanx_copies1"));
}

static void a_source_with_a_quote_in_its_name_can_be_included(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "f()", .source = "/a\"b.c"});
    assert_has(text, "\n#include </a\"b.c>\n");
}

static void headers_are_included_only_if_needed(void **state)
{
    (void)state;
    assert_false(snippet_has_headers(&(struct snippet){.stmt = "x += 1", .setup = "long x = 0"}));
    assert_true(snippet_has_headers(&(struct snippet){.stmt = "x += 1", .headers = true}));
    assert_true(snippet_has_headers(&(struct snippet){.stmt = "f(x)"}));
    assert_true(snippet_has_headers(&(struct snippet){.stmt = "x", .setup = "FILE *x"}));
    assert_true(snippet_has_headers(&(struct snippet){.stmt = "x", .cplusplus = true}));
    assert_true(snippet_has_headers(&(struct snippet){.stmt = "x", .global_setup = "int x;"}));
    AUTO(memory) char *bare = text_of((struct snippet){.stmt = "x"});
    AUTO(memory) char *full = text_of((struct snippet){.stmt = "f(x)"});
    assert_has_not(bare, "#define BILANX_HEADERS_");
    assert_true(text_starts(full, "#define BILANX_HEADERS_\n"));
}

static void conflicting_headers_are_left_out(void **state)
{
    (void)state;
    static const char message[] =
        "f.c:1:5: error: conflicting types for 'random'; have 'int(int)'\n"
        "/usr/include/stdlib.h:401:17: note: previous declaration of 'random'\n";
    assert_int_equal(snippet_conflicts("f.c:1:5: error: 'y' undeclared"), 0);
    AUTO(memory) char *text =
        text_of((struct snippet){.stmt = "f()", .without = snippet_conflicts(message)});
    assert_has(text, "#define BILANX_WITHOUT_STDLIB_\n");
    assert_has(text, "#define BILANX_WITHOUT_GNU_\n");
    assert_has_not(text, "#define BILANX_WITHOUT_MATH_\n");
}

#define INPUTS "integer k\nreal p\ntensor x\nsparse s\n"

static void generated_inputs_are_declared_before_the_setup(void **state)
{
    (void)state;
    AUTO(memory) char *text =
        text_of((struct snippet){.stmt = "f(x)", .setup = "int y = k;", .inputs = INPUTS});
    assert_has(text, "\nlong k = bilanx_loop_->inputs[0].integer;\n"
                     "double p = bilanx_loop_->inputs[1].real;\n"
                     "DLTensor *x = bilanx_loop_->inputs[2].tensor;\n"
                     "DLTensor *s_indices = bilanx_loop_->inputs[3].indices;\n"
                     "DLTensor *s_values = bilanx_loop_->inputs[3].tensor;\n"
                     "\n#line 1 \"setup\"\nint y = k;");
    assert_has(text, "#include <dlpack/dlpack.h>");
    assert_has(text, "BILANX_AT(");
}

static void generated_inputs_are_laundered_like_variables(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "f(x, s_values)", .inputs = INPUTS});
    assert_int_equal(count_of(text, "BILANX_LAUNDER(x);"), snippet_variant_count + executions());
    assert_int_equal(count_of(text, "BILANX_LAUNDER(s_values);"),
                     snippet_variant_count + executions());
    assert_int_equal(count_of(text, "BILANX_LAUNDER(k);"), snippet_variant_count);
    AUTO(memory) char *plain =
        text_of((struct snippet){.stmt = "f(x)", .inputs = INPUTS, .plain = true});
    assert_has(plain, "DLTensor *x = ");
    assert_has_not(plain, "BILANX_LAUNDER(x);");
}

static void with_torch_tensors_are_its_own(void **state)
{
    (void)state;
    struct snippet snippet = {.stmt = "f(x, s)",
                              .inputs = INPUTS,
                              .cplusplus = true,
                              .recipe = "#include <torch/torch.h>\n"};
    AUTO(memory) char *text = text_of(snippet);
    assert_has(text, "at::Tensor x = bilanx_tensor_(bilanx_loop_->inputs[2]);\n"
                     "at::Tensor s = bilanx_tensor_(bilanx_loop_->inputs[3]);\n");
    assert_has(text, "long k = ");
    assert_int_equal(count_of(text, "BILANX_LAUNDER(s);"), snippet_variant_count + executions());
    snippet.recipe = NULL;
    AUTO(memory) char *without = text_of(snippet);
    assert_has(without, "DLTensor *x = ");
    assert_has_not(without, "at::");
}

static void statements_without_inputs_do_not_include_their_headers(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = "f(x)"});
    assert_has_not(text, "dlpack");
    assert_has_not(text, "BILANX_AT(");
}

static void assert_explained(const char *diagnostics, const char *expected)
{
    struct bilanx_error error = snippet_inputs_explain(
        INPUTS, false, diagnostics, bilanx_error_make(BILANX_E_COMPILE, "as it was"));
    assert_int_equal(error.status, BILANX_E_COMPILE);
    assert_has(error.text, expected);
}

static void a_clash_with_an_input_is_explained(void **state)
{
    (void)state;
    assert_explained("setup:1:8: error: redefinition of ‘x’\n", "'x' is an input");
    assert_explained("setup:1:8: error: conflicting types for 's_values'; have 'int'\n",
                     "'s_values' is an input");
    assert_explained("setup:1:8: error: redefinition of ‘xy’\n", "as it was");
    assert_explained("setup:1:8: error: ‘x’ undeclared\n", "as it was");
    assert_explained("a.c:1:8: fatal error: dlpack/dlpack.h: No such file or directory\n",
                     "libdlpack-dev");
    assert_explained("a.c:1:8: fatal error: 'dlpack/dlpack.h' file not found\n", "libdlpack-dev");
}

static void an_empty_statement_is_a_snippet(void **state)
{
    (void)state;
    AUTO(memory) char *text = text_of((struct snippet){.stmt = ""});
    assert_has(text, "bilanx_copies1");
    assert_has_not(text, "\"statement\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_is_a_function),
        cmocka_unit_test(conflicting_headers_are_left_out),
        cmocka_unit_test(a_variant_has_its_number_of_copies),
        cmocka_unit_test(code_from_the_user_has_names_and_line_numbers),
        cmocka_unit_test(code_may_end_in_a_comment_or_a_newline),
        cmocka_unit_test(inputs_are_laundered_before_each_execution),
        cmocka_unit_test(inputs_used_by_macros_are_laundered_too),
        cmocka_unit_test(inputs_beyond_the_tenth_are_laundered_in_memory),
        cmocka_unit_test(headers_are_included_for_the_names_used),
        cmocka_unit_test(the_value_of_an_expression_is_kept_in_c),
        cmocka_unit_test(the_value_of_an_expression_is_kept_in_cplusplus),
        cmocka_unit_test(a_plain_snippet_is_compiled_as_written),
        cmocka_unit_test(a_long_statement_is_compiled_only_once),
        cmocka_unit_test(a_single_snippet_is_one_function),
        cmocka_unit_test(a_source_is_included_after_the_global_setup),
        cmocka_unit_test(a_source_with_a_quote_in_its_name_can_be_included),
        cmocka_unit_test(headers_are_included_only_if_needed),
        cmocka_unit_test(generated_inputs_are_declared_before_the_setup),
        cmocka_unit_test(generated_inputs_are_laundered_like_variables),
        cmocka_unit_test(with_torch_tensors_are_its_own),
        cmocka_unit_test(statements_without_inputs_do_not_include_their_headers),
        cmocka_unit_test(a_clash_with_an_input_is_explained),
        cmocka_unit_test(an_empty_statement_is_a_snippet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
