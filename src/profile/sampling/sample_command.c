// sample_command: samples a command and everything that it starts.
//
// The child waits before it executes the command until the events are in place; they start with the
// command and are inherited by its threads and processes.
#include "sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assembly.h"
#include "base/interrupt.h"
#include "base/lineage.h"
#include "base/mem.h"
#include "base/monotonic.h"
#include "base/preloadable.h"
#include "base/spawn.h"
#include "base/surroundings.h"
#include "core/worker/sample_board.h"
#include "core/worker/sampling_event.h"
#include "gathering.h"
#include "own_samples.h"
#include "remarks.h"

enum { USUAL_RATE = 499, USUAL_STACK_BYTES = 32 << 10, UNSAMPLED_IN = 4, SLICE_MS = 50 };

struct command_sampling {
    const struct sampling_command *command;
    struct sampling_event event;
    double duration_s;
    bool whole_runs;
    struct assembly assembly;
    struct sample_events events;
    struct stacks *stacks;
    uint64_t deadline_ns;  // UINT64_MAX: none
    double *times_s[2];    // of complete runs, without and with samples
    size_t counts[2], rooms[2];
    struct gathering_losses losses;
    uint32_t missing;  // processes of Python that did not sample themselves, for lack of room
    char version[32];  // of Python whose internals are not known; empty: none
    int status;
};

static void command_sampling_done(struct command_sampling *sampling)
{
    assembly_done(&sampling->assembly);
    free(sampling->times_s[0]);
    free(sampling->times_s[1]);
}
SCOPE_VALUE(command_sampling, command_sampling_done)

struct launch {
    const char *const *argv;
    int gate;
    const char *library, *board;  // NULL: the command does not sample itself
};

// Others that are to be preloaded keep their place.
static void preload(const struct launch *launch)
{
    const char *others = getenv("LD_PRELOAD");
    AUTO(memory) char *value =
        mem_format("%s%s%s", launch->library, others ? ":" : "", others ? others : "");
    setenv("LD_PRELOAD", value, 1);
    setenv(SAMPLE_BOARD_VARIABLE, launch->board, 1);
}

static int wait_and_execute(void *context)
{
    const struct launch *launch = context;
    char byte;
    if (launch->library)
        preload(launch);
    if (read(launch->gate, &byte, 1) == 1)
        execvp(launch->argv[0], (char *const *)launch->argv);
    return 127;
}

// A run of the command.
struct command_run {
    pid_t pid;
    int gate;  // the child waits until something is written here
    uint64_t lineage;
};

static void command_run_done(struct command_run *run)
{
    if (run->gate > 0)
        close(run->gate);
    if (run->pid > 0) {
        kill(-run->pid, SIGKILL);
        kill(run->pid, SIGKILL);
        while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (run->lineage)
        lineage_kill(run->lineage);
    *run = (struct command_run){0};
}
SCOPE_VALUE(command_run, command_run_done)

// `board` NULL: this run is not sampled.
static struct bilanx_error launch(const struct sampling_command *command,
                                  const struct sample_board *board, struct command_run *out)
{
    int gate[2];
    lineage_guard();
    if (pipe2(gate, O_CLOEXEC) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    struct launch context = {command->argv, gate[0], NULL, NULL};
    AUTO(memory) char *program = surroundings_find_program(NULL, command->argv[0]);
    if (board && command->library && program && preloadable(program)) {
        context.library = command->library;
        context.board = board->path;
    }
    out->lineage = lineage_new();
    struct spawn_options options = {
        .body = wait_and_execute,
        .context = &context,
        .streams = {.out = command->out, .err = STDERR_FILENO},
        .lineage = out->lineage,
    };
    struct bilanx_error error = spawn(&options, &out->pid);
    close(gate[0]);
    out->gate = gate[1];
    return error;
}

// On all CPUs that are online: the command may choose others than those we may use.
static struct bilanx_error add_events(const struct sampling_event *event, pid_t pid,
                                      struct gathering *gathering)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus; cpu++) {
        int fd = sampling_event_open(event, pid, cpu);
        if (fd < 0 && errno == ENODEV)  // offline
            continue;
        if (fd < 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot sample on CPU %d: %s", cpu,
                                     strerror(errno));
        BILANX_TRY(gathering_add(gathering, fd));
    }
    return BILANX_SUCCESS;
}

