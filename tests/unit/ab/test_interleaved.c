// A comparison with simulated epochs: the verdicts, their order, and when it stops.
#include "ab/verdict/interleaved.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "core/timer/core_floor.h"
#include "fake_time.h"
#include "own_cache.h"

enum { MOST_CASES = 24 };

// Properties of the simulated epochs.
static struct made_up {
    double change;          // of side B, as a fraction
    double control_change;  // of side A against itself
    double noise;           // of epochs
    unsigned until;         // epochs of a case after which there is no difference; 0: never
    unsigned wild_one_in;   // except the first, one epoch in this many has widely spread pairs
    double wild_change;     // and this change
    unsigned far_one_in;    // one epoch in this many is half as slow again, with consistent pairs
    double start_s;         // time per epoch besides its pairs
    double setup_s;         // setup time of each side, as calibrated
    double resolution_ns;   // of the clock
    double calibrated_ns;   // batch time reported by calibration; 0: the true one
    unsigned stop_after;    // epochs until ^C; 0: never
    unsigned fail_after;    // epochs until side B dies; 0: never
    struct random random;
    unsigned epochs, controls, of_case[MOST_CASES];
    unsigned first_pairs, last_pairs;
    uint64_t last_number;
    bool stands_by;         // epochs are forks
    unsigned generations;   // of standby workers
    bool reused;            // an epoch was to be run by the workers of an earlier round
    double fork_noise;      // among forks of the same worker
    double draw_noise;      // among pairs of workers
    unsigned luck;          // seed of these draws
    bool alike;             // both sides have the same files at the same addresses
    double busy_share;      // share of the machine used by others
    unsigned turned_after;  // epochs of a case after which its change has the opposite sign
    uint64_t begun_ns, turned_ns;
    unsigned layouts;        // of the code of both sides
    double layout_change;    // of every second layout; the others have the opposite
    unsigned fewer_layouts;  // of the second side; 0: as many
    bool refused;            // physical pages cannot be moved
    bool fresh;              // they were moved
    uint64_t last_draw;
    unsigned draws;       // number of changes of the draw
    bool reads_pace;      // of the core
    double free;          // share of the pairs that have the core to themselves
    double beside;        // added to the change of the others
    unsigned high_until;  // epochs until which a neighbour never rests, so the floor seems higher
    double high_beside;   // added to the change by then
    unsigned paced;       // epochs that were to read the pace
    double last_floor;    // as told to the epoch
    bool objects;         // the sides are objects that can be loaded into one process
    bool same_object;     // the same one
    bool clash;           // of libraries
    bool dies_together;   // whenever both share a process
    bool refuses;         // to be calibrated
    unsigned together, apart;
    unsigned copies;  // epochs whose second side was a copy of the first
    char files[80];   // as told to the last epoch
} made_up;

static double busy_share(const struct watch *since)
{
    (void)since;
    return made_up.busy_share;
}

static const double CALL_NS = 1000;
static const double AT_LEAST_NS = 2e6;  // minimum per epoch, to limit their number

static struct bilanx_error calibrate(const struct paired_epoch *epoch, unsigned side,
                                     struct paired_calibration *out, struct paired_failure *failure)
{
    (void)epoch;
    if (made_up.refuses) {
        failure->side = (int)side;
        return bilanx_error_make(BILANX_E_FAILED, "no");
    }
    double batch_ns = made_up.calibrated_ns > 0 ? made_up.calibrated_ns : 50 * CALL_NS;
    *out = (struct paired_calibration){.number = 50,
                                       .batch_ns = batch_ns,
                                       .setup_ns = made_up.setup_s * 1e9,
                                       .resolution_ns = made_up.resolution_ns,
                                       .places = {.a = made_up.alike ? 1 : 1 + side}};
    list_add(&out->mapped, "08:01:17 /usr/bin/python3");
    if (made_up.clash)
        list_add(&out->mapped, side ? "08:01:18 /b/libx.so" : "08:01:19 /a/libx.so");
    return BILANX_SUCCESS;
}

static double between(double low, double high)
{
    return low + (high - low) * (double)random_below(&made_up.random, 1000001) / 1e6;
}

static double change_of(const struct paired_epoch *epoch, bool control)
{
    unsigned nth = control ? 0 : ++made_up.of_case[atoi(epoch->sides[1]->name)];
    double change = control ? made_up.control_change : made_up.change;
    if (made_up.until && nth > made_up.until)
        change = 0;
    if (!control)
        change += epoch->layout % 2 ? made_up.layout_change : -made_up.layout_change;
    if (made_up.far_one_in && nth && random_below(&made_up.random, made_up.far_one_in) == 0)
        change += .5;
    if (nth == 1)
        made_up.begun_ns = monotonic_ns();
    if (made_up.turned_after && nth > made_up.turned_after) {
        made_up.turned_ns = made_up.turned_ns ? made_up.turned_ns : monotonic_ns();
        change = -change;
    }
    return change + between(-made_up.noise, made_up.noise);
}

// Depends on nothing else, such as how many forks a busy machine had time for.
static double draw_of(unsigned generation)
{
    struct random random;
    random_init(&random, 1000 * made_up.luck + generation);
    return made_up.draw_noise * ((double)random_below(&random, 2001) / 1000 - 1);
}

static const double FLOOR = .01, BESIDE = 1.4;  // a call takes longer beside a neighbour

// Beside a neighbour the ratio varies, as no neighbour is always equally busy.
static struct pace read_pace(bool is_free)
{
    double ratio = !is_free                               ? FLOOR * between(1.35, 1.8)
                   : made_up.epochs <= made_up.high_until ? FLOOR * 1.25
                                                          : FLOOR;
    return made_up.reads_pace ? (struct pace){50, 50 * ratio} : (struct pace){0};
}

