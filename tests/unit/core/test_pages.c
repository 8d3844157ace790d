#include "core/worker/pages.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scope.h"
#include "unit.h"

// Private kilobytes of a mapping, from /proc/self/smaps.
static long own_kilobytes(const void *address)
{
    AUTO(file) FILE *maps = fopen("/proc/self/smaps", "re");
    char line[4500];
    bool within = false;
    long kilobytes = -1;
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            within = (uintptr_t)address >= start && (uintptr_t)address < end;
        else if (within && sscanf(line, "Anonymous: %ld", &kilobytes) == 1)
            break;
    }
    return kilobytes;
}

static void pages_of_a_file_become_private_with_the_same_contents(void **state)
{
    (void)state;
    enum { BYTES = 8 * 4096 };
    char path[] = "/tmp/bilanx-pages-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(write(fd, &(char){(char)(i * 7)}, 1), 1);
    const char *mapped = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(mapped != MAP_FAILED);
    assert_int_equal(own_kilobytes(mapped), 0);
    assert_true(pages_draw(mapped, BYTES));
    assert_int_equal(own_kilobytes(mapped), BYTES / 1024);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(mapped[i], (char)(i * 7));
    munmap((void *)mapped, BYTES);
    close(fd);
}

__attribute__((noinline)) static int twice(int x)
{
    __asm__ volatile("" : "+r"(x));
    return 2 * x;
}

static void code_gets_new_pages_and_keeps_running(void **state)
{
    (void)state;
    const void *here = (const void *)(uintptr_t)twice;
    assert_int_equal(own_kilobytes(here), 0);
    assert_int_equal(
        pages_draw_object(&(struct pages_part){.address = here, .most_bytes = 1 << 30}),
        PAGES_FRESH);
    assert_true(own_kilobytes(here) > 0);
    assert_int_equal(twice(21), 42);
}

static void an_object_that_is_too_large_is_refused(void **state)
{
    (void)state;
    struct pages_part part = {.address = (const void *)(uintptr_t)twice, .most_bytes = 10};
    assert_int_equal(pages_draw_object(&part), PAGES_REFUSED);
}

static void pages_stay_if_the_environment_says_keep(void **state)
{
    (void)state;
    setenv("BILANX_PAGES", "keep", 1);
    struct pages_part part = {.address = (const void *)(uintptr_t)twice, .most_bytes = 1 << 30};
    assert_int_equal(pages_draw_object(&part), PAGES_STAY);
    assert_int_equal(pages_draw_files("/nothing"), PAGES_STAY);
    unsetenv("BILANX_PAGES");
}

static void unmapped_memory_is_refused(void **state)
{
    (void)state;
    assert_false(pages_draw((const void *)4096, 4096));
}

static void touched_pages_of_a_library_are_replaced(void **state)
{
    (void)state;
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, "a64l");  // a function that no sanitizer replaces
    assert_true(address && dladdr(address, &info));
    AUTO(memory) char *real = realpath(info.dli_fname, NULL);
    AUTO(memory) char *lines = mem_format("/no/such/file\n%s\n", real);
    assert_int_equal(a64l("/"), 1);
    assert_int_equal(own_kilobytes(address), 0);
    assert_int_equal(pages_draw_files(lines), PAGES_FRESH);
    long drawn = own_kilobytes(address);
    assert_true(drawn > 0);
    assert_int_equal(pages_draw_files(lines), PAGES_FRESH);  // only pages touched since
    assert_true(own_kilobytes(address) < drawn + 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_a_file_become_private_with_the_same_contents),
        cmocka_unit_test(code_gets_new_pages_and_keeps_running),
        cmocka_unit_test(an_object_that_is_too_large_is_refused),
        cmocka_unit_test(pages_stay_if_the_environment_says_keep),
        cmocka_unit_test(unmapped_memory_is_refused),
        cmocka_unit_test(touched_pages_of_a_library_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
