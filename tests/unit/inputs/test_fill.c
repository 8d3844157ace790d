#include "inputs/tensors/fill.h"

#include <stdlib.h>

#include "base/mem.h"
#include "inputs/tensors/normal.h"
#include "inputs/tensors/stream.h"
#include "unit.h"

enum { MANY = 1 << 17 };

static struct tensor_description described(const char *type, enum tensor_fill fill, double low,
                                           double high)
{
    const struct dtype *dtype = dtype_find(type);
    return (struct tensor_description){.dtype = dtype->type,
                                       .is_bool = dtype->is_bool,
                                       .fill = fill,
                                       .low = low,
                                       .high = high,
                                       .seed = 77};
}

// Elements as numbers: `parts` for each.
static double *made(const struct tensor_description *description, uint64_t first, size_t count)
{
    struct fill fill;
    assert_ok(fill_check(description));
    fill_init(&fill, description);
    AUTO(memory) char *elements = mem_zeroed(count, fill.dtype->size);
    fill_elements(&fill, first, count, elements);
    double *numbers = mem_array(double, 2 * count);
    fill.dtype->widen(elements, count * fill.dtype->parts, numbers);
    return numbers;
}

static void an_element_depends_only_on_its_position(void **state)
{
    (void)state;
    static const enum tensor_fill kinds[] = {TENSOR_UNIFORM, TENSOR_NORMAL, TENSOR_INDICES};
    enum { SIZE = 5000 };
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++)
        for (size_t k = 0; k < LENGTH(kinds); k++) {
            struct tensor_description description = described(dtype->name, kinds[k], 0, 1);
            description.nan_share = dtype->kind == DTYPE_REAL ? .1 : 0;
            struct fill fill;
            if (fill_check(&description).status != BILANX_OK)
                continue;
            char all[SIZE * 16] = {0}, part[SIZE * 16] = {0};
            fill_init(&fill, &description);
            fill_elements(&fill, 0, SIZE, all);
            for (size_t end = SIZE; end > 0;) {  // backwards, in pieces of odd sizes
                size_t first = end > 333 ? end - 333 : 0;
                fill_elements(&fill, first, end - first, part + first * dtype->size);
                end = first;
            }
            assert_memory_equal(all, part, SIZE * dtype->size);
        }
}

static double minimum(const double *numbers, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = numbers[i] < least ? numbers[i] : least;
    return least;
}

static double maximum(const double *numbers, size_t count)
{
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

static double moment(const double *numbers, size_t count, double about, int power)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += pow(numbers[i] - about, power);
    return sum / (double)count;
}

static void uniform_reals_fill_their_range(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 1}, {-1, 1}, {1, 2}, {-300, -299.5}, {0, 60000}};
    for (const struct dtype *dtype = dtypes; dtype->kind == DTYPE_REAL; dtype++)
        for (size_t i = 0; i < LENGTH(ranges); i++) {
            double low = ranges[i][0], high = ranges[i][1], width = high - low;
            if (low == -300 && dtype->precision < 11)
                continue;  // bf16 has no value in between
            struct tensor_description description =
                described(dtype->name, TENSOR_UNIFORM, low, high);
            AUTO(memory) double *numbers = made(&description, 0, MANY);
            size_t count = MANY * (size_t)dtype->parts;
            double grain = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
            grain *= pow(2, 1 - (int)dtype->precision);
            assert_true(minimum(numbers, count) >= low && maximum(numbers, count) < high);
            assert_true(minimum(numbers, count) < low + width / 100 + grain);
            assert_true(maximum(numbers, count) > high - width / 100 - 2 * grain);
            assert_near(moment(numbers, count, 0, 1), (low + high) / 2, width / 100 + grain);
        }
}

static void a_unit_interval_has_the_bits_of_its_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double grain;
    } cases[] = {{"f16", 0x1p-11}, {"bf16", 0x1p-8}, {"f32", 0x1p-24}, {"f64", 0x1p-53}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct tensor_description description = described(cases[i].type, TENSOR_UNIFORM, 0, 1);
        AUTO(memory) double *numbers = made(&description, 0, 1000);
        bool uses_last_bit = false;
        for (int n = 0; n < 1000; n++) {
            double multiple = numbers[n] / cases[i].grain;
            assert_true(multiple == floor(multiple));
            uses_last_bit = uses_last_bit || fmod(multiple, 2) == 1;
        }
        assert_true(uses_last_bit);
    }
}

// The direct path for [0, 1) and the general one agree: [0, 2) is twice [0, 1).
static void ranges_are_scaled_exactly(void **state)
{
    (void)state;
    struct tensor_description unit = described("f32", TENSOR_UNIFORM, 0, 1);
    struct tensor_description twice = described("f32", TENSOR_UNIFORM, 0, 2);
    AUTO(memory) double *numbers = made(&unit, 5, 5000);
    AUTO(memory) double *doubled = made(&twice, 5, 5000);
    for (int i = 0; i < 5000; i++)
        assert_true(doubled[i] == 2 * numbers[i]);
}

