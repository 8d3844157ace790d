// self_sample: a thread records a sample of itself, in a signal handler.
#include "self_sample.h"

#include <string.h>
#include <time.h>

#include "core/worker/peek.h"

enum { LONGEST_CODE = 600 };  // bytes of a name and a file

uint64_t self_sample_now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_new(struct self_sample *self, uint64_t code)
{
    size_t at = (size_t)(code * 0x9E3779B97F4A7C15u >> 50) % SELF_SAMPLE_SEEN;
    uint64_t identity = self->language->identify(self->language->context, code);
    for (size_t tries = 0; tries < 64; tries++, at = (at + 1) % SELF_SAMPLE_SEEN) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&self->seen[at].code, &there, code) || there == code)
            return atomic_exchange(&self->seen[at].identity, identity) != identity;
    }
    return false;  // too many; it will have no name
}

static void describe_code(struct self_sample *self, uint64_t code)
{
    const struct sampler_language *language = self->language;
    char text[LONGEST_CODE];
    uint64_t line = 0;
    size_t size = language->describe(language->context, code, text, sizeof text, &line);
    struct code_sample *record =
        size ? sample_memory_reserve(self->memory, sizeof *record + size, SAMPLE_CODE) : NULL;
    if (!record)
        return;
    record->frame = code;
    record->line = line;
    record->time_ns = self_sample_now_ns();
    memcpy(record + 1, text, size);
    sample_memory_complete(record, sizeof *record + size);
}

size_t self_sample_walk(struct self_sample *self, uint64_t *out, bool again)
{
    const struct sampler_language *language = self->language;
    size_t count = language->walk(language->context, out, SELF_SAMPLE_FRAMES, again);
    for (size_t i = 0; i < count; i++)
        if (is_new(self, out[i] & ~(uint64_t)1))
            describe_code(self, out[i] & ~(uint64_t)1);
    return count;
}

// Sanitizers do not want the parts of a stack between variables to be read.
__attribute__((no_sanitize("address"))) static void copy_words(uint64_t *to, const uint64_t *from,
                                                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        __asm__ volatile("" : : : "memory");  // otherwise it would become a call of memcpy()
    }
}

// Where the stack of another thread ends is not known; there, a system call finds out.
static size_t copy_stack(char *to, uint64_t from, size_t size, bool whole)
{
    const void *stack = (const void *)(uintptr_t)from;
    if (!whole || from % sizeof(uint64_t))
        return peek(to, stack, size);
    copy_words((uint64_t *)(void *)to, stack, size / sizeof(uint64_t));
    return size;
}

void self_sample_record(struct self_sample *self, const struct self_sample_facts *facts,
                        const ucontext_t *context)
{
    uint64_t registers[REGISTERS], end = facts->stack_end;
    registers_of(context, registers);
    uint64_t stack = registers[REGISTER_STACK];
    bool whole = stack < end && end - stack <= SAMPLE_STACK_BYTES;
    size_t wanted = whole ? (size_t)(end - stack) : facts->stack_bytes;
    size_t frame_bytes = facts->frame_count * sizeof *facts->frames;
    size_t size = sizeof(struct stack_sample) + frame_bytes + wanted;
    struct stack_sample *sample = sample_memory_reserve(self->memory, size, SAMPLE_STACK);
    if (!sample) {
        atomic_fetch_add(&self->memory->lost, facts->weight);
        return;
    }
    memcpy(sample->registers, registers, sizeof registers);
    memcpy(sample + 1, facts->frames, frame_bytes);
    size_t got = copy_stack((char *)(sample + 1) + frame_bytes, stack, wanted, whole);
    sample->thread = facts->thread;
    sample->weight = facts->weight;
    sample->frame_count = (uint32_t)facts->frame_count;
    sample->stack_bytes = (uint32_t)got;
    sample->whole = whole || got < wanted;
    sample->time_ns = self_sample_now_ns();
    sample_memory_complete(sample, size);
}
