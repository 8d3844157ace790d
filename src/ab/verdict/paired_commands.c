// paired_commands: an epoch of whole commands: pairs of runs, in random order.
#include "paired_epoch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "base/random.h"
#include "core/timer/reference.h"
#include "sources/commands/child.h"

static const double DEFAULT_TIMEOUT_S = 3600;

// Shared by all runs: the clock, and the output files.
struct caller {
    struct clock clock;
    int nothing, errors;
};

static struct bilanx_error caller_init(struct caller *caller)
{
    clock_open(&caller->clock);
    caller->nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    caller->errors = memfd_create("bilanx-stderr", MFD_CLOEXEC);
    if (caller->nothing < 0 || caller->errors < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open /dev/null: %s", strerror(errno));
    return BILANX_SUCCESS;
}

static void caller_done(struct caller *caller)
{
    if (caller->nothing > 0)
        close(caller->nothing);
    if (caller->errors > 0)
        close(caller->errors);
}
SCOPE_VALUE(caller, caller_done)

static struct bilanx_error call_once(const struct caller *caller, const struct paired_epoch *epoch,
                                     const struct process_options *launch, double *ns)
{
    const char *const *argv = launch->argv;
    AUTO(memory) char *program = surroundings_find_program(launch->surroundings, argv[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "command '%s' not found", argv[0]);
    double timeout = epoch->timeout > 0 ? epoch->timeout : DEFAULT_TIMEOUT_S;
    struct child_options options = {.program = program,
                                    .argv = (char *const *)argv,
                                    .surroundings = launch->surroundings,
                                    .streams = {caller->nothing, caller->nothing, caller->errors},
                                    .timeout_ns = (uint64_t)(timeout * 1e9),
                                    .watched = caller->errors};
    AUTO(child) struct child child = {0};
    BILANX_TRY(child_run(&options, &caller->clock, &child));
    *ns = child.wall * 1e9;
    return child_fate(child.status);
}

static void read_errors(const struct caller *caller, struct paired_failure *failure)
{
    char tail[4096];
    off_t size = lseek(caller->errors, 0, SEEK_END);
    off_t from = size > (off_t)sizeof tail ? size - (off_t)sizeof tail : 0;
    ssize_t got = pread(caller->errors, tail, sizeof tail, from);
    if (got > 0)
        text_add_n(&failure->output, tail, (size_t)got);
}

static struct bilanx_error call(const struct caller *caller, const struct paired_epoch *epoch,
                                unsigned side, double *ns, struct paired_failure *failure)
{
    struct bilanx_error error = call_once(caller, epoch, &epoch->sides[side]->subject->launch, ns);
    if (error.status == BILANX_OK)
        return BILANX_SUCCESS;
    failure->side = (int)side;
    failure->phase = "stmt";
    read_errors(caller, failure);
    return error;
}

static struct bilanx_error calibrate(const struct paired_epoch *epoch, unsigned side,
                                     struct paired_calibration *out, struct paired_failure *failure)
{
    AUTO(caller) struct caller caller = {0};
    BILANX_TRY(caller_init(&caller));
    *out = (struct paired_calibration){.number = 1};
    BILANX_TRY(call(&caller, epoch, side, &out->batch_ns, failure));
    return call(&caller, epoch, side, &out->batch_ns, failure);  // the first one warmed the caches
}

static struct bilanx_error run(const struct paired_epoch *epoch, struct duel_mapping *mapping,
                               struct paired_failure *failure)
{
    AUTO(caller) struct caller caller = {0};
    struct random coins;
    BILANX_TRY(caller_init(&caller));
    random_init(&coins, epoch->seed);
    mapping->memory->pairs = epoch->pairs;
    for (unsigned pair = 0; pair < epoch->pairs; pair++) {
        unsigned first = random_bits(&coins) >> 63;
        for (unsigned i = 0; i < 2; i++) {
            unsigned side = first ^ i;
            mapping->memory->disturbed[side][pair] = false;
            struct pace(*paces)[2] = &mapping->memory->paces[side][pair];
            (*paces)[0] = reference_pace(&caller.clock);
            BILANX_TRY(call(&caller, epoch, side, &mapping->memory->ns[side][pair], failure));
            (*paces)[1] = reference_pace(&caller.clock);
        }
    }
    return BILANX_SUCCESS;
}

const struct paired_way paired_by_commands = {calibrate, run};
