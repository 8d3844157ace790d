// paired_workers: an epoch run by workers that speak the protocol, in one process or two.
#include "paired_epoch.h"

#include <string.h>
#include <sys/stat.h>

#include "ab/verdict/mapped_files.h"
#include "core/run/session.h"
#include "core/timer/rigorous.h"

static const uint64_t SLICE_NS = 200000000;  // maximum delay in noticing a dead side

// A process or fork of a side while its case is open.
struct side_process {
    struct session session;
    struct bilanx_error error;  // result
    bool started;
};

// Uses an absolute path, as each side may have its own directory.
static bool identify(const struct run_case *item, struct stat *out)
{
    const char *const *argv = item->subject->launch.argv;
    return argv && argv[0][0] == '/' && stat(argv[0], out) == 0;
}

// Different programs map different files, so the kernel draws addresses for each, per epoch.
static bool same_program(const struct paired_epoch *epoch)
{
    struct stat one, other;
    return identify(epoch->sides[0], &one) && identify(epoch->sides[1], &other) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static struct session_options where(const struct paired_epoch *epoch, const struct run_case *item)
{
    struct session_options options = session_options_for(item, epoch->timeout, epoch->max_memory);
    options.generation = epoch->generation;
    if (!epoch->together)
        options.launch.draw =
            (struct draw){epoch->draw, item->subject->hash_variable, same_program(epoch)};
    return options;
}

static struct bilanx_error begin(const struct paired_epoch *epoch, const struct run_case *side,
                                 struct side_process *process)
{
    struct session_options options = where(epoch, side);
    process->started = true;
    return session_begin(side->subject, &options, &process->session);
}

static struct bilanx_error await(const struct paired_epoch *epoch, const struct run_case *side,
                                 struct side_process *process)
{
    struct session_options options = where(epoch, side);
    return session_await(&options, &process->session);
}

static struct bilanx_error start(const struct paired_epoch *epoch, const struct run_case *side,
                                 struct side_process *process)
{
    BILANX_TRY(begin(epoch, side, process));
    return await(epoch, side, process);
}

static void note_pages(const struct paired_epoch *epoch, const struct message *answer)
{
    const char *pages = message_text(answer, "pages");
    if (pages)
        *(strcmp(pages, "1") == 0 ? &epoch->pages->fresh : &epoch->pages->refused) = true;
}

static struct bilanx_error open_case(const struct paired_epoch *epoch, const struct run_case *item,
                                     const char *rival, struct side_process *process)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "open");
    text_add(&request, item->open);
    text_add(&request, rival ? rival : "");
    message_add_count(&request, "seed", epoch->seed);
    if (item->layouts)
        message_add_count(&request, "layout", epoch->layout % item->layouts);
    session_add_words(&process->session, &request);
    message_end(&request);
    BILANX_TRY(client_ask(process->session.client, &request, "opened", &answer));
    note_pages(epoch, &answer);
    return BILANX_SUCCESS;
}

static struct bilanx_error close_case(struct side_process *process, double *resolution_ns)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "close");
    message_end(&request);
    BILANX_TRY(client_ask(process->session.client, &request, "closed", &answer));
    return message_number(&answer, "resolution_ns", resolution_ns);
}

static void end(struct side_process *process, const struct bilanx_error *error)
{
    if (process->started)
        session_end(&process->session, error);
}

static void tell(struct side_process *process, int side, const char *phase,
                 struct paired_failure *failure)
{
    failure->side = side;
    failure->phase = phase;
    if (!process->session.client)
        return;
    process_listen(&process->session.client->process);
    text_add(&failure->output, text_get(&process->session.client->process.output));
}

static void add_duel(const struct paired_epoch *epoch, const struct duel_mapping *mapping,
                     unsigned role, struct text *request)
{
    message_begin(request, "duel");
    message_add(request, "memory", mapping->path);
    message_add_count(request, "role", role);
    message_add_count(request, "seed", epoch->seed);
    message_add_count(request, "number", epoch->number);
    message_add_count(request, "warm_pairs", epoch->warm_pairs);
    message_add_count(request, "pairs", epoch->pairs);
    if (epoch->reads_pace) {
        message_add_count(request, "pace", 1);
        message_add_count(request, "most_pairs", epoch->most_pairs);
        message_add_number(request, "floor", epoch->floor);
    }
    if (epoch->files)
        message_add(request, "files", epoch->files);
    message_end(request);
}