static void fill(const struct paired_epoch *epoch, double change, bool wild,
                 struct duel_memory *memory)
{
    double batch_ns = CALL_NS * (double)epoch->number;
    memory->pairs = epoch->pairs;
    for (unsigned pair = 0; pair < epoch->pairs; pair++) {
        double spread = wild ? between(-.2, .2) : between(-.001, .001);
        bool is_free = !made_up.reads_pace || pair < made_up.free * epoch->pairs;
        double more = is_free ? 0 : made_up.beside;
        memory->ns[0][pair] = batch_ns * (is_free ? 1 : BESIDE);
        memory->ns[1][pair] = memory->ns[0][pair] * (1 + change + more + spread);
        memory->disturbed[0][pair] = memory->disturbed[1][pair] = false;
        for (unsigned reading = 0; reading < 4; reading++)
            memory->paces[reading / 2][pair][reading % 2] = read_pace(is_free);
    }
}

static struct bilanx_error run(const struct paired_epoch *epoch, struct duel_mapping *mapping,
                               struct paired_failure *failure)
{
    bool control = strcmp(epoch->sides[1]->subject->name, "A") == 0;
    made_up.epochs++;
    made_up.controls += control;
    *(epoch->together ? &made_up.together : &made_up.apart) += 1;
    made_up.copies += epoch->sides[1]->rival && strstr(epoch->sides[1]->rival, "/copy-0");
    snprintf(made_up.files, sizeof made_up.files, "%s", epoch->files ? epoch->files : "");
    if (made_up.dies_together && epoch->together) {
        failure->side = -1;
        return bilanx_error_make(BILANX_E_CRASHED, "killed by signal 11");
    }
    made_up.first_pairs = made_up.epochs == 1 ? epoch->pairs : made_up.first_pairs;
    made_up.last_pairs = epoch->pairs;
    made_up.last_number = epoch->number;
    if (made_up.stop_after && made_up.epochs > made_up.stop_after)
        return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
    if (made_up.fail_after && made_up.epochs > made_up.fail_after) {
        failure->side = 1;
        failure->phase = "stmt";
        text_add(&failure->output, "its last words");
        return bilanx_error_make(BILANX_E_CRASHED, "killed by signal 9");
    }
    bool wild = made_up.wild_one_in && made_up.epochs > 1 && !control &&
                random_below(&made_up.random, made_up.wild_one_in) == 0;
    epoch->pages->refused = made_up.refused;
    epoch->pages->fresh = made_up.fresh;
    made_up.reused |= epoch->generation < made_up.generations;
    made_up.generations = epoch->generation;
    made_up.draws += epoch->draw != made_up.last_draw;
    made_up.last_draw = epoch->draw;
    double change = change_of(epoch, control) + draw_of(epoch->generation) +
                    between(-made_up.fork_noise, made_up.fork_noise);
    change += made_up.epochs <= made_up.high_until ? made_up.high_beside : 0;
    made_up.paced += epoch->reads_pace;
    made_up.last_floor = epoch->floor;
    fill(epoch, wild ? made_up.wild_change : change, wild, mapping->memory);
    double pair_ns = 2 * (1 + 1 / 3.) * CALL_NS * (double)epoch->number;
    double wall_ns =
        made_up.start_s > 0 ? made_up.start_s * 1e9 + epoch->pairs * pair_ns : AT_LEAST_NS;
    fake_time_pass(wall_ns / 1e9);
    return BILANX_SUCCESS;
}

static const struct paired_way way = {calibrate, run};

// Records by case; a second record for a case fails the test.
static struct told {
    struct bilanx_record records[MOST_CASES];
    size_t count;
    struct interleaved_summary summary;
} told;

static void finished(void *context, size_t index, struct bilanx_record *record)
{
    (void)context;
    assert_null(told.records[index].kind);
    told.records[index] = *record;
    told.count++;
}

static bool precise;  // ask for differences instead of verdicts
static bool any_core, free_core;
static bool apart;
static double ahead;                        // as reported last
static struct bilanx_failure *prepared[2];  // why a side cannot run
static double core_wait;
static uint64_t threads;

static void working(void *context, const struct run_case *item, double share)
{
    (void)context;
    assert_string_equal(item->subject->name, "B");
    assert_true(share >= 0);
    ahead = share;
}

static struct bilanx_error compare(size_t count, double budget)
{
    struct run_subject subjects[2] = {{.name = "A"}, {.name = "B"}};
    for (size_t i = 0; i < 2 && made_up.stands_by; i++)
        subjects[i].standby = run_standby_new();
    struct run_case items[2][MOST_CASES] = {0};
    char names[MOST_CASES][8];
    for (size_t i = 0; i < count; i++)
        for (size_t side = 0; side < 2; side++) {
            snprintf(names[i], sizeof names[i], "%zu", i);
            items[side][i] = (struct run_case){
                .subject = &subjects[side], .name = names[i], .layouts = made_up.layouts};
            items[side][i].task.num_threads = threads;
            if (side && made_up.fewer_layouts)
                items[side][i].layouts = made_up.fewer_layouts;
            items[side][i].failure = prepared[side];
            if (made_up.objects) {
                bool first = side == 0 || made_up.same_object;
                items[side][i].open = (char *)(first ? " object=a.so" : " object=b.so");
                items[side][i].rival = (char *)(first ? " rival=a.so" : " rival=b.so");
            }
        }
    struct run_cases cases[2] = {{items[0], count}, {items[1], count}};
    struct interleaved_side sides[] = {{.name = "A", .title = "old", .cases = &cases[0]},
                                       {.name = "B", .title = "new", .cases = &cases[1]}};
    struct interleaved_options options = {.way = &way,
                                          .margins = default_margins,
                                          .budget = budget,
                                          .seed = 5,
                                          .precise = precise,
                                          .any_core = any_core,
                                          .free_core = free_core,
                                          .core_wait = core_wait,
                                          .apart = apart,
                                          .busy_share = busy_share};
    random_init(&made_up.random, 7);
    struct bilanx_error error = interleaved_compare(
        sides, &options, &(struct interleaved_observer){.working = working, .finished = finished},
        &told.summary);
    for (size_t i = 0; i < 2; i++)
        run_standby_free(subjects[i].standby);
    return error;
}

static int begin(void **state)
{
    (void)state;
    made_up = (struct made_up){.noise = .0005};
    precise = any_core = free_core = apart = false;
    prepared[0] = prepared[1] = NULL;
    ahead = 0;
    core_wait = 0;
    threads = 1;
    AUTO(memory) char *path = core_floor_path();
    unlink(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST_CASES; i++)
        bilanx_record_done(&told.records[i]);
    told = (struct told){0};
    return 0;
}

