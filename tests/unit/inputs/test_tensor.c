#include "inputs/tensors/tensor.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bilanx/elements.h"
#include "inputs/tensors/making.h"
#include "tensors.h"
#include "unit.h"

static DLManagedTensor *made(const struct tensor_description *description)
{
    DLManagedTensor *tensor = NULL;
    assert_ok(tensor_make(description, &tensor));
    return tensor;
}

static void a_layout_follows_from_order_and_steps(void **state)
{
    (void)state;
    // The binary operator fuzzer of PyTorch, seed 0: x.
    struct tensor_description x = tensor_shaped("f32", 64, 473, 144);
    x.steps[1] = 2, x.steps[2] = 2;
    x.order[0] = 2, x.order[1] = 1, x.order[2] = 0;
    tensor_lay_out(&x);
    assert_true(x.strides[0] == 1 && x.strides[1] == 128 && x.strides[2] == 121088);
    assert_true(tensor_elements(&x) == 64 * 473 * 144);
    assert_true(tensor_allocation(&x) == 4 * 64 * 473 * 2 * 144 * 2);
    assert_true(tensor_bytes(&x) == 4 * (63 + 472 * 128 + 143 * (uint64_t)121088 + 1));
    assert_false(tensor_is_contiguous(&x));
    // The unary one.
    struct tensor_description y = tensor_shaped("f32", 16, 34, 8324);
    assert_true(y.strides[0] == 283016 && y.strides[1] == 8324 && y.strides[2] == 1);
    assert_true(tensor_is_contiguous(&y));
}

static void an_empty_dimension_counts_as_one_in_strides(void **state)
{
    (void)state;
    struct tensor_description empty = tensor_shaped("f32", 4, 0, 3);  // as torch.empty(4, 0, 3)
    assert_true(empty.strides[0] == 3 && empty.strides[1] == 3 && empty.strides[2] == 1);
}

static void the_stride_of_a_single_element_does_not_matter(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("f32", 4, 1, 3);
    description.strides[1] = 77;
    assert_true(tensor_is_contiguous(&description));
    assert_true(tensor_bytes(&description) == 48);
    description.strides[0] = 4;
    assert_false(tensor_is_contiguous(&description));
}

static void a_tensor_is_described_in_a_few_words(void **state)
{
    (void)state;
    struct tensor_description turned = tensor_shaped("f32", 64, 473);
    turned.order[0] = 1, turned.order[1] = 0, turned.steps[0] = 2;
    tensor_lay_out(&turned);
    struct tensor_description sparse = tensor_shaped("f64", 9, 9);
    sparse.is_sparse = true, sparse.sparse_dimensions = 1, sparse.nonzeros = 4;
    const struct {
        struct tensor_description description;
        const char *expected;
    } cases[] = {
        {tensor_shaped("f32", 16, 34, 8324), "16x34x8324 f32, contiguous"},
        {turned, "64x473 f32, strides 2,128"},
        {tensor_described("bool", 0, NULL), "scalar bool, contiguous"},
        {tensor_shaped("i8", 0), "0 i8, contiguous"},
        {sparse, "9x9 f64, sparse, 4 nonzeros, uncoalesced"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(text) struct text text = {0};
        tensor_describe(&cases[i].description, &text);
        assert_string_equal(text_get(&text), cases[i].expected);
    }
}

static void a_tensor_is_what_dlpack_expects(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("c64", 5, 7);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&description);
    const DLTensor *x = &tensor->dl_tensor;
    assert_true(x->ndim == 2 && x->shape[0] == 5 && x->shape[1] == 7 && x->byte_offset == 0);
    assert_true(x->strides[0] == 7 && x->strides[1] == 1);
    assert_true(x->dtype.code == kDLComplex && x->dtype.bits == 64 && x->dtype.lanes == 1);
    assert_true(x->device.device_type == kDLCPU && x->device.device_id == 0);
    assert_int_equal((uintptr_t)x->data % 256, 0);
}

static void large_tensors_start_at_a_huge_page(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("f32", 3, 1 << 20);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&description);
    assert_int_equal((uintptr_t)tensor->dl_tensor.data % (2 << 20), 0);
}

static void the_same_description_gives_the_same_bytes(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++) {
        struct tensor_description description = tensor_shaped(dtype->name, 100, 30);
        AUTO(DLManagedTensor) DLManagedTensor *one = made(&description);
        AUTO(DLManagedTensor) DLManagedTensor *two = made(&description);
        description.seed++;
        AUTO(DLManagedTensor) DLManagedTensor *other = made(&description);
        assert_memory_equal(one->dl_tensor.data, two->dl_tensor.data, 3000 * dtype->size);
        assert_memory_not_equal(one->dl_tensor.data, other->dl_tensor.data, 3000 * dtype->size);
    }
}

