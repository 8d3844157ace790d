#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "bilanx/elements.h"
#include "inputs/operators/operators.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor.h"
#include "inputs/tensors/walk.h"
#include "unit.h"

struct made {
    struct operator_call call;
    struct operator_data data;
};

static void made_done(struct made *made)
{
    operator_data_done(&made->data);
    operator_call_done(&made->call);
}
SCOPE_VALUE(made, made_done)

static void make(const char *name, const char *arguments, struct made *out)
{
    const struct operator_options options = {.seed = 5};
    assert_ok(operator_call_parse(name, arguments, NULL, 0, &out->call));
    assert_ok(operator_call_adapt(&out->call, &options));
    assert_ok(operator_data_make(&out->call, &options, &out->data));
}

// The elements of a tensor in logical order, as doubles; the caller frees them.
static double *elements(const struct bilanx_value *value)
{
    DLTensor *tensor = value->tensor;
    const struct dtype *dtype = dtype_of(tensor->dtype, value->is_bool);
    size_t count = (size_t)bilanx_elements(tensor);
    AUTO(memory) char *packed = mem_zeroed(count + 1, dtype->size);
    struct walk_packer packer;
    walk_pack_start(&packer, tensor);
    assert_int_equal(walk_pack(&packer, count + 1, packed), count);
    double *out = mem_array(double, count * dtype->parts + 1);
    dtype->widen(packed, count * dtype->parts, out);
    return out;
}

static void assert_within(const struct bilanx_value *value, double low, double high)
{
    AUTO(memory) double *numbers = elements(value);
    for (int64_t i = 0; i < bilanx_elements(value->tensor); i++)
        if (!(numbers[i] >= low && numbers[i] <= high))
            fail_msg("%g is not between %g and %g", numbers[i], low, high);
}

// One argument of a call, and the range of its elements.
struct expectation {
    const char *name, *arguments;
    size_t argument;
    double low, high;
};

static void check(const struct expectation *expected)
{
    AUTO(made) struct made made = {0};
    make(expected->name, expected->arguments, &made);
    assert_within(&made.call.call.arguments[expected->argument], expected->low, expected->high);
}

static void indices_are_in_range(void **state)
{
    (void)state;
    static const struct expectation expectations[] = {
        {"aten.embedding.default", "((T([7, 3], f16), T([50, 20], i64)), {})", 1, 0, 6},
        {"aten.embedding_dense_backward.default",
         "((T([50, 4], f16), T([50], i64), 9, -1, False), {})", 1, 0, 8},
        {"aten.gather.default", "((T([50, 6], f16), 1, T([50, 4], i64)), {})", 2, 0, 5},
        {"aten.gather.default", "((T([50, 6], f16), -2, T([9, 6], i64)), {})", 2, 0, 49},
        {"aten.index_select.default", "((T([50, 6], f16), 1, T([400], i32)), {})", 2, 0, 5},
        {"aten.scatter_add.default",
         "((T([50, 6], f16), 1, T([50, 40], i64), T([50, 40], f16)), {})", 2, 0, 5},
        {"aten.nll_loss_forward.default", "((T([90, 5], f16), T([90], i64), None, 1, -100), {})", 1,
         0, 4},
        {"aten.nll_loss2d_forward.default",
         "((T([2, 5, 8, 8], f16), T([2, 8, 8], i64), None, 1, -100), {})", 1, 0, 4},
        {"aten.nll_loss_backward.default",
         "((T([], f16), T([90, 5], f16), T([90], i64), None, 1, -100, T([], f16)), {})", 2, 0, 4},
        {"aten.take.default", "((T([3, 4], f16), T([500], i64)), {})", 1, 0, 11},
        {"aten.index_select_backward.default", "((T([300, 4], f32), [9, 4], 0, T([300], i64)), {})",
         3, 0, 8},
        // With strides of zero, too.
        {"aten.embedding.default", "((T([7, 3], f16), T([50, 20], i64, stride=(0, 1))), {})", 1, 0,
         6},
        // A rule whose arguments are missing does not apply.
        {"aten.gather.default", "((T([50, 6], f16), 9, T([50, 4], i64)), {})", 2, 0, 0},
        {"aten.embedding_dense_backward.default", "((T([50, 4], f16), T([50], i64)), {})", 1, 1,
         100},
    };
    for (size_t i = 0; i < LENGTH(expectations); i++)
        check(&expectations[i]);
}