static void assert_verdict(size_t index, const char *word)
{
    assert_non_null(told.records[index].verdict);
    if (strcmp(told.records[index].verdict->verdict, word) != 0)
        fail_msg("case %zu is '%s' (%s), not '%s'", index, told.records[index].verdict->verdict,
                 told.records[index].verdict->reason, word);
}

static void a_change_is_reported_with_its_interval(void **state)
{
    (void)state;
    made_up.change = .02;
    assert_ok(compare(1, 10));
    const struct bilanx_verdict *verdict = told.records[0].verdict;
    assert_verdict(0, "slower");
    assert_near(verdict->change, .02, .001);
    assert_true(verdict->interval[0] < .02 && verdict->interval[1] > .02);
    assert_true(verdict->change_count >= 10 && verdict->change_count < 20);
    assert_string_equal(verdict->baseline, "old");
    assert_string_equal(told.records[0].side, "B");
    assert_near(verdict->times[1] / verdict->times[0], 1.02, .001);
}

// A verdict would stop after ten epochs, with an interval of several percent.
static void a_difference_is_measured_until_it_is_known_well(void **state)
{
    (void)state;
    made_up.change = .2;
    made_up.noise = .05;
    precise = true;
    assert_ok(compare(1, 10));
    const struct bilanx_verdict *verdict = told.records[0].verdict;
    assert_verdict(0, "undecided");
    assert_true(verdict->change_count > 20);
    assert_true(verdict->interval[1] - verdict->interval[0] < 2.5 * .005);
}

static void a_difference_stops_when_time_is_up(void **state)
{
    (void)state;
    made_up.noise = .2;
    precise = true;
    assert_ok(compare(1, .05));
    assert_true(told.records[0].verdict->change_count >= 10);
    assert_true(told.records[0].verdict->interval[1] - told.records[0].verdict->interval[0] > .01);
}

static void a_change_common_to_all_layouts_is_reported(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.layouts = 32;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_int_equal(told.records[0].verdict->layout_count, told.records[0].verdict->change_count);
}

// Judged by epochs it would be certain: there are hundreds, and within a layout they hardly differ.
static void a_change_caused_by_layout_is_not_claimed(void **state)
{
    (void)state;
    made_up.change = .01;
    made_up.layouts = 12;
    made_up.layout_change = .05;
    assert_ok(compare(1, .6));
    assert_verdict(0, "undecided");
    assert_int_equal(told.records[0].verdict->layout_count, 12);
    assert_true(told.records[0].verdict->change_count > 60);
    assert_true(told.records[0].verdict->interval[0] < -.02);
}

static void with_few_layouts_the_verdict_covers_only_those(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.layouts = 2;
    made_up.layout_change = .001;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_int_equal(told.records[0].verdict->layout_count, 2);
}

static void times_below_the_clocks_resolution_are_undecided(void **state)
{
    made_up.change = .5;
    made_up.resolution_ns = 10 * CALL_NS;  // with batches of 50 calls
    assert_ok(compare(1, 10));
    assert_verdict(0, "undecided");
    assert_non_null(strstr(told.records[0].verdict->reason, "below the clock's resolution"));
    assert_true(isnan(told.records[0].verdict->detectable));
    end(state);
    begin(state);
    made_up.change = .5;
    made_up.resolution_ns = CALL_NS;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
}

static void if_pages_cannot_move_a_small_change_is_undecided(void **state)
{
    (void)state;
    made_up.change = .03;
    made_up.refused = true;
    assert_ok(compare(1, .2));
    assert_verdict(0, "undecided");
    assert_string_equal(told.records[0].warnings[0].code, "pages-kept");
    end(state);
    begin(state);
    made_up.change = .08;
    made_up.refused = true;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
}

static void equal_times_are_reported_as_same(void **state)
{
    (void)state;
    assert_ok(compare(1, 10));
    assert_verdict(0, "same");
}

static void a_noisy_case_is_undecided_when_its_budget_runs_out(void **state)
{
    (void)state;
    made_up.noise = .2;
    assert_ok(compare(1, .2));
    assert_verdict(0, "undecided");
    assert_true(told.records[0].verdict->detectable > .0025);
    assert_non_null(
        strstr(told.records[0].verdict->reason, "out of time; would have detected a change of "));
}

static void one_epoch_in_six_is_a_control(void **state)
{
    (void)state;
    made_up.noise = .2;
    assert_ok(compare(4, .1));
    assert_int_equal(told.summary.control_epochs, made_up.controls);
    assert_true(made_up.epochs > 40);
    assert_near((double)made_up.controls / made_up.epochs, 1. / 6, .14);
    assert_false(told.summary.biased);
}

static void a_short_budget_has_no_controls(void **state)
{
    (void)state;
    made_up.noise = .2;
    assert_ok(compare(4, .03));
    assert_true(made_up.epochs >= 8);
    assert_int_equal(made_up.controls, 0);
}

static bool revise(size_t index)
{
    return interleaved_revise(&told.summary, &default_margins, told.records[index].verdict);
}

static void a_harness_that_differs_from_itself_withholds_verdicts(void **state)
{
    (void)state;
    made_up.change = made_up.control_change = .02;
    assert_ok(compare(MOST_CASES, 10));
    assert_true(told.summary.biased);
    assert_verdict(MOST_CASES - 1, "harness-biased");
    for (size_t i = 0; i < MOST_CASES; i++) {  // some were reported before it was known
        bool early = revise(i);
        assert_verdict(i, "harness-biased");
        assert_true(!early || !revise(i));
    }
}

static void a_control_off_zero_holds_back_small_claims(void **state)
{
    (void)state;
    made_up.change = .004;
    made_up.control_change = .0015;
    assert_ok(compare(MOST_CASES, .1));
    assert_false(told.summary.biased);
    assert_true(told.summary.bias > .0015 && told.summary.bias < .0025);
    for (size_t i = 0; i < MOST_CASES; i++) {
        revise(i);
        assert_verdict(i, "undecided");
        assert_true(told.records[i].verdict->interval[0] < .0025);
    }
}