static void a_range_of_one_value_is_constant(void **state)
{
    (void)state;
    struct tensor_description description = described("f32", TENSOR_UNIFORM, 0.1, 0.1);
    AUTO(memory) double *numbers = made(&description, 0, 100);
    for (int i = 0; i < 100; i++)
        assert_true(numbers[i] == (double)0.1f);
}

static void nothing_reaches_the_upper_end(void **state)
{
    (void)state;
    static const double highs[] = {1, 0, -1, 1e-3, 3};
    for (const struct dtype *dtype = dtypes; dtype->kind == DTYPE_REAL; dtype++)
        for (size_t i = 0; i < LENGTH(highs); i++) {
            struct tensor_description description =
                described(dtype->name, TENSOR_UNIFORM, highs[i] - 1000, highs[i]);
            struct fill fill;
            fill_init(&fill, &description);
            double high = highs[i], number[2];
            dtype->narrow(&high, 1, number);
            dtype->widen(number, 1, &high);
            assert_true(fill.below < high);
            double middle = fill.below + (high - fill.below) / 2;
            if (middle > fill.below && middle < high) {  // none is in between
                dtype->narrow(&middle, 1, number);
                dtype->widen(number, 1, &middle);
                assert_true(middle == fill.below || middle == high);
            }
        }
}

static void integers_fill_a_closed_range_evenly(void **state)
{
    (void)state;
    static const char *const types[] = {"i8", "i16", "i32", "i64"};
    for (size_t t = 0; t < LENGTH(types); t++) {
        struct tensor_description description = described(types[t], TENSOR_UNIFORM, -3, 6);
        AUTO(memory) double *numbers = made(&description, 0, MANY);
        unsigned found[10] = {0};
        for (int i = 0; i < MANY; i++) {
            assert_true(numbers[i] >= -3 && numbers[i] <= 6);
            found[(int)numbers[i] + 3]++;
        }
        for (int n = 0; n < 10; n++)
            assert_near(found[n], MANY / 10.0, 6 * sqrt(MANY / 10.0));
    }
}

static void integers_can_be_all_of_their_type(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++) {
        if (dtype->kind != DTYPE_INTEGER)
            continue;
        struct tensor_description description =
            described(dtype->name, TENSOR_UNIFORM, dtype->smallest, dtype->largest);
        AUTO(memory) double *numbers = made(&description, 0, MANY);
        double width = dtype->largest - dtype->smallest;
        assert_true(minimum(numbers, MANY) <= dtype->smallest + width / 1000);
        assert_true(maximum(numbers, MANY) >= dtype->largest - width / 1000);
    }
}

static void indices_are_valid(void **state)
{
    (void)state;
    struct tensor_description description = described("i64", TENSOR_INDICES, 0, 7);
    AUTO(memory) double *numbers = made(&description, 0, MANY);
    assert_true(minimum(numbers, MANY) == 0 && maximum(numbers, MANY) == 6);
}

static void normal_numbers_have_the_moments_of_their_distribution(void **state)
{
    (void)state;
    static const char *const types[] = {"f32", "f64", "c64"};
    for (size_t t = 0; t < LENGTH(types); t++) {
        struct tensor_description description = described(types[t], TENSOR_NORMAL, 5, 2);
        AUTO(memory) double *numbers = made(&description, 0, MANY);
        assert_near(moment(numbers, MANY, 0, 1), 5, 6 * 2 / sqrt(MANY));
        assert_near(moment(numbers, MANY, 5, 2), 4, 6 * 4 * sqrt(2.0 / MANY));
        assert_near(moment(numbers, MANY, 5, 3), 0, 6 * 8 * sqrt(15.0 / MANY));
        assert_near(moment(numbers, MANY, 5, 4), 48, 6 * 16 * sqrt(96.0 / MANY));
        double products = 0;
        for (int i = 0; i + 1 < MANY; i++)
            products += (numbers[i] - 5) * (numbers[i + 1] - 5) / 4;
        assert_near(products, 0, 6 * sqrt(MANY));
    }
}

static void normal_numbers_are_those_of_libm(void **state)
{
    (void)state;
    enum { PAIRS = 20000 };
    AUTO(memory) uint32_t *words = mem_array(uint32_t, 4 * PAIRS);
    AUTO(memory) double *numbers = mem_array(double, 2 * PAIRS);
    stream_words(9, 0, 4 * PAIRS, words);
    memset(words, 0, 2 * sizeof *words);          // the longest
    memset(words + 4, 0xFF, 2 * sizeof *words);   // the shortest
    memset(words + 10, 0, 2 * sizeof *words);     // angle -pi/4
    memset(words + 14, 0xFF, 2 * sizeof *words);  // almost pi/4
    normal_from_words(words, PAIRS, numbers);
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t *w = words + 4 * i;
        double u = ((w[0] >> 5) * 0x1p26 + (w[1] >> 6) + 1) * 0x1p-53;
        double angle = M_PI_2 * (((w[2] >> 5) * 0x1p26 + (w[3] >> 6)) * 0x1p-53 - .5);
        double length = sqrt(-2 * log(u));
        double x = length * cos(angle) * (w[3] & 1 ? -1 : 1), y = length * sin(angle);
        assert_near(numbers[2 * i], w[3] & 2 ? y : x, 1e-15 * (1 + length));
        assert_near(numbers[2 * i + 1], w[3] & 2 ? x : y, 1e-15 * (1 + length));
    }
}