static void numbers_suit_the_operator(void **state)
{
    (void)state;
    static const struct expectation expectations[] = {
        {"aten.add.Tensor", "((T([999], f16), 1), {})", 0, -1, 1},
        {"aten.add.Tensor", "((T([999], i64), 1), {})", 0, 1, 100},
        {"aten.any.default", "((T([999], b8),), {})", 0, 0, 1},
        {"aten.sqrt.default", "((T([999], f16),), {})", 0, 0.1, 2},
        {"aten.log_.default", "((T([999], f16),), {})", 0, 0.1, 2},
        {"aten.pow.Tensor_Scalar", "((T([999], f16), 0.5), {})", 0, 0.1, 2},
        {"aten.bernoulli.default", "((T([999], f16),), {})", 0, 0, 1},
        {"aten.binary_cross_entropy.default", "((T([999], f16), T([999], f16)), {})", 1, 0, 1},
        {"aten.native_batch_norm.default",
         "((T([2, 99], f16), None, None, T([99], f16), T([99], f16), True, 0.1, 1e-05), {})", 4,
         0.5, 1.5},
        {"aten.native_layer_norm_backward.default",
         "((T([9, 9], f16), T([9, 9], f16), [9], T([9, 1], f32), T([9, 1], f32), None, None,"
         " [True, True, True]), {})",
         4, 0.5, 1.5},
        {"aten._softmax_backward_data.default", "((T([9, 50], f16), T([9, 50], f16), -1, f16), {})",
         1, 0, 0.04},
        {"aten._log_softmax_backward_data.default",
         "((T([9, 50], f16), T([9, 50], f16), 1, f16), {})", 1, -6, -2},
    };
    for (size_t i = 0; i < LENGTH(expectations); i++)
        check(&expectations[i]);
}

static void integers_suit_the_operator(void **state)
{
    (void)state;
    static const char loss[] =
        "((T([50, 16, 20], f32), T([16, 30], i64), T([16], i64), T([16], i64), 0, True), {})";
    static const struct expectation expectations[] = {
        {"aten.bitwise_left_shift.Tensor", "((T([99], i64), T([99], i64)), {})", 1, 0, 7},
        {"aten._ctc_loss.Tensor", loss, 1, 0, 19},
        {"aten._ctc_loss.Tensor", loss, 2, 50, 50},
        {"aten._ctc_loss.Tensor", loss, 3, 30, 30},
        {"aten._embedding_bag_backward.default",
         "((T([4, 6], f32), T([10], i64), T([4], i64), T([10], i64), T([4], i64), T([4], i64), 20, "
         "False, 0, False, None), {})",
         3, 0, 3},
        {"aten.masked_fill.Scalar", "((T([99], f32), T([99], u8), -inf), {})", 1, 0, 1},
        {"aten.masked_select.default", "((T([99], f32), T([99], f32)), {})", 1, 0, 1},
        {"aten._pack_padded_sequence.default", "((T([7, 3, 8], f32), T([3], i64), False), {})", 1,
         7, 7},
        {"aten._pack_padded_sequence.default", "((T([3, 7, 8], f32), T([3], i64), True), {})", 1, 7,
         7},
        {"aten._pad_packed_sequence.default", "((T([8, 16], f32), T([4], i64), False, 0.0, 4), {})",
         1, 2, 2},
        {"aten.lu_unpack.default", "((T([9, 9], f32), T([9], i32)), {})", 1, 1, 1},
        {"aten.log.default", "((T([99], i64),), {})", 0, 1, 100},
        {"aten.pow.Tensor_Scalar", "((T([99], i64), 2), {})", 0, 1, 100},
    };
    for (size_t i = 0; i < LENGTH(expectations); i++)
        check(&expectations[i]);
}

static void bases_of_whole_powers_may_be_negative(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.pow.Tensor_Scalar", "((T([999], f16), 2), {})", &made);
    AUTO(memory) double *numbers = elements(&made.call.call.arguments[0]);
    bool some = false;
    for (int i = 0; i < 999; i++)
        some |= numbers[i] < 0;
    assert_true(some);
}

