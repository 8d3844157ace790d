#include "inputs/fuzzer/fuzzer.h"

#include <dlpack/dlpack.h>
#include <stdlib.h>

#include "base/text.h"
#include "bilanx/fuzzer.h"
#include "inputs/tensors/tensor.h"
#include "unit.h"

static struct fuzzer *read_text(const char *text)
{
    struct fuzzer *fuzzer = NULL;
    assert_ok(fuzzer_read_text(text, strlen(text), "f.yaml", &fuzzer));
    return fuzzer;
}

static char *written(struct fuzzer *fuzzer, size_t index)
{
    AUTO(sample) struct sample sample = {0};
    struct text text = {0};
    assert_ok(fuzzer_sample(fuzzer, index, &sample));
    sample_write(&sample, &text);
    return text_take(&text);
}

static void assert_integers(const int64_t *actual, const int64_t *expected, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(actual[i], expected[i]);
}

static void unary_gives_the_golden_sample(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_open("unary", &fuzzer));
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    const struct tensor_description *x = &sample.tensors[0];
    assert_int_equal(x->dimensions, 3);
    assert_integers(x->shape, (int64_t[]){16, 34, 8324}, 3);
    assert_integers(x->strides, (int64_t[]){283016, 8324, 1}, 3);
    assert_integers(x->steps, (int64_t[]){1, 1, 1}, 3);
    sample_done(&sample);
    assert_ok(fuzzer_sample(fuzzer, 2, &sample));
    assert_near(fuzzer_rejection_rate(fuzzer), 0.7, 1e-12);
}

static void binary_gives_the_golden_sample(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_open("binary", &fuzzer));
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    assert_integers(sample.tensors[0].shape, (int64_t[]){64, 473, 144}, 3);
    assert_integers(sample.tensors[0].strides, (int64_t[]){1, 128, 121088}, 3);
    assert_integers(sample.tensors[0].steps, (int64_t[]){1, 2, 2}, 3);
    assert_integers(sample.tensors[1].shape, (int64_t[]){64, 473, 1}, 3);
}

static void samples_are_the_same_in_any_order(void **state)
{
    (void)state;
    enum { SAMPLES = 8 };
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL, *other = NULL;
    assert_ok(fuzzer_open("binary", &fuzzer));
    char *texts[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++)
        texts[i] = written(fuzzer, i);
    const size_t order[] = {7, 0, 3, 3, 4, 1, 6, 5, 2};
    for (size_t i = 0; i < LENGTH(order); i++) {
        char *again = written(fuzzer, order[i]);
        assert_string_equal(again, texts[order[i]]);
        free(again);
    }
    assert_ok(fuzzer_open("binary", &other));
    assert_ok(fuzzer_set_seed(other, 1));
    char *elsewhere = written(other, 0);
    assert_string_not_equal(elsewhere, texts[0]);
    free(elsewhere);
    for (size_t i = 0; i < SAMPLES; i++)
        free(texts[i]);
}

static void seeds_of_data_all_differ(void **state)
{
    (void)state;
    enum { SAMPLES = 200 };
    uint64_t seeds[2 * SAMPLES];
    AUTO(fuzzer) struct fuzzer *fuzzer = read_text("tensors: {x: {size: 4}, y: {size: 4}}");
    for (size_t i = 0; i < SAMPLES; i++) {
        AUTO(sample) struct sample sample = {0};
        assert_ok(fuzzer_sample(fuzzer, i, &sample));
        seeds[2 * i] = sample.tensors[0].seed;
        seeds[2 * i + 1] = sample.tensors[1].seed;
    }
    for (size_t i = 0; i < LENGTH(seeds); i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seeds[i] != seeds[k]);
}

static void strict_parameters_are_drawn_once_per_sample(void **state)
{
    (void)state;
    // Only a = 1 is ever accepted, so a strict `a` that draws 0 is stuck.
    AUTO(fuzzer) struct fuzzer *loose =
        read_text("parameters: {a: {choices: [0, 1]}}\nconstraints: [a]");
    AUTO(fuzzer) struct fuzzer *strict =
        read_text("parameters: {a: {choices: [0, 1], strict: true}}\nconstraints: [a]");
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_sample(loose, 20, &sample));
    sample_done(&sample);
    assert_error(fuzzer_sample(strict, 20, &sample), BILANX_E_INPUT, "rejected 1000 of them");
}

