#include "profile/sampling/perf_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

// What was delivered, one letter each: s, m, n, f, t, and the figures of the last sample.
struct heard {
    char order[32];
    struct sample last;
    uint64_t kernel[4];
    struct sample_mapped mapped;
    char path[32], name[32];
    bool executed;
};

static void hear(struct heard *heard, char what)
{
    heard->order[strlen(heard->order)] = what;
}

static void on_sample(void *context, const struct sample *sample)
{
    struct heard *heard = context;
    hear(heard, 's');
    heard->last = *sample;
    memcpy(heard->kernel, sample->kernel, sample->kernel_count * sizeof *heard->kernel);
}

static void on_mapped(void *context, uint32_t process, const struct sample_mapped *mapped)
{
    struct heard *heard = context;
    assert_int_equal(process, 7);
    hear(heard, 'm');
    heard->mapped = *mapped;
    snprintf(heard->path, sizeof heard->path, "%s", mapped->path);
}

static void on_named(void *context, const struct sample_named *named)
{
    struct heard *heard = context;
    hear(heard, 'n');
    snprintf(heard->name, sizeof heard->name, "%s", named->name);
    heard->executed = named->executed;
}

static void on_forked(void *context, const struct sample_forked *forked)
{
    assert_int_equal(forked->parent, 7);
    assert_int_equal(forked->thread, forked->process == 8 ? 8 : 9);
    hear(context, forked->process == 8 ? 'f' : 't');
}

// A record under construction.
struct record {
    struct perf_event_header header;
    uint64_t words[64];
    size_t count;
};

static struct record begin(uint32_t type)
{
    return (struct record){.header = {.type = type}};
}

static void put(struct record *record, uint64_t word)
{
    record->words[record->count++] = word;
}

static void put_text(struct record *record, const char *text)
{
    char padded[32] = "";
    snprintf(padded, sizeof padded, "%s", text);
    memcpy(&record->words[record->count], padded, sizeof padded);
    record->count += 4;
}

