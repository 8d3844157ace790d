// trial: one case until its verdict.
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/verdict/mapped_files.h"
#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/timer/rigorous.h"

enum { ONE_CONTROL_IN = 6 };  // epochs

static void fail(struct trial *trial, const struct trial_shared *shared,
                 const struct bilanx_error *error, const struct paired_failure *failure)
{
    struct bilanx_error named = *error;
    if (failure->side >= 0) {
        const struct interleaved_side *side = &shared->sides[failure->side];
        free(trial->record.side);
        trial->record.side = mem_text(side->name);
        named = bilanx_error_make(error->status, "side %s: %s", side->name, error->text);
    }
    record_fail(&trial->record, &named, failure->phase ? failure->phase : "start",
                text_get(&failure->output));
    trial->done = true;
}

static void fail_as_prepared(struct trial *trial, const struct trial_shared *shared)
{
    for (int side = 0; side < 2 && !trial->done; side++) {
        const struct bilanx_failure *failure = trial->items[side]->failure;
        if (!failure)
            continue;
        trial->record.error = record_copy_failure(failure);
        free(trial->record.error->text);
        trial->record.error->text =
            mem_format("side %s: %s", shared->sides[side].name, failure->text ? failure->text : "");
        free(trial->record.kind);
        trial->record.kind = mem_text("failure");
        free(trial->record.side);
        trial->record.side = mem_text(shared->sides[side].name);
        trial->done = true;
    }
}

static bool stands_by(const struct run_case *item)
{
    return item->subject && item->subject->standby;
}

// Both sides use the same layout in an epoch.
static unsigned layouts_of(const struct trial *trial)
{
    unsigned a = trial->items[0]->layouts, b = trial->items[1]->layouts;
    return a < b ? a : b;
}

void trial_init(struct trial *trial, struct trial_shared *shared, size_t index)
{
    double asked = shared->options->budget;
    *trial = (struct trial){.index = index,
                            .p = 1,
                            .plan.budget_ns = 1e9 * (asked > 0 ? asked : INTERLEAVED_BUDGET_S),
                            .record = {.kind = mem_text("verdict"),
                                       .side = mem_text(shared->sides[1].name),
                                       .attempts = 1}};
    for (unsigned side = 0; side < 2; side++)
        trial->items[side] = &shared->sides[side].cases->items[index];
    trial->plan.forks = stands_by(trial->items[0]) || stands_by(trial->items[1]);
    trial->together = !shared->options->apart && trial->items[0]->rival && trial->items[1]->rival;
    deck_init(&trial->deck, layouts_of(trial));
    record_copy_task(&trial->items[1]->task, &trial->record.task);
    fail_as_prepared(trial, shared);
}

void trial_done(struct trial *trial)
{
    object_copy_done(&trial->copy);
    free(trial->changes);
    free(trial->forks);
    free(trial->layouts);
    free(trial->units);
    free(trial->files);
    free(trial->others.changes);
    free(trial->others.layouts);
    free(trial->others.epochs);
    trial->others = (struct other_changes){0};
    trial->files = NULL;
    deck_done(&trial->deck);
    trial->changes = trial->units = trial->forks = NULL;
    trial->layouts = NULL;
}

static struct paired_epoch begin_epoch(struct trial *trial, struct trial_shared *shared,
                                       unsigned round)
{
    struct paired_epoch epoch = {.together = trial->together,
                                 .number = trial->plan.number,
                                 .pairs = trial->plan.pairs,
                                 .warm_pairs = plan_warm_pairs(&trial->plan),
                                 .layout = trial->layout,
                                 .files = trial->files,
                                 .pages = &trial->pages,
                                 .seed = random_bits(&shared->random) >> 1,
                                 .generation = round + 1,  // the preparing worker shares no draw
                                 .timeout = shared->options->timeout,
                                 .max_memory = shared->options->max_memory};
    epoch.reads_pace = trial->items[0]->task.num_threads <= 1;  // else it describes only one core
    epoch.any_core = shared->options->any_core;
    epoch.floor = core_floor_get(&shared->core);
    epoch.most_pairs = epoch.any_core ? 0 : plan_most_pairs(&trial->plan);
    epoch.draw = trial->plan.forks ? shared->draws + round * 0x9E3779B97F4A7C15u : epoch.seed;
    for (unsigned side = 0; side < 2; side++)
        epoch.sides[side] = trial->items[side];
    return epoch;
}

