// sampler_signals: a signal makes each thread copy its own stack, with the frames of its language.
//
// For languages whose frames are not on the native stack: only the process itself can read them at
// the moment of a sample. And for users that the kernel does not let sample. Stacks are only copied
// here; the controller unwinds them.
//
// The signal is SIGURG, because a late one does no harm: by default it is ignored. A handler may
// interrupt the language's interpreter between any two instructions, so its frames may lead to
// memory that is not there: such a fault ends the walk.
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/worker/message.h"
#include "core/worker/peek.h"
#include "core/worker/sample_memory.h"
#include "core/worker/sampler.h"
#include "core/worker/threads.h"
#include "core/worker/ticks.h"

enum {
    MOST_THREADS = 1024,
    MOST_FRAMES = 256,  // of the language, in one stack
    SEEN_CODES = 1 << 14,
    LONGEST_CODE = 600,  // bytes of a name and a file
};

struct signal_sampler {
    struct sampler_options options;
    struct tick_source source;
    struct sample_memory *memory;
    pid_t loop_thread;
    atomic_bool on;
    bool resting;  // there are no ticks
    struct ticker tickers[MOST_THREADS];
    _Atomic size_t ticker_count;
    unsigned thread_count;
    _Atomic uint64_t seen[SEEN_CODES];         // frames of the language that the controller knows
    sigjmp_buf *_Atomic faults[MOST_THREADS];  // by ticker: where a walk goes on after a fault
    struct sigaction before, before_faults[2];
};

static const int fault_signals[2] = {SIGSEGV, SIGBUS};

// Global because a handler has no context.
static _Atomic(struct signal_sampler *) current;
static atomic_int handlers;  // running

static struct ticker *find_ticker(struct signal_sampler *sampler, pid_t thread)
{
    size_t count = atomic_load(&sampler->ticker_count);
    for (size_t i = 0; i < count; i++)
        if (sampler->tickers[i].thread == thread)
            return &sampler->tickers[i];
    return NULL;
}

static bool is_new(struct signal_sampler *sampler, uint64_t code)
{
    size_t at = (size_t)(code * 0x9E3779B97F4A7C15u >> 50) % SEEN_CODES;
    for (size_t tries = 0; tries < 64; tries++, at = (at + 1) % SEEN_CODES) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&sampler->seen[at], &there, code))
            return true;
        if (there == code)
            return false;
    }
    return false;  // too many; it will have no name
}

static void describe_code(struct signal_sampler *sampler, uint64_t code)
{
    const struct sampler_language *language = sampler->options.language;
    char text[LONGEST_CODE];
    uint64_t line = 0;
    size_t size = language->describe(language->context, code, text, sizeof text, &line);
    struct code_sample *record =
        size ? sample_memory_reserve(sampler->memory, sizeof *record + size, SAMPLE_CODE) : NULL;
    if (!record)
        return;
    record->frame = code;
    record->line = line;
    memcpy(record + 1, text, size);
    sample_memory_complete(record, sizeof *record + size);
}

static size_t walk_freely(struct signal_sampler *sampler, uint64_t *frames, bool again)
{
    const struct sampler_language *language = sampler->options.language;
    size_t count = language->walk(language->context, frames, MOST_FRAMES, again);
    for (size_t i = 0; i < count; i++)
        if (is_new(sampler, frames[i] & ~(uint64_t)1))
            describe_code(sampler, frames[i] & ~(uint64_t)1);
    return count;
}

static size_t walk(struct signal_sampler *sampler, const struct ticker *ticker, uint64_t *frames)
{
    sigjmp_buf *_Atomic *fault = &sampler->faults[ticker - sampler->tickers];
    volatile size_t count = 0;
    volatile unsigned tries = 0;
    sigjmp_buf here;
    if (!sampler->options.language)
        return 0;
    sigsetjmp(here, 0);
    if (tries++ < 2) {
        atomic_store(fault, &here);
        count = walk_freely(sampler, frames, tries == 2);
    }
    atomic_store(fault, NULL);
    return count;
}