// The value of an element is that of its place in memory, gaps included.
static void layouts_share_what_is_at_a_position(void **state)
{
    (void)state;
    struct tensor_description flat = tensor_shaped("f32", 2 * 5 * 3 * 7 * 4);
    struct tensor_description layered = tensor_shaped("f32", 5, 7, 4);
    layered.steps[0] = 2, layered.steps[1] = 3;
    layered.order[0] = 1, layered.order[1] = 2, layered.order[2] = 0;
    tensor_lay_out(&layered);
    AUTO(DLManagedTensor) DLManagedTensor *all = made(&flat);
    AUTO(DLManagedTensor) DLManagedTensor *some = made(&layered);
    assert_memory_equal(all->dl_tensor.data, some->dl_tensor.data, 2 * 5 * 3 * 7 * 4 * 4);
    const DLTensor *x = &some->dl_tensor;
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 7; j++)
            for (int64_t k = 0; k < 4; k++)
                assert_true(BILANX_AT(float, x, i, j, k) ==
                            BILANX_DATA(float, &all->dl_tensor)[i * 2 + j * 3 * 40 + k * 10]);
}

// Small gaps, gaps of some rows, of many pages, and of a page between any two elements.
static void large_tensors_with_gaps_hold_the_same_values(void **state)
{
    (void)state;
    static const struct {
        int64_t shape[3], steps[3];
        int order[3];
    } cases[] = {{{3, 40, 600}, {4, 8, 2}, {0, 1, 2}},
                 {{3, 40, 600}, {4, 8, 2}, {2, 0, 1}},
                 {{4, 16, 4000}, {1, 8, 1}, {0, 1, 2}},
                 {{10, 100, 4}, {1, 1, 2000}, {0, 1, 2}}};
    for (size_t c = 0; c < LENGTH(cases); c++) {
        struct tensor_description description = tensor_described("f32", 3, cases[c].shape);
        memcpy(description.steps, cases[c].steps, sizeof cases[c].steps);
        memcpy(description.order, cases[c].order, sizeof cases[c].order);
        tensor_lay_out(&description);
        int64_t elements = (int64_t)(tensor_allocation(&description) / 4);
        struct tensor_description flat = tensor_shaped("f32", elements);
        AUTO(DLManagedTensor) DLManagedTensor *all = made(&flat);
        AUTO(DLManagedTensor) DLManagedTensor *some = made(&description);
        const float *expected = all->dl_tensor.data, *actual = some->dl_tensor.data;
        const DLTensor *x = &some->dl_tensor;
        int64_t zeros = 0;
        for (int64_t i = 0; i < elements; i++) {
            assert_true(actual[i] == expected[i] || actual[i] == 0);
            zeros += actual[i] == 0;
        }
        assert_true(zeros > elements / 2);
        for (int64_t i = 0; i < x->shape[0]; i++)
            for (int64_t j = 0; j < x->shape[1]; j++)
                for (int64_t k = 0; k < x->shape[2]; k++)
                    assert_true(BILANX_AT(float, x, i, j, k) ==
                                expected[BILANX_POSITION(x, i, j, k)]);
    }
}

static void a_tensor_uses_the_pages_of_its_elements(void **state)
{
    (void)state;
    enum { PAGE = 4096, LARGE = 2 << 20 };
    struct tensor_description whole = tensor_shaped("f32", 64, 16, 1024);
    assert_true(tensor_used_bytes(&whole, PAGE) == 4 << 20);
    struct tensor_description rows = tensor_shaped("f32", 64, 16, 1024);
    rows.steps[1] = 8;
    tensor_lay_out(&rows);
    assert_true(tensor_used_bytes(&rows, PAGE) == 64 * 16 * 2 * PAGE);
    assert_true(tensor_used_bytes(&rows, LARGE) == 32 << 20);
    rows.order[0] = 2, rows.order[2] = 0, rows.steps[0] = 4, rows.steps[1] = 1;
    tensor_lay_out(&rows);  // 16 rows of 64 elements, 4 apart
    assert_true(tensor_used_bytes(&rows, PAGE) == 16 << 20);
    struct tensor_description none = tensor_shaped("f32", 4, 0, 1 << 30);
    assert_true(tensor_used_bytes(&none, PAGE) == 0);
}