static struct bilanx_error copy_object(struct trial *trial, struct trial_shared *shared)
{
    if (!shared->folder.path)
        BILANX_TRY(temporary_init(&shared->folder, NULL));
    AUTO(memory) char *path = mem_format("%s/copy-%zu", shared->folder.path, trial->index);
    return object_copy_init(&trial->copy, trial->items[0], path);
}

static bool same_places(const struct hash *one, const struct hash *other)
{
    return one->a == other->a && one->b == other->b;
}

// Calibrates the sides alternately, and finds whether both fit into one process.
static struct bilanx_error calibrate(struct trial *trial, struct trial_shared *shared,
                                     unsigned round, struct paired_failure *failure)
{
    struct paired_epoch epoch = begin_epoch(trial, shared, round);
    struct paired_calibration calibrations[2] = {{.number = 1}, {.number = 1}};
    struct bilanx_error error = BILANX_SUCCESS;
    unsigned first = epoch.seed & 1;
    for (unsigned i = 0; i < 2 && error.status == BILANX_OK; i++)
        error = shared->way->calibrate(&epoch, first ^ i, &calibrations[first ^ i], failure);
    if (error.status == BILANX_OK) {
        plan_calls(&trial->plan, calibrations[0].batch_ns / (double)calibrations[0].number,
                   calibrations[1].batch_ns / (double)calibrations[1].number);
        plan_setup(&trial->plan, calibrations[0].setup_ns + calibrations[1].setup_ns);
        trial->resolution_ns = fmax(calibrations[0].resolution_ns, calibrations[1].resolution_ns);
        if (mapped_files_clash(&calibrations[0].mapped, &calibrations[1].mapped))
            trial->together = false;
        trial->alike = calibrations[0].mapped.count &&
                       same_places(&calibrations[0].places, &calibrations[1].places);
        trial->files = mapped_files_unshared(&calibrations[0].mapped, &calibrations[1].mapped);
    }
    list_done(&calibrations[0].mapped);
    list_done(&calibrations[1].mapped);
    if (error.status == BILANX_OK && trial->together && !trial->copy.rival)
        error = copy_object(trial, shared);
    return error;
}

static struct run_subject *spare_of(struct trial_shared *shared, const struct run_subject *subject)
{
    for (size_t i = 0; i < shared->spare_count; i++)
        if (shared->spares[i].of == subject)
            return shared->spares[i].copy;
    struct run_subject *copy = mem_new(struct run_subject);
    *copy = *subject;
    copy->standby = run_standby_new();
    mem_grow(shared->spares, shared->spare_count, &shared->spare_room);
    shared->spares[shared->spare_count++] = (struct spare){subject, copy};
    return copy;
}

// The same file on both sides would be one object at one address.
static bool same_object(const struct trial *trial)
{
    return strcmp(trial->items[0]->rival, trial->items[1]->rival) == 0;
}

// If the floor turns out to be lower than known, epochs that counted as free were not.
static void note_core(struct trial *trial, struct trial_shared *shared,
                      const struct paired_results *results)
{
    double before = shared->core.front;
    core_floor_note(&shared->core, &results->core);
    trial->has_states |= results->has_states;
    trial->readings += (double)results->core.readings;
    trial->free_readings += results->core.free * (double)results->core.readings;
    if (before > 0 && shared->core.front < before)
        shared->floor_changes++;
}

static struct bilanx_error run_epoch(struct trial *trial, struct trial_shared *shared,
                                     unsigned round, bool control, struct paired_results *out,
                                     struct paired_failure *failure)
{
    struct paired_epoch epoch = begin_epoch(trial, shared, round);
    struct run_case second = *trial->items[control ? 0 : 1];
    if (trial->together && (control || same_object(trial))) {
        second.open = trial->copy.open;
        second.rival = trial->copy.rival;
    }
    if (control && !trial->together && second.subject->standby)
        second.subject = spare_of(shared, second.subject);
    epoch.sides[1] = &second;
    BILANX_TRY(paired_run(shared->way, &epoch, &shared->mapping, out, failure));
    note_core(trial, shared, out);
    return BILANX_SUCCESS;
}

