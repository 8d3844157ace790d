#include "inputs/tensors/storage.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/sanitized.h"
#include "unit.h"

static void memory_is_aligned_and_all_ours(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 255, 256, 257, (2 << 20) - 1, 2 << 20, (6 << 20) + 5};
    for (size_t i = 0; i < LENGTH(sizes) * 3; i++) {
        AUTO(storage) struct storage storage = {0};
        enum storage_pages pages = (enum storage_pages)(i / LENGTH(sizes));
        assert_ok(storage_make(sizes[i % LENGTH(sizes)], pages, &storage));
        assert_true(storage.bytes >= sizes[i % LENGTH(sizes)]);
        assert_int_equal((uintptr_t)storage.memory % STORAGE_ALIGNMENT, 0);
        memset(storage.memory, 1, storage.bytes);
    }
}

static void nothing_can_be_released(void **state)
{
    (void)state;
    struct storage storage = {0};
    storage_done(&storage);
    assert_null(storage.memory);
}

// The kernel would promise it, and kill whoever uses it.
static void more_than_is_available_is_refused(void **state)
{
    (void)state;
    AUTO(text) struct text facts = {0};
    assert_ok(file_read("/proc/meminfo", &facts));
    uint64_t available = strtoull(strstr(facts.data, "MemAvailable:") + 13, NULL, 10) * 1024;
    AUTO(storage) struct storage storage = {0};
    assert_error(storage_make(available / 4 * 5, STORAGE_HUGE, &storage), BILANX_E_MEMORY,
                 "MB are available");
    assert_null(storage.memory);
}

static void a_limit_of_the_process_is_respected(void **state)
{
    (void)state;
#if SANITIZED
    skip_because("the sanitizer needs more memory than the limit allows");
#else
    struct rlimit before, less;
    getrlimit(RLIMIT_AS, &before);
    less = before;
    less.rlim_cur = 64 << 20;
    AUTO(storage) struct storage storage = {0};
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    struct bilanx_error error = storage_make(128 << 20, STORAGE_HUGE, &storage);
    setrlimit(RLIMIT_AS, &before);
    assert_error(error, BILANX_E_MEMORY, "cannot allocate 134.218 MB for a tensor: ");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_all_ours),
        cmocka_unit_test(nothing_can_be_released),
        cmocka_unit_test(more_than_is_available_is_refused),
        cmocka_unit_test(a_limit_of_the_process_is_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