static void an_index_belongs_to_its_dimension(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.index.Tensor", "((T([3, 8, 50], f16), [None, T([999], i64), T([999], i64)]), {})",
         &made);
    const struct bilanx_value *indices = &made.call.call.arguments[1];
    assert_within(&indices->items[1], 0, 7);
    assert_within(&indices->items[2], 0, 49);
    AUTO(made) struct made masked = {0};
    make("aten.index.Tensor", "((T([3, 8, 50], f16), [T([3, 8], b8), T([11], i64)]), {})", &masked);
    assert_within(&masked.call.call.arguments[1].items[1], 0, 49);
}

static size_t count_of(const struct bilanx_value *mask)
{
    AUTO(memory) double *numbers = elements(mask);
    size_t count = 0;
    for (int64_t i = 0; i < bilanx_elements(mask->tensor); i++)
        count += numbers[i] == 1;
    return count;
}

static void a_mask_selects_as_many_as_the_others_have(void **state)
{
    (void)state;
    AUTO(made) struct made put = {0};
    AUTO(made) struct made with = {0};
    AUTO(made) struct made alone = {0};
    AUTO(made) struct made source = {0};
    make("aten.index_put.default", "((T([90, 5], f16), [T([90], b8)], T([7, 5], f16)), {})", &put);
    assert_int_equal(count_of(&put.call.call.arguments[1].items[0]), 7);
    make("aten.index.Tensor", "((T([3, 8, 50], f16), [T([3, 8], b8), T([11], i64)]), {})", &with);
    assert_int_equal(count_of(&with.call.call.arguments[1].items[0]), 11);
    make("aten.index.Tensor", "((T([90, 5], f16), [T([90], b8)]), {})", &alone);
    assert_int_equal(count_of(&alone.call.call.arguments[1].items[0]), 45);
    make("aten.masked_scatter.default", "((T([9, 8], f16), T([8], b8), T([27], f16)), {})",
         &source);
    assert_int_equal(count_of(&source.call.call.arguments[1]), 3);
}

static void assert_distinct(const double *numbers, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(numbers[i * step] != numbers[j * step]);
}

// Otherwise it would be undefined which of two values ends up there.
static void nothing_is_written_twice(void **state)
{
    (void)state;
    AUTO(made) struct made scatter = {0};
    make("aten.scatter.src", "((T([20, 6], f16), 0, T([15, 6], i64), T([15, 6], f16)), {})",
         &scatter);
    assert_within(&scatter.call.call.arguments[2], 0, 19);
    AUTO(memory) double *rows = elements(&scatter.call.call.arguments[2]);
    for (size_t column = 0; column < 6; column++)
        assert_distinct(rows + column, 15, 6);
    AUTO(made) struct made put = {0};
    make("aten.index_put_.default", "((T([30, 6], f16), [T([30], i64)], T([30, 6], f16)), {})",
         &put);
    AUTO(memory) double *places = elements(&put.call.call.arguments[1].items[0]);
    assert_distinct(places, 30, 1);
}

static void pooling_windows_contain_their_indices(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.max_pool2d_with_indices_backward.default",
         "((T([2, 3, 5, 6], f16), T([2, 3, 10, 12], f16), [3, 3], [2, 2], [1, 1], [1, 1], False,"
         " T([2, 3, 5, 6], i64)), {})",
         &made);
    AUTO(memory) double *indices = elements(&made.call.call.arguments[7]);
    for (int i = 0; i < 2 * 3 * 5 * 6; i++) {
        int row = i / 6 % 5, column = i % 6, index = (int)indices[i];
        assert_true(index >= 0 && index < 120);
        assert_in_range(index / 12 + 1 - 2 * row, 0, 2);
        assert_in_range(index % 12 + 1 - 2 * column, 0, 2);
    }
}

static void matrices_to_decompose_are_symmetric_and_dominated_by_their_diagonal(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.linalg_cholesky_ex.default", "((T([2, 30, 30], f64, stride=(900, 1, 30)),), {})",
         &made);
    AUTO(memory) double *numbers = elements(&made.call.call.arguments[0]);
    for (int row = 0; row < 30; row++) {
        double others = 0;
        for (int column = 0; column < 30; column++) {
            assert_true(numbers[900 + row * 30 + column] == numbers[900 + column * 30 + row]);
            others += row == column ? 0 : fabs(numbers[900 + row * 30 + column]);
        }
        assert_true(numbers[900 + row * 31] > others);
    }
}

