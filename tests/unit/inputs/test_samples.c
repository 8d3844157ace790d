#include "inputs/samples/samples.h"

#include "base/mem.h"
#include "unit.h"

static void assert_described(const struct sample *sample, const char *expected)
{
    AUTO(text) struct text out = {0};
    samples_describe(sample, &out);
    assert_string_equal(text_get(&out), expected);
}

static void a_description_says_what_is_not_contiguous(void **state)
{
    (void)state;
    struct tensor_description tensors[] = {
        {.name = (char *)"x", .dimensions = 2, .shape = {3, 4}, .steps = {1, 1}, .order = {0, 1}},
        {.name = (char *)"y", .dimensions = 2, .shape = {3, 1}, .steps = {1, 2}, .order = {1, 0}},
        {.name = (char *)"z", .dimensions = 2, .shape = {8, 8}, .is_sparse = true, .nonzeros = 5},
        {.name = (char *)"w"},
    };
    struct sample sample = {.tensors = tensors, .tensor_count = 1};
    assert_described(&sample, "3x4");
    sample.tensors = &tensors[1];
    assert_described(&sample, "3x1 permuted steps 1,2");
    sample.tensors = tensors;
    sample.tensor_count = 4;
    assert_described(&sample, "x 3x4, y 3x1 permuted steps 1,2, z 8x8 nnz 5, w scalar");
}

static void without_tensors_parameters_describe_it(void **state)
{
    (void)state;
    struct sample_parameter parameters[] = {{.name = (char *)"n", .integer = 3, .number = 3},
                                            {.name = (char *)"p", .is_real = true, .number = .25}};
    assert_described(&(struct sample){.parameters = parameters, .parameter_count = 2},
                     "n=3 p=0.25");
}

static struct bilanx_error check(const char *names, const char *language)
{
    return samples_check_names(&(struct samples){.names = (char *)names}, language);
}

static void names_must_be_usable_in_the_language(void **state)
{
    (void)state;
    assert_ok(check("integer k_0\ntensor x\n", "c"));
    assert_int_equal(check("integer k-0\n", "c").status, BILANX_E_INPUT);
    assert_int_equal(check("tensor 0x\n", "python").status, BILANX_E_INPUT);
    assert_int_equal(check("integer int\n", "c").status, BILANX_E_INPUT);
    assert_int_equal(check("integer volatile\n", "c++").status, BILANX_E_INPUT);
    assert_ok(check("integer new\ninteger in\n", "c"));
    assert_int_equal(check("integer new\n", "c++").status, BILANX_E_INPUT);
    assert_ok(check("integer new\ninteger int\n", "python"));
    assert_int_equal(check("integer in\n", "python").status, BILANX_E_INPUT);
}

static void samples_repeat_and_follow_their_seed(void **state)
{
    (void)state;
    AUTO(samples) struct samples one = {0}, again = {0}, other = {0};
    struct samples_request request = {.spec = "binary", .take = 4};
    assert_ok(samples_draw(&request, &one));
    assert_ok(samples_draw(&request, &again));
    request.seed = "12345";
    assert_ok(samples_draw(&request, &other));
    assert_int_equal(one.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(one.items[i].text, again.items[i].text);
        assert_string_not_equal(one.items[i].text, other.items[i].text);
        assert_true(one.items[i].elements >= 4096);
        assert_true(one.items[i].bytes >= 4 * (uint64_t)one.items[i].elements);
    }
    assert_non_null(strstr(one.names, "integer k0\n"));
    assert_non_null(strstr(one.names, "tensor x\ntensor y\n"));
}

static void samples_are_in_the_order_asked_for(void **state)
{
    (void)state;
    AUTO(samples) struct samples by_elements = {0}, by_parameter = {0}, none = {0};
    struct samples_request request = {.spec = "unary", .take = 6, .order_by = "elements"};
    assert_ok(samples_draw(&request, &by_elements));
    request.order_by = "k0";
    assert_ok(samples_draw(&request, &by_parameter));
    for (size_t i = 1; i < 6; i++) {
        assert_true(by_elements.items[i - 1].elements <= by_elements.items[i].elements);
        assert_true(sample_parameter(&by_parameter.items[i - 1].sample, "k0")->number <=
                    sample_parameter(&by_parameter.items[i].sample, "k0")->number);
    }
    request.order_by = "element";
    struct bilanx_error error = samples_draw(&request, &none);
    assert_int_equal(error.status, BILANX_E_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'elements'?"));
}

static void equal_descriptions_are_numbered(void **state)
{
    (void)state;
    AUTO(samples) struct samples samples = {0};
    assert_ok(samples_draw(&(struct samples_request){.spec = "unary", .take = 300}, &samples));
    for (size_t i = 0; i < samples.count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(samples.items[i].description, samples.items[j].description);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    AUTO(samples) struct samples none = {0};
    const struct samples_request requests[] = {
        {.spec = "-"},
        {.spec = "unary", .seed = "many"},
        {.spec = "unary", .take = SAMPLES_MOST + 1},
        {.spec = "no-such-specification"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_int_not_equal(samples_draw(&requests[i], &none).status, BILANX_OK);
        assert_null(none.items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_says_what_is_not_contiguous),
        cmocka_unit_test(without_tensors_parameters_describe_it),
        cmocka_unit_test(names_must_be_usable_in_the_language),
        cmocka_unit_test(samples_repeat_and_follow_their_seed),
        cmocka_unit_test(samples_are_in_the_order_asked_for),
        cmocka_unit_test(equal_descriptions_are_numbered),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