static void a_claim_is_withdrawn_if_a_control_turns_out_to_be_off_zero(void **state)
{
    (void)state;
    made_up.change = .004;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_false(revise(0));
    double low = told.records[0].verdict->interval[0];
    told.summary.bias = .002;
    assert_true(revise(0));
    assert_verdict(0, "undecided");
    assert_non_null(strstr(told.records[0].verdict->reason, "differs from itself by up to 0.2 %"));
    assert_near(told.records[0].verdict->interval[0], low - .002, 1e-4);
    assert_false(revise(0));
}

static void a_control_off_zero_leaves_large_claims_alone(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.control_change = .0015;
    assert_ok(compare(MOST_CASES, 1));
    assert_true(told.summary.bias > 0 && !told.summary.biased);
    for (size_t i = 0; i < MOST_CASES; i++) {
        assert_false(revise(i));
        assert_verdict(i, "slower");
    }
}

static bool is_warned(size_t index, const char *code)
{
    for (size_t i = 0; i < told.records[index].warning_count; i++)
        if (strcmp(told.records[index].warnings[i].code, code) == 0)
            return true;
    return false;
}

static void a_busy_machine_is_reported(void **state)
{
    (void)state;
    made_up.busy_share = .15;
    made_up.change = .02;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_true(is_warned(0, "busy-machine"));
    assert_true(told.records[0].verdict->change_count < 20);  // one run
    assert_null(strstr(told.records[0].verdict->reason, "second"));
}

static void a_claim_on_a_very_busy_machine_is_checked_again_later(void **state)
{
    (void)state;
    made_up.busy_share = .5;
    made_up.change = .02;
    assert_ok(compare(1, .4));
    assert_verdict(0, "slower");
    assert_true(is_warned(0, "busy-machine"));
    assert_true(told.records[0].verdict->change_count >= 20);
    assert_non_null(strstr(told.records[0].verdict->reason, "a second run confirmed it"));
}

static void a_change_that_flips_sign_on_a_busy_machine_is_not_claimed(void **state)
{
    (void)state;
    made_up.busy_share = .5;
    made_up.change = -.02;
    made_up.turned_after = 10;  // as soon as it is claimed
    assert_ok(compare(1, .4));
    assert_verdict(0, "undecided");
    assert_non_null(strstr(told.records[0].verdict->reason, "not confirmed (second run: +2"));
    assert_non_null(strstr(told.records[0].verdict->reason,
                           " %): a first run found it faster, a second run found it slower, "
                           "while other work took 50 % of the machine"));
    // The second run starts after half of the budget, or two seconds.
    assert_true(made_up.turned_ns - made_up.begun_ns > 190000000);
}

static void same_on_a_busy_machine_needs_no_second_run(void **state)
{
    (void)state;
    made_up.busy_share = .5;
    assert_ok(compare(1, 10));
    assert_verdict(0, "same");
    assert_true(is_warned(0, "busy-machine"));
    assert_true(told.records[0].verdict->change_count < 20);
}

static void the_times_agree_with_the_change(void **state)
{
    (void)state;
    made_up.change = .005;
    made_up.noise = .0001;
    made_up.far_one_in = 5;
    assert_ok(compare(1, 10));
    const struct bilanx_verdict *verdict = told.records[0].verdict;
    assert_verdict(0, "slower");
    assert_near(verdict->change, .005, .0005);  // the median
    assert_near(verdict->times[1] / verdict->times[0], 1 + verdict->change, 1e-9);
    assert_near(verdict->times[0], CALL_NS / 1e9, .2 * CALL_NS / 1e9);
}

static void a_flagged_case_among_several_is_confirmed(void **state)
{
    (void)state;
    made_up.change = -.02;
    assert_ok(compare(2, 10));
    for (size_t i = 0; i < 2; i++) {
        assert_verdict(i, "faster");
        assert_non_null(strstr(told.records[i].verdict->reason, "a second run confirmed it"));
        assert_true(told.records[i].verdict->change_count >= 20);
    }
}

static void a_change_that_a_second_run_does_not_confirm_is_undecided(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.until = 14;
    assert_ok(compare(2, 10));
    for (size_t i = 0; i < 2; i++) {
        assert_verdict(i, "undecided");
        const struct bilanx_verdict *verdict = told.records[i].verdict;
        assert_non_null(strstr(verdict->reason, "not confirmed (second run: "));
        assert_non_null(strstr(verdict->reason, " %): a first run found it slower, a second run "));
        // Room for both: the finding of the first run, and no change.
        assert_true(verdict->interval[0] < default_margins.claim && verdict->interval[1] > .015);
    }
}

static void a_wildly_spread_epoch_is_redrawn(void **state)
{
    (void)state;
    made_up.wild_one_in = 3;
    made_up.wild_change = .5;
    assert_ok(compare(1, 10));
    assert_verdict(0, "same");
    assert_true(told.records[0].redrawn > 0);
    for (size_t i = 0; i < told.records[0].verdict->change_count; i++)
        assert_near(told.records[0].verdict->changes[i], 0, .01);
}

static void an_epoch_measures_for_as_long_as_it_takes_to_start(void **state)
{
    (void)state;
    made_up.change = .5;
    made_up.start_s = .03;
    assert_ok(compare(1, 10));
    assert_true(made_up.first_pairs < 60);
    assert_true(made_up.last_pairs > 150);
    assert_true(told.records[0].verdict->change_count < 20);
}

static void each_epoch_draws_once_for_both_sides(void **state)
{
    (void)state;
    assert_ok(compare(1, 10));
    assert_int_equal(made_up.draws, made_up.epochs);
}

static void forks_of_the_same_worker_are_one_epoch(void **state)
{
    (void)state;
    made_up.stands_by = true;
    made_up.change = .02;
    made_up.noise = 0;
    made_up.fork_noise = .02;
    assert_ok(compare(1, 2));
    size_t epochs = told.records[0].verdict->change_count + told.summary.control_epochs;
    assert_int_equal(epochs, made_up.generations);
    assert_int_equal(made_up.draws, epochs);
    assert_true(made_up.epochs > 10 * epochs);
    for (size_t i = 0; i < told.records[0].verdict->change_count; i++)
        assert_near(told.records[0].verdict->changes[i], .02, .01);
    assert_verdict(0, "slower");
}

