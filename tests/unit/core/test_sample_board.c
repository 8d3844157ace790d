#include "core/worker/sample_board.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void write_record(struct sample_memory *memory, uint64_t thread)
{
    struct thread_sample *record = sample_memory_reserve(memory, sizeof *record, SAMPLE_THREAD);
    assert_non_null(record);
    record->thread = thread;
    sample_memory_complete(record, sizeof *record);
}

static struct sample_seat seat_of(const struct sample_board *board)
{
    struct sample_seat seat = {0};
    assert_true(sample_seat_open(board->path, &seat));
    return seat;
}

// The first record on a seat; 0: none.
static uint64_t read_seat(struct sample_board *board, size_t at, uint32_t *process)
{
    size_t size;
    struct sample_mapping *mapping = sample_board_seat(board, at, process);
    const void *record = mapping ? sample_mapping_read(mapping, &size) : NULL;
    return record ? ((const struct thread_sample *)record)->thread : 0;
}

static void a_process_takes_a_seat_and_is_read(void **state)
{
    (void)state;
    AUTO(sample_board) struct sample_board board = {0};
    uint32_t process = 0;
    assert_ok(sample_board_init(&board, 499, 4096));
    struct sample_seat seat = seat_of(&board);
    assert_int_equal(seat.page->rate, 499);
    assert_int_equal(seat.page->stack_bytes, 4096);
    assert_null(sample_board_seat(&board, 0, &process));
    assert_true(sample_seat_take(board.path, &seat));
    write_record(seat.memory, 77);
    assert_int_equal(read_seat(&board, 0, &process), 77);
    assert_int_equal(process, getpid());
    assert_false(sample_board_is_over(&board, 0));
    assert_null(sample_board_seat(&board, 1, &process));
}

static void another_program_in_the_process_takes_another_seat(void **state)
{
    (void)state;
    AUTO(sample_board) struct sample_board board = {0};
    uint32_t process = 0;
    assert_ok(sample_board_init(&board, 499, 4096));
    struct sample_seat before = seat_of(&board), after = seat_of(&board);
    assert_true(sample_seat_take(board.path, &before) && sample_seat_take(board.path, &after));
    write_record(before.memory, 1);
    write_record(after.memory, 2);
    assert_true(sample_board_is_over(&board, 0));
    assert_false(sample_board_is_over(&board, 1));
    assert_int_equal(read_seat(&board, 0, &process), 1);
    assert_int_equal(read_seat(&board, 1, &process), 2);
}

static void the_seat_of_a_process_that_ended_is_free_again(void **state)
{
    (void)state;
    AUTO(sample_board) struct sample_board board = {0};
    uint32_t process = 0;
    assert_ok(sample_board_init(&board, 499, 4096));
    for (int round = 1; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            struct sample_seat seat = seat_of(&board);
            if (sample_seat_take(board.path, &seat))
                write_record(seat.memory, (uint64_t)round);
            _exit(0);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(read_seat(&board, 0, &process), round);
        assert_int_equal(process, child);
        assert_true(sample_board_is_over(&board, 0));
        sample_board_free(&board, 0);
        assert_null(sample_board_seat(&board, 0, &process));
    }
}

static void whoever_finds_no_seat_is_counted(void **state)
{
    (void)state;
    AUTO(sample_board) struct sample_board board = {0};
    assert_ok(sample_board_init(&board, 499, 4096));
    struct sample_seat seat = seat_of(&board);
    for (size_t i = 0; i < SAMPLE_BOARD_SEATS; i++)
        assert_true(sample_seat_take(board.path, &seat));
    assert_int_equal(board.page->missing, 0);
    assert_false(sample_seat_take(board.path, &seat));
    assert_int_equal(board.page->missing, 1);
}

static void what_is_no_board_is_not_opened(void **state)
{
    (void)state;
    struct sample_seat seat = {0};
    assert_false(sample_seat_open("/nowhere/board", &seat));
    assert_false(sample_seat_open("/dev/null", &seat));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_takes_a_seat_and_is_read),
        cmocka_unit_test(another_program_in_the_process_takes_another_seat),
        cmocka_unit_test(the_seat_of_a_process_that_ended_is_free_again),
        cmocka_unit_test(whoever_finds_no_seat_is_counted),
        cmocka_unit_test(what_is_no_board_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