static void finish(struct pile *pile, struct record *record)
{
    record->header.size = (uint16_t)(sizeof record->header + record->count * 8);
    unsigned char bytes[sizeof *record];
    memcpy(bytes, &record->header, sizeof record->header);
    memcpy(bytes + sizeof record->header, record->words, record->count * 8);
    pile_add(pile, bytes, record->header.size);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

static void add_sample(struct pile *pile, uint64_t time, uint64_t stack_words)
{
    struct record record = begin(PERF_RECORD_SAMPLE);
    put(&record, 0x401000);
    put(&record, pair(7, 9));
    put(&record, time);
    put(&record, 3);
    put(&record, (uint64_t)PERF_CONTEXT_KERNEL);
    put(&record, 0xffffffff81000001);
    put(&record, 0xffffffff81000002);
    put(&record, PERF_SAMPLE_REGS_ABI_64);
    for (size_t i = 0; i < REGISTERS; i++)
        put(&record, 100 + i);
    put(&record, stack_words * 8);
    for (uint64_t i = 0; i < stack_words; i++)
        put(&record, 1000 + i);
    put(&record, stack_words * 8);
    finish(pile, &record);
}

static void add_mapping(struct pile *pile, uint64_t time)
{
    struct record record = begin(PERF_RECORD_MMAP2);
    put(&record, pair(7, 7));
    put(&record, 0x400000);
    put(&record, 0x2000);
    put(&record, 0x1000);
    for (size_t i = 0; i < 4; i++)
        put(&record, 0);
    put_text(&record, "/bin/true");
    put(&record, pair(7, 7));
    put(&record, time);
    finish(pile, &record);
}

static struct heard deliver(struct pile *pile)
{
    struct heard heard = {0};
    const struct sample_events events = {&heard,    on_sample, on_mapped, on_named,
                                         on_forked, NULL,      NULL};
    pile_deliver(pile, &events);
    assert_int_equal(pile->size, 0);
    pile_done(pile);
    return heard;
}

static void a_sample_has_its_registers_and_stack(void **state)
{
    (void)state;
    struct pile pile = {0};
    add_sample(&pile, 5, 4);
    struct heard heard = deliver(&pile);
    assert_string_equal(heard.order, "s");
    assert_int_equal(heard.last.process, 7);
    assert_int_equal(heard.last.thread, 9);
    assert_true(heard.last.user);
    assert_int_equal(heard.last.kernel_count, 2);
    assert_true(heard.kernel[0] == 0xffffffff81000001 && heard.kernel[1] == 0xffffffff81000002);
    assert_int_equal(heard.last.stack_bytes, 32);
#if defined(__x86_64__)
    assert_int_equal(heard.last.registers[REGISTER_STACK], 107);
    assert_int_equal(heard.last.registers[REGISTER_PC], 108);
    assert_int_equal(heard.last.registers[8], 109);
#endif
}

static void records_of_several_buffers_are_delivered_by_time(void **state)
{
    (void)state;
    struct pile pile = {0};
    add_sample(&pile, 30, 1);
    add_sample(&pile, 10, 1);
    add_mapping(&pile, 20);
    struct heard heard = deliver(&pile);
    assert_string_equal(heard.order, "sms");
    assert_string_equal(heard.path, "/bin/true");
    assert_int_equal(heard.mapped.start, 0x400000);
    assert_int_equal(heard.mapped.end, 0x402000);
    assert_int_equal(heard.mapped.offset, 0x1000);
}

static void names_and_forks_are_delivered(void **state)
{
    (void)state;
    struct pile pile = {0};
    struct record named = begin(PERF_RECORD_COMM);
    named.header.misc = PERF_RECORD_MISC_COMM_EXEC;
    put(&named, pair(7, 7));
    put_text(&named, "worker");
    put(&named, pair(7, 7));
    put(&named, 1);
    finish(&pile, &named);
    struct record forked = begin(PERF_RECORD_FORK);
    put(&forked, pair(8, 7));
    put(&forked, pair(8, 7));
    put(&forked, 2);
    put(&forked, pair(8, 8));
    put(&forked, 2);
    finish(&pile, &forked);
    struct record thread = begin(PERF_RECORD_FORK);
    put(&thread, pair(7, 7));
    put(&thread, pair(9, 7));
    put(&thread, 3);
    put(&thread, pair(7, 9));
    put(&thread, 3);
    finish(&pile, &thread);
    struct heard heard = deliver(&pile);
    assert_string_equal(heard.order, "nft");
    assert_string_equal(heard.name, "worker");
    assert_true(heard.executed);
}

static void ignore_sample(void *context, const struct sample *sample)
{
    // Reads all that a sample promises.
    uint64_t sum = 0;
    for (size_t i = 0; i < sample->kernel_count; i++)
        sum += sample->kernel[i];
    for (size_t i = 0; i < sample->stack_bytes; i++)
        sum += sample->stack[i];
    *(uint64_t *)context += sum;
}

static void ignore_mapped(void *context, uint32_t process, const struct sample_mapped *mapped)
{
    *(uint64_t *)context += process + strlen(mapped->path);
}

static void ignore_named(void *context, const struct sample_named *named)
{
    *(uint64_t *)context += strlen(named->name);
}

static void ignore_forked(void *context, const struct sample_forked *forked)
{
    *(uint64_t *)context += forked->process + forked->parent;
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    uint64_t sum = 0;
    const struct sample_events events = {&sum,          ignore_sample, ignore_mapped, ignore_named,
                                         ignore_forked, NULL,          NULL};
    for (size_t at = 0; at < 420; at++)
        for (unsigned fill = 0; fill < 256; fill += 255) {
            struct pile pile = {0};
            add_sample(&pile, 5, 4);
            add_mapping(&pile, 6);
            if (at < pile.size)
                pile.data[at] = (unsigned char)fill;
            pile_deliver(&pile, &events);
            pile_done(&pile);
        }
    unsigned char tiny[16] = {0};
    assert_int_equal(perf_record_stack_at(tiny, sizeof tiny), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_its_registers_and_stack),
        cmocka_unit_test(records_of_several_buffers_are_delivered_by_time),
        cmocka_unit_test(names_and_forks_are_delivered),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
