#include "support/digest/digest.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "unit.h"

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("content", MFD_CLOEXEC);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_digest(const void *bytes, size_t size, const char *expected)
{
    AUTO(fd) int fd = file_of(bytes, size);
    struct digest digest;
    char text[DIGEST_TEXT];
    assert_ok(digest_file(fd, "content", &digest));
    assert_string_equal(digest_text(&digest, text), expected);
}

// Expected values are from xxh128sum.
static void a_digest_agrees_with_xxh128sum(void **state)
{
    (void)state;
    assert_digest("", 0, "99aa06d3014798d86001c324468d497f");
    assert_digest("a", 1, "a96faf705af16834e6c632b61e964e1f");
    enum { SIZE = 1 << 20 };  // more than one read
    AUTO(memory) char *bytes = mem_array(char, SIZE);
    assert_digest(bytes, SIZE, "b6ef17a3448492b6918780b90550bf34");
}

static void an_unreadable_file_has_no_digest(void **state)
{
    (void)state;
    AUTO(fd) int folder = open("/", O_RDONLY | O_DIRECTORY);
    struct digest digest;
    assert_error(digest_file(folder, "/", &digest), BILANX_E_SYSTEM, "cannot read '/': Is a dir");
}

static struct digest of_texts(const char *one, const char *other)
{
    AUTO(digester) struct digester *digester = digester_new();
    digester_add_text(digester, one);
    digester_add_text(digester, other);
    return digester_get(digester);
}

static bool same(struct digest a, struct digest b)
{
    return a.high == b.high && a.low == b.low;
}

static void the_boundary_between_parts_changes_the_digest(void **state)
{
    (void)state;
    assert_true(same(of_texts("a", "b"), of_texts("a", "b")));
    assert_false(same(of_texts("ab", ""), of_texts("a", "b")));
    assert_false(same(of_texts("a", "b"), of_texts("b", "a")));
    assert_false(same(of_texts("", ""), of_texts(NULL, "")));
    assert_false(same(of_texts("", NULL), of_texts(NULL, "")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_digest_agrees_with_xxh128sum),
        cmocka_unit_test(an_unreadable_file_has_no_digest),
        cmocka_unit_test(the_boundary_between_parts_changes_the_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
