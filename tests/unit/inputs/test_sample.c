#include "inputs/tensors/sample.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"
#include "tensors.h"
#include "unit.h"

static const char line[] =
    "k0=16 ratio=0.5 one=1.0 x=f32:16,34:34,1:1,1:0,1:uniform,0,1:0,0:7132 "
    "s=f32:9,9:9,1:1,1:0,1:normal,-0.5,2:0.25,0.125:18446744073709551615:2,20,uncoalesced "
    "b=bool:::::uniform,0,1:0,0:0";

static void assert_same_line(const struct sample *sample, const char *expected)
{
    AUTO(text) struct text written = {0};
    sample_write(sample, &written);
    assert_string_equal(text_get(&written), expected);
}

static void a_line_describes_parameters_and_tensors(void **state)
{
    (void)state;
    AUTO(sample) struct sample sample = {0};
    assert_ok(sample_read(line, &sample));
    assert_int_equal(sample.parameter_count, 3);
    assert_int_equal(sample.tensor_count, 3);
    assert_true(!sample.parameters[0].is_real && sample.parameters[0].integer == 16);
    assert_true(sample.parameters[0].number == 16);
    assert_true(sample_parameter(&sample, "ratio")->is_real);
    assert_true(sample_parameter(&sample, "ratio")->number == .5);
    assert_true(sample_parameter(&sample, "one")->is_real);
    assert_null(sample_parameter(&sample, "x"));
    const struct tensor_description *x = &sample.tensors[0], *s = &sample.tensors[1];
    assert_string_equal(x->name, "x");
    assert_true(x->dimensions == 2 && x->shape[1] == 34 && x->strides[0] == 34 && x->seed == 7132);
    assert_true(!x->is_sparse && x->order[1] == 1 && x->fill == TENSOR_UNIFORM && x->high == 1);
    assert_true(s->is_sparse && s->sparse_dimensions == 2 && s->nonzeros == 20 && !s->is_coalesced);
    assert_true(s->fill == TENSOR_NORMAL && s->low == -.5 && s->nan_share == .25);
    assert_true(s->seed == UINT64_MAX);
    assert_true(sample.tensors[2].is_bool && sample.tensors[2].dimensions == 0);
    assert_same_line(&sample, line);
}

static void nothing_is_a_sample_too(void **state)
{
    (void)state;
    AUTO(sample) struct sample sample = {0};
    assert_ok(sample_read("", &sample));
    assert_int_equal(sample.parameter_count + sample.tensor_count, 0);
    assert_same_line(&sample, "");
}

static void writing_appends(void **state)
{
    (void)state;
    AUTO(sample) struct sample sample = {0};
    AUTO(text) struct text out = {0};
    assert_ok(sample_read("a=1 b=2", &sample));
    text_add(&out, "sample ");
    sample_write(&sample, &out);
    assert_string_equal(text_get(&out), "sample a=1 b=2");
}

// Writes a sample of one parameter, reads it back, and returns the result.
static struct sample_parameter returned(struct sample_parameter parameter, struct sample *out)
{
    AUTO(text) struct text written = {0};
    sample_write(&(struct sample){.parameters = &parameter, .parameter_count = 1}, &written);
    assert_ok(sample_read(text_get(&written), out));
    assert_int_equal(out->parameter_count, 1);
    return out->parameters[0];
}