// The state of the core that the verdict is about.
static struct paired_result *wanted_of(const struct trial *trial, struct paired_results *results)
{
    return trial->has_states && !trial->settled_for_shared ? &results->free : &results->other;
}

// The value of a fork is for early verdicts; they all go into the value of the epoch.
static void add_fork(struct trial *trial, struct paired_results *one, struct paired_results *sum)
{
    const struct paired_result *wanted = wanted_of(trial, one);
    if (wanted->pairs) {
        mem_grow(trial->forks, trial->fork_count, &trial->fork_room);
        trial->forks[trial->fork_count++] = wanted->change;
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct paired_result *part = i ? &one->other : &one->free;
        struct paired_result *to = i ? &sum->other : &sum->free;
        if (part->pairs)
            paired_add(to, part);
    }
}

// Forks of two standby workers share addresses: together they are one draw, whose value is their
// mean. A fork costs milliseconds, an import of torch a second. What a fork draws (stack and heap)
// varies several times as much as what an import draws: 1.9 % against .6 for an addition of two
// tensors, .5 against .3 for a product.
static struct bilanx_error run_forks(struct trial *trial, struct trial_shared *shared,
                                     unsigned round, bool control, double first_ns,
                                     struct paired_results *sum, struct paired_failure *failure)
{
    struct paired_results first = *sum;
    uint64_t end_ns = monotonic_ns() + (uint64_t)plan_epoch_ns(&trial->plan);
    *sum = (struct paired_results){.has_states = first.has_states};
    unsigned run = 0;
    if (control || !plan_lengthen(&trial->plan, first_ns)) {  // otherwise it only helped planning
        add_fork(trial, &first, sum);
        end_ns -= (uint64_t)first_ns;
        run++;
    }
    bool early = !control && trial->change_count - trial->first < PLAN_FIRST_VERDICT;
    unsigned fewest = early ? plan_forks(&trial->plan, first_ns) : 1;
    for (; run < fewest || monotonic_ns() < end_ns; run++) {
        struct paired_results one = {0};
        BILANX_TRY(run_epoch(trial, shared, round, control, &one, failure));
        add_fork(trial, &one, sum);
    }
    paired_average(&sum->free);
    paired_average(&sum->other);
    return BILANX_SUCCESS;
}

static void forget_epochs(struct trial *trial)
{
    trial->time_logs[0] = trial->time_logs[1] = 0;
    trial->others.count = trial->others.epoch_count = 0;
    trial->others.time_logs[0] = trial->others.time_logs[1] = 0;
    trial->change_count = trial->record.timing.epoch_count = 0;
    trial->fork_count = trial->fork_kept = 0;
}

// A loop that the compiler removed takes as long as reading the clock, whatever the number of
// calls, and readings vary arbitrarily.
static bool is_too_short(const struct trial *trial, const struct paired_result *result)
{
    static const double STEPS = 10;
    return fmin(result->batch_ns[0], result->batch_ns[1]) < STEPS * trial->resolution_ns;
}

static void add_epoch(const struct trial *trial, const struct paired_result *result,
                      struct bilanx_epoch **epochs, size_t *count)
{
    *epochs = mem_resized(*epochs, (*count + 1) * sizeof **epochs);
    (*epochs)[(*count)++] =
        (struct bilanx_epoch){.time = result->batch_ns[1] / 1e9 / (double)trial->plan.number,
                              .min = NAN,
                              .p25 = NAN,
                              .p75 = NAN,
                              .p99 = NAN,
                              .batches = result->pairs,
                              .disturbed = result->dropped};
}

static void keep(struct trial *trial, const struct paired_result *result)
{
    size_t at = trial->change_count;
    mem_grow(trial->changes, at, &trial->change_room);
    mem_grow(trial->layouts, at, &trial->layout_room);
    trial->units = mem_resized(trial->units, trial->change_room * sizeof *trial->units);
    trial->changes[at] = result->change;
    trial->layouts[at] = trial->layout;
    trial->change_count++;
    trial->fork_kept = trial->fork_count;
    trial->record.pages += trial->pages.fresh && !trial->pages.refused;
    trial->refused |= trial->pages.refused;
    trial->unresolved |= is_too_short(trial, result);
    struct bilanx_timing *timing = &trial->record.timing;
    add_epoch(trial, result, &timing->epochs, &timing->epoch_count);
    for (unsigned side = 0; side < 2; side++)
        trial->time_logs[side] += ln(result->batch_ns[side] / (double)trial->plan.number);
}

