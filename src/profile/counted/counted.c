// counted: where the instructions of a case or a command go, as stacks.
#include "counted.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/lineage.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/temporary.h"
#include "contexts.h"
#include "core/record/records.h"
#include "count/counts/callgrind.h"

void counted_collector(struct collector *collector, const struct counted_options *options)
{
    collector_init(collector, &(struct collect_options){.number = options->number,
                                                        .repeats = 1,
                                                        .timeout = options->timeout_s,
                                                        .max_memory = options->max_memory,
                                                        .hwcaps = options->hwcaps,
                                                        .callers = true});
}

static void add_remarks(struct stacks *stacks, const struct bilanx_counts *counts, double cut)
{
    AUTO(memory) char *counted =
        mem_format("counted by callgrind with --hwcaps %s", counts->hwcaps);
    stacks_remark(stacks, counted);
    if (cut > 0) {
        AUTO(memory) char *part = mem_format("the callers beyond %d of %.2g %% of them are unknown",
                                             COLLECT_CALLERS, 100 * cut / counts->instructions);
        stacks_remark(stacks, part);
    }
}

// A benchmark of a program is called after its name, which arguments follow: "copy/64".
static char *body_of(const struct run_case *item)
{
    return mem_format("bilanx_body_%.*s", (int)strcspn(item->name, "/"), item->name);
}

struct bilanx_error counted_case(struct collector *collector, const struct run_case *item,
                                 struct stacks *stacks)
{
    struct bilanx_record record = {0};
    AUTO(memory) char *body = body_of(item);
    const char *const bodies[] = {"bilanx_copies1", "bilanx_barrier", "call_run", body, NULL};
    struct bilanx_error error =
        collector_record(collector, &(struct collect_task){.item = item}, &record);
    if (error.status == BILANX_OK && record.error)
        error = bilanx_error_make(BILANX_E_FAILED, "%s: %s", item->name, record.error->text);
    if (error.status == BILANX_OK) {
        stacks_set_unit(stacks, "instructions");
        double cut =
            contexts_add(record.counts,
                         &(struct contexts_options){
                             .callers = COLLECT_CALLERS, .bodies = bodies, .name = item->name},
                         stacks);
        stacks->calls += (double)record.counts->number;
        add_remarks(stacks, record.counts, cut);
        if (text_equal(item->task.language, "python"))
            stacks_remark(stacks, "without frames of Python, which callgrind does not see");
    }
    bilanx_record_done(&record);
    return error;
}

// ---- Commands

static struct bilanx_error await(pid_t pid, int *status)
{
    enum { SLICE_MS = 100 };
    AUTO(fd) int ended = spawn_watch(pid);
    for (;;) {
        struct pollfd waiting = {.fd = ended, .events = POLLIN};
        if (poll(&waiting, 1, SLICE_MS) > 0 || (ended < 0 && spawn_has_ended(pid)))
            break;
        if (interrupt_caught()) {
            kill(-pid, SIGKILL);
            while (waitpid(pid, status, 0) < 0 && errno == EINTR)
                ;
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        }
    }
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return BILANX_SUCCESS;
}

static struct bilanx_error run_counted(const char *const *argv, const char *file,
                                       struct list *environment, int *status)
{
    AUTO(list) struct list words = {0};
    pid_t pid;
    const char *const flags[] = {"valgrind",  "--command-line-only=yes",
                                 "--quiet",   "--tool=callgrind",
                                 "--vgdb=no", "--trace-children=no"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        list_add(&words, flags[i]);
    list_take(&words, mem_format("--separate-callers=%d", COLLECT_CALLERS));
    list_take(&words, mem_format("--separate-recs=%d", COLLECT_RECURSIONS));
    list_take(&words, mem_format("--callgrind-out-file=%s", file));
    for (; *argv; argv++)
        list_add(&words, *argv);
    lineage_guard();
    uint64_t lineage = lineage_new();
    BILANX_TRY(spawn(&(struct spawn_options){.argv = (const char *const *)words.items,
                                             .streams = {.err = STDERR_FILENO},
                                             .environment = environment->items,
                                             .lineage = lineage},
                     &pid));
    struct bilanx_error error = await(pid, status);
    lineage_kill(lineage);
    return error;
}

struct bilanx_error counted_command(const char *const *argv, enum hwcaps hwcaps,
                                    struct stacks *stacks, int *status)
{
    AUTO(temporary) struct temporary folder = {0};
    struct bilanx_counts *parts = NULL;
    size_t count = 0;
    AUTO(memory) char *valgrind = surroundings_find_program(NULL, "valgrind");
    if (!valgrind)
        return bilanx_error_make(BILANX_E_SYSTEM, "counting needs valgrind, which is not "
                                                  "installed: apt-get install valgrind");
    BILANX_TRY(temporary_init(&folder, NULL));
    AUTO(memory) char *file = mem_format("%s/counts", folder.path);
    AUTO(list) struct list environment = {0};
    AUTO(memory) char *variants = NULL;
    BILANX_TRY(hwcaps_pin(hwcaps, NULL, &environment, &variants));
    BILANX_TRY(run_counted(argv, file, &environment, status));
    BILANX_TRY(counts_read_callgrind(file, &parts, &count));
    stacks_set_unit(stacks, "instructions");
    for (size_t i = 0; i < count; i++) {
        double cut =
            contexts_add(&parts[i], &(struct contexts_options){.callers = COLLECT_CALLERS}, stacks);
        parts[i].hwcaps = mem_text(variants);
        add_remarks(stacks, &parts[i], cut);
        counts_done(&parts[i]);
    }
    free(parts);
    stacks->calls += 1;
    return BILANX_SUCCESS;
}