// Waits until the command ends. At the deadline it is asked to end, then killed.
static struct bilanx_error await(const struct command_run *run, uint64_t deadline_ns, bool *stopped)
{
    static const uint64_t GRACE_NS = 2000000000u;
    AUTO(fd) int ended = spawn_watch(run->pid);
    *stopped = false;
    for (;;) {
        struct pollfd waiting = {.fd = ended, .events = POLLIN};
        if (poll(&waiting, 1, SLICE_MS) > 0 || (ended < 0 && spawn_has_ended(run->pid)))
            return BILANX_SUCCESS;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (!*stopped && monotonic_ns() >= deadline_ns) {
            *stopped = true;
            kill(-run->pid, SIGTERM);
        }
        if (*stopped && monotonic_ns() >= deadline_ns + GRACE_NS)
            kill(-run->pid, SIGKILL);
    }
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void note_time(struct command_sampling *sampling, bool sampled, double seconds)
{
    mem_grow(sampling->times_s[sampled], sampling->counts[sampled], &sampling->rooms[sampled]);
    sampling->times_s[sampled][sampling->counts[sampled]++] = seconds;
}

static struct bilanx_error finish(struct command_sampling *sampling, struct command_run *run,
                                  bool sampled)
{
    uint64_t before_ns = monotonic_ns();
    bool stopped = false;
    if (write(run->gate, "", 1) != 1)
        return bilanx_error_make(BILANX_E_SYSTEM, "the command could not be started");
    struct bilanx_error error = await(run, sampling->deadline_ns, &stopped);
    if (error.status != BILANX_OK)
        return error;
    double seconds = (double)(monotonic_ns() - before_ns) / 1e9;
    struct rusage usage = {0};
    while (wait4(run->pid, &sampling->status, 0, &usage) < 0 && errno == EINTR)
        ;
    run->pid = 0;
    if (sampled)
        sampling->stacks->seconds += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    if (stopped)
        sampling->status = 0;
    else
        note_time(sampling, sampled, seconds);
    if (sampled && !stopped)
        sampling->stacks->calls++;
    return BILANX_SUCCESS;
}

static size_t own_stack_bytes(const struct command_sampling *sampling)
{
    uint64_t bytes = sampling->event.stack_bytes;
    return bytes < OWN_SAMPLE_STACK_MOST ? (size_t)bytes : OWN_SAMPLE_STACK_MOST;
}

static void note_python(struct command_sampling *sampling, struct sample_board_page *page)
{
    page->version[sizeof page->version - 1] = '\0';
    sampling->missing += atomic_load(&page->missing);
    if (atomic_load(&page->unknown))
        snprintf(sampling->version, sizeof sampling->version, "%s", page->version);
}

static struct bilanx_error run_once(struct command_sampling *sampling, bool sampled)
{
    AUTO(command_run) struct command_run run = {0};
    AUTO(sample_board) struct sample_board board = {0};
    AUTO(gathering) struct gathering gathering = {.board = sampled ? &board : NULL};
    if (!sampling->event.hardware)
        gathering.period_ns = 1e9 / (double)sampling->event.rate;
    if (sampled)
        BILANX_TRY(sample_board_init(&board, sampling->event.rate, own_stack_bytes(sampling)));
    BILANX_TRY(launch(sampling->command, gathering.board, &run));
    if (sampled) {
        BILANX_TRY(add_events(&sampling->event, run.pid, &gathering));
        BILANX_TRY(gathering_start(&gathering, &sampling->events));
    }
    struct bilanx_error error = finish(sampling, &run, sampled);
    gathering_stop(&gathering, &sampling->losses);
    if (sampled)
        note_python(sampling, board.page);
    return error;
}

// One run, or as many as fit; one in four is not sampled, to see what sampling costs.
static struct bilanx_error run_all(struct command_sampling *sampling)
{
    uint64_t started_ns = monotonic_ns();
    bool repeats = sampling->duration_s > 0;
    uint64_t end_ns = started_ns + (uint64_t)(sampling->duration_s * 1e9);
    sampling->deadline_ns = repeats && !sampling->whole_runs ? end_ns : UINT64_MAX;
    size_t runs = 0;
    do {
        BILANX_TRY(run_once(sampling, ++runs % UNSAMPLED_IN != 0));
        if (sampling->status != 0)
            break;
    } while (repeats && monotonic_ns() < end_ns);
    return BILANX_SUCCESS;
}

// Why frames of Python are missing, and what helps; NULL: they are not.
static char *python_missing(struct command_sampling *sampling)
{
    assembly_conclude(&sampling->assembly);
    const struct python_blind *blind = &sampling->assembly.blind;
    if (sampling->version[0])
        return mem_format("this is version %s, and only CPython 3.11 to 3.13 is known: run the "
                          "command with one of those",
                          sampling->version);
    if (sampling->missing)
        return mem_format("in %u of its processes, because more than %d were running at once",
                          sampling->missing, SAMPLE_BOARD_SEATS);
    if (blind->samples < 0.005 * sampling->assembly.samples)
        return NULL;
    if (!sampling->command->library)
        return mem_text(SAMPLE_BOARD_LIBRARY " is not there: install bilanx");
    if (blind->library)
        return mem_format("%s was loaded when the program was running: start it with "
                          "LD_PRELOAD=%s",
                          blind->file, blind->file);
    return mem_format("%s did not load " SAMPLE_BOARD_LIBRARY
                      ", as it or what started it is static, "
                      "set-user-ID or built with a sanitizer: start it directly, or another one",
                      blind->file);
}

static struct bilanx_error conclude(struct command_sampling *sampling,
                                    const struct bilanx_error *error)
{
    bool interrupted = error->status == BILANX_E_INTERRUPTED;
    if (error->status != BILANX_OK && !interrupted)
        return *error;
    if (sampling->assembly.samples == 0)
        return interrupted
                   ? *error
                   : bilanx_error_make(
                         BILANX_E_FAILED,
                         "not a single sample in %.2g s of CPU time: repeat the command with "
                         "--duration, or raise --rate",
                         sampling->stacks->seconds);
    sampling->stacks->lost += sampling->losses.lost;
    AUTO(memory) char *unknown = python_missing(sampling);
    remarks_add(sampling->stacks, &sampling->assembly,
                &(struct remarks_facts){
                    .rate = (double)sampling->event.rate,
                    .ticks = sampling->event.hardware ? "cycles" : "cpu-clock",
                    .kernel = sampling->event.kernel,
                    .own = sampling->assembly.own > 0,
                    .losses = sampling->losses,
                    .unknown = unknown,
                    .language = "Python",
                    .overhead = remarks_overhead(sampling->times_s[1], sampling->counts[1],
                                                 sampling->times_s[0], sampling->counts[0], 0.01)});
    return *error;
}

struct bilanx_error sampling_command(const struct sampling_command *command,
                                     const struct sampling_options *options, struct stacks *stacks,
                                     int *status)
{
    AUTO(command_sampling) struct command_sampling sampling = {
        .command = command,
        .event = {.rate = options->rate ? options->rate : USUAL_RATE,
                  .stack_bytes = options->stack_bytes ? options->stack_bytes : USUAL_STACK_BYTES},
        .duration_s = options->duration_s,
        .whole_runs = options->whole_runs,
        .stacks = stacks};
    BILANX_TRY(sampling_event_choose(&sampling.event));
    sampling.event.inherit = sampling.event.on_exec = true;
    stacks_set_unit(stacks, "samples");
    assembly_init(&sampling.assembly,
                  &(struct assembly_options){.threads_apart = options->threads_apart}, stacks);
    sampling.events = assembly_events(&sampling.assembly);
    struct bilanx_error error = run_all(&sampling);
    *status = sampling.status;
    return conclude(&sampling, &error);
}
