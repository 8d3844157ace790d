#include "core/worker/sample_memory.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "unit.h"

static void write_record(struct sample_memory *memory, size_t size, unsigned char fill)
{
    unsigned char *record = sample_memory_reserve(memory, size, SAMPLE_STACK);
    assert_non_null(record);
    memset(record + sizeof(struct sample_head), fill, size - sizeof(struct sample_head));
    sample_memory_complete(record, size);
}

static void records_are_read_in_order(void **state)
{
    (void)state;
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    write_record(mapping.memory, 100, 1);
    write_record(mapping.memory, 32, 2);
    const struct sample_head *first = sample_mapping_read(&mapping, &size);
    assert_int_equal(((const unsigned char *)first)[99], 1);
    sample_mapping_free(&mapping, size);
    const struct sample_head *second = sample_mapping_read(&mapping, &size);
    assert_int_equal(((const unsigned char *)second)[31], 2);
    sample_mapping_free(&mapping, size);
    assert_null(sample_mapping_read(&mapping, &size));
}

static void a_record_is_read_once_it_is_complete(void **state)
{
    (void)state;
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    void *record = sample_memory_reserve(mapping.memory, 64, SAMPLE_CODE);
    write_record(mapping.memory, 64, 5);
    assert_null(sample_mapping_read(&mapping, &size));
    sample_memory_complete(record, 64);
    assert_int_equal(sample_mapping_read(&mapping, &size)->kind, SAMPLE_CODE);
}

static void full_memory_has_no_room_until_something_is_read(void **state)
{
    (void)state;
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    enum { LARGE = SAMPLE_MEMORY_BYTES / 4 };
    for (unsigned char i = 0; i < 4; i++)
        write_record(mapping.memory, LARGE, i);
    assert_null(sample_memory_reserve(mapping.memory, 8, SAMPLE_STACK));
    assert_non_null(sample_mapping_read(&mapping, &size));
    sample_mapping_free(&mapping, size);
    write_record(mapping.memory, LARGE, 9);
}

static void records_do_not_wrap_around(void **state)
{
    (void)state;
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    enum { LARGE = SAMPLE_MEMORY_BYTES / 3 };
    for (unsigned round = 0; round < 20; round++) {
        write_record(mapping.memory, LARGE, (unsigned char)round);
        const struct sample_head *record = sample_mapping_read(&mapping, &size);
        assert_non_null(record);
        const unsigned char *bytes = (const unsigned char *)record;
        assert_true(bytes + LARGE <= mapping.memory->data + SAMPLE_MEMORY_BYTES);
        assert_int_equal(bytes[LARGE - 1], round);
        assert_int_equal(bytes[sizeof *record], round);
        sample_mapping_free(&mapping, size);
    }
}

static void *write_many(void *memory)
{
    for (unsigned i = 0; i < 20000; i++) {
        size_t size = 24 + i % 50 * 8;
        uint64_t *record;
        while (!(record = sample_memory_reserve(memory, size, SAMPLE_STACK)))
            sched_yield();
        for (size_t at = 1; at < size / 8; at++)
            record[at] = size;
        sample_memory_complete(record, size);
    }
    return NULL;
}

static void several_threads_may_write_while_one_reads(void **state)
{
    (void)state;
    AUTO(sample_mapping) struct sample_mapping mapping = {0};
    size_t size;
    assert_ok(sample_mapping_init(&mapping));
    pthread_t writers[3];
    for (size_t i = 0; i < 3; i++)
        pthread_create(&writers[i], NULL, write_many, mapping.memory);
    size_t count = 0;
    for (unsigned joined = 0; joined < 4;) {
        struct sample_head *record = (struct sample_head *)sample_mapping_read(&mapping, &size);
        if (record) {
            for (size_t at = 1; at < size / 8; at++)
                assert_int_equal(((uint64_t *)record)[at], size);
            sample_mapping_free(&mapping, size);
            count++;
        } else if (joined == 3 || pthread_tryjoin_np(writers[joined], NULL) == 0) {
            joined++;
        }
    }
    assert_int_equal(count, 60000);
}

static void a_damaged_record_is_not_read(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 4, 12, SAMPLE_MEMORY_BYTES + 8, UINT32_MAX};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        AUTO(sample_mapping) struct sample_mapping mapping = {0};
        size_t size;
        assert_ok(sample_mapping_init(&mapping));
        write_record(mapping.memory, 64, 1);
        atomic_store(&((struct sample_head *)(void *)mapping.memory->data)->size, sizes[i]);
        atomic_store(&mapping.memory->tail, 12345);
        assert_null(sample_mapping_read(&mapping, &size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_in_order),
        cmocka_unit_test(a_record_is_read_once_it_is_complete),
        cmocka_unit_test(full_memory_has_no_room_until_something_is_read),
        cmocka_unit_test(records_do_not_wrap_around),
        cmocka_unit_test(a_damaged_record_is_not_read),
        cmocka_unit_test(several_threads_may_write_while_one_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