// An import of torch takes as long as ten forks.
static void the_larger_a_change_the_fewer_workers_find_it(void **state)
{
    static const struct {
        double change;
        unsigned fewest, most;
    } expected[] = {{.04, 3, 5}, {.02, 3, 7}, {.01, 4, 11}};
    for (size_t i = 0; i < 3; i++) {
        begin(state);
        made_up.stands_by = true;
        made_up.change = expected[i].change;
        made_up.noise = 0;
        made_up.fork_noise = .002;
        assert_ok(compare(1, 2));
        assert_verdict(0, "slower");
        assert_in_range(made_up.generations, expected[i].fewest, expected[i].most);
        assert_true(told.records[0].verdict->interval[0] > default_margins.claim);
        end(state);
    }
}

// Returns how many pairs of workers it takes to find 3 % in some runs.
static unsigned workers_needed(void **state, bool alike)
{
    unsigned needed = 0;
    for (unsigned run = 0; run < 6; run++) {
        begin(state);
        made_up.stands_by = true;
        made_up.alike = alike;
        made_up.change = .03;
        made_up.noise = 0;
        made_up.fork_noise = .002;
        made_up.draw_noise = .013;
        made_up.luck = run;
        assert_ok(compare(1, 2));
        assert_verdict(0, "slower");
        needed += made_up.generations;
        end(state);
    }
    return needed;
}

static void the_same_addresses_on_both_sides_save_workers(void **state)
{
    unsigned alike = workers_needed(state, true), unlike = workers_needed(state, false);
    assert_in_range(alike, 6 * 3, 6 * 3 + 3);
    assert_true(unlike > alike);
}

static void workers_that_differ_much_delay_a_verdict(void **state)
{
    (void)state;
    made_up.stands_by = true;
    made_up.change = .01;
    made_up.noise = 0;
    made_up.draw_noise = .03;
    assert_ok(compare(1, .5));
    assert_true(made_up.generations > 9);
}

static void workers_that_differ_raise_no_false_alarm(void **state)
{
    for (unsigned trial = 0; trial < 20; trial++) {
        begin(state);
        made_up.stands_by = true;
        made_up.noise = 0;
        made_up.fork_noise = .004;
        made_up.draw_noise = .01;
        made_up.luck = trial;
        made_up.alike = trial % 2;
        assert_ok(compare(1, .1));
        assert_string_not_equal(told.records[0].verdict->verdict, "slower");
        assert_string_not_equal(told.records[0].verdict->verdict, "faster");
        end(state);
    }
}

static void an_epoch_of_slow_forks_is_one_fork(void **state)
{
    (void)state;
    made_up.stands_by = true;
    made_up.change = .02;
    made_up.start_s = .06;
    assert_ok(compare(1, .2));
    size_t epochs = told.records[0].verdict->change_count + told.summary.control_epochs;
    assert_true(epochs >= 10);
    assert_true(made_up.epochs <= epochs + 2);  // some only help planning
}

// Some are not certain enough among so many, and are confirmed when all others are known.
static void claims_are_confirmed_by_new_workers(void **state)
{
    (void)state;
    made_up.stands_by = true;
    made_up.change = .02;
    made_up.noise = .004;
    made_up.start_s = .0002;
    assert_ok(compare(24, .2));
    assert_false(made_up.reused);
}

static void a_costly_setup_runs_as_rarely_as_possible(void **state)
{
    (void)state;
    for (int forks = 0; forks < 2; forks++) {
        begin(state);
        made_up.stands_by = forks;
        made_up.setup_s = .2;
        made_up.start_s = .4;
        made_up.wild_one_in = 1;
        made_up.change = .5;
        assert_ok(compare(1, .4));
        assert_int_equal(made_up.epochs, 2);
        assert_verdict(0, "undecided");
        assert_string_equal(told.records[0].warnings[0].code, "costly-setup");
        assert_non_null(strstr(told.records[0].warnings[0].text, "--budget 8"));
        end(state);
    }
}

static void a_wrong_calibration_is_corrected(void **state)
{
    (void)state;
    made_up.calibrated_ns = 500 * CALL_NS;
    assert_ok(compare(1, 10));
    assert_int_equal(made_up.last_number, 50);
    assert_verdict(0, "same");
}

static void a_side_that_dies_is_one_failure(void **state)
{
    (void)state;
    made_up.fail_after = 3;
    assert_ok(compare(1, 10));
    const struct bilanx_record *record = &told.records[0];
    assert_string_equal(record->kind, "failure");
    assert_string_equal(record->error->code, "crashed");
    assert_string_equal(record->error->text, "side B: killed by signal 9");
    assert_string_equal(record->error->output, "its last words");
    assert_string_equal(record->side, "B");
}

static void an_interrupt_reports_flagged_cases_as_unconfirmed(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.stop_after = 35;
    assert_error(compare(2, 10), BILANX_E_INTERRUPTED, "");
    assert_true(told.count >= 1);
    for (size_t i = 0; i < 2; i++)
        if (told.records[i].kind) {
            assert_verdict(i, "slower");
            assert_string_equal(told.records[i].warnings[0].code, "not-confirmed");
        }
}

static const double CHAIN_NS = 50;

// As an earlier run may have learned it.
static void keep_floor(void)
{
    struct core_floor floor = {0};
    core_floor_note(&floor, &(struct pace_summary){.lowest = FLOOR,
                                                   .low = FLOOR,
                                                   .high = FLOOR,
                                                   .free = 1,
                                                   .chain_ns = CHAIN_NS,
                                                   .readings = 100});
    core_floor_save(&floor);
}