static void gaps_of_many_pages_take_no_memory(void **state)
{
    (void)state;
    enum { PAGE = 4096, PAGES = 2048 };
    unsigned char is_there[PAGES];
    struct tensor_description rows = tensor_shaped("f32", 4, 16, 4096);
    rows.steps[1] = 8;
    tensor_lay_out(&rows);
    assert_int_equal(tensor_allocation(&rows), PAGE * PAGES);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&rows);
    assert_int_equal(mincore(tensor->dl_tensor.data, PAGE * PAGES, is_there), 0);
    size_t used = 0;
    for (size_t i = 0; i < PAGES; i++)
        used += is_there[i] & 1;
    assert_int_equal(used, 4 * 16 * 4);
}

static void a_scalar_and_nothing_are_tensors(void **state)
{
    (void)state;
    struct tensor_description scalar = tensor_described("f64", 0, NULL);
    struct tensor_description nothing = tensor_shaped("f64", 4, 0, 1 << 30);
    AUTO(DLManagedTensor) DLManagedTensor *one = made(&scalar);
    AUTO(DLManagedTensor) DLManagedTensor *none = made(&nothing);
    assert_true(tensor_elements(&scalar) == 1 && tensor_bytes(&scalar) == 8);
    assert_true(tensor_elements(&nothing) == 0 && tensor_bytes(&nothing) == 0);
    assert_true(tensor_is_contiguous(&nothing));
    assert_true(*BILANX_DATA(double, &one->dl_tensor) > 0);
    assert_non_null(none->dl_tensor.data);
    assert_true(tensor_checksum(&none->dl_tensor) != tensor_checksum(&one->dl_tensor));
}

static void sizes_do_not_overflow(void **state)
{
    (void)state;
    DLManagedTensor *tensor = NULL;
    struct tensor_description large = tensor_shaped("f32", (int64_t)1 << 31, (int64_t)1 << 32);
    assert_true(tensor_elements(&large) == (uint64_t)1 << 63);
    assert_true(tensor_bytes(&large) == UINT64_MAX);
    assert_true(tensor_is_contiguous(&large));
    assert_error(tensor_make(&large, &tensor), BILANX_E_MEMORY, "no process can have that much");
    struct tensor_description larger = tensor_shaped("u8", INT64_MAX, INT64_MAX, 3);
    larger.steps[0] = 16;
    tensor_lay_out(&larger);
    assert_true(tensor_elements(&larger) == UINT64_MAX);
    assert_true(tensor_allocation(&larger) == UINT64_MAX);
    assert_error(tensor_make(&larger, &tensor), BILANX_E_MEMORY, "a tensor: cannot allocate");
    struct tensor_description empty = tensor_shaped("u8", INT64_MAX, INT64_MAX, 0);
    assert_true(tensor_elements(&empty) == 0);
    empty.steps[0] = INT64_MAX;
    tensor_lay_out(&empty);
    AUTO(DLManagedTensor) DLManagedTensor *nothing = made(&empty);
    assert_true(tensor_checksum(&nothing->dl_tensor) != 0);
    assert_null(tensor);
}

static void more_memory_than_there_is_is_an_error(void **state)
{
    (void)state;
    DLManagedTensor *tensor = NULL;
    struct tensor_description description = tensor_shaped("f64", (int64_t)1 << 41);
    description.name = (char[]){"x"};
    assert_error(tensor_make(&description, &tensor), BILANX_E_MEMORY,
                 "tensor 'x': cannot allocate 1.75922e+07 MB for a tensor: ");
}

static void impossible_tensors_are_refused(void **state)
{
    (void)state;
    DLManagedTensor *tensor = NULL;
    struct tensor_description many = tensor_shaped("f32", 1);
    many.dimensions = 17;
    assert_error(tensor_make(&many, &tensor), BILANX_E_USAGE, "17 dimensions");
    many.dimensions = -1;
    assert_error(tensor_make(&many, &tensor), BILANX_E_USAGE, "-1 dimensions");
    struct tensor_description sparse = tensor_shaped("f32", 4);
    sparse.is_sparse = true, sparse.sparse_dimensions = 1;
    assert_error(tensor_make(&sparse, &tensor), BILANX_E_USAGE, "it is sparse, not dense");
}

