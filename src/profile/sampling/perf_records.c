// perf_records: reads the records of perf events.
#include "perf_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/worker/sampling_event.h"
#include "own_samples.h"

// The parts of a sample, in their order.
struct raw_sample {
    uint64_t address;
    uint32_t process, thread;
    uint64_t time;
    uint64_t chain_count;
};

size_t perf_record_stack_at(const unsigned char *record, size_t size)
{
    struct raw_sample start;
    uint64_t abi;
    size_t at = sizeof(struct perf_event_header) + sizeof start;
    if (size < at)
        return 0;
    memcpy(&start, record + at - sizeof start, sizeof start);
    if (start.chain_count > UINT16_MAX / 8)
        return 0;
    at += start.chain_count * 8;
    if (size < at + sizeof abi)
        return 0;
    memcpy(&abi, record + at, sizeof abi);
    at += sizeof abi + (abi ? REGISTERS * 8 : 0);
    return size >= at + 8 ? at : 0;
}

static const uint64_t *read_chain(const unsigned char *chain, size_t count, struct sample *out)
{
    const uint64_t *addresses = (const uint64_t *)(const void *)chain;
    size_t start = 0;
    while (start < count && addresses[start] >= (uint64_t)PERF_CONTEXT_MAX)
        start++;  // "what follows is of the kernel"
    out->kernel = addresses + start;
    out->kernel_count = count - start;
    return addresses + count;
}

static void deliver_sample(const unsigned char *record, size_t size,
                           const struct sample_events *events)
{
    struct raw_sample start;
    size_t at = perf_record_stack_at(record, size);
    if (!at)
        return;
    memcpy(&start, record + sizeof(struct perf_event_header), sizeof start);
    struct sample sample = {.process = start.process, .thread = start.thread, .weight = 1};
    const unsigned char *chain = record + sizeof(struct perf_event_header) + sizeof start;
    const uint64_t *after = read_chain(chain, start.chain_count, &sample);
    sample.user = after[0] != 0;
    for (size_t i = 0; sample.user && i < REGISTERS; i++)
        sample.registers[sampling_event_registers[i]] = after[1 + i];
    uint64_t stack_bytes;
    memcpy(&stack_bytes, record + at, sizeof stack_bytes);
    sample.stack = record + at + 8;
    sample.stack_bytes = stack_bytes <= size - at - 8 ? stack_bytes : 0;
    events->sample(events->context, &sample);
}

// Text in a record ends with a NUL, which damage might have removed.
static bool has_text(const struct perf_event_header *header, size_t at)
{
    const char *record = (const char *)header;
    return at < header->size && memchr(record + at, '\0', header->size - at);
}

struct raw_mapped {
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t start, size, offset;
    uint32_t major, minor;
    uint64_t inode, generation;
    uint32_t rights, flags;
    char path[];
};

struct raw_named {
    struct perf_event_header header;
    uint32_t process, thread;
    char name[];
};

struct raw_forked {
    struct perf_event_header header;
    uint32_t process, parent, thread, parent_thread;
};

static void deliver(const struct perf_event_header *header, const struct sample_events *events)
{
    const struct raw_mapped *mapped = (const void *)header;
    const struct raw_named *named = (const void *)header;
    const struct raw_forked *forked = (const void *)header;
    if (header->type == PERF_RECORD_SAMPLE)
        deliver_sample((const unsigned char *)header, header->size, events);
    else if (header->type == PERF_RECORD_MMAP2 && has_text(header, sizeof *mapped))
        events->mapped(events->context, mapped->process,
                       &(struct sample_mapped){mapped->start, mapped->start + mapped->size,
                                               mapped->offset, mapped->path});
    else if (header->type == PERF_RECORD_COMM && has_text(header, sizeof *named))
        events->named(events->context,
                      &(struct sample_named){named->process, named->thread, named->name,
                                             header->misc & PERF_RECORD_MISC_COMM_EXEC});
    else if (header->type == PERF_RECORD_FORK && header->size >= sizeof *forked)
        events->forked(events->context,
                       &(struct sample_forked){forked->process, forked->parent, forked->thread});
    else if (header->type == OWN_SAMPLE)
        own_sample_unwrap(header, events);
}

struct timed {
    uint64_t time;
    const struct perf_event_header *header;
};

static uint64_t time_of(const struct perf_event_header *header)
{
    const unsigned char *record = (const unsigned char *)header;
    uint64_t time = 0;
    if (header->type == PERF_RECORD_SAMPLE && header->size >= sizeof *header + 24)
        memcpy(&time, record + sizeof *header + 16, sizeof time);
    else if (header->size >= sizeof *header + 16)
        memcpy(&time, record + header->size - 8, sizeof time);
    return time;
}

static int by_time(const void *a, const void *b)
{
    const struct timed *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->header > right->header) - (left->header < right->header);
}

void pile_deliver(struct pile *pile, const struct sample_events *events)
{
    struct timed *order = NULL;
    size_t count = 0, room = 0;
    for (size_t at = 0; at + sizeof(struct perf_event_header) <= pile->size;) {
        const struct perf_event_header *header = (const void *)(pile->data + at);
        if (header->size < sizeof *header || header->size > pile->size - at || header->size % 8)
            break;
        mem_grow(order, count, &room);
        order[count++] = (struct timed){time_of(header), header};
        at += header->size;
    }
    if (count)
        qsort(order, count, sizeof *order, by_time);
    for (size_t i = 0; i < count; i++)
        deliver(order[i].header, events);
    free(order);
    pile->size = 0;
}