static void the_verdict_is_about_the_core_to_itself(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1 / 3.;
    made_up.change = .02;
    made_up.beside = -.07;
    assert_ok(compare(1, 10));
    const struct bilanx_record *record = &told.records[0];
    assert_verdict(0, "slower");
    assert_near(record->verdict->change, .02, .001);
    assert_near(record->verdict->times[0], CALL_NS / 1e9, .02 * CALL_NS / 1e9);
    assert_string_equal(record->core, "free");
    assert_near(record->neighbour->free, 1 / 3., .04);
    assert_near(record->neighbour->change, -.05, .001);
    assert_true(record->neighbour->interval[0] < -.05 && record->neighbour->interval[1] > -.05);
    assert_near(record->neighbour->time, BESIDE * .95 * CALL_NS / 1e9, .02 * CALL_NS / 1e9);
    assert_true(record->neighbour->epochs >= record->verdict->change_count);
    assert_true(is_warned(0, "neighbour"));
}

static void a_change_that_is_the_same_beside_a_neighbour_needs_no_warning(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1 / 3.;
    made_up.change = .02;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_near(told.records[0].neighbour->change, .02, .001);
    assert_false(is_warned(0, "neighbour") || is_warned(0, "core-shared"));
}

static void a_core_that_is_always_free_has_no_other_change(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1;
    assert_ok(compare(1, 10));
    assert_verdict(0, "same");
    assert_string_equal(told.records[0].core, "free");
    assert_near(told.records[0].neighbour->free, 1, 0);
    assert_true(isnan(told.records[0].neighbour->change));
    assert_true(isnan(told.records[0].neighbour->time));
    assert_int_equal(told.records[0].neighbour->epochs, 0);
}

static void without_readings_nothing_is_known_about_the_core(void **state)
{
    (void)state;
    assert_ok(compare(1, 10));
    assert_null(told.records[0].core);
    assert_null(told.records[0].neighbour);
}

static void the_pace_of_one_core_says_nothing_about_several_threads(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1 / 3.;
    threads = 2;
    assert_ok(compare(1, 10));
    assert_int_equal(made_up.paced, 0);
    assert_null(told.records[0].core);
}

static void if_the_core_is_never_free_it_settles_for_shared_after_waiting(void **state)
{
    (void)state;
    keep_floor();
    made_up.reads_pace = true;
    made_up.change = .02;
    made_up.beside = .03;
    core_wait = .1;
    assert_ok(compare(1, .05));
    const struct bilanx_record *record = &told.records[0];
    assert_near(made_up.last_floor, FLOOR, 1e-9);
    assert_true(record->elapsed >= .05 + .1);
    assert_verdict(0, "slower");
    assert_near(record->verdict->change, .05, .001);
    assert_true(record->verdict->change_count >= 10);
    assert_near(record->verdict->times[0], BESIDE * CALL_NS / 1e9, .02 * CALL_NS / 1e9);
    assert_string_equal(record->core, "shared");
    assert_near(record->neighbour->free, 0, 0);
    assert_true(isnan(record->neighbour->change));
    assert_true(is_warned(0, "core-shared"));
}

static void if_only_a_free_core_will_do_there_is_no_verdict_beside_a_neighbour(void **state)
{
    (void)state;
    keep_floor();
    made_up.reads_pace = true;
    made_up.change = .02;
    core_wait = .01;
    free_core = true;
    assert_ok(compare(1, .02));
    assert_verdict(0, "undecided");
    assert_int_equal(told.records[0].verdict->change_count, 0);
    assert_non_null(strstr(told.records[0].verdict->reason, "the core was shared: only 0 epochs"));
    assert_near(told.records[0].neighbour->change, .02, .001);
}

static void the_epochs_of_a_record_are_those_of_its_verdict(void **state)
{
    (void)state;
    keep_floor();
    made_up.reads_pace = true;
    made_up.change = .02;
    core_wait = .01;
    assert_ok(compare(1, .02));
    assert_string_equal(told.records[0].core, "shared");
    assert_int_equal(told.records[0].timing.epoch_count, told.records[0].verdict->change_count);
}

static void any_core_compares_all_pairs_alike(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1 / 3.;
    made_up.change = .02;
    made_up.beside = .03;
    any_core = true;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    assert_true(told.records[0].verdict->change > .03);
    assert_string_equal(told.records[0].core, "shared");  // for most of the time
    assert_int_equal(told.records[0].neighbour->epochs, 0);
}

// A neighbour that never rests at first: epochs that counted as free were not.
static void a_lower_floor_drops_what_was_kept(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1;
    made_up.change = .05;
    made_up.high_until = 6;
    made_up.high_beside = -.03;
    assert_ok(compare(1, 10));
    const struct bilanx_verdict *verdict = told.records[0].verdict;
    assert_verdict(0, "slower");
    assert_near(made_up.last_floor, FLOOR, 1e-9);
    assert_true(verdict->change_count >= 10 && made_up.epochs >= 16);
    for (size_t i = 0; i < verdict->change_count; i++)
        assert_near(verdict->changes[i], log(1.05), .005);
    assert_int_equal(told.records[0].timing.epoch_count, verdict->change_count);
}

static void readings_above_the_final_floor_were_not_free(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1;
    made_up.high_until = 6;
    assert_ok(compare(1, 10));
    assert_true(told.records[0].neighbour->free < .8);
}

static void the_floor_is_kept_for_the_next_run(void **state)
{
    (void)state;
    made_up.reads_pace = true;
    made_up.free = 1 / 3.;
    assert_ok(compare(1, 10));
    struct core_floor floor;
    core_floor_load(&floor);
    assert_near(floor.front, FLOOR, 1e-6);
    assert_near(floor.chain_ns, CHAIN_NS, 1e-3);
}

static void write_objects(void)
{
    assert_int_equal(chdir(own_cache), 0);
    assert_ok(file_write("a.so", "A", 1));
    assert_ok(file_write("b.so", "B", 1));
}

static void sides_share_a_process_and_a_control_loads_a_copy(void **state)
{
    (void)state;
    write_objects();
    made_up.objects = true;
    made_up.noise = .2;
    assert_ok(compare(1, 1));
    assert_int_equal(made_up.together, made_up.epochs);
    assert_true(made_up.controls > 0);
    assert_int_equal(made_up.copies, made_up.controls);
    assert_string_equal(made_up.files, "");
}

static void the_same_object_on_both_sides_is_always_loaded_as_a_copy(void **state)
{
    (void)state;
    write_objects();
    made_up.objects = made_up.same_object = true;
    assert_ok(compare(1, 1));
    assert_verdict(0, "same");
    assert_int_equal(made_up.together, made_up.epochs);
    assert_int_equal(made_up.copies, made_up.epochs);
}