static void a_permutation_is_one_in_every_layout(void **state)
{
    (void)state;
    static const char *const types[] = {"i16", "i32", "i64"};
    for (size_t t = 0; t < LENGTH(types); t++) {
        struct tensor_description plain = tensor_shaped(types[t], 30, 20);
        plain.fill = TENSOR_PERMUTATION;
        struct tensor_description turned = plain;
        turned.order[0] = 1, turned.order[1] = 0;
        turned.steps[0] = 3;
        tensor_lay_out(&turned);
        AUTO(DLManagedTensor) DLManagedTensor *one = made(&plain);
        AUTO(DLManagedTensor) DLManagedTensor *two = made(&turned);
        assert_true(tensor_checksum(&one->dl_tensor) == tensor_checksum(&two->dl_tensor));
        bool seen[600] = {0};
        double numbers[600];
        dtype_find(types[t])->widen(one->dl_tensor.data, 600, numbers);
        for (int i = 0; i < 600; i++) {
            assert_true(numbers[i] >= 0 && numbers[i] < 600 && !seen[(int)numbers[i]]);
            seen[(int)numbers[i]] = true;
        }
        double gaps[1800];  // the gaps hold valid indices, too
        dtype_find(types[t])->widen(two->dl_tensor.data, 1800, gaps);
        for (int i = 0; i < 1800; i++)
            assert_true(gaps[i] >= 0 && gaps[i] < 600);
    }
}

static void *free_elsewhere(void *tensor)
{
    tensor_free(tensor);
    return NULL;
}

static void another_thread_may_free_it(void **state)
{
    (void)state;
    static const int64_t sizes[] = {10, 1 << 20};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct tensor_description description = tensor_shaped("f32", sizes[i]);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, free_elsewhere, made(&description)), 0);
        pthread_join(thread, NULL);
    }
    tensor_free(NULL);
}

// Copies a tensor into C order, by indices.
static void copy_by_index(const DLTensor *x, float *out)
{
    for (int64_t i = 0; i < x->shape[0]; i++)
        for (int64_t j = 0; j < x->shape[1]; j++)
            for (int64_t k = 0; k < x->shape[2]; k++)
                *out++ = BILANX_AT(float, x, i, j, k);
}

static void a_checksum_ignores_the_layout(void **state)
{
    (void)state;
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t o = 0; o < LENGTH(orders); o++) {
        struct tensor_description description = tensor_shaped("f32", 6, 5, 4);
        memcpy(description.order, orders[o], sizeof orders[o]);
        description.steps[1] = 1 + (int64_t)o % 3;
        tensor_lay_out(&description);
        AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&description);
        float copy[6 * 5 * 4];
        copy_by_index(&tensor->dl_tensor, copy);
        DLTensor plain = tensor->dl_tensor;
        plain.data = copy;
        plain.strides = NULL;
        uint64_t sum = tensor_checksum(&plain);
        assert_true(tensor_checksum(&tensor->dl_tensor) == sum);
        ((uint32_t *)(void *)copy)[17] ^= 1;
        assert_true(tensor_checksum(&plain) != sum);
    }
}

static void a_checksum_notices_an_exchange(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++) {
        struct tensor_description description = tensor_shaped(dtype->name, 1000);
        AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&description);
        char *data = tensor->dl_tensor.data, kept[16];
        uint64_t sum = tensor_checksum(&tensor->dl_tensor);
        size_t other = 1;
        while (memcmp(data, data + other * dtype->size, dtype->size) == 0)
            other++;
        memcpy(kept, data, dtype->size);
        memcpy(data, data + other * dtype->size, dtype->size);
        memcpy(data + other * dtype->size, kept, dtype->size);
        assert_true(tensor_checksum(&tensor->dl_tensor) != sum);
    }
}

static void a_checksum_is_the_same_everywhere_and_forever(void **state)
{
    (void)state;
    uint8_t bytes[] = {1, 2, 3};
    int64_t shape[] = {3};
    DLTensor tensor = {
        .data = bytes, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLUInt, 8, 1}, .shape = shape};
    assert_true(tensor_checksum(&tensor) == 0xFBDF5A5E5707C32Au);
    struct tensor_description description = tensor_shaped("c128", 300, 7);
    AUTO(DLManagedTensor) DLManagedTensor *made_here = made(&description);
    assert_true(tensor_checksum(&made_here->dl_tensor) == 0x2FC586BC41852DC9u);
}

