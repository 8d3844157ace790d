#include "profile/unwind/jit_map.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "unit.h"

struct fixture {
    struct temporary folder;
    char *path;
    struct jit_map map;
};

static int begin(void **state)
{
    struct fixture *fixture = mem_new(struct fixture);
    assert_ok(temporary_init(&fixture->folder, NULL));
    fixture->path = mem_format("%s/perf-1.map", fixture->folder.path);
    *state = fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    jit_map_done(&fixture->map);
    temporary_done(&fixture->folder);
    free(fixture->path);
    free(fixture);
    return 0;
}

static void read_text(struct fixture *fixture, const char *text, size_t size)
{
    assert_ok(file_write(fixture->path, text, size));
    jit_map_read(&fixture->map, fixture->path);
}
#define READ(fixture, text) read_text(fixture, text, sizeof(text) - 1)

static void assert_at(const struct fixture *fixture, uint64_t address, const char *expected)
{
    const char *name = jit_map_find(&fixture->map, address);
    if (!text_equal(name, expected))
        fail_msg("%llx is '%s', not '%s'", (unsigned long long)address, name ? name : "nothing",
                 expected ? expected : "nothing");
}

static void an_address_belongs_to_the_function_around_it(void **state)
{
    READ(*state, "2000 10 second\n1000 20 first with spaces\n");
    assert_at(*state, 0xfff, NULL);
    assert_at(*state, 0x1000, "first with spaces");
    assert_at(*state, 0x101f, "first with spaces");
    assert_at(*state, 0x1020, NULL);
    assert_at(*state, 0x2000, "second");
    assert_at(*state, UINT64_MAX, NULL);
}

static void the_latest_function_at_an_address_counts(void **state)
{
    READ(*state, "1000 100 old\n1000 100 new\n1010 8 inner\n1000 100 newest\n1080 8 tail\n");
    assert_at(*state, 0x1000, "newest");
    assert_at(*state, 0x1012, "newest");
    assert_at(*state, 0x1084, "tail");
    assert_at(*state, 0x1090, "newest");
}

static void a_file_that_has_grown_is_read_again(void **state)
{
    READ(*state, "1000 10 a\n");
    assert_at(*state, 0x1000, "a");
    READ(*state, "1000 10 a\n2000 10 b\n");
    assert_at(*state, 0x2000, "b");
}

static void there_is_a_limit_to_reading_it_again(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text text = {0};
    for (unsigned i = 1; i < 100; i++) {
        text_format(&text, "%x000 10 f%u\n", i, i);
        read_text(fixture, text.data, text.size);
    }
    assert_true(fixture->map.count < 20);
}

static void nonsense_is_skipped(void **state)
{
    struct fixture *fixture = *state;
    READ(fixture,
         "\n\n \nname\n1000\n1000 \n1000 10\n1000 10 \n-1000 10 a\n0x10 10 prefixed\n1000 0 a\n"
         "ffffffffffffffff ffffffffffffffff a\n1000 10 a\0b\r\n3000 10 kept");
    assert_at(fixture, 0x1000, "a?b");
    assert_at(fixture, 0x3000, "kept");
    assert_at(fixture, 0x10, "prefixed");
    assert_int_equal(fixture->map.count, 3);
}

static void long_names_are_cut(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text text = {0};
    text_add(&text, "1000 10 ");
    for (size_t i = 0; i < 100000; i++)
        text_add_char(&text, 'x');
    read_text(fixture, text.data, text.size);
    assert_int_equal(strlen(jit_map_find(&fixture->map, 0x1000)), 1000);
}

static void links_pipes_and_folders_are_not_read(void **state)
{
    struct fixture *fixture = *state;
    AUTO(memory) char *other = mem_format("%s/other", fixture->folder.path);
    assert_ok(file_write(other, "1000 10 a\n", 10));
    assert_int_equal(symlink(other, fixture->path), 0);
    jit_map_read(&fixture->map, fixture->path);
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(mkfifo(fixture->path, 0600), 0);
    jit_map_read(&fixture->map, fixture->path);
    jit_map_read(&fixture->map, fixture->folder.path);
    jit_map_read(&fixture->map, "/nowhere/at/all");
    assert_at(fixture, 0x1000, NULL);
}

static void files_of_others_are_not_read(void **state)
{
    struct fixture *fixture = *state;
    assert_ok(file_write(fixture->path, "1000 10 a\n", 10));
    if (chown(fixture->path, 12345, (gid_t)-1) != 0)
        skip_because("files cannot be given to another user here");
    jit_map_read(&fixture->map, fixture->path);
    assert_at(fixture, 0x1000, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_belongs_to_the_function_around_it),
        TEST(the_latest_function_at_an_address_counts),
        TEST(a_file_that_has_grown_is_read_again),
        TEST(there_is_a_limit_to_reading_it_again),
        TEST(nonsense_is_skipped),
        TEST(long_names_are_cut),
        TEST(links_pipes_and_folders_are_not_read),
        TEST(files_of_others_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