// If it was not ours, the access is repeated, with the action that there was before.
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    struct signal_sampler *sampler = atomic_load(&current);
    struct ticker *ticker = sampler ? find_ticker(sampler, (pid_t)syscall(SYS_gettid)) : NULL;
    sigjmp_buf *fault = ticker ? atomic_load(&sampler->faults[ticker - sampler->tickers]) : NULL;
    if (fault)
        siglongjmp(*fault, 1);
    for (size_t i = 0; sampler && i < 2; i++)
        if (fault_signals[i] == number)
            sigaction(number, &sampler->before_faults[i], NULL);
}

// The harness above the measured body is the same for all samples and is not needed.
static size_t stack_wanted(const struct signal_sampler *sampler, pid_t thread, uint64_t stack,
                           bool *whole)
{
    uint64_t end = (uint64_t)(uintptr_t)sampler->options.stack_end;
    *whole = thread == sampler->loop_thread && stack < end && end - stack <= SAMPLE_STACK_BYTES;
    return *whole ? (size_t)(end - stack) : (size_t)sampler->options.stack_bytes;
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

static void take(struct signal_sampler *sampler, const struct ticker *ticker, uint32_t weight,
                 const ucontext_t *context)
{
    uint64_t frames[MOST_FRAMES];
    size_t frame_count = walk(sampler, ticker, frames), frame_bytes = frame_count * sizeof *frames;
    uint64_t registers[REGISTERS];
    registers_of(context, registers);
    bool whole;
    size_t wanted = stack_wanted(sampler, ticker->thread, registers[REGISTER_STACK], &whole);
    size_t size = sizeof(struct stack_sample) + frame_bytes + wanted;
    struct stack_sample *sample = sample_memory_reserve(sampler->memory, size, SAMPLE_STACK);
    if (!sample) {
        atomic_fetch_add(&sampler->memory->lost, weight);
        return;
    }
    memcpy(sample->registers, registers, sizeof registers);
    memcpy(sample + 1, frames, frame_bytes);
    size_t got =
        copy_stack((char *)(sample + 1) + frame_bytes, registers[REGISTER_STACK], wanted, whole);
    sample->thread = (uint32_t)ticker->thread;
    sample->weight = weight;
    sample->frame_count = (uint32_t)frame_count;
    sample->stack_bytes = (uint32_t)got;
    sample->whole = whole || got < wanted;
    sample_memory_complete(sample, size);
}

// How many periods have passed since the last tick of this thread: signals do not queue.
static uint32_t periods_since(const struct signal_sampler *sampler, struct ticker *ticker)
{
    uint64_t now_ns = ticks_thread_ns(), period_ns = sampler->source.period_ns;
    uint64_t periods = ticker->last_ns ? (now_ns - ticker->last_ns + period_ns / 2) / period_ns : 1;
    ticker->last_ns = now_ns;
    return periods ? (uint32_t)periods : 1;
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number;
    int saved = errno;
    atomic_fetch_add(&handlers, 1);
    struct signal_sampler *sampler = atomic_load(&current);
    if (sampler && tick_is_ours(info)) {
        struct ticker *ticker = find_ticker(sampler, (pid_t)syscall(SYS_gettid));
        uint32_t weight = ticker ? periods_since(sampler, ticker) : 0;
        if (weight && atomic_load(&sampler->on))
            take(sampler, ticker, weight, context);
    }
    atomic_fetch_sub(&handlers, 1);
    errno = saved;
}

// Threads may have come since the last batch.
static void find_threads(struct signal_sampler *sampler)
{
    unsigned now = threads_count();
    if (now == sampler->thread_count)
        return;
    AUTO(threads) struct threads threads = {0};
    threads_list(&threads);
    for (size_t i = 0; i < threads.count; i++) {
        size_t count = atomic_load(&sampler->ticker_count);
        if (count == MOST_THREADS || find_ticker(sampler, threads.items[i]))
            continue;
        if (!ticker_start(&sampler->source, threads.items[i], &sampler->tickers[count]))
            continue;
        if (sampler->resting)
            ticker_rest(&sampler->source, &sampler->tickers[count], true);
        atomic_store(&sampler->ticker_count, count + 1);
    }
    sampler->thread_count = now;
}

static void close_sampler(void *state)
{
    struct signal_sampler *sampler = state;
    for (size_t i = 0; i < atomic_load(&sampler->ticker_count); i++)
        ticker_stop(&sampler->source, &sampler->tickers[i]);
    atomic_store(&current, NULL);
    while (atomic_load(&handlers))
        sched_yield();
    sigaction(SIGURG, &sampler->before, NULL);
    for (size_t i = 0; i < 2; i++)
        sigaction(fault_signals[i], &sampler->before_faults[i], NULL);
    sample_memory_close(sampler->memory);
    free(sampler);
}

static void describe(const struct signal_sampler *sampler, const char *unknown, struct text *answer)
{
    message_add(answer, "ticks", sampler->source.by_perf ? "cpu-clock" : "timer");
    message_add_number(answer, "rate", 1e9 / (double)sampler->source.period_ns);
    if (unknown)
        message_add(answer, "unknown", unknown);
}

static void install(struct signal_sampler *sampler)
{
    struct sigaction on_fault_action = {.sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction on_tick_action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    on_fault_action.sa_sigaction = on_fault;
    on_tick_action.sa_sigaction = on_tick;
    sigfillset(&on_tick_action.sa_mask);
    for (size_t i = 0; i < 2; i++) {
        sigaction(fault_signals[i], &on_fault_action, &sampler->before_faults[i]);
        sigdelset(&on_tick_action.sa_mask, fault_signals[i]);
    }
    sigaction(SIGURG, &on_tick_action, &sampler->before);
}

static struct bilanx_error open_sampler(const struct sampler_options *options, void **state,
                                        struct text *answer)
{
    struct sample_memory *memory = NULL;
    if (!REGISTERS_KNOWN)
        return bilanx_error_make(BILANX_E_SYSTEM, "stacks of this processor cannot be sampled");
    if (!peek_works())
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "this container does not let a process read its own memory "
                                 "(process_vm_readv), which sampling needs");
    if (!options->memory)
        return bilanx_error_make(BILANX_E_INPUT, "samples taken by signals need memory");
    BILANX_TRY(sample_memory_open(options->memory, &memory));
    struct signal_sampler *sampler = mem_new(struct signal_sampler);
    sampler->options = *options;
    sampler->memory = memory;
    sampler->loop_thread = (pid_t)syscall(SYS_gettid);
    sampler->source = tick_source_choose(options->rate, SIGURG);
    const struct sampler_language *language = options->language;
    const char *unknown = language && language->check ? language->check(language->context) : NULL;
    if (unknown)
        sampler->options.language = NULL;
    if (sampler->options.stack_bytes > SAMPLE_STACK_BYTES)
        sampler->options.stack_bytes = SAMPLE_STACK_BYTES;
    atomic_store(&current, sampler);
    install(sampler);
    find_threads(sampler);
    describe(sampler, unknown, answer);
    *state = sampler;
    return BILANX_SUCCESS;
}

static void start(void *state)
{
    struct signal_sampler *sampler = state;
    atomic_store(&sampler->on, true);
}

static void stop(void *state)
{
    struct signal_sampler *sampler = state;
    atomic_store(&sampler->on, false);
}

// Ticks cost something even if nothing is sampled.
static void prepare(void *state, bool sampled)
{
    struct signal_sampler *sampler = state;
    find_threads(sampler);
    if (sampler->resting != sampled)
        return;
    for (size_t i = 0; i < atomic_load(&sampler->ticker_count); i++)
        ticker_rest(&sampler->source, &sampler->tickers[i], !sampled);
    sampler->resting = !sampled;
}

static bool retime(void *state, uint64_t period_ns)
{
    struct signal_sampler *sampler = state;
    for (size_t i = 0; i < atomic_load(&sampler->ticker_count); i++) {
        if (!ticker_retime(&sampler->source, &sampler->tickers[i], period_ns))
            return false;
        sampler->tickers[i].last_ns = 0;
    }
    atomic_store(&sampler->source.period_ns, period_ns);
    return true;
}

const struct sampler sampler_signals = {
    .name = "signals",
    .open = open_sampler,
    .prepare = prepare,
    .retime = retime,
    .start = start,
    .stop = stop,
    .close = close_sampler,
};