static void offsets_and_boundaries_rise(void **state)
{
    (void)state;
    AUTO(made) struct made bag = {0};
    AUTO(made) struct made buckets = {0};
    make("aten._embedding_bag.default", "((T([9, 4], f16), T([64], i64), T([8], i64)), {})", &bag);
    AUTO(memory) double *offsets = elements(&bag.call.call.arguments[2]);
    for (int i = 0; i < 8; i++)
        assert_true(offsets[i] == 8 * i);
    make("aten.bucketize.Tensor", "((T([9], f16), T([7], f16)), {})", &buckets);
    AUTO(memory) double *boundaries = elements(&buckets.call.call.arguments[1]);
    for (int i = 1; i < 7; i++)
        assert_true(boundaries[i] > boundaries[i - 1]);
}

static void sparse_tensors_have_indices_and_values(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.add.Tensor", "((ST([20, 30], f16, torch.sparse_coo, True, 12), 1), {})", &made);
    const struct bilanx_sparse *sparse = made.call.call.arguments[0].sparse;
    assert_true(sparse->indices->shape[0] == 2 && sparse->indices->shape[1] == 12);
    assert_true(sparse->values->shape[0] == 12 && sparse->values->dtype.bits == 32);
    const struct bilanx_value indices = {.kind = BILANX_TENSOR, .tensor = sparse->indices};
    assert_within(&indices, 0, 29);
    operator_data_done(&made.data);
    assert_null(sparse->indices);
}

static uint64_t checksum(const char *name, const char *arguments, uint64_t seed, size_t argument)
{
    const struct operator_options options = {.seed = seed};
    AUTO(made) struct made made = {0};
    assert_ok(operator_call_parse(name, arguments, NULL, 0, &made.call));
    assert_ok(operator_call_adapt(&made.call, &options));
    assert_ok(operator_data_make(&made.call, &options, &made.data));
    return tensor_checksum(made.call.call.arguments[argument].tensor);
}

static void data_depends_on_the_call_and_on_the_seed(void **state)
{
    (void)state;
    static const char call[] = "((T([100], f16), T([100], f16)), {})";
    uint64_t first = checksum("aten.add.Tensor", call, 1, 0);
    assert_true(first == checksum("aten.add.Tensor", call, 1, 0));
    assert_true(first != checksum("aten.add.Tensor", call, 1, 1));
    assert_true(first != checksum("aten.add.Tensor", call, 2, 0));
    assert_true(first != checksum("aten.mul.Tensor", call, 1, 0));
}

static void tensors_that_an_operator_wrote_to_are_restored(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.add_.Tensor", "((T([4, 6], f16, stride=(9, 1)), T([6], f16)), {})", &made);
    DLTensor *tensor = made.call.call.arguments[0].tensor;
    uint64_t before = tensor_checksum(tensor);
    BILANX_DATA(float, tensor)[9 * 3 + 5] += 1;
    assert_true(tensor_checksum(tensor) != before);
    operator_data_restore(&made.data);
    assert_true(tensor_checksum(tensor) == before);
}

static void make_shared(const char *name, const char *path, uint64_t seed, struct made *out)
{
    static const char arguments[] = "((T([100, 7], f16), T([], f16), T([0, 2], f16)), {})";
    const struct operator_options options = {.seed = seed, .shared = path};
    assert_ok(operator_call_parse(name, arguments, NULL, 0, &out->call));
    assert_ok(operator_call_adapt(&out->call, &options));
    assert_ok(operator_data_make(&out->call, &options, &out->data));
}

static void processes_share_tensors_by_a_file(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/tensors", folder.path);
    AUTO(made) struct made first = {0}, second = {0}, alone = {0};
    make_shared("aten.add.Tensor", path, 5, &first);
    make_shared("aten.add.Tensor", path, 6, &second);  // they are made: the seed does not matter
    make_shared("aten.add.Tensor", NULL, 5, &alone);
    DLTensor *one = first.call.call.arguments[0].tensor,
             *two = second.call.call.arguments[0].tensor;
    assert_true(tensor_checksum(one) == tensor_checksum(alone.call.call.arguments[0].tensor));
    assert_true(tensor_checksum(one) == tensor_checksum(two));
    BILANX_DATA(float, one)[699] += 1;
    assert_true(BILANX_DATA(float, one)[699] == BILANX_DATA(float, two)[699]);
}