static void sides_run_apart_if_asked_or_if_their_libraries_clash(void **state)
{
    for (int clash = 0; clash < 2; clash++) {
        begin(state);
        write_objects();
        made_up.objects = true;
        made_up.clash = clash;
        apart = !clash;
        assert_ok(compare(1, 1));
        assert_int_equal(made_up.together, 0);
        assert_int_equal(made_up.copies, 0);
        assert_string_equal(made_up.files, clash ? "/a/libx.so\n/b/libx.so\n" : "");
        end(state);
    }
}

static void sides_that_fail_together_are_tried_apart(void **state)
{
    (void)state;
    write_objects();
    made_up.objects = made_up.dies_together = true;
    made_up.change = .02;
    assert_ok(compare(1, 2));
    assert_int_equal(made_up.together, 1);
    assert_true(made_up.apart >= 10);
    assert_verdict(0, "slower");
    assert_true(is_warned(0, "isolated"));
    assert_non_null(strstr(told.records[0].warnings[0].text, "sharing one failed (killed by"));
}

static void an_object_that_is_gone_fails_before_the_first_epoch(void **state)
{
    (void)state;
    write_objects();
    assert_int_equal(unlink("a.so"), 0);
    made_up.objects = true;
    assert_ok(compare(1, 2));
    assert_int_equal(made_up.epochs, 0);
    assert_string_equal(told.records[0].kind, "failure");
    assert_non_null(strstr(told.records[0].error->text, "a.so"));
}

static void a_side_that_cannot_be_calibrated_is_one_failure(void **state)
{
    (void)state;
    made_up.refuses = true;
    assert_ok(compare(2, 1));
    assert_int_equal(made_up.epochs, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(told.records[i].kind, "failure");
        assert_string_equal(told.records[i].error->phase, "start");
        assert_non_null(strstr(told.records[i].error->text, ": no"));
    }
}

static void what_could_not_be_prepared_is_not_run(void **state)
{
    struct bilanx_failure failure = {
        .code = (char *)"compile", .phase = (char *)"compile", .text = (char *)"no such header"};
    for (int side = 0; side < 2; side++) {
        begin(state);
        prepared[side] = &failure;
        assert_ok(compare(1, 1));
        assert_int_equal(made_up.epochs, 0);
        assert_int_equal(told.count, 1);
        const struct bilanx_record *record = &told.records[0];
        assert_string_equal(record->kind, "failure");
        assert_string_equal(record->side, side ? "B" : "A");
        assert_string_equal(record->error->code, "compile");
        assert_string_equal(record->error->text,
                            side ? "side B: no such header" : "side A: no such header");
        end(state);
    }
    begin(state);
    failure.text = NULL;
    prepared[0] = prepared[1] = &failure;  // the first one is reported
    assert_ok(compare(1, 1));
    assert_string_equal(told.records[0].error->text, "side A: ");
}

static void a_case_has_five_seconds_unless_told_otherwise(void **state)
{
    (void)state;
    made_up.noise = .2;
    assert_ok(compare(1, 0));
    assert_near(told.records[0].elapsed, 5, .3);
    assert_in_range(ahead * 100, 90, 95);  // most of its time, but never all of it
}

static void a_verdict_on_layouts_is_revised_by_layouts(void **state)
{
    (void)state;
    made_up.change = .004;
    made_up.layouts = 12;
    assert_ok(compare(1, 10));
    assert_verdict(0, "slower");
    struct bilanx_verdict *verdict = told.records[0].verdict;
    struct sample layouts = {verdict->layouts, verdict->layout_count};
    told.summary.bias = .002;
    struct margins wider = default_margins;
    wider.bias = .002;
    struct finding finding = judge_sample(&layouts, &wider);
    verdict->changes[0] = 1;  // no longer matters
    assert_true(revise(0));
    assert_verdict(0, "undecided");
    assert_near(verdict->interval[0], exp(finding.interval.low) - 1, 1e-12);
    assert_near(verdict->p, finding.p, 1e-12);
    assert_near(verdict->detectable, judge_detectable(&finding, &wider), 1e-12);
}

static void a_second_revision_keeps_the_verdict_of_a_biased_harness(void **state)
{
    (void)state;
    assert_ok(compare(1, 10));
    told.summary.biased = true;
    assert_true(revise(0));
    assert_verdict(0, "harness-biased");
    assert_non_null(strstr(told.records[0].verdict->reason, "differs from itself"));
    assert_false(revise(0));
}

static void a_case_that_takes_no_time_fails(void **state)
{
    (void)state;
    made_up.change = -1;
    made_up.noise = 0;
    assert_ok(compare(1, 1));
    assert_string_equal(told.records[0].kind, "failure");
    assert_non_null(strstr(told.records[0].error->text, "its batches take no time"));
}

// Nine cases are two groups of eight and one: each is measured, in whatever order.
static void every_case_of_several_groups_is_measured(void **state)
{
    (void)state;
    made_up.change = .02;
    assert_ok(compare(9, 10));
    assert_int_equal(told.count, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_verdict(i, "slower");
        assert_true(made_up.of_case[i] >= 20);
    }
}

// What is certain for one case among many is confirmed at once, before the others are known.
static void a_certain_claim_among_several_is_confirmed_at_once(void **state)
{
    (void)state;
    made_up.change = .05;
    made_up.noise = .0001;
    assert_ok(compare(3, 2));
    for (size_t i = 0; i < 3; i++) {
        assert_verdict(i, "slower");
        assert_in_range(made_up.of_case[i], 20, 40);
    }
}

static void a_difference_of_times_below_the_clocks_resolution_stops_at_once(void **state)
{
    (void)state;
    made_up.resolution_ns = 10 * CALL_NS;
    made_up.noise = .2;
    precise = true;
    assert_ok(compare(1, 10));
    assert_verdict(0, "undecided");
    assert_true(made_up.epochs < 10);
}

static void epochs_are_measured_until_half_of_one_would_be_too_long(void **state)
{
    (void)state;
    made_up.noise = .2;
    made_up.start_s = .1;  // after the first ones, epochs of .2 s
    assert_ok(compare(1, 4));
    assert_near(told.records[0].elapsed, 4, .3);
}