static void a_share_is_nan_or_infinite(void **state)
{
    (void)state;
    for (const struct dtype *dtype = dtypes; dtype->kind == DTYPE_REAL; dtype++) {
        struct tensor_description description = described(dtype->name, TENSOR_UNIFORM, 0, 1);
        description.nan_share = .25;
        description.inf_share = .125;
        AUTO(memory) double *numbers = made(&description, 0, MANY);
        double nans = 0, up = 0, down = 0;
        for (int i = 0; i < MANY; i++) {
            double number = numbers[i * (int)dtype->parts];
            nans += isnan(number);
            up += number == INFINITY;
            down += number == -INFINITY;
            if (dtype->parts == 2)
                assert_true(!isfinite(number) == !isfinite(numbers[2 * i + 1]));
        }
        assert_near(nans, MANY / 4.0, 6 * sqrt(MANY));
        assert_near(up, MANY / 16.0, 6 * sqrt(MANY));
        assert_near(down, MANY / 16.0, 6 * sqrt(MANY));
    }
}

static void all_can_be_nan(void **state)
{
    (void)state;
    struct tensor_description description = described("f16", TENSOR_NORMAL, 0, 1);
    description.nan_share = 1;
    AUTO(memory) double *numbers = made(&description, 0, 1000);
    for (int i = 0; i < 1000; i++)
        assert_true(isnan(numbers[i]));
}

static void impossible_data_is_refused(void **state)
{
    (void)state;
    struct tensor_description shares = described("f32", TENSOR_UNIFORM, 0, 1);
    shares.nan_share = .6, shares.inf_share = .6;
    struct tensor_description integer = described("i8", TENSOR_UNIFORM, 0, 1);
    integer.nan_share = .1;
    struct tensor_description type = {.dtype = {kDLFloat, 80, 1}};
    struct tensor_description kind = described("f32", (enum tensor_fill)9, 0, 1);
    const struct {
        struct tensor_description description;
        const char *part;
    } cases[] = {
        {described("f32", TENSOR_UNIFORM, 2, 1), "starts at 2 and ends at 1"},
        {described("f16", TENSOR_UNIFORM, 0, 1e5), "more than f16 can hold"},
        {described("i8", TENSOR_UNIFORM, 0, 128), "more than i8 can hold"},
        {described("i8", TENSOR_UNIFORM, 0, 1.5), "not a range of integers"},
        {described("f64", TENSOR_UNIFORM, -1e308, 1e308), "too wide"},
        {described("f32", TENSOR_UNIFORM, NAN, 1), "not finite"},
        {described("i32", TENSOR_NORMAL, 0, 1), "cannot be normally distributed"},
        {described("f32", TENSOR_NORMAL, 0, -1), "standard deviation is -1"},
        {described("f32", TENSOR_PERMUTATION, 0, 0), "cannot be of type f32"},
        {described("f32", TENSOR_INDICES, 0, 4), "cannot be of type f32"},
        {described("i8", TENSOR_INDICES, 0, 129), "indices below 129"},
        {described("i8", TENSOR_INDICES, 0, 0), "indices below 0"},
        {shares, "0.6 and 0.6"},
        {integer, "neither NaN nor infinity"},
        {type, "none of f16"},
        {kind, "no distribution 9"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_error(fill_check(&cases[i].description), BILANX_E_USAGE, cases[i].part);
    struct tensor_description last = described("i8", TENSOR_INDICES, 0, 128);
    assert_ok(fill_check(&last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_depends_only_on_its_position),
        cmocka_unit_test(uniform_reals_fill_their_range),
        cmocka_unit_test(a_unit_interval_has_the_bits_of_its_type),
        cmocka_unit_test(ranges_are_scaled_exactly),
        cmocka_unit_test(a_range_of_one_value_is_constant),
        cmocka_unit_test(nothing_reaches_the_upper_end),
        cmocka_unit_test(integers_fill_a_closed_range_evenly),
        cmocka_unit_test(integers_can_be_all_of_their_type),
        cmocka_unit_test(indices_are_valid),
        cmocka_unit_test(normal_numbers_have_the_moments_of_their_distribution),
        cmocka_unit_test(normal_numbers_are_those_of_libm),
        cmocka_unit_test(a_share_is_nan_or_infinite),
        cmocka_unit_test(all_can_be_nan),
        cmocka_unit_test(impossible_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
