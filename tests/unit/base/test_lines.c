#include "base/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "unit.h"

// Opens a file with these bytes.
static struct lines lines_of(const char *bytes, size_t size)
{
    char path[] = "/tmp/test_lines.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
    struct lines lines;
    assert_ok(lines_open(path, &lines));
    unlink(path);
    return lines;
}
#define LINES_OF(text) lines_of(text, sizeof text - 1)

static void assert_line(struct lines *lines, const char *expected, size_t expected_size)
{
    char *line;
    size_t size;
    assert_ok(lines_next(lines, &line, &size));
    assert_non_null(line);
    assert_int_equal(size, expected_size);
    assert_memory_equal(line, expected, expected_size);
    assert_int_equal(line[size], 0);
}
#define ASSERT_LINE(lines, text) assert_line(lines, text, sizeof text - 1)

static void assert_end(struct lines *lines)
{
    char *line = (char *)"";
    size_t size;
    assert_ok(lines_next(lines, &line, &size));
    assert_null(line);
}

static void lines_are_read_one_by_one(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = LINES_OF("one\n\ntwo\0zero\r\nlast");
    ASSERT_LINE(&lines, "one");
    assert_int_equal(lines.number, 1);
    ASSERT_LINE(&lines, "");
    ASSERT_LINE(&lines, "two\0zero\r");
    assert_int_equal(lines.number, 3);
    ASSERT_LINE(&lines, "last");
    assert_end(&lines);
    assert_end(&lines);
}

static void a_final_newline_does_not_start_another_line(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = LINES_OF("one\n");
    ASSERT_LINE(&lines, "one");
    assert_end(&lines);
    AUTO(lines) struct lines empty = LINES_OF("");
    assert_end(&empty);
}

// Lines of all sizes around the read size.
static void lines_of_any_length_are_read_whole(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    enum { COUNT = 60 };
    for (size_t i = 0; i < COUNT; i++) {
        text_add_repeated(&text, "x", i * i * 97 % 200000);
        text_format(&text, "%zu\n", i);
    }
    AUTO(lines) struct lines lines = lines_of(text.data, text.size);
    for (size_t i = 0; i < COUNT; i++) {
        AUTO(text) struct text expected = {0};
        text_add_repeated(&expected, "x", i * i * 97 % 200000);
        text_format(&expected, "%zu", i);
        assert_line(&lines, text_get(&expected), expected.size);
    }
    assert_end(&lines);
}

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = LINES_OF("one\ntwo");
    const char *bytes;
    size_t size;
    assert_ok(lines_peek(&lines, 5, &bytes, &size));
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "one\nt", 5);
    ASSERT_LINE(&lines, "one");
    assert_ok(lines_peek(&lines, 100, &bytes, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "two", 3);
    ASSERT_LINE(&lines, "two");
    assert_ok(lines_peek(&lines, 100, &bytes, &size));
    assert_int_equal(size, 0);
    assert_end(&lines);
}

static void the_rest_is_the_unread_part(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = LINES_OF("one\ntwo\n\0three\n");
    ASSERT_LINE(&lines, "one");
    char *bytes;
    size_t size;
    assert_ok(lines_rest(&lines, &bytes, &size));
    assert_int_equal(size, 11);
    assert_memory_equal(bytes, "two\n\0three\n", 12);
    assert_end(&lines);
}

static struct bilanx_error give_piece(void *source, char *to, size_t room, size_t *got)
{
    size_t *given = source;
    *got = *given < 3 && room ? 1 : 0;
    memcpy(to, &"a\nb"[*given], *got);
    ++*given;
    return BILANX_SUCCESS;
}

static void lines_can_come_from_a_callback(void **state)
{
    (void)state;
    size_t given = 0;
    AUTO(lines) struct lines lines = {
        .name = strdup("elsewhere"), .more = give_piece, .source = &given};
    ASSERT_LINE(&lines, "a");
    ASSERT_LINE(&lines, "b");
    assert_end(&lines);
}

static struct bilanx_error give_without_end(void *source, char *to, size_t room, size_t *got)
{
    (void)source;
    memset(to, 'x', room);
    *got = room;
    return BILANX_SUCCESS;
}

static void an_endless_line_is_an_error(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = {.name = strdup("big"), .more = give_without_end};
    char *line;
    size_t size;
    assert_error(lines_next(&lines, &line, &size), BILANX_E_INPUT, "big:1: line over 256 MB");
    assert_true(lines.room < 3 * LINES_LONGEST);
}

static void an_unreadable_file_is_named(void **state)
{
    (void)state;
    struct lines lines = {0};
    assert_error(lines_open("/nonexistent/x", &lines), BILANX_E_SYSTEM,
                 "cannot open '/nonexistent/x': No such file");
    assert_error(lines_open("/", &lines), BILANX_E_SYSTEM, "cannot read '/': Is a dir");
    assert_error(lines_open("/dev/zero", &lines), BILANX_E_INPUT,
                 "cannot read '/dev/zero': it is a device, not a file");
    lines_done(&lines);
    lines_done(&lines);
}

// Like a shell's <(COMMAND).
static void a_pipe_of_this_process_can_be_read(void **state)
{
    (void)state;
    int pipes[2];
    char path[32];
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(write(pipes[1], "one\ntwo", 7), 7);
    close(pipes[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", pipes[0]);
    AUTO(lines) struct lines lines = {0};
    assert_ok(lines_open(path, &lines));
    ASSERT_LINE(&lines, "one");
    ASSERT_LINE(&lines, "two");
    assert_end(&lines);
    close(pipes[0]);
}

static void a_file_over_the_size_limit_is_rejected(void **state)
{
    (void)state;
    AUTO(lines) struct lines lines = LINES_OF("one\ntwo\nthree\n");
    assert_int_equal(lines.most, LINES_MOST);
    lines.most = 5;
    char *line;
    size_t size;
    assert_error(lines_next(&lines, &line, &size), BILANX_E_INPUT,
                 "too large for a file of measurements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_one_by_one),
        cmocka_unit_test(a_final_newline_does_not_start_another_line),
        cmocka_unit_test(lines_of_any_length_are_read_whole),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(the_rest_is_the_unread_part),
        cmocka_unit_test(lines_can_come_from_a_callback),
        cmocka_unit_test(an_endless_line_is_an_error),
        cmocka_unit_test(an_unreadable_file_is_named),
        cmocka_unit_test(a_pipe_of_this_process_can_be_read),
        cmocka_unit_test(a_file_over_the_size_limit_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
