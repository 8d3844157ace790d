#include "sources/operator_worker/kept_results.h"

#include "own_folder.h"

static void kept_done(struct kept_results *kept)
{
    kept_results_done(kept);
}
static void scope_kept(struct kept_results *kept)
{
    kept_done(kept);
}

static struct bilanx_value value_of(DLTensor *tensor)
{
    return (struct bilanx_value){.kind = BILANX_TENSOR, .tensor = tensor};
}

static DLTensor tensor_of(float *data, int dimensions, int64_t *shape, int64_t *strides)
{
    return (DLTensor){.data = data,
                      .dtype = {kDLFloat, 32, 1},
                      .ndim = dimensions,
                      .shape = shape,
                      .strides = strides};
}

static void assert_floats(const struct kept_tensor *kept, const float *expected, size_t count)
{
    assert_memory_equal(kept->tensor.data, expected, count * sizeof *expected);
}

static void elements_are_copied_in_order_wherever_they_are(void **state)
{
    (void)state;
    float data[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int64_t shape[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2}, gaps[] = {6, 2}, same[] = {0, 1},
            backwards[] = {-3, -1};
    static const struct {
        int64_t at;  // the first element
        const float expected[6];
    } orders[] = {{0, {0, 1, 2, 3, 4, 5}},  {0, {0, 1, 2, 3, 4, 5}}, {0, {0, 2, 4, 1, 3, 5}},
                  {1, {1, 3, 5, 7, 9, 11}}, {4, {4, 5, 6, 4, 5, 6}}, {5, {5, 4, 3, 2, 1, 0}}};
    int64_t *strides[] = {NULL, rows, columns, gaps, same, backwards};
    for (size_t i = 0; i < LENGTH(orders); i++) {
        AUTO(kept) struct kept_results kept = {0};
        DLTensor tensor = tensor_of(data, 2, shape, strides[i]);
        tensor.byte_offset = (uint64_t)orders[i].at * sizeof *data;
        struct bilanx_value value = value_of(&tensor);
        assert_ok(kept_results_take(&value, &kept));
        assert_int_equal(kept.count, 1);
        assert_floats(&kept.tensors[0], orders[i].expected, 6);
        assert_int_equal(kept.tensors[0].tensor.byte_offset, 0);
        assert_null(kept.tensors[0].tensor.strides);
        assert_int_equal(kept_results_bytes(&kept), 24);
        assert_ptr_not_equal(kept.tensors[0].tensor.shape, shape);
    }
}

static void a_stride_of_a_single_element_does_not_matter(void **state)
{
    (void)state;
    float data[] = {1, 2, 3};
    int64_t shape[] = {1, 3}, strides[] = {999, 1};
    AUTO(kept) struct kept_results kept = {0};
    DLTensor tensor = tensor_of(data, 2, shape, strides);
    struct bilanx_value value = value_of(&tensor);
    assert_ok(kept_results_take(&value, &kept));
    assert_floats(&kept.tensors[0], data, 3);
}

static void every_kind_of_value_is_kept(void **state)
{
    (void)state;
    float data[] = {1.5f};
    int64_t one[] = {1}, indices_data[] = {4};
    DLTensor tensor = tensor_of(data, 1, one, NULL), scalar = tensor_of(data, 0, NULL, NULL);
    DLTensor indices = {.data = indices_data, .dtype = {kDLInt, 64, 1}, .ndim = 1, .shape = one};
    struct bilanx_sparse sparse = {.indices = &indices, .values = &tensor};
    const struct bilanx_value inner[] = {{.kind = BILANX_TRUTH, .integer = 1},
                                         {.kind = BILANX_INTEGER, .integer = -3}};
    const struct bilanx_value items[] = {
        {.kind = BILANX_TENSOR, .tensor = &scalar, .is_bool = true},
        {.kind = BILANX_TENSOR, .tensor = &tensor, .sparse = &sparse},
        {.kind = BILANX_LIST, .items = inner, .count = 2},
        {.kind = BILANX_REAL, .real = 2.5},
        {.kind = BILANX_NONE},
        {.kind = BILANX_TEXT, .text = "x"}};
    struct bilanx_value all = {.kind = BILANX_TUPLE, .items = items, .count = LENGTH(items)};
    AUTO(kept) struct kept_results kept = {0};
    assert_ok(kept_results_take(&all, &kept));
    assert_int_equal(kept.count, 6);
    assert_true(kept.tensors[0].is_bool);
    assert_int_equal(kept.tensors[0].tensor.ndim, 0);
    assert_floats(&kept.tensors[0], data, 1);
    assert_int_equal(*(int64_t *)kept.tensors[1].tensor.data, 4);
    assert_false(kept.tensors[1].is_bool);
    assert_floats(&kept.tensors[2], data, 1);
    assert_true(*(double *)kept.tensors[3].tensor.data == 1);
    assert_true(*(double *)kept.tensors[4].tensor.data == -3);
    assert_true(*(double *)kept.tensors[5].tensor.data == 2.5);
    assert_int_equal(kept_results_bytes(&kept), 4 + 8 + 4 + 3 * 8);
}

static void tensors_without_shape_or_data_are_refused(void **state)
{
    (void)state;
    int64_t shape[] = {2, 0}, full[] = {2};
    DLTensor empty = tensor_of(NULL, 2, shape, NULL), lost = tensor_of(NULL, 1, full, NULL),
             negative = tensor_of(NULL, -1, NULL, NULL), deep = tensor_of(NULL, 65, full, NULL);
    AUTO(kept) struct kept_results kept = {0};
    struct bilanx_value value = value_of(&empty);
    assert_ok(kept_results_take(&value, &kept));
    assert_int_equal(kept_results_bytes(&kept), 0);
    value = value_of(&lost);
    assert_error(kept_results_take(&value, &kept), BILANX_E_FAILED,
                 "it returned a tensor without data");
    DLTensor *const without_shape[] = {NULL, &negative, &deep};
    for (size_t i = 0; i < LENGTH(without_shape); i++) {
        value = value_of(without_shape[i]);
        assert_error(kept_results_take(&value, &kept), BILANX_E_FAILED,
                     "it returned a tensor without a shape");
    }
}

static void results_are_loaded_as_they_were_saved(void **state)
{
    (void)state;
    float data[] = {1, 2, 3, 4, 5, 6};
    int64_t shape[] = {2, 3};
    DLTensor tensor = tensor_of(data, 2, shape, NULL);
    const struct bilanx_value items[] = {
        {.kind = BILANX_TENSOR, .tensor = &tensor, .is_bool = true},
        {.kind = BILANX_REAL, .real = 7}};
    struct bilanx_value both = {.kind = BILANX_LIST, .items = items, .count = 2};
    AUTO(kept) struct kept_results kept = {0}, loaded = {0};
    assert_ok(kept_results_take(&both, &kept));
    assert_ok(kept_results_save(&kept, "results"));
    assert_ok(kept_results_load("results", &loaded));
    assert_int_equal(loaded.count, 2);
    assert_int_equal(loaded.tensors[0].tensor.ndim, 2);
    assert_int_equal(loaded.tensors[0].tensor.shape[1], 3);
    assert_int_equal(loaded.tensors[0].tensor.dtype.bits, 32);
    assert_true(loaded.tensors[0].is_bool && !loaded.tensors[1].is_bool);
    assert_floats(&loaded.tensors[0], data, 6);
    assert_true(*(double *)loaded.tensors[1].tensor.data == 7);
    assert_error(kept_results_save(&kept, "no/where"), BILANX_E_SYSTEM, "cannot write 'no/where'");
    assert_error(kept_results_load("missing", &loaded), BILANX_E_SYSTEM, "missing");
}

static void a_file_that_was_cut_is_incomplete(void **state)
{
    (void)state;
    float data[] = {1, 2, 3};
    int64_t shape[] = {3};
    DLTensor tensor = tensor_of(data, 1, shape, NULL);
    struct bilanx_value value = value_of(&tensor);
    AUTO(kept) struct kept_results kept = {0};
    struct stat facts;
    assert_ok(kept_results_take(&value, &kept));
    assert_ok(kept_results_save(&kept, "results"));
    assert_int_equal(stat("results", &facts), 0);
    for (off_t size = facts.st_size - 1; size > 0; size--) {
        AUTO(kept) struct kept_results loaded = {0};
        assert_int_equal(truncate("results", size), 0);
        assert_error(kept_results_load("results", &loaded), BILANX_E_INPUT,
                     "'results' is incomplete");
        assert_int_equal(loaded.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(elements_are_copied_in_order_wherever_they_are),
        IN_OWN_FOLDER(a_stride_of_a_single_element_does_not_matter),
        IN_OWN_FOLDER(every_kind_of_value_is_kept),
        IN_OWN_FOLDER(tensors_without_shape_or_data_are_refused),
        IN_OWN_FOLDER(results_are_loaded_as_they_were_saved),
        IN_OWN_FOLDER(a_file_that_was_cut_is_incomplete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