static void a_failed_sample_can_be_asked_for_again(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer =
        read_text("parameters: {a: {choices: [0, 1], strict: true}}\nconstraints: [a]");
    AUTO(sample) struct sample sample = {0};
    struct bilanx_error error = fuzzer_sample(fuzzer, 20, &sample);
    assert_int_equal(error.status, BILANX_E_INPUT);
    assert_error(fuzzer_sample(fuzzer, 20, &sample), BILANX_E_INPUT, error.text);
    assert_int_equal(sample.parameter_count, 0);
}

static void the_limit_that_rejects_most_is_named(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"parameters: {n: {uniform: [1, 9]}}\ntensors:\n  x: {size: n, max_elements: 2}\n"
         "  y: {size: [n, 2], min_elements: 5}",
         "f.yaml:3:30: sample 0: no valid values in 1000 attempts: 'max_elements: 2' of tensor 'x' "
         "rejected "},
        {"parameters: {n: {uniform: [1, 9]}}\ntensors:\n  x: {size: n, min_elements: 10}",
         "'min_elements: 10' of tensor 'x' rejected 1000 of them (lower it"},
        {"tensors:\n  x: {size: [100], steps: [4], max_bytes: 1599}",
         "f.yaml:2:43: sample 0: no valid values in 1000 attempts: 'max_bytes: 1599'"},
        {"parameters: {n: {uniform: [1, 9]}}\nconstraints:\n  - n < 9\n  - n > 9",
         "f.yaml:4:5: sample 0: no valid values in 1000 attempts: the constraint 'n > 9' "
         "rejected "},
        // 2^124 elements are too many for any limit.
        {"parameters: {n: {uniform: [4611686018427387904, 4611686018427387905]}}\n"
         "tensors:\n  x: {size: [n, n], max_elements: 1M}",
         "'max_elements: 1048576' of tensor 'x' rejected 1000"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(fuzzer) struct fuzzer *fuzzer = read_text(cases[i].text);
        AUTO(sample) struct sample sample = {0};
        assert_error(fuzzer_sample(fuzzer, 0, &sample), BILANX_E_INPUT, cases[i].message);
    }
}

static void a_tensor_larger_than_memory_is_an_error(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"tensors:\n  x: {size: [4294967296, 4294967296]}",
         "f.yaml:2:13: tensor 'x' of 4294967296x4294967296 would have 2^63 elements or more: set "
         "'max_elements', or lower its sizes"},
        {"tensors:\n  x: {size: [9223372036854775807, 2]}", "2^63 elements or more"},
        {"tensors:\n  x: {size: [2305843009213693952], dtype: f64}",
         "2^63 bytes or more: set 'max_bytes'"},
        {"tensors:\n  x: {size: [1024], steps: [9223372036854775807]}", "2^63 bytes or more"},
        {"parameters: {n: {uniform: [0, 9]}}\ntensors:\n  x: {size: n}\nconstraints: [n < 1]",
         "f.yaml:3:13: 'n' of tensor 'x' is 0, which must be at least 1"},
        {"parameters: {n: {uniform: [0, 9]}}\nconstraints: [1 / n > 7]",
         "f.yaml:2:15: constraint '1 / n > 7': division by zero"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(fuzzer) struct fuzzer *fuzzer = read_text(cases[i].text);
        AUTO(sample) struct sample sample = {0};
        assert_error(fuzzer_sample(fuzzer, 50, &sample), BILANX_E_INPUT, cases[i].message);
    }
}

static void empty_tensors_are_possible_on_request(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer = read_text(
        "tensors: {x: {size: [9223372036854775807, 0, 9223372036854775807], empty: true}}");
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    assert_int_equal(tensor_elements(&sample.tensors[0]), 0);
}

