#include "sources/operator_worker/shared_allocator.h"

#include <string.h>
#include <sys/resource.h>

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

static void a_result_is_available_to_the_call_after_the_next(void **state)
{
    (void)state;
    shared_allocator_next_call();
    char *first = shared_allocate(1 << 20);
    shared_allocator_next_call();
    shared_release(first);
    char *second = shared_allocate(1 << 20);
    assert_ptr_not_equal(first, second);
    shared_allocator_next_call();
    assert_ptr_equal(shared_allocate(1 << 20), first);
    shared_release(first);
    shared_release(second);
}

static void memory_that_a_call_releases_itself_is_available_at_once(void **state)
{
    (void)state;
    shared_allocator_next_call();
    char *workspace = shared_allocate(5000);
    shared_release(workspace);
    assert_ptr_equal(shared_allocate(5000), workspace);
    char *larger = shared_allocate(5001);
    assert_ptr_not_equal(larger, workspace);
    shared_release(workspace);
    shared_release(larger);
}

static void large_blocks_begin_with_a_page(void **state)
{
    (void)state;
    static const size_t sizes[] = {200000, 2 << 20, 50 << 20};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char *block = shared_allocate(sizes[i]);
        assert_int_equal((uintptr_t)block % 4096, 0);
        block[0] = block[sizes[i] - 1] = 1;
        shared_release(block);
    }
}

static void blocks_that_are_all_reused_are_on_huge_pages(void **state)
{
    (void)state;
    static const size_t sizes[] = {2 << 20, 5 << 20, 50 << 20};
    shared_allocator_trim();
    shared_allocator_reuse_all(true);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char *block = shared_allocate(sizes[i]);
        assert_int_equal((uintptr_t)block % (2 << 20), 0);
        block[0] = block[sizes[i] - 1] = 1;
        shared_release(block);
    }
    shared_allocator_reuse_all(false);
    shared_allocator_trim();
}

// Three backends that take turns, as `bilanx ops` has them do it. The second one drops its last
// result before it allocates the next, the others drop it afterwards. The kernel may fault a page
// for its own reasons, but not in every call.
struct backend {
    char *last;
    bool drops_first;
    uint64_t page_faults;  // in its last turn
};

static uint64_t page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt;
}

static void call(struct backend *backend, size_t bytes)
{
    shared_allocator_next_call();
    if (backend->drops_first)
        shared_release(backend->last);
    char *next = shared_allocate(bytes);
    if (!backend->drops_first)
        shared_release(backend->last);
    for (size_t at = 0; at < bytes; at += 4096)
        next[at] = 1;
    backend->last = next;
}

enum { BACKENDS = 3, CALLS = 4 };

static void take_turns(struct backend *backends, size_t bytes)
{
    enum { WARM_UP_CALLS = 2, ROUNDS = 2 };
    for (size_t i = 0; i < BACKENDS; i++)
        for (int k = 0; k < WARM_UP_CALLS; k++)
            call(&backends[i], bytes);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < BACKENDS; i++) {
            uint64_t before = page_faults();
            for (int k = 0; k < CALLS; k++)
                call(&backends[i], bytes);
            backends[i].page_faults = page_faults() - before;
        }
    for (size_t i = 0; i < BACKENDS; i++)
        shared_release(backends[i].last);
}

static void no_backend_has_more_page_faults_than_another(void **state)
{
    (void)state;
    static const size_t sizes[] = {1000, 100000, 200000, 500000, 2 << 20, 20 << 20};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct backend backends[BACKENDS] = {{.drops_first = false}, {.drops_first = true}};
        take_turns(backends, sizes[i]);
        for (size_t k = 0; k < BACKENDS; k++)
            assert_true(backends[k].page_faults < CALLS);
    }
}

static void results_above_32_MB_are_fresh_pages_for_all(void **state)
{
    (void)state;
    struct backend backends[BACKENDS] = {{.drops_first = false}, {.drops_first = true}};
    take_turns(backends, 33 << 20);
    for (size_t k = 0; k < BACKENDS; k++)
        assert_true(backends[k].page_faults > CALLS);
}

static void all_results_are_reused_if_asked_for(void **state)
{
    (void)state;
    struct backend backends[BACKENDS] = {{.drops_first = false}, {.drops_first = true}};
    shared_allocator_reuse_all(true);
    take_turns(backends, 33 << 20);
    shared_allocator_reuse_all(false);
    for (size_t k = 0; k < BACKENDS; k++)
        assert_true(backends[k].page_faults < CALLS);
}

static void unused_memory_can_be_returned_to_the_system(void **state)
{
    (void)state;
    shared_allocator_next_call();
    char *held = shared_allocate(3 << 20);
    shared_release(shared_allocate(3 << 20));
    shared_release(shared_allocate(30));
    shared_allocator_trim();
    held[0] = 1;
    uint64_t before = page_faults();
    char *fresh = shared_allocate(3 << 20);
    memset(fresh, 1, 3 << 20);
    assert_true(page_faults() > before);
    shared_release(fresh);
    shared_release(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_writable),
        cmocka_unit_test(a_result_is_available_to_the_call_after_the_next),
        cmocka_unit_test(memory_that_a_call_releases_itself_is_available_at_once),
        cmocka_unit_test(large_blocks_begin_with_a_page),
        cmocka_unit_test(blocks_that_are_all_reused_are_on_huge_pages),
        cmocka_unit_test(no_backend_has_more_page_faults_than_another),
        cmocka_unit_test(results_above_32_MB_are_fresh_pages_for_all),
        cmocka_unit_test(all_results_are_reused_if_asked_for),
        cmocka_unit_test(unused_memory_can_be_returned_to_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
