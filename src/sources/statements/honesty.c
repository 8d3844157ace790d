// honesty: does the number describe the statement?
//
// The cost of one more execution is the slope over 1, 2 and 8 copies of the statement in the loop.
// A statement that the optimiser removed has no slope; one whose work is shared or hoisted has a
// smaller one than the first execution suggests. Machine code decides where possible, because it is
// free of noise: a statement that left code is reported only if it shares more than copies of an
// honest statement may share. `x ^= 1` twice is nothing, and a value carried through memory across
// iterations, as with floats under gcc -O1, costs about eight cycles per iteration whatever the
// number of copies.
#include "statements.h"

#include <math.h>

#include "base/mem.h"
#include "core/stats/stats.h"
#include "core/timer/core_floor.h"
#include "core/timer/rigorous.h"
#include "core/worker/client.h"
#include "core/worker/epoch_message.h"

// tests/cli/time.sh tries the remedy for each kind of mistake.
#define ADVICE                                                                             \
    "BILANX_KEEP its result, and take constants from variables of the setup that are not " \
    "const: those are hidden from the optimiser"

enum { VARIANTS = 4, ROUNDS = 3 };
static const unsigned copies_of[VARIANTS] = {1, 2, 8, 0};  // the last is the empty loop
static const double MARGINAL_BELOW_NS = 10;                // the loop's own cost matters up to here
static const double CHECK_BELOW_NS = 2000;                 // above this no whole call can be hidden
static const double NO_MORE = 1.08;                        // equal, within the machine's noise
static const double MUCH_LESS = 0.3;
static const double MUST_SHARE = 20;             // empty loops of a cycle or two each
static const uint64_t PATIENCE_NS = 1000000000;  // limit for repeating a slow setup

static struct bilanx_error ask(struct client *client, const char *words, const char *verb,
                               struct message *answer)
{
    AUTO(text) struct text request = {0};
    text_add(&request, words);
    message_end(&request);
    return client_ask(client, &request, verb, answer);
}

// Times of one variant in either state of the core; infinite: not seen.
struct variant_ns {
    double free, any;
};

static void keep_shorter(double *ns, const struct epoch_part *part)
{
    if (part->epoch.batches && part->epoch.time * 1e9 < *ns)
        *ns = part->epoch.time * 1e9;
}

static struct bilanx_error time_variant(struct client *client, const struct statement *statement,
                                        unsigned copies, uint64_t number, double floor,
                                        struct variant_ns *ns)
{
    AUTO(text) struct text open = {0};
    AUTO(memory) char *epoch = NULL;
    AUTO(message) struct message opened = {0}, answer = {0}, closed = {0};
    message_begin(&open, "open");
    message_add(&open, "object", statement->object);
    message_add_count(&open, "place", statement->place);
    message_add_count(&open, "copies", copies);
    message_add_count(&open, "barrier", copies == 0);
    if (statement->inputs)
        message_add(&open, "inputs", statement->inputs);
    message_add(&open, "pages", "keep");  // so that all variants use the same pages
    uint64_t n = copies > 1 ? number / copies + 1 : number;
    epoch = mem_format("epoch number=%llu warmup_ns=50000 max_ns=200000 min_blocks=3 "
                       "longest_ns=20000000 pace_every_ns=30000 floor=%.9g",
                       (unsigned long long)n, floor);
    BILANX_TRY(ask(client, text_get(&open), "opened", &opened));
    BILANX_TRY(ask(client, epoch, "epoch", &answer));
    BILANX_TRY(ask(client, "close", "closed", &closed));
    struct epoch_report report;
    BILANX_TRY(epoch_message_read(&answer, &report));
    keep_shorter(&ns->free, &report.free);
    keep_shorter(&ns->any, &report.free);
    keep_shorter(&ns->any, &report.other);
    return BILANX_SUCCESS;
}

// The best of a few rounds for each number of copies, because disturbances only add time; all of
// them with the core to themselves, if that was seen for all.
static struct bilanx_error time_variants(const struct run_case *measured,
                                         const struct statement *statement, uint64_t number,
                                         double ns[VARIANTS])
{
    AUTO(client) struct client client = {0};
    struct process_options launch = measured->subject->launch;
    launch.cpus = 1;
    BILANX_TRY(client_start(&launch, 20000000000u, &client));
    struct core_floor floor;
    core_floor_load(&floor);
    struct variant_ns seen[VARIANTS];
    for (int i = 0; i < VARIANTS; i++)
        seen[i] = (struct variant_ns){INFINITY, INFINITY};
    uint64_t started = monotonic_ns();
    for (int round = 0; round < ROUNDS && monotonic_ns() - started < PATIENCE_NS; round++)
        for (int i = 0; i < VARIANTS; i++)
            BILANX_TRY(time_variant(&client, statement, copies_of[i], number,
                                    core_floor_get(&floor), &seen[i]));
    bool free = true;
    for (int i = 0; i < VARIANTS; i++)
        free &= isfinite(seen[i].free);
    for (int i = 0; i < VARIANTS; i++)
        ns[i] = free ? seen[i].free : seen[i].any;
    return BILANX_SUCCESS;
}

