#include "profile/sampling/own_samples.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

// What was delivered, one letter each: s, c, j, and the last of each.
struct heard {
    char order[32];
    struct sample sample;
    uint64_t frame;
    unsigned char stack[16];
    uint32_t process, thread;
    char name[32], file[32];
};

static void hear(struct heard *heard, char what, uint32_t process)
{
    heard->order[strlen(heard->order)] = what;
    heard->process = process;
}

static void on_sample(void *context, const struct sample *sample)
{
    struct heard *heard = context;
    hear(heard, 's', sample->process);
    heard->sample = *sample;
    heard->frame = sample->frame_count ? sample->frames[0] : 0;
    memcpy(heard->stack, sample->stack, sample->stack_bytes);
}

static void on_described(void *context, const struct sample_code *code)
{
    struct heard *heard = context;
    hear(heard, 'c', code->process);
    snprintf(heard->name, sizeof heard->name, "%s", code->name);
    snprintf(heard->file, sizeof heard->file, "%s", code->file);
}

static void on_joined(void *context, uint32_t process, uint32_t thread)
{
    struct heard *heard = context;
    hear(heard, 'j', process);
    heard->thread = thread;
}

// A record with what follows it.
struct record {
    union {
        struct sample_head head;
        struct stack_sample stack;
        struct code_sample code;
        struct thread_sample thread;
    } start;
    unsigned char rest[64];
};

static struct record stack_at(uint64_t time_ns)
{
    struct record record = {.start.stack = {.head.kind = SAMPLE_STACK,
                                            .thread = 9,
                                            .weight = 3,
                                            .frame_count = 1,
                                            .stack_bytes = 16,
                                            .time_ns = time_ns}};
    memcpy((char *)&record + sizeof record.start.stack, &(uint64_t){0x1234}, 8);
    memset((char *)&record + sizeof record.start.stack + 8, 5, 16);
    return record;
}

static const size_t stack_size = sizeof(struct stack_sample) + 24;

static struct record code_at(uint64_t time_ns)
{
    struct record record = {
        .start.code = {.head.kind = SAMPLE_CODE, .frame = 0x1234, .time_ns = time_ns}};
    memcpy((char *)&record + sizeof record.start.code, "spin\0s.py", 10);
    return record;
}

static const size_t code_size = sizeof(struct code_sample) + 16;

static struct record thread_at(uint64_t time_ns)
{
    return (struct record){
        .start.thread = {.head.kind = SAMPLE_THREAD, .thread = 9, .time_ns = time_ns}};
}

static void add(struct pile *pile, struct record record, size_t size)
{
    own_sample_add(pile, &record.start.head, size, 7);
}

static struct heard deliver(struct pile *pile)
{
    struct heard heard = {0};
    const struct sample_events events = {
        .context = &heard, .sample = on_sample, .described = on_described, .joined = on_joined};
    pile_deliver(pile, &events);
    pile_done(pile);
    return heard;
}

static void they_come_in_order_of_time(void **state)
{
    (void)state;
    struct pile pile = {0};
    add(&pile, stack_at(30), stack_size);
    add(&pile, code_at(20), code_size);
    add(&pile, thread_at(10), sizeof(struct thread_sample));
    assert_string_equal(deliver(&pile).order, "jcs");
}

static void nothing_is_lost_on_the_way(void **state)
{
    (void)state;
    struct pile pile = {0};
    add(&pile, thread_at(10), sizeof(struct thread_sample));
    add(&pile, code_at(20), code_size);
    add(&pile, stack_at(30), stack_size);
    struct heard heard = deliver(&pile);
    assert_int_equal(heard.process, 7);
    assert_int_equal(heard.thread, 9);
    assert_string_equal(heard.name, "spin");
    assert_string_equal(heard.file, "s.py");
    assert_true(heard.sample.own && heard.sample.user && heard.sample.weight == 3);
    assert_int_equal(heard.frame, 0x1234);
    assert_int_equal(heard.sample.stack_bytes, 16);
    assert_int_equal(heard.stack[15], 5);
}

static void a_record_that_lies_about_its_size_is_dropped(void **state)
{
    (void)state;
    struct pile pile = {0};
    struct record stack = stack_at(1), code = code_at(1);
    stack.start.stack.frame_count = 1000;
    add(&pile, stack, stack_size);
    add(&pile, code, sizeof(struct code_sample) + 8);  // without the end of the file's name
    add(&pile, stack_at(1), sizeof(struct sample_head));
    assert_string_equal(deliver(&pile).order, "");
}

static void a_record_that_does_not_fit_is_dropped(void **state)
{
    (void)state;
    struct pile pile = {0};
    struct stack_sample *large = calloc(1, UINT16_MAX);
    large->head.kind = SAMPLE_STACK;
    own_sample_add(&pile, &large->head, UINT16_MAX - 7, 7);
    own_sample_add(&pile, &large->head, sizeof *large + OWN_SAMPLE_STACK_MOST, 7);
    free(large);
    assert_string_equal(deliver(&pile).order, "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_in_order_of_time),
        cmocka_unit_test(nothing_is_lost_on_the_way),
        cmocka_unit_test(a_record_that_lies_about_its_size_is_dropped),
        cmocka_unit_test(a_record_that_does_not_fit_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