static void dimensions_of_size_one_keep_their_strides(void **state)
{
    (void)state;
    // torch copies nothing if only dimensions of size 1 change places.
    AUTO(fuzzer) struct fuzzer *fuzzer =
        read_text("tensors: {x: {size: [5, 1], probability_contiguous: 0}}");
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    assert_int_equal(sample.tensors[0].order[0], 1);
    assert_integers(sample.tensors[0].strides, (int64_t[]){1, 1}, 2);
}

static void compat_none_fixes_the_defects(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer = read_text(
        "parameters: {by: 1, half: 0.5}\n"
        "tensors:\n"
        "  x: {size: [2, 3, 5], steps: [1, 1, 4], torch_steps: [2], roll: by,\n"
        "      probability_contiguous: 1}\n"
        "  y: {size: [10, 20], sparse: {density: half}}\n"
        "  z: {size: [10, 20], sparse: {density: half, coalesced: false, sparse_dim: 1}}");
    AUTO(sample) struct sample torch = {0}, fixed = {0};
    assert_ok(fuzzer_sample(fuzzer, 0, &torch));
    assert_integers(torch.tensors[0].shape, (int64_t[]){2, 3, 5}, 3);
    assert_integers(torch.tensors[0].steps, (int64_t[]){2, 1, 1}, 3);
    assert_int_equal(torch.tensors[1].nonzeros, 15);
    assert_int_equal(torch.tensors[1].sparse_dimensions, 2);
    assert_int_equal(torch.tensors[2].nonzeros, 20);  // 15, but there are 10 places; twice
    fuzzer_set_compat(fuzzer, FUZZER_FIXED);
    assert_ok(fuzzer_sample(fuzzer, 0, &fixed));
    assert_integers(fixed.tensors[0].shape, (int64_t[]){5, 2, 3}, 3);
    assert_integers(fixed.tensors[0].steps, (int64_t[]){4, 1, 1}, 3);
    assert_integers(fixed.tensors[0].strides, (int64_t[]){24, 3, 1}, 3);
    assert_int_equal(fixed.tensors[1].nonzeros, 100);
    assert_int_equal(fixed.tensors[2].nonzeros, 5);
    assert_false(fixed.tensors[2].is_coalesced);
}

static void torch_counts_half_of_a_complex_number(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer =
        read_text("tensors: {x: {size: 100, dtype: c64, max_bytes: 600}}");
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    sample_done(&sample);
    fuzzer_set_compat(fuzzer, FUZZER_FIXED);
    assert_error(fuzzer_sample(fuzzer, 0, &sample), BILANX_E_INPUT, "'max_bytes: 600'");
}

static void indices_stay_within_the_other_tensor(void **state)
{
    (void)state;
    AUTO(fuzzer) struct fuzzer *fuzzer =
        read_text("parameters: {n: 1000}\n"
                  "tensors:\n"
                  "  i: {size: 9, dtype: i16, fill: {indices: x.1}}\n"
                  "  x: {size: [5, n]}\n"
                  "  k: {size: 9, dtype: i64, fill: {indices: x.2}}\n");
    AUTO(sample) struct sample sample = {0};
    assert_ok(fuzzer_sample(fuzzer, 0, &sample));
    assert_true(sample.tensors[0].fill == TENSOR_INDICES && sample.tensors[0].high == 1000);
    assert_true(sample.tensors[2].high == 1);
    AUTO(fuzzer) struct fuzzer *narrow =
        read_text("tensors: {i: {size: 9, dtype: i8, fill: {indices: 1000}}}");
    AUTO(sample) struct sample none = {0};
    assert_error(fuzzer_sample(narrow, 0, &none), BILANX_E_INPUT,
                 "needs indices up to 999, which dtype i8 cannot hold: use i64");
}

static void words_that_name_nothing_are_refused(void **state)
{
    (void)state;
    struct fuzzer *fuzzer = NULL;
    assert_error(fuzzer_open("unry", &fuzzer), BILANX_E_INPUT, "did you mean 'unary'?");
    assert_error(fuzzer_open("whatever", &fuzzer), BILANX_E_INPUT,
                 "one of unary, binary, spectral");
    assert_error(fuzzer_open("./nowhere.yaml", &fuzzer), BILANX_E_SYSTEM, "nowhere.yaml");
    assert_null(fuzzer);
}

