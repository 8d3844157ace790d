#include <stdlib.h>

#include "bilanx/elements.h"
#include "inputs/tensors/tensor.h"
#include "tensors.h"
#include "unit.h"

static struct tensor_description sparse(int sparse_dimensions, int64_t nonzeros, bool is_coalesced)
{
    struct tensor_description description = tensor_shaped("f32", 40, 30, 5);
    description.is_sparse = true;
    description.sparse_dimensions = sparse_dimensions;
    description.nonzeros = nonzeros;
    description.is_coalesced = is_coalesced;
    return description;
}

static int64_t place(const DLTensor *indices, const int64_t *shape, int64_t n)
{
    int64_t result = 0;
    for (int64_t d = 0; d < indices->shape[0]; d++) {
        int64_t index = BILANX_AT(int64_t, indices, d, n);
        assert_true(index >= 0 && index < shape[d]);
        result = result * shape[d] + index;
    }
    return result;
}

static void it_consists_of_indices_and_values(void **state)
{
    (void)state;
    struct tensor_description description = sparse(2, 100, true);
    AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
    AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
    assert_ok(tensor_make_sparse(&description, &indices, &values));
    const DLTensor *i = &indices->dl_tensor, *v = &values->dl_tensor;
    assert_true(i->ndim == 2 && i->shape[0] == 2 && i->shape[1] == 100);
    assert_true(i->dtype.code == kDLInt && i->dtype.bits == 64 && bilanx_is_contiguous(i));
    assert_true(v->ndim == 2 && v->shape[0] == 100 && v->shape[1] == 5);
    assert_true(v->dtype.code == kDLFloat && v->dtype.bits == 32 && bilanx_is_contiguous(v));
    for (int64_t n = 0; n < bilanx_elements(v); n++)
        assert_true(BILANX_DATA(float, v)[n] >= 0 && BILANX_DATA(float, v)[n] < 1);
}

static void coalesced_places_are_different_and_in_order(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 17, 5999, 6000};
    for (size_t c = 0; c < LENGTH(counts); c++) {
        struct tensor_description description = sparse(3, counts[c], true);
        AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
        AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
        assert_ok(tensor_make_sparse(&description, &indices, &values));
        int64_t last = -1;
        for (int64_t n = 0; n < counts[c]; n++) {
            int64_t here = place(&indices->dl_tensor, description.shape, n);
            assert_true(here > last);
            last = here;
        }
    }
}

static void coalesced_places_are_spread_evenly(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("f32", 1 << 20, 1 << 20);
    description.is_sparse = description.is_coalesced = true;
    description.sparse_dimensions = 2;
    description.nonzeros = 100000;
    AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
    AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
    assert_ok(tensor_make_sparse(&description, &indices, &values));
    int rows[100] = {0}, columns[100] = {0};
    for (int64_t n = 0; n < description.nonzeros; n++) {
        rows[BILANX_AT(int64_t, &indices->dl_tensor, 0, n) * 100 >> 20]++;
        columns[BILANX_AT(int64_t, &indices->dl_tensor, 1, n) * 100 >> 20]++;
    }
    for (int i = 0; i < 100; i++) {
        assert_near(rows[i], 1000, 6 * sqrt(1000));
        assert_near(columns[i], 1000, 6 * sqrt(1000));
    }
}

static void uncoalesced_places_repeat(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 100, 101};
    for (size_t c = 0; c < LENGTH(counts); c++) {
        struct tensor_description description = sparse(2, counts[c], false);
        AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
        AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
        assert_ok(tensor_make_sparse(&description, &indices, &values));
        int64_t half = (counts[c] + 1) / 2;
        for (int64_t n = half; n < counts[c]; n++)
            assert_true(place(&indices->dl_tensor, description.shape, n) ==
                        place(&indices->dl_tensor, description.shape, n - half));
    }
}

static void it_may_have_more_entries_than_places_if_uncoalesced(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("i64", 2);
    description.is_sparse = true;
    description.sparse_dimensions = 1;
    description.nonzeros = 10;
    AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
    AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
    assert_ok(tensor_make_sparse(&description, &indices, &values));
}

static void impossible_tensors_are_refused(void **state)
{
    (void)state;
    DLManagedTensor *indices = NULL, *values = NULL;
    struct tensor_description many = sparse(2, 1201, true);
    assert_error(tensor_make_sparse(&many, &indices, &values), BILANX_E_USAGE,
                 "1201 nonzeros in 1200 places");
    struct tensor_description empty = tensor_shaped("f32", 0, 4);
    empty.is_sparse = true, empty.sparse_dimensions = 1, empty.nonzeros = 1;
    assert_error(tensor_make_sparse(&empty, &indices, &values), BILANX_E_USAGE,
                 "1 nonzeros in 0 places");
    struct tensor_description dense = tensor_shaped("f32", 4);
    assert_error(tensor_make_sparse(&dense, &indices, &values), BILANX_E_USAGE, "it is dense");
    struct tensor_description vast = tensor_shaped("f32", (int64_t)1 << 62, 4);
    vast.is_sparse = true, vast.sparse_dimensions = 2, vast.nonzeros = 3;
    assert_error(tensor_make_sparse(&vast, &indices, &values), BILANX_E_USAGE, "too many places");
    struct tensor_description heavy = tensor_shaped("f32", (int64_t)1 << 60, 0);
    heavy.is_sparse = true, heavy.sparse_dimensions = 1, heavy.nonzeros = (int64_t)1 << 60;
    assert_error(tensor_make_sparse(&heavy, &indices, &values), BILANX_E_MEMORY, "cannot allocate");
    assert_null(indices);
    assert_null(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_consists_of_indices_and_values),
        cmocka_unit_test(coalesced_places_are_different_and_in_order),
        cmocka_unit_test(coalesced_places_are_spread_evenly),
        cmocka_unit_test(uncoalesced_places_repeat),
        cmocka_unit_test(it_may_have_more_entries_than_places_if_uncoalesced),
        cmocka_unit_test(impossible_tensors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