// Which side is loaded or started first.
static unsigned first_of(const struct paired_epoch *epoch)
{
    return epoch->seed >> 40 & 1;
}

static struct bilanx_error duel_together(const struct paired_epoch *epoch,
                                         const struct duel_mapping *mapping,
                                         struct side_process *process, const char **phase)
{
    unsigned first = first_of(epoch);
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    *phase = "start";
    BILANX_TRY(start(epoch, epoch->sides[first], process));
    *phase = "setup";
    BILANX_TRY(open_case(epoch, epoch->sides[first], epoch->sides[1 - first]->rival, process));
    *phase = "stmt";
    add_duel(epoch, mapping, first, &request);
    BILANX_TRY(client_ask(process->session.client, &request, "dueled", &answer));
    note_pages(epoch, &answer);
    *phase = "teardown";
    return close_case(process, &(double){0});
}

static struct bilanx_error run_together(const struct paired_epoch *epoch,
                                        const struct duel_mapping *mapping,
                                        struct paired_failure *failure)
{
    struct side_process process = {0};
    const char *phase;
    struct bilanx_error error = duel_together(epoch, mapping, &process, &phase);
    if (error.status != BILANX_OK)
        tell(&process, -1, phase, failure);
    end(&process, &error);
    return error;
}

// Waits for both answers, polling each briefly: while one waits for its turn, the other may have
// died. Returns the side that failed first, as the other only lost its partner.
static int await_both(const struct paired_epoch *epoch, struct side_process *processes,
                      uint64_t timeout_ns, struct duel_memory *memory)
{
    bool answered[2] = {false, false};
    int failed = -1;
    uint64_t deadline = monotonic_ns() + timeout_ns;
    for (unsigned turn = 0; !answered[0] || !answered[1]; turn = 1 - turn) {
        struct side_process *process = &processes[turn];
        if (answered[turn])
            continue;
        struct client *client = process->session.client;
        AUTO(message) struct message answer = {0};
        uint64_t usual = client->timeout_ns;
        client->timeout_ns = SLICE_NS;
        process->error = client_answer(client, "dueled", &answer);
        client->timeout_ns = usual;
        bool late = monotonic_ns() > deadline;
        answered[turn] = process->error.status != BILANX_E_TIMED_OUT || late;
        if (late && process->error.status == BILANX_E_TIMED_OUT)
            process->error = bilanx_error_make(BILANX_E_TIMED_OUT, "no answer in %.3g s",
                                               (double)timeout_ns / 1e9);
        if (answered[turn] && process->error.status == BILANX_OK)
            note_pages(epoch, &answer);
        if (answered[turn] && process->error.status != BILANX_OK) {
            failed = failed < 0 ? (int)turn : failed;
            atomic_store(&memory->over, true);
        }
    }
    return failed < 0 ? 0 : failed;
}

struct both_processes {
    struct side_process processes[2];
    const char *phase;
    int failed;  // side; -1: none
};