static void keep_other(struct trial *trial, const struct paired_result *result)
{
    struct other_changes *others = &trial->others;
    mem_grow(others->changes, others->count, &others->room);
    mem_grow(others->layouts, others->count, &others->layout_room);
    others->changes[others->count] = result->change;
    others->layouts[others->count++] = trial->layout;
    add_epoch(trial, result, &others->epochs, &others->epoch_count);
    for (unsigned side = 0; side < 2; side++)
        others->time_logs[side] += ln(result->batch_ns[side] / (double)trial->plan.number);
}

// Whether the neighbour has left too little for a verdict about the core to itself.
static bool has_waited_enough(const struct trial *trial, const struct trial_shared *shared)
{
    double wait_s = shared->options->core_wait;
    double wait_ns = wait_s > 0 ? wait_s * 1e9 : trial->plan.budget_ns;
    return trial->spent_ns > trial->plan.budget_ns + wait_ns;
}

// Only in a first run: what it flags is confirmed in the same state.
static bool has_to_settle(const struct trial *trial, const struct trial_shared *shared)
{
    return trial->has_states && !trial->settled_for_shared && trial->first == 0 &&
           !shared->options->free_core && trial->change_count < PLAN_FIRST_VERDICT &&
           trial->others.count > trial->change_count && has_waited_enough(trial, shared);
}

// Makes the epochs beside a neighbour those of the verdict.
static void settle_for_shared(struct trial *trial)
{
    struct other_changes others = trial->others;
    struct bilanx_timing *timing = &trial->record.timing;
    trial->others = (struct other_changes){.epochs = timing->epochs,
                                           .epoch_count = timing->epoch_count,
                                           .changes = trial->changes,
                                           .layouts = trial->layouts,
                                           .count = trial->change_count,
                                           .room = trial->change_room,
                                           .layout_room = trial->layout_room,
                                           .time_logs = {trial->time_logs[0], trial->time_logs[1]}};
    timing->epochs = others.epochs;
    timing->epoch_count = others.epoch_count;
    trial->changes = others.changes;
    trial->layouts = others.layouts;
    trial->change_count = others.count;
    trial->change_room = others.room;
    trial->layout_room = others.layout_room;
    trial->time_logs[0] = others.time_logs[0];
    trial->time_logs[1] = others.time_logs[1];
    trial->units = mem_resized(trial->units, (trial->change_room + 1) * sizeof *trial->units);
    trial->settled_for_shared = true;
}

static void keep_control(struct trial_shared *shared, double change)
{
    mem_grow(shared->control, shared->control_count, &shared->control_room);
    shared->control[shared->control_count++] = change;
    struct sample control = {shared->control, shared->control_count};
    shared->usual.bias = shared->strict.bias = judge_bias(&control, &shared->options->margins);
    shared->biased = judge_biased(&control, &shared->options->margins);
}

// Whether the machine was disturbed: the pairs of an epoch vary several times as much as those of
// the calmest one. This ignores the direction of the change and which side is which, so it discards
// nothing caused by the code. It never discards more than is kept.
static bool is_bad_moment(struct trial *trial, const struct paired_result *result)
{
    static const double MUCH = .03, TIMES = 4;
    if (trial->calmest == 0 || result->spread < trial->calmest)
        trial->calmest = result->spread;
    bool bad = !trial->plan.setup_ns && result->spread > MUCH &&
               result->spread > TIMES * trial->calmest &&
               trial->record.redrawn < trial->change_count + 2;
    trial->record.redrawn += bad;
    return bad;
}

static bool is_spent(const struct trial *trial, size_t epochs, size_t fewest)
{
    return trial->spent_ns + plan_epoch_ns(&trial->plan) / 2 > trial->plan.budget_ns &&
           epochs >= fewest;
}