static void tensors_that_are_written_to_are_not_shared(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/tensors", folder.path);
    AUTO(made) struct made first = {0}, second = {0};
    make_shared("aten.add_.Tensor", path, 5, &first);
    make_shared("aten.add_.Tensor", path, 5, &second);
    DLTensor *one = first.call.call.arguments[0].tensor,
             *two = second.call.call.arguments[0].tensor;
    BILANX_DATA(float, one)[699] += 1;
    assert_true(BILANX_DATA(float, one)[699] != BILANX_DATA(float, two)[699]);
}

static void empty_tensors_need_no_data(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.embedding.default", "((T([0, 3], f16), T([0], i64)), {})", &made);
    assert_int_equal(bilanx_elements(made.call.call.arguments[1].tensor), 0);
}

static void too_much_data_is_not_made(void **state)
{
    (void)state;
    AUTO(operator_call) struct operator_call call = {0};
    struct operator_data data = {0};
    const struct operator_options options = {.max_bytes = 3999};
    assert_ok(operator_call_parse("aten.neg.default", "((T([1000], f32),), {})", NULL, 0, &call));
    assert_error(operator_data_make(&call, &options, &data), BILANX_E_SKIPPED, "--max-bytes");
    assert_null(data.storage);
}

// Whether huge pages were asked for where an address is.
static bool wants_huge_pages(const void *address)
{
    AUTO(text) struct text maps = {0};
    unsigned long long first = 0, end = 0, wanted = (uintptr_t)address;
    assert_ok(file_read("/proc/self/smaps", &maps));
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(&maps));
    for (size_t i = 0; i < lines.count; i++) {
        sscanf(lines.items[i], "%llx-%llx", &first, &end);
        if (text_starts(lines.items[i], "VmFlags:") && first <= wanted && wanted < end)
            return strstr(lines.items[i], " hg");
    }
    fail_msg("%p is not mapped", address);
    return false;
}

static void large_tensors_are_in_the_pages_that_malloc_gets(void **state)
{
    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        AUTO(made) struct made made = {0};
        const struct operator_options options = {.huge_pages = huge};
        assert_ok(operator_call_parse("aten.relu.default", "((T([4, 1048576], f32),), {})", NULL, 0,
                                      &made.call));
        assert_ok(operator_data_make(&made.call, &options, &made.data));
        const DLTensor *tensor = made.call.call.arguments[0].tensor;
        assert_int_equal(wants_huge_pages(tensor->data), huge);
    }
}

// The number of finite elements whose magnitudes are within two bounds.
static int64_t count_within(const struct bilanx_value *value, double low, double high)
{
    AUTO(memory) double *numbers = elements(value);
    int64_t count = 0;
    for (int64_t i = 0; i < bilanx_elements(value->tensor); i++)
        count += fabs(numbers[i]) >= low && fabs(numbers[i]) < high;
    return count;
}

static bool redraw(struct made *made, enum operator_draw draw)
{
    bool changed = false;
    assert_ok(operator_data_redraw(&made->data, draw, &changed));
    return changed;
}

static void other_draws_are_large_tiny_and_special(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.sum.default", "((T([10, 100], f32),), {})", &made);
    const struct bilanx_value *value = &made.call.call.arguments[0];
    AUTO(memory) double *first = elements(value);
    assert_true(redraw(&made, DRAW_LARGE));
    assert_true(count_within(value, 1e18, 1.1e20) > 900);
    assert_true(redraw(&made, DRAW_TINY));
    assert_true(count_within(value, 0, 1.1e-20) == 1000);
    assert_true(redraw(&made, DRAW_SPECIAL));
    AUTO(memory) double *special = elements(value);
    int kinds[3] = {0};
    for (int i = 0; i < 1000; i++) {
        kinds[0] += isnan(special[i]);
        kinds[1] += special[i] == INFINITY;
        kinds[2] += special[i] == -INFINITY;
    }
    assert_true(kinds[0] && kinds[1] && kinds[2]);
    assert_false(redraw(&made, DRAW_USUAL));
    AUTO(memory) double *again = elements(value);
    assert_memory_equal(first, again, 1000 * sizeof *first);
}

