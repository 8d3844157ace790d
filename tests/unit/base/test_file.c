#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "unit.h"

// A directory for the test's files; current while it runs.
static char directory[] = "/tmp/bilanx-file-XXXXXX";

static int enter_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", directory);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *data, size_t size, mode_t mode)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, data, size), size);
    assert_int_equal(fchmod(fd, mode), 0);
}

static void a_file_is_read_to_the_end(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    AUTO(memory) char *data = mem_array(char, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (char)(i * 7);
    write_file("whole", data, SIZE, 0600);
    AUTO(text) struct text text = {0};
    text_add(&text, "before:");
    assert_ok(file_read("whole", &text));
    assert_int_equal(text.size, SIZE + 7);
    assert_memory_equal(text.data, "before:", 7);
    assert_memory_equal(text.data + 7, data, SIZE);
}

static void a_file_without_a_size_is_read(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    assert_ok(file_read("/proc/self/status", &text));
    assert_true(text_starts(text_get(&text), "Name:"));
}

static void an_unreadable_file_is_named_with_the_cause(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    assert_error(file_read("missing", &text), BILANX_E_SYSTEM,
                 "cannot open 'missing': No such file");
    assert_error(file_read("/", &text), BILANX_E_SYSTEM, "cannot read '/': Is a directory");
    assert_int_equal(text.size, 0);
}

static void fifos_and_devices_are_rejected_at_once(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    int fd = -1;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_error(file_read("fifo", &text), BILANX_E_INPUT,
                 "cannot read 'fifo': it is a FIFO, not a file");
    assert_error(file_check("fifo"), BILANX_E_INPUT, "it is a FIFO");
    assert_int_equal(symlink("/dev/zero", "zero"), 0);
    assert_error(file_read("zero", &text), BILANX_E_INPUT, "cannot read 'zero': it is a device");
    assert_error(file_open_to_read("zero", &fd, NULL), BILANX_E_INPUT, "it is a device");
    assert_int_equal(fd, -1);
    assert_ok(file_read("/dev/null", &text));
    assert_int_equal(text.size, 0);
}

static void a_file_that_is_too_large_is_rejected_at_once(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    write_file("large", "", 0, 0600);
    assert_int_equal(truncate("large", (off_t)1 << 40), 0);
    assert_error(file_read("large", &text), BILANX_E_INPUT, "'large' is too large");
    assert_int_equal(text.size, 0);
    assert_int_equal(unlink("large"), 0);
}

static void a_written_file_is_private_to_its_owner(void **state)
{
    (void)state;
    mode_t before = umask(0);
    AUTO(text) struct text text = {0};
    struct stat status;
    write_file("written", "longer than it will be", 22, 0666);
    assert_ok(file_write("written", "short", 5));
    umask(before);
    assert_ok(file_read("written", &text));
    assert_string_equal(text_get(&text), "short");
    assert_int_equal(stat("written", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(symlink("written", "leads_there"), 0);
    assert_error(file_write("leads_there", "x", 1), BILANX_E_SYSTEM, "cannot write 'leads_there'");
}

static void a_disk_is_full_when_nothing_more_fits(void **state)
{
    (void)state;
    assert_false(file_disk_is_full("/nonexistent"));
    assert_true(file_disk_is_full("/proc"));  // has no free space
}

static void assert_first_line(const char *content, size_t room, const char *expected)
{
    write_file("lines", content, strlen(content), 0600);
    char line[64] = "stale";
    assert_true(file_first_line("lines", line, room));
    assert_string_equal(line, expected);
}

static void a_first_line_comes_without_its_newline(void **state)
{
    (void)state;
    assert_first_line("tsc\n", 64, "tsc");
    assert_first_line("one\ntwo\n", 64, "one");
    assert_first_line("bare", 64, "bare");
    assert_first_line("\n", 64, "");
    assert_first_line("longer than its room\n", 7, "longer");
}

static void a_first_line_that_cannot_be_read_is_empty(void **state)
{
    (void)state;
    char line[64] = "stale";
    assert_false(file_first_line("missing", line, sizeof line));
    assert_string_equal(line, "");
    strcpy(line, "stale");
    assert_false(file_first_line("/", line, sizeof line));
    assert_string_equal(line, "");
    write_file("empty", "", 0, 0600);
    assert_false(file_first_line("empty", line, sizeof line));
}

static void assert_found(const char *path, const char *name, const char *expected)
{
    if (path)
        setenv("PATH", path, 1);
    else
        unsetenv("PATH");
    AUTO(memory) char *found = file_find_program(name);
    if (expected) {
        assert_non_null(found);
        assert_string_equal(found, expected);
    } else {
        assert_null(found);
    }
}

static void a_program_is_found_on_the_path(void **state)
{
    (void)state;
    mkdir("first", 0700);
    mkdir("second", 0700);
    mkdir("first/folder", 0700);
    write_file("first/data", "", 0, 0600);
    write_file("first/both", "", 0, 0700);
    write_file("second/both", "", 0, 0700);
    write_file("second/data", "", 0, 0700);
    write_file("second/folder", "", 0, 0700);
    assert_found("first:second", "both", "first/both");
    assert_found("first:second", "data", "second/data");  // the first is not executable
    assert_found("first:second", "folder", "second/folder");
    assert_found("second", "both", "second/both");
    assert_found(":first::second:", "data", "second/data");
    assert_found("first", "missing", NULL);
    assert_found("", "both", NULL);
    assert_found(NULL, "both", NULL);
}

static void a_name_with_a_slash_is_used_as_is(void **state)
{
    (void)state;
    assert_found("second", "first/both", "first/both");
    assert_found("second", "first/data", NULL);
    assert_found("second", "./both", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_to_the_end),
        cmocka_unit_test(a_file_without_a_size_is_read),
        cmocka_unit_test(an_unreadable_file_is_named_with_the_cause),
        cmocka_unit_test(fifos_and_devices_are_rejected_at_once),
        cmocka_unit_test(a_file_that_is_too_large_is_rejected_at_once),
        cmocka_unit_test(a_written_file_is_private_to_its_owner),
        cmocka_unit_test(a_disk_is_full_when_nothing_more_fits),
        cmocka_unit_test(a_first_line_comes_without_its_newline),
        cmocka_unit_test(a_first_line_that_cannot_be_read_is_empty),
        cmocka_unit_test(a_program_is_found_on_the_path),
        cmocka_unit_test(a_name_with_a_slash_is_used_as_is),
    };
    return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