static void foreign_tensors_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    float data[4] = {0};
    int64_t shape[70], strides[] = {INT64_MAX, 1};
    for (int i = 0; i < 70; i++)
        shape[i] = 2;
    DLTensor good = {
        .data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor device = good, type = good, dimensions = good, extent = good, negative = good;
    device.device.device_type = kDLCUDA;
    type.dtype.bits = 7;
    dimensions.ndim = 70;
    extent.ndim = 2, extent.strides = strides;
    int64_t less_than_none[] = {-1};
    negative.shape = less_than_none;
    assert_ok(tensor_check_foreign(&good));
    assert_error(tensor_check_foreign(&device), BILANX_E_USAGE, "on device 2");
    assert_error(tensor_check_foreign(&type), BILANX_E_USAGE, "none of f16");
    assert_error(tensor_check_foreign(&dimensions), BILANX_E_USAGE, "70 dimensions");
    assert_error(tensor_check_foreign(&extent), BILANX_E_USAGE, "larger than any memory");
    assert_error(tensor_check_foreign(&negative), BILANX_E_USAGE, "has -1 elements");
    assert_true(tensor_checksum(&type) == 0);
}

static void filling_writes_the_elements_and_nothing_else(void **state)
{
    (void)state;
    struct tensor_description description = tensor_shaped("f32", 6, 4);
    description.order[0] = 1, description.order[1] = 0;
    description.steps[0] = 2;
    tensor_lay_out(&description);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = made(&description);
    float memory[48];
    for (int i = 0; i < 48; i++)
        memory[i] = -1;
    DLTensor mine = tensor->dl_tensor;
    mine.data = memory;
    assert_ok(tensor_fill(&description, &mine));
    assert_true(tensor_checksum(&mine) == tensor_checksum(&tensor->dl_tensor));
    for (int i = 1; i < 48; i += 2)
        assert_true(memory[i] == -1);
}

static void a_seed_places_a_tensor_in_its_page_and_keeps_its_values(void **state)
{
    (void)state;
    struct tensor_description tensors[] = {tensor_shaped("f32", 1 << 20), tensor_shaped("f32", 9)};
    struct sample sample = {.tensors = tensors, .tensor_count = 2};
    sample_place(&sample, 0);
    assert_int_equal(tensors[0].shift | tensors[1].shift, 0);
    uint64_t checksums[2], starts = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        sample_place(&sample, seed);
        for (size_t i = 0; i < 2; i++) {
            AUTO(DLManagedTensor) DLManagedTensor *made = NULL;
            assert_ok(tensor_make(&tensors[i], &made));
            uint64_t checksum = tensor_checksum(&made->dl_tensor);
            if (seed == 0)
                checksums[i] = checksum;
            assert_true(checksum == checksums[i]);
            if (i == 0)  // large: its memory begins with a page
                assert_int_equal((uintptr_t)made->dl_tensor.data % 4096, tensors[i].shift);
        }
        starts |= UINT64_C(1) << tensors[0].shift / 256;
    }
    assert_int_equal(starts, 0xFFFF);  // everywhere in the page, in steps of 256 bytes
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_follows_from_order_and_steps),
        cmocka_unit_test(an_empty_dimension_counts_as_one_in_strides),
        cmocka_unit_test(the_stride_of_a_single_element_does_not_matter),
        cmocka_unit_test(a_tensor_is_described_in_a_few_words),
        cmocka_unit_test(a_tensor_is_what_dlpack_expects),
        cmocka_unit_test(large_tensors_start_at_a_huge_page),
        cmocka_unit_test(the_same_description_gives_the_same_bytes),
        cmocka_unit_test(layouts_share_what_is_at_a_position),
        cmocka_unit_test(large_tensors_with_gaps_hold_the_same_values),
        cmocka_unit_test(a_tensor_uses_the_pages_of_its_elements),
        cmocka_unit_test(gaps_of_many_pages_take_no_memory),
        cmocka_unit_test(a_scalar_and_nothing_are_tensors),
        cmocka_unit_test(sizes_do_not_overflow),
        cmocka_unit_test(more_memory_than_there_is_is_an_error),
        cmocka_unit_test(impossible_tensors_are_refused),
        cmocka_unit_test(a_permutation_is_one_in_every_layout),
        cmocka_unit_test(another_thread_may_free_it),
        cmocka_unit_test(a_checksum_ignores_the_layout),
        cmocka_unit_test(a_checksum_notices_an_exchange),
        cmocka_unit_test(a_checksum_is_the_same_everywhere_and_forever),
        cmocka_unit_test(foreign_tensors_that_make_no_sense_are_refused),
        cmocka_unit_test(filling_writes_the_elements_and_nothing_else),
        cmocka_unit_test(a_seed_places_a_tensor_in_its_page_and_keeps_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
