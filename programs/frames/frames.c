// frames: preloaded into a command and what it starts; samples the threads of Python.
//
// The frames of Python are in the memory of the process, which may change before anybody else can
// read it. So a process with Python samples itself, by the same means as a worker does, and leaves
// the samples on a board of the controller (core/worker/sample_board.h). In other processes this
// library only passes itself on to the programs that they execute.
//
// Rejected: reading the memory from outside when the kernel has taken a sample, as the program has
// gone on for some ten microseconds by then; PYTHONPERFSUPPORT, which 3.11 lacks and which changes
// what is measured; a sitecustomize, which hides the user's and which -I ignores.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "carry.h"
#include "core/worker/sample_board.h"
#include "core/worker/self_sample.h"
#include "core/worker/ticks.h"
#include "interpreter.h"

#define PUBLIC __attribute__((visibility("default")))
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

enum { HIGH_DESCRIPTOR = 700 };  // above those that programs count on

static struct {
    const char *path;  // of the board
    struct sample_seat seat;
    struct self_sample self;
    struct sampler_language language;
    struct python_frames frames;
    struct tick_source source;
    struct sigaction before;
    pthread_key_t key;  // its destructor ends the ticks of a thread
    bool sampling;
} process;

OF_THREAD struct {
    struct ticker ticker;
    bool ticking;
    double even;
} mine;

// ---- A tick

// Signals do not queue. Periods vary by a half, so only more than two of them are missed ones.
static uint32_t periods_since(void)
{
    uint64_t now_ns = ticks_thread_ns(), period_ns = process.source.period_ns;
    uint64_t passed_ns = mine.ticker.last_ns ? now_ns - mine.ticker.last_ns : period_ns;
    mine.ticker.last_ns = now_ns;
    return 2 * passed_ns < 5 * period_ns ? 1 : (uint32_t)((passed_ns + period_ns / 2) / period_ns);
}

static void take(const ucontext_t *context)
{
    uint64_t frames[SELF_SAMPLE_FRAMES];
    struct self_sample_facts facts = {.thread = (uint32_t)mine.ticker.thread,
                                      .weight = periods_since(),
                                      .frames = frames,
                                      .frame_count = self_sample_walk(&process.self, frames, false),
                                      .stack_bytes = process.seat.page->stack_bytes};
    self_sample_record(&process.self, &facts, context);
    double factor = 0.5 + even_next(&mine.even, EVEN_STEP);
    ticker_retime(&process.source, &mine.ticker,
                  (uint64_t)((double)process.source.period_ns * factor));
}

static void forward(int number, siginfo_t *info, void *context)
{
    if (process.before.sa_flags & SA_SIGINFO)
        process.before.sa_sigaction(number, info, context);
    else if (process.before.sa_handler != SIG_DFL && process.before.sa_handler != SIG_IGN)
        process.before.sa_handler(number);
}

// A child has the variables of its parent until it has its own ticks.
static void on_tick(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (!tick_is_ours(info))
        forward(number, info, context);
    else if (mine.ticking && mine.ticker.thread == (pid_t)syscall(SYS_gettid))
        take(context);
    errno = saved;
}

// ---- Threads

// A program may count on the lowest numbers being free.
static void move_up(struct ticker *ticker)
{
    int high = fcntl(ticker->id, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0)
        close(ticker->id);
    ticker->id = high >= 0 ? high : ticker->id;
}

// The program may have closed it, and have another file there now.
static bool is_still_there(const struct ticker *ticker)
{
    struct f_owner_ex owner = {0};
    return !process.source.by_perf || (fcntl(ticker->id, F_GETOWN_EX, &owner) == 0 &&
                                       owner.type == F_OWNER_TID && owner.pid == ticker->thread);
}

static void announce(pid_t thread)
{
    struct thread_sample *record =
        sample_memory_reserve(process.seat.memory, sizeof *record, SAMPLE_THREAD);
    if (!record)
        return;
    record->thread = (uint64_t)thread;
    record->time_ns = self_sample_now_ns();
    sample_memory_complete(record, sizeof *record);
}

static void begin_thread(void)
{
    pid_t thread = (pid_t)syscall(SYS_gettid);
    struct ticker ticker;
    if (!process.sampling || !ticker_start(&process.source, thread, &ticker))
        return;
    if (process.source.by_perf)
        move_up(&ticker);
    mine.ticker = ticker;
    mine.even = even_after((uint64_t)thread, EVEN_STEP);
    announce(thread);
    mine.ticking = true;
    pthread_setspecific(process.key, &mine);
}

static void end_thread(void *unused)
{
    (void)unused;
    if (mine.ticking && is_still_there(&mine.ticker))
        ticker_stop(&process.source, &mine.ticker);
    mine.ticking = false;
}

struct beginning {
    void *(*run)(void *);
    void *argument;
};

static void *run_thread(void *context)
{
    struct beginning beginning = *(struct beginning *)context;
    free(context);
    begin_thread();
    return beginning.run(beginning.argument);
}

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &found, sizeof real);
    struct beginning *beginning = process.sampling ? malloc(sizeof *beginning) : NULL;
    if (!beginning)
        return real(thread, attributes, run, argument);
    *beginning = (struct beginning){run, argument};
    int failed = real(thread, attributes, run_thread, beginning);
    if (failed)
        free(beginning);
    return failed;
}

// ---- Processes

static bool take_seat(void)
{
    if (!sample_seat_take(process.path, &process.seat))
        return false;
    memset(process.self.seen, 0, sizeof process.self.seen);
    process.self.memory = process.seat.memory;
    return true;
}

// The parent's events belong to its threads. Its timers are not inherited.
static void begin_child(void)
{
    if (!process.sampling)
        return;
    if (mine.ticking && process.source.by_perf && is_still_there(&mine.ticker))
        close(mine.ticker.id);
    mine.ticking = false;
    process.sampling = take_seat();
    begin_thread();
}

static void begin_sampling(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    process.language = (struct sampler_language){
        "python",           &process.frames,        NULL,
        python_frames_walk, python_frames_describe, python_frames_identify};
    process.self.language = &process.language;
    process.source = tick_source_choose(process.seat.page->rate, SIGURG);
    action.sa_sigaction = on_tick;
    sigfillset(&action.sa_mask);
    if (!take_seat() || pthread_key_create(&process.key, end_thread) != 0 ||
        sigaction(SIGURG, &action, &process.before) != 0)
        return;
    pthread_atfork(NULL, NULL, begin_child);
    process.sampling = true;
    begin_thread();
}

static void report_unknown(const char *version)
{
    struct sample_board_page *page = process.seat.page;
    if (atomic_fetch_add(&page->unknown, 1) == 0)
        for (size_t i = 0; i < sizeof page->version - 1 && version[i] && version[i] != ' '; i++)
            page->version[i] = version[i];
}

__attribute__((constructor)) static void begin(void)
{
    const char *version = NULL;
    int saved = errno;
    process.path = carry_hide();
    enum interpreter_kind kind =
        process.path ? interpreter_find(&process.frames, &version) : INTERPRETER_NONE;
    if (kind != INTERPRETER_NONE && sample_seat_open(process.path, &process.seat)) {
        if (kind == INTERPRETER_KNOWN)
            begin_sampling();
        else
            report_unknown(version);
    }
    errno = saved;
}
