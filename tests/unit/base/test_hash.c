#include "base/hash.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/scope.h"
#include "unit.h"

static struct hash hash_of(const void *bytes, size_t size)
{
    struct hash hash = hash_start();
    hash_add(&hash, bytes, size);
    return hash;
}

static bool same(struct hash a, struct hash b)
{
    return a.a == b.a && a.b == b.b;
}

static void the_same_content_has_the_same_hash(void **state)
{
    (void)state;
    static const char content[] = "a content of some length";
    char elsewhere[LENGTH(content) + 8];
    struct hash first = hash_of(content, sizeof content);
    for (size_t offset = 0; offset < 8; offset++) {
        memset(elsewhere, 0xff, sizeof elsewhere);  // what is beside the content does not count
        memcpy(elsewhere + offset, content, sizeof content);
        assert_true(same(first, hash_of(elsewhere + offset, sizeof content)));
    }
}

static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct hash));
}

// All contents of a few bits in up to a few words: lengths, zeros, swapped words, single bits.
static void small_differences_change_the_hash(void **state)
{
    (void)state;
    enum { SIZE = 40, COUNT = SIZE + 1 + SIZE * 8 };
    AUTO(memory) struct hash *seen = mem_array(struct hash, COUNT);
    char bytes[SIZE] = {0};
    size_t count = 0;
    for (size_t size = 0; size <= SIZE; size++)
        seen[count++] = hash_of(bytes, size);
    for (size_t bit = 0; bit < SIZE * 8; bit++) {
        bytes[bit / 8] = (char)(1 << bit % 8);
        seen[count++] = hash_of(bytes, SIZE);
        bytes[bit / 8] = 0;
    }
    assert_int_equal(count, COUNT);
    qsort(seen, count, sizeof *seen, by_value);
    for (size_t i = 1; i < count; i++)
        assert_false(same(seen[i - 1], seen[i]));
    // The halves are independent.
    for (size_t i = 1; i < count; i++) {
        assert_true(seen[i].a != seen[i - 1].a);
        assert_true(seen[i].b != seen[i - 1].b);
    }
}

static void the_boundary_between_texts_changes_the_hash(void **state)
{
    (void)state;
    struct hash ab = hash_start(), a_b = hash_start(), b_a = hash_start();
    hash_add_text(&ab, "ab");
    hash_add_text(&ab, "");
    hash_add_text(&a_b, "a");
    hash_add_text(&a_b, "b");
    hash_add_text(&b_a, "b");
    hash_add_text(&b_a, "a");
    assert_false(same(ab, a_b));
    assert_false(same(a_b, b_a));
}

static void a_null_text_differs_from_an_empty_one(void **state)
{
    (void)state;
    struct hash none = hash_start(), empty = hash_start();
    hash_add_text(&none, NULL);
    hash_add_text(&empty, "");
    assert_false(same(none, empty));
    assert_false(same(none, hash_start()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_content_has_the_same_hash),
        cmocka_unit_test(small_differences_change_the_hash),
        cmocka_unit_test(the_boundary_between_texts_changes_the_hash),
        cmocka_unit_test(a_null_text_differs_from_an_empty_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