// For differences of times: the interval is narrow enough at half a percent of the first side's
// time, or two percent of the difference.
static void decide_difference(struct trial *trial, const struct trial_shared *shared)
{
    static const double OF_FIRST = .005, OF_DIFFERENCE = .02, LATE = 10;
    const struct margins usual = trial_margins(trial, &shared->usual);
    struct sample epochs = trial_epochs(trial);
    struct finding finding = judge_sample(&epochs, &usual);
    double first = exponential(-finding.change);  // as a share of the second side's time
    double goal = fmax(OF_FIRST * first, OF_DIFFERENCE * fabs(1 - first));
    bool narrow = finding.interval.high - finding.interval.low < 2 * goal;
    bool enough = epochs.count >= PLAN_FIRST_VERDICT;
    bool late =
        trial->spent_ns > LATE * trial->plan.budget_ns && (epochs.count >= 2 || trial->has_states);
    trial->done = trial->unresolved || (narrow && enough) || late ||
                  is_spent(trial, epochs.count, PLAN_FIRST_VERDICT);
}

static void decide(struct trial *trial, const struct trial_shared *shared)
{
    if (has_to_settle(trial, shared))
        settle_for_shared(trial);
    if (shared->options->precise) {
        decide_difference(trial, shared);
        return;
    }
    const struct margins usual = trial_margins(trial, &shared->usual),
                         strict = trial_margins(trial, &shared->strict);
    bool confirming = trial->flagged != VERDICT_UNDECIDED;
    struct sample epochs = trial_epochs(trial);
    trial->verdict = judge(&epochs, confirming ? &usual : &strict);
    if (trial->verdict == VERDICT_UNDECIDED && judge(&epochs, &usual) == VERDICT_SAME)
        trial->verdict = VERDICT_SAME;
    size_t fewest = confirming ? PLAN_FIRST_VERDICT : 2;  // a second run needs more
    bool spent = is_spent(trial, epochs.count, fewest);
    spent |= trial->has_states && has_waited_enough(trial, shared);
    if (spent && trial->verdict == VERDICT_UNDECIDED)
        trial->verdict = judge(&epochs, &usual);
    if (trial->unresolved)
        trial->verdict = VERDICT_UNDECIDED;
    trial->done =
        spent || trial->unresolved || trial->verdict != VERDICT_UNDECIDED || shared->biased;
}

// If one of two in the same process failed, we cannot tell which: run them separately.
static bool separate(struct trial *trial, const struct bilanx_error *error,
                     const struct paired_failure *failure)
{
    if (error->status == BILANX_OK || error->status == BILANX_E_INTERRUPTED || failure->side >= 0)
        return false;
    trial->together = false;
    record_warn(&trial->record, "isolated",
                "each side ran in its own process: sharing one failed (%s)", error->text);
    return true;
}

// Fewer controls than needed for a verdict on them would be a waste of time.
static bool is_control_due(struct trial *trial, struct trial_shared *shared)
{
    double cases = (double)shared->sides[0].cases->count;
    return trial->plan.count > 0 &&
           cases * plan_epochs(&trial->plan) >= ONE_CONTROL_IN * PLAN_FIRST_VERDICT &&
           random_below(&shared->random, ONE_CONTROL_IN) == 0;
}

// Epochs in the other state: nothing is planned or decided by them, but time passes.
static void take_in_other(struct trial *trial, bool control, struct paired_results *results)
{
    const struct paired_result *wanted = wanted_of(trial, results);
    const struct paired_result *other = wanted == &results->free ? &results->other : &results->free;
    if (trial->has_states && other->pairs && !control)
        keep_other(trial, other);
}

// If the floor was too high so far, drops the epochs kept as free.
static void follow_floor(struct trial *trial, struct trial_shared *shared)
{
    if (trial->floor_changes != shared->floor_changes && !trial->settled_for_shared) {
        forget_epochs(trial);
        trial->first = 0;
        trial->free_readings = 0;
    }
    trial->floor_changes = shared->floor_changes;
}

