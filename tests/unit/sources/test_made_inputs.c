#include "sources/statement_worker/made_inputs.h"

#include "tensors.h"
#include "unit.h"

static const char line[] = "k0=16 ratio=0.5 x=f32:3,4:4,1:1,1:0,1:uniform,0,1:0,0:7132 "
                           "s=f32:9,8:8,1:1,1:0,1:normal,-0.5,2:0,0:5:2,20,uncoalesced "
                           "c=f64:6,5:5,1:1,1:0,1:uniform,0,1:0,0:6:1,3,coalesced "
                           "b=bool:4:1:1:0:uniform,0,1:0,0:1";

static void parameters_come_first_and_then_tensors(void **state)
{
    (void)state;
    AUTO(made_inputs) struct made_inputs made = {0};
    assert_ok(made_inputs_make(line, 1, &made));
    const struct bilanx_input_ *items = made.items;
    assert_int_equal(items[0].integer, 16);
    assert_true(items[0].real == 16);
    assert_true(items[1].real == 0.5);
    assert_null(items[0].tensor);
    assert_non_null(items[2].tensor);
    assert_int_equal(items[2].tensor->ndim, 2);
    assert_int_equal(items[2].tensor->shape[0], 3);
    assert_int_equal(items[2].tensor->shape[1], 4);
    assert_int_equal(items[2].tensor->dtype.bits, 32);
    assert_null(items[2].indices);
    assert_false(items[2].is_bool);
    assert_int_equal(items[5].tensor->shape[0], 4);
    assert_true(items[5].is_bool);
}

static void a_sparse_tensor_is_its_values_and_their_indices(void **state)
{
    (void)state;
    AUTO(made_inputs) struct made_inputs made = {0};
    assert_ok(made_inputs_make(line, 1, &made));
    const struct bilanx_input_ *sparse = &made.items[3], *coalesced = &made.items[4];
    assert_int_equal(sparse->tensor->shape[0], 20);
    assert_int_equal(sparse->tensor->dtype.bits, 32);
    assert_int_equal(sparse->indices->ndim, 2);
    assert_int_equal(sparse->indices->shape[0], 2);
    assert_int_equal(sparse->indices->shape[1], 20);
    assert_int_equal(sparse->indices->dtype.bits, 64);
    assert_int_equal(sparse->dimensions, 2);
    assert_int_equal(sparse->shape[0], 9);
    assert_int_equal(sparse->shape[1], 8);
    assert_false(sparse->is_coalesced || sparse->is_bool);
    assert_true(coalesced->is_coalesced);
    assert_int_equal(coalesced->indices->shape[0], 1);
    assert_int_equal(coalesced->tensor->ndim, 2);  // rows of the second dimension
    assert_int_equal(made.tensor_count, 6);
}

// How far behind the start of its memory a tensor begins.
static unsigned shift_of(const struct made_inputs *made)
{
    return made->sample.tensors[0].shift;
}

static void the_seed_moves_tensors_and_leaves_their_contents(void **state)
{
    (void)state;
    bool moved = false;
    AUTO(made_inputs) struct made_inputs first = {0};
    assert_ok(made_inputs_make(line, 1, &first));
    for (uint64_t seed = 1; seed < 20; seed++) {
        AUTO(made_inputs) struct made_inputs other = {0};
        assert_ok(made_inputs_make(line, seed, &other));
        const DLTensor *a = first.items[2].tensor, *b = other.items[2].tensor;
        assert_memory_equal((char *)a->data + a->byte_offset, (char *)b->data + b->byte_offset,
                            12 * sizeof(float));
        assert_ptr_not_equal(a->data, b->data);
        if (seed == 1)
            assert_int_equal(shift_of(&first), shift_of(&other));
        moved |= shift_of(&first) != shift_of(&other);
    }
    assert_true(moved);
}

static void without_a_description_there_are_no_inputs(void **state)
{
    (void)state;
    AUTO(made_inputs) struct made_inputs made = {0}, empty = {0};
    assert_ok(made_inputs_make(NULL, 1, &made));
    assert_null(made.items);
    assert_ok(made_inputs_make("", 1, &empty));
    assert_non_null(empty.items);
    assert_int_equal(empty.tensor_count, 0);
}

static void a_description_that_is_wrong_makes_nothing(void **state)
{
    (void)state;
    AUTO(made_inputs) struct made_inputs made = {0};
    assert_int_equal(made_inputs_make("?", 1, &made).status, BILANX_E_INPUT);
    assert_null(made.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_come_first_and_then_tensors),
        cmocka_unit_test(a_sparse_tensor_is_its_values_and_their_indices),
        cmocka_unit_test(the_seed_moves_tensors_and_leaves_their_contents),
        cmocka_unit_test(without_a_description_there_are_no_inputs),
        cmocka_unit_test(a_description_that_is_wrong_makes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