static void numbers_return_exactly(void **state)
{
    (void)state;
    static const double edges[] = {0,       -0.0,    1,  -1,        1e15,    1e22,   123456789,
                                   DBL_MAX, DBL_MIN, .1, 0x1p-1074, 1.0 / 3, -1e-300};
    struct random random;
    random_init(&random, 3);
    for (size_t i = 0; i < LENGTH(edges) + 2000; i++) {
        AUTO(sample) struct sample sample = {0};
        double value;
        uint64_t bits = random_bits(&random);
        memcpy(&value, &bits, sizeof value);
        if (i < LENGTH(edges))
            value = edges[i];
        if (!isfinite(value))
            continue;
        struct sample_parameter back = returned(
            (struct sample_parameter){.name = (char[]){"r"}, .is_real = true, .number = value},
            &sample);
        assert_true(back.is_real);
        assert_memory_equal(&back.number, &value, sizeof value);
    }
    static const int64_t integers[] = {0, -1, 16, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < LENGTH(integers); i++) {
        AUTO(sample) struct sample sample = {0};
        struct sample_parameter back = returned(
            (struct sample_parameter){.name = (char[]){"i"}, .integer = integers[i]}, &sample);
        assert_true(!back.is_real && back.integer == integers[i]);
    }
}

static void any_name_returns(void **state)
{
    (void)state;
    char every[256];
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    every[255] = '\0';
    const char *const names[] = {"x",  "a b",   "a=b", "100%",  "%41",
                                 "\n", "größe", "",    "k:0,1", every};
    for (size_t i = 0; i < LENGTH(names); i++) {
        AUTO(sample) struct sample sample = {0};
        AUTO(memory) char *name = mem_text(names[i]);
        struct sample_parameter back =
            returned((struct sample_parameter){.name = name, .integer = 1}, &sample);
        assert_string_equal(back.name, names[i]);
    }
}