static double slope_over_copies(const double ns[VARIANTS])
{
    double x[VARIANTS - 1];
    for (int i = 0; i < VARIANTS - 1; i++)
        x[i] = copies_of[i];
    double slope = stats_fit_line(x, ns, VARIANTS - 1, 0.95).slope;
    return slope > 0 ? slope : 0;
}

static void judge(struct bilanx_record *record, const struct statement *statement,
                  const double ns[VARIANTS], double slope)
{
    double one = ns[0], eight = ns[2], empty = ns[3];
    double shared = one - empty - slope;
    if (statement->removed || (statement->traced && shared < MUST_SHARE * empty))
        return;
    if (eight <= NO_MORE * one)
        record_warn(
            record, "optimised-away",
            "eight copies of the statement cost no more than one (%.2f ns and %.2f ns): the "
            "compiler removed it; " ADVICE,
            eight, one);
    else if (one - empty > 1 && slope < MUCH_LESS * (one - empty))
        record_warn(record, "partly-optimised",
                    "one more execution costs %.2f ns, the first one %.2f ns: part of the work is "
                    "shared or moved out of the loop; " ADVICE,
                    slope, one - empty);
}

static const struct run_note note_removed = {
    "optimised-away", "the loop compiles to the same machine code as an empty one: the compiler "
                      "removed the statement; " ADVICE};
static const struct run_note note_empty = {
    "optimised-away", "the statement is empty, so this is what the loop itself costs"};
static const struct run_note note_removed_plain = {
    "optimised-away",
    "the loop compiles to the same machine code as an empty one: the compiler removed the "
    "statement, as --no-launder allows; without it, its value is kept and its inputs are unknown"};
const struct run_note note_plain = {
    "not-laundered",
    "the setup's variables could not be hidden from the optimiser, or the statement's value not "
    "kept, so it was compiled as is: check that nothing is folded"};
const struct run_note note_replaced = {"other-march",
                                       "compiled for counting at the nearest level that valgrind "
                                       "supports, not with -march=native: see its flags"};

const struct run_note *statement_note_removed(const struct statement *statement)
{
    if (statement->empty)
        return &note_empty;
    return statement->laundered || statement->plain ? &note_removed : &note_removed_plain;
}

void statements_check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct statements *statements = context;
    const struct statement *statement = &statements->items[measured - statements->cases.items];
    double estimate_ns = record->stats.estimate * 1e9;
    // The machine code shows better than the time whether it was removed.
    if (statement->removed || statement->traced)
        record_drop_warning(record, "below-resolution");
    if (statement->removed)
        record_warn(record, note_removed.code, "%s", statement_note_removed(statement)->text);
    if (statement->plain)
        record_warn(record, note_plain.code, "%s", note_plain.text);
    if (statement->fixed.text)
        record_warn(record, statement->fixed.code, "%s", statement->fixed.text);
    if (statements->left_out.text)
        record_warn(record, statements->left_out.code, "%s", statements->left_out.text);
    if (statement->threaded)
        record_warn(record, "started-threads",
                    "a module starts threads on import, which makes forking unsafe, so every epoch "
                    "imports it again in a new process");
    bool asked = statement->marginal || estimate_ns < MARGINAL_BELOW_NS;
    if (!statement->copies || measured->task.num_threads > 1 ||
        ((statement->setup_once || record->setups) && !statement->marginal) ||
        (!asked && estimate_ns > CHECK_BELOW_NS))
        return;
    uint64_t number = (uint64_t)(RIGOROUS_BATCH_NS / (estimate_ns > 0.3 ? estimate_ns : 0.3)) + 1;
    double ns[VARIANTS];
    if (time_variants(measured, statement, number, ns).status != BILANX_OK)
        return;  // it was measured; failing in copies does not count against it
    double slope = slope_over_copies(ns);
    judge(record, statement, ns, slope);
    if (asked)
        record->stats.marginal = slope / 1e9;
}