static void data_that_must_suit_an_operator_stays_in_all_draws(void **state)
{
    (void)state;
    static const struct expectation kept[] = {
        {"aten.gather.default", "((T([50, 6], f32), 1, T([50, 4], i64)), {})", 2, 0, 5},
        {"aten.log.default", "((T([50, 6], f32),), {})", 0, 0.1, 2},
        {"aten.native_batch_norm.default",
         "((T([4, 3, 5], f32), None, None, T([3], f32), T([3], f32), True, 0.1, 1e-05), {})", 4, .5,
         1.5},
        {"aten.prod.default", "((T([50, 6], f32),), {})", 0, -1, 1},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        for (int draw = 0; draw < OPERATOR_DRAWS; draw++) {
            AUTO(made) struct made made = {0};
            make(kept[i].name, kept[i].arguments, &made);
            redraw(&made, (enum operator_draw)draw);
            assert_within(&made.call.call.arguments[kept[i].argument], kept[i].low, kept[i].high);
        }
}

static void tensors_written_to_are_restored_to_the_draw(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0};
    make("aten.add_.Tensor", "((T([100], f32), T([100], f32)), {})", &made);
    redraw(&made, DRAW_LARGE);
    const struct bilanx_value *value = &made.call.call.arguments[0];
    memset(value->tensor->data, 0, 100 * sizeof(float));
    operator_data_restore(&made.data);
    assert_true(count_within(value, 1e15, 1.1e20) == 100);
}

static void data_is_copied_to_another_type(void **state)
{
    (void)state;
    AUTO(made) struct made made = {0}, wide = {0};
    const char *arguments = "((T([4, 50], f32), 1, T([4, 9], i64)), {})";
    const struct operator_options options = {.seed = 6, .dtype = "f64"};
    make("aten.gather.default", arguments, &made);
    assert_ok(operator_call_parse("aten.gather.default", arguments, NULL, 0, &wide.call));
    assert_ok(operator_call_adapt(&wide.call, &options));
    assert_ok(operator_data_make(&wide.call, &options, &wide.data));
    redraw(&made, DRAW_LARGE);
    operator_data_copy(&wide.data, &made.data);
    for (size_t argument = 0; argument < 3; argument += 2) {
        AUTO(memory) double *one = elements(&made.call.call.arguments[argument]);
        AUTO(memory) double *other = elements(&wide.call.call.arguments[argument]);
        assert_memory_equal(one, other, (argument ? 36 : 200) * sizeof *one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_in_range),
        cmocka_unit_test(numbers_suit_the_operator),
        cmocka_unit_test(integers_suit_the_operator),
        cmocka_unit_test(bases_of_whole_powers_may_be_negative),
        cmocka_unit_test(an_index_belongs_to_its_dimension),
        cmocka_unit_test(a_mask_selects_as_many_as_the_others_have),
        cmocka_unit_test(nothing_is_written_twice),
        cmocka_unit_test(pooling_windows_contain_their_indices),
        cmocka_unit_test(matrices_to_decompose_are_symmetric_and_dominated_by_their_diagonal),
        cmocka_unit_test(offsets_and_boundaries_rise),
        cmocka_unit_test(sparse_tensors_have_indices_and_values),
        cmocka_unit_test(data_depends_on_the_call_and_on_the_seed),
        cmocka_unit_test(tensors_that_an_operator_wrote_to_are_restored),
        cmocka_unit_test(processes_share_tensors_by_a_file),
        cmocka_unit_test(tensors_that_are_written_to_are_not_shared),
        cmocka_unit_test(empty_tensors_need_no_data),
        cmocka_unit_test(too_much_data_is_not_made),
        cmocka_unit_test(large_tensors_are_in_the_pages_that_malloc_gets),
        cmocka_unit_test(other_draws_are_large_tiny_and_special),
        cmocka_unit_test(data_that_must_suit_an_operator_stays_in_all_draws),
        cmocka_unit_test(tensors_written_to_are_restored_to_the_draw),
        cmocka_unit_test(data_is_copied_to_another_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