static void tensors_return_exactly(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++) {
        struct tensor_description tensor = tensor_shaped(dtype->name, 3, 0, 7);
        tensor.name = (char[]){"the x"};
        tensor.order[0] = 2, tensor.order[2] = 0;
        tensor.steps[1] = 4;
        tensor.seed = 1234567890123456789;
        tensor_lay_out(&tensor);
        AUTO(text) struct text written = {0};
        AUTO(sample) struct sample sample = {0};
        sample_write(&(struct sample){.tensors = &tensor, .tensor_count = 1}, &written);
        assert_ok(sample_read(text_get(&written), &sample));
        assert_int_equal(sample.tensor_count, 1);
        struct tensor_description *back = &sample.tensors[0];
        assert_string_equal(back->name, "the x");
        assert_memory_equal(&back->dtype, &tensor.dtype, sizeof tensor.dtype);
        assert_int_equal(back->is_bool, tensor.is_bool);
        assert_memory_equal(back->shape, tensor.shape, sizeof tensor.shape);
        assert_memory_equal(back->strides, tensor.strides, sizeof tensor.strides);
        assert_memory_equal(back->steps, tensor.steps, sizeof tensor.steps);
        assert_memory_equal(back->order, tensor.order, sizeof tensor.order);
        assert_true(back->low == tensor.low && back->high == tensor.high);
        assert_true(back->seed == tensor.seed);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
#define X "x=f32:2,3:3,1:1,1:0,1:uniform,0,1:0,0:7"
    static const char *const cases[][2] = {
        {"k0", "'k0' is not NAME=VALUE"},
        {"a=1  b=2", "'' is not NAME=VALUE"},
        {" a=1", "'' is not NAME=VALUE"},
        {"a=1 ", "'' is not NAME=VALUE"},
        {"a%4=1", "is not NAME=VALUE"},
        {"a%00=1", "is not NAME=VALUE"},
        {"a=", "'a=' is not a number"},
        {"a=16k", "'a=16k' is not a number"},
        {"a=-", "'a=-' is not a number"},
        {"a=1e999", "is not a number"},
        {"a=nan", "is not a number"},
        {"a=9223372036854775808", "is not a number"},
        {"a=1 a=2", "the name 'a' is used twice"},
        {"x=1 " X, "the name 'x' is used twice"},
        {"x=f128:2:1:1:0:uniform,0,1:0,0:7", "tensor 'x': 'f128' is not f16, bf16"},
        {"x=f32:", "tensor 'x': '' is not strides"},
        {"x=f32:2,3", "tensor 'x': '' is not strides"},
        {"x=f32:2,,3:3,1:1,1:0,1:uniform,0,1:0,0:7", "'2,,3' is not a shape"},
        {"x=f32:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1:::", "is not a shape of at most 16 dimensions"},
        {"x=f32:2,3:3:1,1:0,1:uniform,0,1:0,0:7", "'3' is not strides, one for each dimension"},
        {"x=f32:2,3:3,1:1:0,1:uniform,0,1:0,0:7", "'1' is not steps"},
        {"x=f32:2,3:3,1:1,1:0:uniform,0,1:0,0:7", "'0' is not an order"},
        {"x=f32:2,3:3,1:1,1:0,0:uniform,0,1:0,0:7", "has dimension 0 2 times"},
        {"x=f32:2,3:3,1:1,1:0,7:uniform,0,1:0,0:7", "has dimension 1 0 times"},
        {"x=f32:2,3:3,1:1,1:0,4294967297:uniform,0,1:0,0:7", "has dimension 1 0 times"},
        {"x=f32:2,-3:3,1:1,1:0,1:uniform,0,1:0,0:7", "dimension 1 has -3 elements"},
        {"x=f32:2,3:-3,1:1,1:0,1:uniform,0,1:0,0:7", "the stride of dimension 0 is -3"},
        {"x=f32:2,3:3,1:0,1:0,1:uniform,0,1:0,0:7", "the step of dimension 0 is 0"},
        {"x=f32:2,3:3,1:1,1:0,1:even,0,1:0,0:7", "'even' is not uniform, normal"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0:0,0:7", "'0' is not two numbers"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1,2:0,0:7", "is not two numbers"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,1,0:0,0:7", "starts at 1 and ends at 0"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1:2,0:7", "shares of NaN and infinity are 2 and 0"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1:0:7", "'0' is not the shares"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1:0,0:-7", "'-7' is not a seed"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1:0,0:18446744073709551616", "is not a seed"},
        {"x=f32:2,3:3,1:1,1:0,1:uniform,0,1:0,0", "'' is not a seed"},
        {X ":2", "'2' is not sparse dimensions"},
        {X ":2,4,maybe", "is not sparse dimensions"},
        {X ":2,4,coalesced:1", "is not sparse dimensions"},
        {X ":3,4,coalesced", "3 of 2 dimensions are sparse"},
        {X ":0,1,coalesced", "0 of 2 dimensions are sparse"},
        {X ":2,7,coalesced", "7 nonzeros in 6 places"},
        {X ":2,-1,coalesced", "-1 nonzeros"},
        {"x=i8:300:1:1:0:permutation,0,0:0,0:7", "cannot hold a permutation of 300 elements"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(sample) struct sample sample = {0};
        assert_error(sample_read(cases[i][0], &sample), BILANX_E_INPUT, cases[i][1]);
        assert_int_equal(sample.parameter_count + sample.tensor_count, 0);
    }
}

static void a_line_without_end_is_refused(void **state)
{
    (void)state;
    size_t size = 2 << 20;
    AUTO(memory) char *text = mem_array(char, size + 1);
    memset(text, 'a', size);
    AUTO(sample) struct sample sample = {0};
    assert_error(sample_read(text, &sample), BILANX_E_INPUT, "longer than 1048576 bytes");
}

static void many_parameters_are_fine(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    for (int i = 0; i < 20000; i++)
        text_format(&text, "%sk%d=%d", i ? " " : "", i, i);
    AUTO(sample) struct sample sample = {0};
    assert_ok(sample_read(text_get(&text), &sample));
    assert_int_equal(sample_parameter(&sample, "k19999")->integer, 19999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_describes_parameters_and_tensors),
        cmocka_unit_test(nothing_is_a_sample_too),
        cmocka_unit_test(writing_appends),
        cmocka_unit_test(numbers_return_exactly),
        cmocka_unit_test(any_name_returns),
        cmocka_unit_test(tensors_return_exactly),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_line_without_end_is_refused),
        cmocka_unit_test(many_parameters_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
