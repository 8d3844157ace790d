#include "support/archive/zip_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "unit.h"

static const time_t MADE = 1700000000;

static struct bilanx_error write_two(int fd)
{
    AUTO(zip_file) struct zip_file *zip = NULL;
    BILANX_TRY(zip_file_begin(fd, MADE, &zip));
    BILANX_TRY(zip_file_add(zip, "größe 大.txt", "first\n", 6));
    BILANX_TRY(zip_file_add(zip, "a/b.bin", "\0\1\2", 3));
    return zip_file_end(zip);
}

static int written(void)
{
    int fd = memfd_create("zip", MFD_CLOEXEC);
    assert_ok(write_two(fd));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_entry(struct archive *archive, const char *name, const char *bytes, size_t size)
{
    struct archive_entry *entry;
    char content[16];
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_OK);
    assert_string_equal(archive_entry_pathname_utf8(entry), name);
    assert_int_equal(archive_entry_mode(entry), S_IFREG | 0644);
    assert_int_equal(archive_entry_mtime(entry), MADE);
    assert_int_equal(archive_read_data(archive, content, sizeof content), size);
    assert_memory_equal(content, bytes, size);
}

static void entries_have_order_name_content_mode_and_time(void **state)
{
    (void)state;
    AUTO(fd) int fd = written();
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));  // to read names, not to write them
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_format_zip(archive);
    assert_int_equal(archive_read_open_fd(archive, fd, 4096), ARCHIVE_OK);
    assert_entry(archive, "größe 大.txt", "first\n", 6);
    assert_entry(archive, "a/b.bin", "\0\1\2", 3);
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_EOF);
    archive_read_free(archive);
    setlocale(LC_ALL, "C");
}

static void equal_contents_make_equal_files(void **state)
{
    (void)state;
    AUTO(fd) int one = written();
    AUTO(fd) int other = written();
    char bytes[2][4096];
    ssize_t size = read(one, bytes[0], sizeof bytes[0]);
    assert_in_range(size, 100, sizeof bytes[0] - 1);
    assert_int_equal(read(other, bytes[1], sizeof bytes[1]), size);
    assert_memory_equal(bytes[0], bytes[1], (size_t)size);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    AUTO(fd) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_error(write_two(full), BILANX_E_SYSTEM, "No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_order_name_content_mode_and_time),
        cmocka_unit_test(equal_contents_make_equal_files),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