// Uses an epoch's result: to plan the others, to detect a disturbed machine, for the control, or
// for the case.
static void take_in(struct trial *trial, struct trial_shared *shared, bool control,
                    struct paired_results *results, double wall_ns)
{
    follow_floor(trial, shared);
    const struct paired_result *result = wanted_of(trial, results);
    if (result->pairs == 0) {
        take_in_other(trial, control, results);
        decide(trial, shared);
        return;
    }
    if (plan_mend(&trial->plan, result) ||
        (!control && !trial->plan.forks && plan_lengthen(&trial->plan, wall_ns)))
        return;
    take_in_other(trial, control, results);
    if (is_bad_moment(trial, result)) {
        decide(trial, shared);
    } else if (control) {
        keep_control(shared, result->change);
    } else {
        keep(trial, result);
        plan_note(&trial->plan, result, wall_ns);
        struct sample epochs = trial_epochs(trial);
        if (plan_adapt(&trial->plan, &epochs, &shared->options->margins))
            forget_epochs(trial);
        decide(trial, shared);
    }
}

static bool has_pairs(const struct paired_results *results)
{
    return results->free.pairs || results->other.pairs;
}

struct bilanx_error trial_step(struct trial *trial, struct trial_shared *shared, unsigned round)
{
    AUTO(paired_failure) struct paired_failure failure = {.side = 0};
    struct bilanx_error error = BILANX_SUCCESS;
    struct paired_results results = {0};
    uint64_t started_ns = monotonic_ns();
    if (trial->begun_ns == 0) {
        trial->begun_ns = started_ns;
        trial->watch = watch_start();
    }
    bool control = is_control_due(trial, shared);
    trial->fork_count = trial->fork_kept;
    trial->layout = deck_draw(&trial->deck, &shared->random);
    trial->pages = (struct paired_pages){0};
    if (trial->plan.number == 0)
        error = calibrate(trial, shared, round, &failure);
    uint64_t calibrated_ns = monotonic_ns();
    if (error.status == BILANX_OK)
        error = run_epoch(trial, shared, round, control, &results, &failure);
    plan_relent(&trial->plan, (double)(monotonic_ns() - calibrated_ns));
    if (error.status == BILANX_OK && has_pairs(&results) && trial->plan.forks &&
        !trial->plan.setup_ns)
        error = run_forks(trial, shared, round, control, (double)(monotonic_ns() - calibrated_ns),
                          &results, &failure);
    double wall_ns = (double)(monotonic_ns() - calibrated_ns);
    trial->record.elapsed += (double)(monotonic_ns() - started_ns) / 1e9;
    trial->spent_ns += trial->plan.forks ? plan_epoch_ns(&trial->plan) : wall_ns;
    if (error.status == BILANX_E_INTERRUPTED || separate(trial, &error, &failure))
        return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
    if (error.status == BILANX_OK && !has_pairs(&results))
        error = bilanx_error_make(BILANX_E_FAILED, "its batches take no time");
    if (error.status != BILANX_OK)
        fail(trial, shared, &error, &failure);
    else
        take_in(trial, shared, control, &results, wall_ns);
    return BILANX_SUCCESS;
}

void trial_note_load(struct trial *trial, const struct trial_shared *shared)
{
    double (*share)(const struct watch *) = shared->options->busy_share;
    trial->busy = fmax(trial->busy, (share ? share : watch_busy_share)(&trial->watch));
}

bool trial_is_doubtful(const struct trial *trial)
{
    static const double MUCH = .25;
    return trial->busy > MUCH;
}

// Disturbance by other processes outlasts a verdict. So a change that it may have caused is
// measured again later, with half the budget.
static void put_off(struct trial *trial)
{
    static const double LATER_NS = 2e9;
    double half_ns = trial->plan.budget_ns / 2;
    trial->not_before_ns = trial->begun_ns + (uint64_t)fmin(half_ns, LATER_NS);
    trial->spent_ns = half_ns;
}

void trial_confirm(struct trial *trial)
{
    trial->flagged = trial->verdict;
    trial->first = trial->change_count;
    trial->first_fork = trial->fork_kept;
    trial->verdict = VERDICT_UNDECIDED;
    trial->spent_ns = 0;
    if (trial_is_doubtful(trial))
        put_off(trial);
    trial->watch = watch_start();
    plan_restart(&trial->plan);
    trial->done = false;
}
