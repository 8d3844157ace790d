// own_samples: samples that a process has taken of itself.
#include "own_samples.h"

#include <string.h>

#include "samples.h"

static void deliver_stack(const struct stack_sample *from, size_t size, uint32_t process,
                          const struct sample_events *events)
{
    size_t frame_bytes = size < sizeof *from ? 0 : from->frame_count * sizeof(uint64_t);
    if (size < sizeof *from || size - sizeof *from < frame_bytes ||
        size - sizeof *from - frame_bytes < from->stack_bytes)
        return;
    struct sample sample = {.process = process,
                            .thread = from->thread,
                            .weight = from->weight,
                            .user = true,
                            .own = true,
                            .stack = (const unsigned char *)(from + 1) + frame_bytes,
                            .stack_bytes = from->stack_bytes,
                            .whole = from->whole,
                            .frames = (const uint64_t *)(const void *)(from + 1),
                            .frame_count = from->frame_count};
    memcpy(sample.registers, from->registers, sizeof sample.registers);
    events->sample(events->context, &sample);
}

static void deliver_code(const struct code_sample *from, size_t size, uint32_t process,
                         const struct sample_events *events)
{
    const char *name = (const char *)(from + 1), *end = (const char *)from + size;
    const char *file = size > sizeof *from ? memchr(name, '\0', (size_t)(end - name)) : NULL;
    if (!file || !memchr(file + 1, '\0', (size_t)(end - file - 1)))
        return;
    events->described(events->context, &(struct sample_code){process, from->frame, name, file + 1});
}

void own_sample_deliver(const struct sample_head *record, size_t size, uint32_t process,
                        const struct sample_events *events)
{
    const void *whole = record;
    const struct thread_sample *thread = whole;
    if (record->kind == SAMPLE_STACK)
        deliver_stack(whole, size, process, events);
    else if (record->kind == SAMPLE_CODE)
        deliver_code(whole, size, process, events);
    else if (record->kind == SAMPLE_THREAD && size >= sizeof *thread && events->joined)
        events->joined(events->context, process, (uint32_t)thread->thread);
}

// ---- In a pile

struct wrapper {
    struct perf_event_header header;
    uint64_t process;
};

static uint64_t time_of(const struct sample_head *record, size_t size)
{
    const void *whole = record;
    const struct stack_sample *stack = whole;
    const struct code_sample *code = whole;
    const struct thread_sample *thread = whole;
    if (record->kind == SAMPLE_STACK && size >= sizeof *stack)
        return stack->time_ns;
    if (record->kind == SAMPLE_CODE && size >= sizeof *code)
        return code->time_ns;
    return record->kind == SAMPLE_THREAD && size >= sizeof *thread ? thread->time_ns : 0;
}

// The time comes last, as in the kernel's records.
void own_sample_add(struct pile *pile, const struct sample_head *record, size_t size,
                    uint32_t process)
{
    uint64_t buffer[(UINT16_MAX + 1) / 8], time = time_of(record, size);
    struct wrapper wrapper = {{.type = OWN_SAMPLE}, process};
    size_t whole = sizeof wrapper + size + sizeof time;
    if (whole > UINT16_MAX)
        return;
    wrapper.header.size = (uint16_t)whole;
    memcpy(buffer, &wrapper, sizeof wrapper);
    memcpy((char *)buffer + sizeof wrapper, (const void *)record, size);
    memcpy((char *)buffer + sizeof wrapper + size, &time, sizeof time);
    pile_add(pile, buffer, whole);
}

void own_sample_unwrap(const struct perf_event_header *header, const struct sample_events *events)
{
    const struct wrapper *wrapper = (const void *)header;
    size_t around = sizeof *wrapper + sizeof(uint64_t);
    if (header->size >= around + sizeof(struct sample_head))
        own_sample_deliver((const void *)(wrapper + 1), header->size - around,
                           (uint32_t)wrapper->process, events);
}
