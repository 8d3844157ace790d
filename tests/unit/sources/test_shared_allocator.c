#include "sources/operator_worker/shared_allocator.h"

#include <string.h>

#include "unit.h"

static void blocks_are_aligned_and_writable(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 3 << 20};
    size_t before = shared_allocator_in_use();
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char *block = shared_allocate(sizes[i]);
        assert_int_equal((uintptr_t)block % SHARED_ALIGNMENT, 0);
        memset(block, 1, sizes[i]);
        assert_int_equal(shared_allocator_in_use(), before + 1);
        shared_release(block);
    }
    shared_release(NULL);
    assert_int_equal(shared_allocator_in_use(), before);
}

static void a_block_is_not_handed_out_again_at_once(void **state)
{
    (void)state;
    char *first = shared_allocate(1 << 20);
    shared_release(first);
    char *second = shared_allocate(1 << 20);
    assert_ptr_not_equal(first, second);
    shared_release(second);
}

static void kept_blocks_are_handed_out_again(void **state)
{
    (void)state;
    shared_allocator_keep(true);
    char *a = shared_allocate(1000), *b = shared_allocate(1000), *c = shared_allocate(2000);
    shared_release(a);
    shared_release(c);
    assert_ptr_equal(shared_allocate(2000), c);
    assert_ptr_equal(shared_allocate(1000), a);
    char *other = shared_allocate(1000);
    assert_ptr_not_equal(other, a);
    assert_ptr_not_equal(other, b);
    shared_release(a);
    shared_release(b);
    assert_ptr_equal(shared_allocate(1000), b);
    assert_ptr_equal(shared_allocate(1000), a);
    shared_allocator_keep(false);
    shared_release(a);
    shared_release(b);
    shared_release(c);
    shared_release(other);
    shared_release(shared_allocate(1));  // frees them
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_writable),
        cmocka_unit_test(a_block_is_not_handed_out_again_at_once),
        cmocka_unit_test(kept_blocks_are_handed_out_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