static void layouts_are_those_that_both_sides_have(void **state)
{
    (void)state;
    made_up.noise = .2;
    made_up.layouts = 32;
    made_up.fewer_layouts = 11;
    assert_ok(compare(1, .5));
    assert_int_equal(told.records[0].verdict->layout_count, 11);
}

static void moved_pages_are_counted_by_epoch(void **state)
{
    (void)state;
    made_up.change = .02;
    made_up.fresh = true;
    assert_ok(compare(1, 10));
    assert_int_equal(told.records[0].pages, told.records[0].verdict->change_count);
    assert_false(is_warned(0, "pages-kept"));
}

static void the_epochs_of_a_record_have_the_time_of_the_second_side(void **state)
{
    (void)state;
    made_up.change = .5;
    made_up.noise = 0;
    assert_ok(compare(1, 10));
    const struct bilanx_timing *timing = &told.records[0].timing;
    assert_true(timing->epoch_count >= 10);
    for (size_t i = 0; i < timing->epoch_count; i++) {
        assert_near(timing->epochs[i].time, 1.5 * CALL_NS / 1e9, .001 * CALL_NS / 1e9);
        assert_in_range(timing->epochs[i].batches, made_up.last_pairs, made_up.first_pairs);
        assert_int_equal(timing->epochs[i].disturbed, 0);
        assert_true(isnan(timing->epochs[i].min) && isnan(timing->epochs[i].p99));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_change_is_reported_with_its_interval),
        TEST(a_difference_is_measured_until_it_is_known_well),
        TEST(a_difference_stops_when_time_is_up),
        TEST(a_change_common_to_all_layouts_is_reported),
        TEST(a_change_caused_by_layout_is_not_claimed),
        TEST(with_few_layouts_the_verdict_covers_only_those),
        TEST(times_below_the_clocks_resolution_are_undecided),
        TEST(if_pages_cannot_move_a_small_change_is_undecided),
        TEST(equal_times_are_reported_as_same),
        TEST(a_noisy_case_is_undecided_when_its_budget_runs_out),
        TEST(one_epoch_in_six_is_a_control),
        TEST(a_short_budget_has_no_controls),
        TEST(a_harness_that_differs_from_itself_withholds_verdicts),
        TEST(a_control_off_zero_holds_back_small_claims),
        TEST(a_claim_is_withdrawn_if_a_control_turns_out_to_be_off_zero),
        TEST(a_control_off_zero_leaves_large_claims_alone),
        TEST(a_busy_machine_is_reported),
        TEST(a_claim_on_a_very_busy_machine_is_checked_again_later),
        TEST(a_change_that_flips_sign_on_a_busy_machine_is_not_claimed),
        TEST(same_on_a_busy_machine_needs_no_second_run),
        TEST(the_times_agree_with_the_change),
        TEST(a_flagged_case_among_several_is_confirmed),
        TEST(a_change_that_a_second_run_does_not_confirm_is_undecided),
        TEST(a_wildly_spread_epoch_is_redrawn),
        TEST(an_epoch_measures_for_as_long_as_it_takes_to_start),
        TEST(each_epoch_draws_once_for_both_sides),
        TEST(forks_of_the_same_worker_are_one_epoch),
        TEST(the_larger_a_change_the_fewer_workers_find_it),
        TEST(the_same_addresses_on_both_sides_save_workers),
        TEST(workers_that_differ_much_delay_a_verdict),
        TEST(workers_that_differ_raise_no_false_alarm),
        TEST(an_epoch_of_slow_forks_is_one_fork),
        TEST(claims_are_confirmed_by_new_workers),
        TEST(a_costly_setup_runs_as_rarely_as_possible),
        TEST(a_wrong_calibration_is_corrected),
        TEST(a_side_that_dies_is_one_failure),
        TEST(an_interrupt_reports_flagged_cases_as_unconfirmed),
        TEST(the_verdict_is_about_the_core_to_itself),
        TEST(a_change_that_is_the_same_beside_a_neighbour_needs_no_warning),
        TEST(a_core_that_is_always_free_has_no_other_change),
        TEST(without_readings_nothing_is_known_about_the_core),
        TEST(the_pace_of_one_core_says_nothing_about_several_threads),
        TEST(if_the_core_is_never_free_it_settles_for_shared_after_waiting),
        TEST(if_only_a_free_core_will_do_there_is_no_verdict_beside_a_neighbour),
        TEST(the_epochs_of_a_record_are_those_of_its_verdict),
        TEST(any_core_compares_all_pairs_alike),
        TEST(a_lower_floor_drops_what_was_kept),
        TEST(readings_above_the_final_floor_were_not_free),
        TEST(the_floor_is_kept_for_the_next_run),
        TEST(sides_share_a_process_and_a_control_loads_a_copy),
        TEST(the_same_object_on_both_sides_is_always_loaded_as_a_copy),
        TEST(sides_run_apart_if_asked_or_if_their_libraries_clash),
        TEST(sides_that_fail_together_are_tried_apart),
        TEST(an_object_that_is_gone_fails_before_the_first_epoch),
        TEST(a_side_that_cannot_be_calibrated_is_one_failure),
        TEST(what_could_not_be_prepared_is_not_run),
        TEST(a_case_has_five_seconds_unless_told_otherwise),
        TEST(a_verdict_on_layouts_is_revised_by_layouts),
        TEST(a_second_revision_keeps_the_verdict_of_a_biased_harness),
        TEST(a_case_that_takes_no_time_fails),
        TEST(every_case_of_several_groups_is_measured),
        TEST(a_certain_claim_among_several_is_confirmed_at_once),
        TEST(a_difference_of_times_below_the_clocks_resolution_stops_at_once),
        TEST(epochs_are_measured_until_half_of_one_would_be_too_long),
        TEST(layouts_are_those_that_both_sides_have),
        TEST(moved_pages_are_counted_by_epoch),
        TEST(the_epochs_of_a_record_have_the_time_of_the_second_side),
    };
    return cmocka_run_group_tests(tests, own_cache_begin, own_cache_end);
}