static void shipped_specifications_draw(void **state)
{
    (void)state;
    for (const struct fuzzer_shipped *shipped = fuzzer_shipped; shipped->name; shipped++) {
        AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
        AUTO(sample) struct sample sample = {0};
        assert_ok(fuzzer_open(shipped->name, &fuzzer));
        assert_string_equal(fuzzer_name(fuzzer), shipped->name);
        assert_ok(fuzzer_sample(fuzzer, 10, &sample));
        assert_int_equal(sample.tensor_count, strstr(shipped->name, "binary") ? 2 : 1);
    }
}

// ---- <bilanx/fuzzer.h> ----

static bool is_even(void *context, const struct bilanx_sample *sample)
{
    ++*(int *)context;
    return bilanx_sample_integer(sample, "k0") % 2 == 0 && sample->tensor_count == 0;
}

static void a_specification_in_c_draws_like_the_file(void **state)
{
    (void)state;
    int calls = 0;
    const struct bilanx_fuzzer_choice choices[] = {{0.5, .alias = "k0"}, {0.5, .value = {7}}, {0}};
    const struct bilanx_fuzzer_parameter parameters[] = {
        {"k0", .distribution = BILANX_DRAW_LOGUNIFORM, .min = {16}, .max = {16384}},
        {"k1", .choices = choices, .strict = true},
        {"r", .min = {0}, .max = {.real = 0.5}},
        {0},
    };
    const struct bilanx_fuzzer_tensor tensors[] = {
        {"x", .size = {"k0", "k1"}, .steps = {"2"}, .max_elements = 100000, .dtype = "f64"},
        {"y", .size = {"k0", "4"}, .density = "r", .coalesced = "false"},
        {"z", .size = {"3", "4"}, .probability_contiguous = BILANX_FUZZER_NEVER},
        {0},
    };
    const struct bilanx_fuzzer_constraint constraints[] = {
        {.holds = is_even, .context = &calls}, {.expression = "k0 >= k1"}, {0}};
    struct bilanx_fuzzer *ours = NULL;
    assert_ok(bilanx_fuzzer_new(
        &(struct bilanx_fuzzer_spec){
            .parameters = parameters, .tensors = tensors, .constraints = constraints, .seed = 5},
        &ours));
    AUTO(fuzzer) struct fuzzer *fuzzer =
        read_text("seed: 5\nparameters:\n  k0: {loguniform: [16, 16k]}\n"
                  "  k1: {choices: {k0: 0.5, 7: 0.5}, strict: true}\n  r: {uniform: [0, 0.5]}\n"
                  "tensors:\n  x: {size: [k0, k1], steps: [2], max_elements: 100000, dtype: f64}\n"
                  "  y: {size: [k0, 4], sparse: {density: r, coalesced: false}}\n"
                  "  z: {size: [3, 4], probability_contiguous: 0}\n"
                  "constraints: [k0 % 2 == 0, k0 >= k1]");
    for (size_t i = 0; i < 20; i++) {
        const struct bilanx_sample *sample;
        AUTO(sample) struct sample expected = {0};
        assert_ok(bilanx_fuzzer_sample(ours, i, &sample));
        assert_ok(fuzzer_sample(fuzzer, i, &expected));
        assert_int_equal(sample->index, i);
        assert_int_equal(sample->rejected, fuzzer_rejected(fuzzer));
        assert_int_equal(bilanx_sample_integer(sample, "k1"), expected.parameters[1].integer);
        assert_true(bilanx_sample_number(sample, "r") == expected.parameters[2].number);
        assert_int_equal(bilanx_sample_integer(sample, "r"), 0);
        assert_int_equal(bilanx_sample_integer(sample, "none"), 0);
        assert_int_equal(sample->tensor_count, 3);
        for (size_t t = 0; t < 3; t++) {
            assert_string_equal(sample->tensors[t].name, expected.tensors[t].name);
            assert_memory_equal(sample->tensors[t].strides, expected.tensors[t].strides, 16);
            assert_int_equal(sample->tensors[t].elements, tensor_elements(&expected.tensors[t]));
        }
        assert_string_equal(sample->tensors[0].dtype, "f64");
        assert_int_equal(sample->tensors[1].nnz, expected.tensors[1].nonzeros);
        assert_false(sample->tensors[2].is_contiguous);
    }
    assert_true(bilanx_fuzzer_rejection_rate(ours) == fuzzer_rejection_rate(fuzzer));
    assert_true(calls >= 20);
    bilanx_fuzzer_free(ours);
}