static struct bilanx_error duel_apart(const struct paired_epoch *epoch,
                                      const struct duel_mapping *mapping,
                                      struct both_processes *both)
{
    struct side_process *processes = both->processes;
    both->phase = "start";
    for (unsigned i = 0; i < 2; i++) {
        both->failed = (int)(first_of(epoch) ^ i);
        BILANX_TRY(begin(epoch, epoch->sides[both->failed], &processes[both->failed]));
    }
    for (unsigned i = 0; i < 2; i++) {
        both->failed = (int)(first_of(epoch) ^ i);
        const struct run_case *side = epoch->sides[both->failed];
        struct side_process *process = &processes[both->failed];
        both->phase = "start";
        BILANX_TRY(await(epoch, side, process));
        both->phase = "setup";
        BILANX_TRY(open_case(epoch, side, NULL, process));
    }
    both->phase = "stmt";
    for (unsigned i = 0; i < 2; i++) {
        AUTO(text) struct text request = {0};
        both->failed = (int)i;
        add_duel(epoch, mapping, i, &request);
        BILANX_TRY(process_send(&processes[i].session.client->process, request.data, request.size));
    }
    both->failed =
        await_both(epoch, processes, where(epoch, epoch->sides[0]).timeout_ns, mapping->memory);
    BILANX_TRY(processes[both->failed].error);
    for (unsigned i = 0; i < 2; i++) {
        both->phase = "teardown";
        both->failed = (int)i;
        BILANX_TRY(close_case(&processes[i], &(double){0}));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error run_apart(const struct paired_epoch *epoch,
                                     const struct duel_mapping *mapping,
                                     struct paired_failure *failure)
{
    struct both_processes both = {0};
    struct bilanx_error error = duel_apart(epoch, mapping, &both);
    atomic_store(&mapping->memory->over, true);
    if (error.status != BILANX_OK)
        tell(&both.processes[both.failed], both.failed, both.phase, failure);
    for (unsigned i = 0; i < 2; i++)
        end(&both.processes[i], &error);
    return error;
}

static struct bilanx_error run(const struct paired_epoch *epoch, struct duel_mapping *mapping,
                               struct paired_failure *failure)
{
    struct duel_memory *memory = mapping->memory;
    atomic_store(&memory->turn, 0);
    atomic_store(&memory->over, false);
    memory->pairs = memory->free_pairs = 0;
    return epoch->together ? run_together(epoch, mapping, failure)
                           : run_apart(epoch, mapping, failure);
}

// Lets the standby worker of the other side load at the same time. Whatever fails then fails again
// when it is that side's turn.
static void begin_other(const struct paired_epoch *epoch, unsigned side)
{
    struct side_process other = {0};
    if (epoch->sides[side]->subject->standby && epoch->sides[1 - side]->subject->standby)
        begin(epoch, epoch->sides[1 - side], &other);
}

static struct bilanx_error ask_calibrate(const struct paired_epoch *epoch, unsigned side,
                                         struct side_process *process, const char **phase,
                                         double *setup_ns, struct message *answer)
{
    AUTO(text) struct text request = {0};
    uint64_t started_ns = monotonic_ns();
    *phase = "start";
    begin_other(epoch, side);
    BILANX_TRY(start(epoch, epoch->sides[side], process));
    *phase = "setup";
    if (process->session.standby)  // its start is shared by many epochs
        started_ns = monotonic_ns();
    BILANX_TRY(open_case(epoch, epoch->sides[side], NULL, process));
    *setup_ns = (double)(monotonic_ns() - started_ns);
    *phase = "stmt";
    message_begin(&request, "calibrate");
    message_add_number(&request, "target_ns", RIGOROUS_BATCH_NS);
    message_end(&request);
    return client_ask(process->session.client, &request, "calibrated", answer);
}

static struct bilanx_error calibrate(const struct paired_epoch *epoch, unsigned side,
                                     struct paired_calibration *out, struct paired_failure *failure)
{
    struct side_process process = {0};
    const char *phase;
    AUTO(message) struct message answer = {0};
    struct bilanx_error error =
        ask_calibrate(epoch, side, &process, &phase, &out->setup_ns, &answer);
    if (error.status == BILANX_OK)
        error = message_count(&answer, "number", &out->number);
    if (error.status == BILANX_OK)
        error = message_number(&answer, "batch_ns", &out->batch_ns);
    if (error.status == BILANX_OK)
        mapped_files_read(process.session.client->process.pid, &out->mapped, &out->places);
    if (error.status == BILANX_OK)
        error = close_case(&process, &out->resolution_ns);
    if (error.status != BILANX_OK)
        tell(&process, (int)side, phase, failure);
    end(&process, &error);
    return error;
}

const struct paired_way paired_by_workers = {calibrate, run};
