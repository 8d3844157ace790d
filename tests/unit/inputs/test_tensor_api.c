#include <stdlib.h>

#include "base/scope.h"
#include "bilanx/tensor.h"
#include "unit.h"

SCOPE_POINTER(DLManagedTensor, bilanx_tensor_free)

static DLManagedTensor *made(const struct bilanx_tensor_options *options)
{
    DLManagedTensor *tensor = NULL;
    assert_ok(bilanx_tensor_make(options, &tensor));
    return tensor;
}

static void zeros_are_a_scalar_in_the_unit_interval(void **state)
{
    (void)state;
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&(struct bilanx_tensor_options){0});
    const DLTensor *x = &tensor->dl_tensor;
    assert_true(x->ndim == 0 && x->dtype.code == kDLFloat && x->dtype.bits == 32);
    assert_true(bilanx_elements(x) == 1 && bilanx_is_contiguous(x));
    assert_true(*BILANX_DATA(float, x) >= 0 && *BILANX_DATA(float, x) < 1);
}

static void integers_are_small_and_booleans_are_both(void **state)
{
    (void)state;
    AUTO(DLManagedTensor) DLManagedTensor *integers =
        made(&(struct bilanx_tensor_options){.dtype = "i16", .dimensions = 1, .shape = {10000}});
    AUTO(DLManagedTensor) DLManagedTensor *booleans =
        made(&(struct bilanx_tensor_options){.dtype = "bool", .dimensions = 1, .shape = {10000}});
    int least = 1000, most = -1000, sum = 0;
    for (int64_t i = 0; i < 10000; i++) {
        int number = BILANX_AT(int16_t, &integers->dl_tensor, i);
        least = number < least ? number : least;
        most = number > most ? number : most;
        int truth = BILANX_AT(uint8_t, &booleans->dl_tensor, i);
        assert_true(truth == 0 || truth == 1);
        sum += truth;
    }
    assert_true(least == 1 && most == 126);
    assert_near(sum, 5000, 300);
}

static void options_choose_the_layout(void **state)
{
    (void)state;
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&(struct bilanx_tensor_options){
        .dimensions = 3, .shape = {2, 3, 4}, .steps = {0, 5}, .order = {2, 0, 1}});
    const DLTensor *x = &tensor->dl_tensor;
    assert_true(x->strides[0] == 15 && x->strides[1] == 5 && x->strides[2] == 30);
    assert_false(bilanx_is_contiguous(x));
    assert_true(bilanx_position(x, (int64_t[]){1, 2, 3}) == 15 + 10 + 90);
    assert_true(BILANX_POSITION(x, 1, 2, 3) == 15 + 10 + 90);
}

static void contradictory_options_are_refused(void **state)
{
    (void)state;
    DLManagedTensor *tensor = NULL;
    const struct {
        struct bilanx_tensor_options options;
        const char *part;
    } cases[] = {
        {{.dtype = "float"}, "no type 'float', only f16"},
        {{.dimensions = 17}, "17 dimensions"},
        {{.dimensions = 2, .shape = {1, 1}, .order = {1, 1}}, "dimension 0 0 times"},
        {{.dimensions = 1, .shape = {-1}}, "-1 elements"},
        {{.dimensions = 1, .shape = {1}, .steps = {-1}}, "step of dimension 0 is -1"},
        {{.low = 1}, "starts at 1 and ends at 0"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_error(bilanx_tensor_make(&cases[i].options, &tensor), BILANX_E_USAGE, cases[i].part);
    assert_null(tensor);
}

static void filling_again_restores_the_elements(void **state)
{
    (void)state;
    struct bilanx_tensor_options options = {.dtype = "f64",
                                            .dimensions = 2,
                                            .shape = {30, 40},
                                            .order = {1, 0},
                                            .fill = BILANX_TENSOR_NORMAL,
                                            .seed = 4};
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&options);
    DLTensor *x = &tensor->dl_tensor;
    uint64_t before, spoiled, after;
    assert_ok(bilanx_tensor_checksum(x, &before));
    BILANX_AT(double, x, 3, 5) += 1;
    assert_ok(bilanx_tensor_checksum(x, &spoiled));
    assert_ok(bilanx_tensor_fill(&options, x));
    assert_ok(bilanx_tensor_checksum(x, &after));
    assert_true(before != spoiled && before == after);
}

static void a_tensor_can_be_compared_with_itself(void **state)
{
    (void)state;
    AUTO(DLManagedTensor) DLManagedTensor *tensor =
        made(&(struct bilanx_tensor_options){.dimensions = 1, .shape = {5000}, .nan_share = .1});
    struct bilanx_tensor_difference difference;
    assert_ok(bilanx_tensor_compare(&tensor->dl_tensor, &tensor->dl_tensor,
                                    &(struct bilanx_tolerance){.equal_nan = true}, &difference));
    assert_true(difference.is_close && difference.elements == 5000);
}

static void elements_are_found_without_strides(void **state)
{
    (void)state;
    int16_t data[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int64_t shape[] = {2, 2, 2, 2};
    DLTensor x = {.data = data, .ndim = 4, .shape = shape, .byte_offset = 2};
    assert_true(BILANX_AT(int16_t, &x, 1, 0, 1, 1) == 11);
    assert_true(BILANX_AT(int16_t, &x, 1) == 8);
    assert_true(BILANX_AT(int16_t, &x, 0, 1) == 4);
    BILANX_AT(int16_t, &x, 0, 0, 1) = 100;
    assert_true(data[3] == 100 && bilanx_elements(&x) == 16 && bilanx_is_contiguous(&x));
}

static void contiguity_is_that_of_other_libraries(void **state)
{
    (void)state;
    static int64_t shape[] = {4, 1, 3}, none[] = {4, 0, 3};
    static int64_t usual[] = {3, 3, 1}, odd_single[] = {3, 77, 1}, gap[] = {4, 3, 1};
    DLTensor x = {.ndim = 3, .shape = shape, .strides = usual};
    assert_true(bilanx_is_contiguous(&x));
    x.strides = odd_single;  // a dimension of one element has no neighbours
    assert_true(bilanx_is_contiguous(&x));
    x.strides = gap;
    assert_false(bilanx_is_contiguous(&x));
    x.shape = none;
    assert_true(bilanx_is_contiguous(&x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_a_scalar_in_the_unit_interval),
        cmocka_unit_test(integers_are_small_and_booleans_are_both),
        cmocka_unit_test(options_choose_the_layout),
        cmocka_unit_test(contradictory_options_are_refused),
        cmocka_unit_test(filling_again_restores_the_elements),
        cmocka_unit_test(a_tensor_can_be_compared_with_itself),
        cmocka_unit_test(elements_are_found_without_strides),
        cmocka_unit_test(contiguity_is_that_of_other_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
