// bout_workers: an epoch by workers that speak the protocol, in one process or in two.
#include "bout.h"

#include <string.h>
#include <sys/stat.h>

#include "ab/duels/libraries.h"
#include "core/run/session.h"
#include "core/timer/rigorous.h"

static const uint64_t SLICE_NS = 200000000;  // how long the death of the other side may go unseen

// A process, or a fork, of a side, while its case is open.
struct corner {
    struct session session;
    struct bilanx_error error;  // how it went
    bool started;
};

// Absolute, as each side may be in a directory of its own.
static bool identify(const struct run_case *item, struct stat *out)
{
    const char *const *argv = item->subject->launch.argv;
    return argv && argv[0][0] == '/' && stat(argv[0], out) == 0;
}

// Two programs differ in what they map: the kernel draws for each of them, epoch by epoch.
static bool same_program(const struct bout *bout)
{
    struct stat one, other;
    return identify(bout->sides[0], &one) && identify(bout->sides[1], &other) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static struct session_options where(const struct bout *bout, const struct run_case *item)
{
    struct session_options options = session_options_for(item, bout->timeout, bout->max_memory);
    options.generation = bout->generation;
    if (!bout->together)
        options.launch.draw =
            (struct draw){bout->draw, item->subject->hash_variable, same_program(bout)};
    return options;
}

static struct bilanx_error begin(const struct bout *bout, const struct run_case *side,
                                 struct corner *corner)
{
    struct session_options options = where(bout, side);
    corner->started = true;
    return session_begin(side->subject, &options, &corner->session);
}

static struct bilanx_error await(const struct bout *bout, const struct run_case *side,
                                 struct corner *corner)
{
    struct session_options options = where(bout, side);
    return session_await(&options, &corner->session);
}

static struct bilanx_error start(const struct bout *bout, const struct run_case *side,
                                 struct corner *corner)
{
    BILANX_TRY(begin(bout, side, corner));
    return await(bout, side, corner);
}

static void note_pages(const struct bout *bout, const struct message *answer)
{
    const char *pages = message_text(answer, "pages");
    if (pages)
        *(strcmp(pages, "1") == 0 ? &bout->pages->fresh : &bout->pages->refused) = true;
}

static struct bilanx_error open_case(const struct bout *bout, const struct run_case *item,
                                     const char *rival, struct corner *corner)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "open");
    text_add(&request, item->open);
    text_add(&request, rival ? rival : "");
    message_add_count(&request, "seed", bout->seed);
    if (item->layouts)
        message_add_count(&request, "layout", bout->layout % item->layouts);
    session_add_words(&corner->session, &request);
    message_end(&request);
    BILANX_TRY(client_ask(corner->session.client, &request, "opened", &answer));
    note_pages(bout, &answer);
    return BILANX_SUCCESS;
}

static struct bilanx_error close_case(struct corner *corner, double *resolution_ns)
{
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    message_begin(&request, "close");
    message_end(&request);
    BILANX_TRY(client_ask(corner->session.client, &request, "closed", &answer));
    return message_number(&answer, "resolution_ns", resolution_ns);
}

static void end(struct corner *corner, const struct bilanx_error *error)
{
    if (corner->started)
        session_end(&corner->session, error);
}

static void tell(struct corner *corner, int side, const char *phase, struct bout_failure *failure)
{
    failure->side = side;
    failure->phase = phase;
    if (!corner->session.client)
        return;
    process_listen(&corner->session.client->process);
    text_add(&failure->output, text_get(&corner->session.client->process.output));
}

static void add_duel(const struct bout *bout, const struct duel_arena *arena, unsigned role,
                     struct text *request)
{
    message_begin(request, "duel");
    message_add(request, "memory", arena->path);
    message_add_count(request, "role", role);
    message_add_count(request, "seed", bout->seed);
    message_add_count(request, "number", bout->number);
    message_add_count(request, "warm_pairs", bout->warm_pairs);
    message_add_count(request, "pairs", bout->pairs);
    if (bout->files)
        message_add(request, "files", bout->files);
    message_end(request);
}

// Which side is loaded, or started, first.
static unsigned first_of(const struct bout *bout)
{
    return bout->seed >> 40 & 1;
}

static struct bilanx_error duel_together(const struct bout *bout, const struct duel_arena *arena,
                                         struct corner *corner, const char **phase)
{
    unsigned first = first_of(bout);
    AUTO(text) struct text request = {0};
    AUTO(message) struct message answer = {0};
    *phase = "start";
    BILANX_TRY(start(bout, bout->sides[first], corner));
    *phase = "setup";
    BILANX_TRY(open_case(bout, bout->sides[first], bout->sides[1 - first]->rival, corner));
    *phase = "stmt";
    add_duel(bout, arena, first, &request);
    BILANX_TRY(client_ask(corner->session.client, &request, "dueled", &answer));
    note_pages(bout, &answer);
    *phase = "teardown";
    return close_case(corner, &(double){0});
}

static struct bilanx_error run_together(const struct bout *bout, const struct duel_arena *arena,
                                        struct bout_failure *failure)
{
    struct corner corner = {0};
    const char *phase;
    struct bilanx_error error = duel_together(bout, arena, &corner, &phase);
    if (error.status != BILANX_OK)
        tell(&corner, -1, phase, failure);
    end(&corner, &error);
    return error;
}