static void errors_in_c_specifications_name_the_mistake(void **state)
{
    (void)state;
    struct bilanx_fuzzer *fuzzer = NULL;
    const struct bilanx_fuzzer_parameter reversed[] = {{"k0", .min = {9}, .max = {1}}, {0}};
    const struct bilanx_fuzzer_tensor unknown[] = {{"x", .size = {"k0"}}, {0}};
    const struct bilanx_fuzzer_constraint both[] = {{.expression = "1", .holds = is_even}, {0}};
    assert_error(bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){.parameters = reversed}, &fuzzer),
                 BILANX_E_INPUT, "'k0': the bounds [9, 1] are reversed");
    assert_error(bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){.tensors = unknown}, &fuzzer),
                 BILANX_E_INPUT, "there is no parameter 'k0'");
    assert_error(
        bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){.tensors = unknown, .constraints = both},
                          &fuzzer),
        BILANX_E_USAGE, "both an expression and a function");
    assert_error(bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){0}, &fuzzer), BILANX_E_INPUT,
                 "neither 'parameters' nor 'tensors'");
    assert_error(bilanx_fuzzer_open("unry", &fuzzer), BILANX_E_INPUT, "did you mean");
    assert_null(fuzzer);
}

static void tensors_are_made_by_name(void **state)
{
    (void)state;
    const char *text = "tensors: {x: {size: [3, 5], dtype: i32}, y: {size: 50, sparse: {nnz: 4}}}";
    struct bilanx_fuzzer *fuzzer = NULL;
    const struct bilanx_sample *sample;
    struct DLManagedTensor *x = NULL, *values = NULL;
    assert_ok(bilanx_fuzzer_read_text(text, strlen(text), "f.yaml", &fuzzer));
    assert_error(bilanx_fuzzer_make(fuzzer, "x", &x), BILANX_E_USAGE, "no tensor 'x'");
    assert_ok(bilanx_fuzzer_sample(fuzzer, 3, &sample));
    assert_ok(bilanx_fuzzer_make(fuzzer, "x", &x));
    assert_int_equal(x->dl_tensor.shape[1], 5);
    x->deleter(x);
    x = NULL;
    assert_error(bilanx_fuzzer_make(fuzzer, "y", &x), BILANX_E_USAGE, "tensor 'y' is sparse: call");
    assert_ok(bilanx_fuzzer_make_sparse(fuzzer, "y", &x, &values));
    assert_int_equal(x->dl_tensor.shape[1], 4);
    assert_int_equal(values->dl_tensor.shape[0], 4);
    x->deleter(x);
    values->deleter(values);
    bilanx_fuzzer_free(fuzzer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary_gives_the_golden_sample),
        cmocka_unit_test(binary_gives_the_golden_sample),
        cmocka_unit_test(samples_are_the_same_in_any_order),
        cmocka_unit_test(seeds_of_data_all_differ),
        cmocka_unit_test(strict_parameters_are_drawn_once_per_sample),
        cmocka_unit_test(a_failed_sample_can_be_asked_for_again),
        cmocka_unit_test(the_limit_that_rejects_most_is_named),
        cmocka_unit_test(a_tensor_larger_than_memory_is_an_error),
        cmocka_unit_test(empty_tensors_are_possible_on_request),
        cmocka_unit_test(dimensions_of_size_one_keep_their_strides),
        cmocka_unit_test(compat_none_fixes_the_defects),
        cmocka_unit_test(torch_counts_half_of_a_complex_number),
        cmocka_unit_test(indices_stay_within_the_other_tensor),
        cmocka_unit_test(words_that_name_nothing_are_refused),
        cmocka_unit_test(shipped_specifications_draw),
        cmocka_unit_test(a_specification_in_c_draws_like_the_file),
        cmocka_unit_test(errors_in_c_specifications_name_the_mistake),
        cmocka_unit_test(tensors_are_made_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
