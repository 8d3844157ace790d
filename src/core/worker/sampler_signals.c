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
#include "core/worker/self_sample.h"
#include "core/worker/threads.h"
#include "core/worker/ticks.h"

enum { MOST_THREADS = 1024 };

struct signal_sampler {
    struct sampler_options options;
    struct tick_source source;
    struct self_sample self;
    pid_t loop_thread;
    atomic_bool on;
    bool resting;  // there are no ticks
    struct ticker tickers[MOST_THREADS];
    _Atomic size_t ticker_count;
    unsigned thread_count;
    sigjmp_buf *_Atomic faults[MOST_THREADS];  // by ticker: where a walk continues after a fault
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

static size_t walk(struct signal_sampler *sampler, const struct ticker *ticker, uint64_t *frames)
{
    sigjmp_buf *_Atomic *fault = &sampler->faults[ticker - sampler->tickers];
    volatile size_t count = 0;
    volatile unsigned tries = 0;
    sigjmp_buf here;
    if (!sampler->self.language)
        return 0;
    sigsetjmp(here, 0);
    if (tries++ < 2) {
        atomic_store(fault, &here);
        count = self_sample_walk(&sampler->self, frames, tries == 2);
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
static void take(struct signal_sampler *sampler, const struct ticker *ticker, uint32_t weight,
                 const ucontext_t *context)
{
    uint64_t frames[SELF_SAMPLE_FRAMES];
    bool in_loop = ticker->thread == sampler->loop_thread;
    struct self_sample_facts facts = {
        .thread = (uint32_t)ticker->thread,
        .weight = weight,
        .frames = frames,
        .frame_count = walk(sampler, ticker, frames),
        .stack_end = in_loop ? (uint64_t)(uintptr_t)sampler->options.stack_end : 0,
        .stack_bytes = (size_t)sampler->options.stack_bytes};
    self_sample_record(&sampler->self, &facts, context);
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
    sample_memory_close(sampler->self.memory);
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
    sampler->self.memory = memory;
    sampler->loop_thread = (pid_t)syscall(SYS_gettid);
    sampler->source = tick_source_choose(options->rate, SIGURG);
    const struct sampler_language *language = options->language;
    const char *unknown = language && language->check ? language->check(language->context) : NULL;
    sampler->self.language = unknown ? NULL : language;
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