// Waits for the answer of both. Each is asked for a moment at a time: while one waits for its turn,
// the other may have died. Returns which one failed; the first, as the other only saw it go.
static int await_both(const struct bout *bout, struct corner *corners, uint64_t timeout_ns,
                      struct duel_memory *memory)
{
    bool answered[2] = {false, false};
    int failed = -1;
    uint64_t deadline = monotonic_ns() + timeout_ns;
    for (unsigned turn = 0; !answered[0] || !answered[1]; turn = 1 - turn) {
        struct corner *corner = &corners[turn];
        if (answered[turn])
            continue;
        struct client *client = corner->session.client;
        AUTO(message) struct message answer = {0};
        uint64_t usual = client->timeout_ns;
        client->timeout_ns = SLICE_NS;
        corner->error = client_answer(client, "dueled", &answer);
        client->timeout_ns = usual;
        bool late = monotonic_ns() > deadline;
        answered[turn] = corner->error.status != BILANX_E_TIMED_OUT || late;
        if (late && corner->error.status == BILANX_E_TIMED_OUT)
            corner->error = bilanx_error_make(BILANX_E_TIMED_OUT, "no answer in %.3g s",
                                              (double)timeout_ns / 1e9);
        if (answered[turn] && corner->error.status == BILANX_OK)
            note_pages(bout, &answer);
        if (answered[turn] && corner->error.status != BILANX_OK) {
            failed = failed < 0 ? (int)turn : failed;
            atomic_store(&memory->over, true);
        }
    }
    return failed < 0 ? 0 : failed;
}

struct opponents {
    struct corner corners[2];
    const char *phase;
    int failed;  // which side; -1: none
};

static struct bilanx_error duel_apart(const struct bout *bout, const struct duel_arena *arena,
                                      struct opponents *opponents)
{
    struct corner *corners = opponents->corners;
    opponents->phase = "start";
    for (unsigned i = 0; i < 2; i++) {
        opponents->failed = (int)(first_of(bout) ^ i);
        BILANX_TRY(begin(bout, bout->sides[opponents->failed], &corners[opponents->failed]));
    }
    for (unsigned i = 0; i < 2; i++) {
        opponents->failed = (int)(first_of(bout) ^ i);
        const struct run_case *side = bout->sides[opponents->failed];
        struct corner *corner = &corners[opponents->failed];
        opponents->phase = "start";
        BILANX_TRY(await(bout, side, corner));
        opponents->phase = "setup";
        BILANX_TRY(open_case(bout, side, NULL, corner));
    }
    opponents->phase = "stmt";
    for (unsigned i = 0; i < 2; i++) {
        AUTO(text) struct text request = {0};
        opponents->failed = (int)i;
        add_duel(bout, arena, i, &request);
        BILANX_TRY(process_send(&corners[i].session.client->process, request.data, request.size));
    }
    opponents->failed =
        await_both(bout, corners, where(bout, bout->sides[0]).timeout_ns, arena->memory);
    BILANX_TRY(corners[opponents->failed].error);
    for (unsigned i = 0; i < 2; i++) {
        opponents->phase = "teardown";
        opponents->failed = (int)i;
        BILANX_TRY(close_case(&corners[i], &(double){0}));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error run_apart(const struct bout *bout, const struct duel_arena *arena,
                                     struct bout_failure *failure)
{
    struct opponents opponents = {0};
    struct bilanx_error error = duel_apart(bout, arena, &opponents);
    atomic_store(&arena->memory->over, true);
    if (error.status != BILANX_OK)
        tell(&opponents.corners[opponents.failed], opponents.failed, opponents.phase, failure);
    for (unsigned i = 0; i < 2; i++)
        end(&opponents.corners[i], &error);
    return error;
}

static struct bilanx_error run(const struct bout *bout, struct duel_arena *arena,
                               struct bout_failure *failure)
{
    atomic_store(&arena->memory->turn, 0);
    atomic_store(&arena->memory->over, false);
    return bout->together ? run_together(bout, arena, failure) : run_apart(bout, arena, failure);
}

static struct bilanx_error ask_calibrate(const struct bout *bout, unsigned side,
                                         struct corner *corner, const char **phase,
                                         double *setup_ns, struct message *answer)
{
    AUTO(text) struct text request = {0};
    uint64_t started_ns = monotonic_ns();
    *phase = "start";
    BILANX_TRY(start(bout, bout->sides[side], corner));
    *phase = "setup";
    if (corner->session.standby)  // it has started for many
        started_ns = monotonic_ns();
    BILANX_TRY(open_case(bout, bout->sides[side], NULL, corner));
    *setup_ns = (double)(monotonic_ns() - started_ns);
    *phase = "stmt";
    message_begin(&request, "calibrate");
    message_add_number(&request, "target_ns", RIGOROUS_BATCH_NS);
    message_end(&request);
    return client_ask(corner->session.client, &request, "calibrated", answer);
}

static struct bilanx_error calibrate(const struct bout *bout, unsigned side,
                                     struct bout_calibration *out, struct bout_failure *failure)
{
    struct corner corner = {0};
    const char *phase;
    AUTO(message) struct message answer = {0};
    struct bilanx_error error = ask_calibrate(bout, side, &corner, &phase, &out->setup_ns, &answer);
    if (error.status == BILANX_OK)
        error = message_count(&answer, "number", &out->number);
    if (error.status == BILANX_OK)
        error = message_number(&answer, "batch_ns", &out->batch_ns);
    if (error.status == BILANX_OK)
        libraries_read(corner.session.client->process.pid, &out->libraries);
    if (error.status == BILANX_OK)
        error = close_case(&corner, &out->resolution_ns);
    if (error.status != BILANX_OK)
        tell(&corner, (int)side, phase, failure);
    end(&corner, &error);
    return error;
}

const struct bout_way bout_by_workers = {calibrate, run};
