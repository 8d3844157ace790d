// What a trial makes of its epochs: its sample, its margins, its reasons and its record.
#include "ab/verdict/trial.h"

#include "ab/verdict/reasons.h"
#include "base/mem.h"
#include "unit.h"

enum { MOST = 64 };

static struct run_subject subject;
static struct run_case items[2] = {{.subject = &subject}, {.subject = &subject}};
static const struct run_cases cases[2] = {{&items[0], 1}, {&items[1], 1}};
static const struct interleaved_side sides[2] = {{"A", "old", &cases[0]}, {"B", "new", &cases[1]}};
static struct interleaved_options options;

static struct trial_shared shared_by_default(void)
{
    return (struct trial_shared){
        .sides = sides, .options = &options, .usual = default_margins, .strict = default_margins};
}

// A trial with these changes, each in a layout of its own, unless there are none to draw.
static struct trial made(const double *changes, size_t count, size_t layouts)
{
    struct trial_shared shared = shared_by_default();
    struct trial trial;
    options = (struct interleaved_options){.margins = default_margins, .budget = 4};
    items[0].layouts = items[1].layouts = (unsigned)layouts;
    trial_init(&trial, &shared, 0);
    trial.changes = mem_array(double, MOST);
    trial.layouts = mem_array(size_t, MOST);
    trial.units = mem_array(double, MOST);
    trial.plan.number = 10;
    for (size_t i = 0; i < count; i++) {
        trial.changes[i] = changes[i];
        trial.layouts[i] = i;
        trial.time_logs[0] += log(1000);
        trial.time_logs[1] += log(1000) + changes[i];
    }
    trial.change_count = count;
    return trial;
}

static void finish(struct trial *trial)
{
    bilanx_record_done(&trial->record);
    trial_done(trial);
}

static void without_layouts_every_epoch_counts(void **state)
{
    (void)state;
    struct trial trial = made((const double[]){1, 2, 3, 4}, 4, 0);
    struct sample all = trial_epochs(&trial);
    assert_int_equal(all.count, 4);
    assert_near(all.values[0], 1, 0);
    trial.first = 3;  // a second run
    struct sample second = trial_epochs(&trial);
    assert_int_equal(second.count, 1);
    assert_near(second.values[0], 4, 0);
    finish(&trial);
    struct trial empty = made(NULL, 0, 0);
    assert_int_equal(trial_epochs(&empty).count, 0);
    finish(&empty);
}

static void epochs_of_one_layout_are_one_value_if_there_are_ten_layouts(void **state)
{
    (void)state;
    static const double changes[] = {1, 5, 3, 2, 1, 5};
    static const size_t layouts[] = {7, 4, 7, 7, 9, 4};
    for (size_t count = 9; count <= 10; count++) {
        struct trial trial = made(changes, LENGTH(changes), count);
        memcpy(trial.layouts, layouts, sizeof layouts);
        struct sample sample = trial_epochs(&trial);
        assert_int_equal(sample.count, count == 10 ? 3 : 6);
        if (count == 10) {
            assert_near(sample.values[0], 2, 1e-12);  // the midmean of 1, 2 and 3
            assert_near(sample.values[1], 5, 1e-12);
            assert_near(sample.values[2], 1, 1e-12);
        }
        trial.first = 1;
        if (count == 10)
            assert_near(trial_epochs(&trial).values[1], 2.5, 1e-12);
        finish(&trial);
    }
}

// How many of so many epochs, far above or below the others, are taken for accidents.
static size_t accidents(size_t count, size_t far, double at)
{
    double changes[MOST] = {0};
    for (size_t i = 0; i < count; i++)
        changes[i] = i < far ? at : .001 * (double)(i % 4);
    struct trial trial = made(changes, count, 12 + count);
    struct sample sample = trial_epochs(&trial);
    assert_int_equal(sample.count, count);
    size_t limited = 0;
    for (size_t i = 0; i < count; i++)
        limited += sample.values[i] != changes[i];
    finish(&trial);
    return limited;
}

static void a_few_outlying_epochs_are_accidents(void **state)
{
    (void)state;
    static const size_t most[][2] = {{11, 0}, {12, 1}, {15, 1}, {16, 2}, {23, 2}, {24, 3}, {40, 5}};
    for (size_t i = 0; i < LENGTH(most); i++)
        for (size_t far = 1; far <= most[i][1] + 1; far++) {
            size_t expected = far <= most[i][1] ? far : 0;  // more than that are a group
            assert_int_equal(accidents(most[i][0], far, 1), expected);
            assert_int_equal(accidents(most[i][0], far, -1), expected);
        }
}

static void an_accident_counts_as_the_furthest_that_is_usual(void **state)
{
    (void)state;
    // 0 to 15 and two more: quartiles at 3.25 and 11.75 of the 18, three times 8.5 beyond them.
    double changes[18];
    for (size_t i = 0; i < 16; i++)
        changes[i] = (double)i;
    changes[16] = 1000;
    changes[17] = -1000;
    struct trial trial = made(changes, 18, 20);
    struct sample sample = trial_epochs(&trial);
    assert_near(sample.values[16], 11.75 + 3 * 8.5, 1e-12);
    assert_near(sample.values[17], 3.25 - 3 * 8.5, 1e-12);
    assert_near(sample.values[15], 15, 0);
    finish(&trial);
}

static void before_ten_epochs_forks_are_the_sample(void **state)
{
    (void)state;
    static const double changes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    double forks[] = {.1, .2, .3, .4, .5};
    struct trial trial = made(changes, 9, 0);
    trial.forks = forks;
    trial.fork_count = 5;
    trial.fork_kept = 4;
    struct sample early = trial_epochs(&trial);
    assert_int_equal(early.count, 4);
    assert_near(early.values[0], .1, 0);
    trial.first = 2;
    trial.first_fork = 3;
    struct sample second = trial_epochs(&trial);
    assert_int_equal(second.count, 1);
    assert_near(second.values[0], .4, 0);
    trial.first = 0;
    trial.changes[9] = 10;
    trial.change_count = 10;
    assert_int_equal(trial_epochs(&trial).count, 10);
    trial.forks = NULL;
    finish(&trial);
}

static struct margins margins_of(const double *changes, size_t count, bool alike)
{
    static double forks[MOST];
    struct trial trial = made(changes, count, 0);
    trial.forks = forks;
    trial.fork_kept = 8;
    trial.alike = alike;
    struct margins margins = trial_margins(&trial, &default_margins);
    trial.forks = NULL;
    finish(&trial);
    return margins;
}

static void few_draws_of_addresses_leave_doubt(void **state)
{
    (void)state;
    static const double same[9] = {0}, varied[] = {0, .01, .02};
    assert_true(isinf(margins_of(same, 2, true).bias));
    // At least .5 % three times over the root of three draws.
    assert_near(margins_of(same, 3, false).bias, .015 / sqrt(3), 1e-12);
    // Variance 1e-4 with two degrees of freedom: t(.995; 2) is 9.92484.
    assert_near(margins_of(varied, 3, false).bias, 9.92484320092 * .01 / sqrt(3), 1e-8);
    // Sides with the same addresses are known to vary by .5 %, which is worth two more draws:
    // t(.995; 4) is 4.60409.
    assert_near(margins_of(same, 3, true).bias, 4.60409487135 * .005 * sqrt(.5) / sqrt(3), 1e-8);
    assert_near(margins_of(varied, 3, true).bias,
                4.60409487135 * sqrt((2e-4 + 2 * .005 * .005) / 4) / sqrt(3), 1e-8);
    assert_near(margins_of(same, 9, true).bias, .015 / 3, 1e-12);
}

static void enough_epochs_leave_the_margins_alone(void **state)
{
    (void)state;
    static const double changes[10] = {0};
    assert_near(margins_of(changes, 10, false).bias, 0, 0);
    struct trial trial = made(changes, 3, 0);  // no forks
    assert_near(trial_margins(&trial, &default_margins).bias, 0, 0);
    trial.refused = true;
    assert_near(trial_margins(&trial, &default_margins).bias, .04, 0);
    struct margins wide = default_margins;
    wide.bias = .07;
    assert_near(trial_margins(&trial, &wide).bias, .07, 0);
    assert_near(trial_margins(&trial, &wide).claim, default_margins.claim, 0);
    finish(&trial);
}

static void a_share_has_two_digits(void **state)
{
    (void)state;
    static const struct {
        double fraction;
        const char *expected;
    } shares[] = {{.0025, "0.25 %"}, {.012345, "1.2 %"}, {.994, "99 %"}, {.996, "100 %"},
                  {1.234, "123 %"},  {-1.5, "-150 %"},   {-.05, "-5 %"}};
    for (size_t i = 0; i < LENGTH(shares); i++) {
        AUTO(text) struct text out = {0};
        reason_add_share(&out, shares[i].fraction);
        assert_string_equal(text_get(&out), shares[i].expected);
    }
}

static void assert_reason(const struct trial *trial, const char *expected)
{
    AUTO(text) struct text reason = {0};
    struct trial_shared shared = shared_by_default();
    reason_add(&reason, trial, &shared);
    assert_string_equal(text_get(&reason), expected);
}

static void a_reason_names_the_margin_of_its_verdict(void **state)
{
    (void)state;
    struct trial trial = made(NULL, 0, 0);
    trial.verdict = VERDICT_SLOWER;
    assert_reason(&trial, "the whole interval is beyond 0.25 %");
    trial.verdict = trial.flagged = VERDICT_FASTER;
    assert_reason(&trial, "the whole interval is beyond 0.25 %; a second run confirmed it");
    trial.verdict = VERDICT_SAME;
    assert_reason(&trial, "the whole interval is within 0.5 %");
    finish(&trial);
}

static void an_open_verdict_says_what_was_missing(void **state)
{
    (void)state;
    static const double few[] = {.1, .1};
    struct trial trial = made(few, 1, 0);
    assert_reason(&trial, "out of time after 1 epoch, too few for a verdict");
    trial.changes[1] = .1;
    trial.change_count = 2;
    assert_reason(&trial, "out of time after 2 epochs, too few for a verdict");
    trial.has_states = true;
    trial.others.count = 2;
    assert_reason(&trial, "out of time after 2 epochs, too few for a verdict");
    trial.others.count = 3;
    assert_reason(&trial, "the core was shared: only 2 epochs of 5 had it to themselves, too few "
                          "for a verdict");
    trial.change_count = 1;
    assert_reason(&trial, "the core was shared: only 1 epoch of 4 had it to themselves, too few "
                          "for a verdict");
    trial.has_states = false;
    assert_reason(&trial, "out of time after 1 epoch, too few for a verdict");
    trial.unresolved = true;
    trial.resolution_ns = 15;
    assert_reason(&trial, "below the clock's resolution: a batch of 10 calls takes less than ten "
                          "steps of 15 ns");
    finish(&trial);
}

static void an_open_verdict_says_what_would_have_been_seen(void **state)
{
    (void)state;
    double changes[20];
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = i % 2 ? .1 : -.1;
    struct trial wide = made(changes, LENGTH(changes), 0);
    struct sample sample = {changes, LENGTH(changes)};
    struct finding finding = judge_sample(&sample, &default_margins);
    AUTO(memory) char *expected =
        mem_format("out of time; would have detected a change of %.2g %%",
                   100 * (exp((finding.interval.high - finding.interval.low) / 2 + .0025) - 1));
    assert_reason(&wide, expected);
    finish(&wide);
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = .02;
    struct trial narrow = made(changes, LENGTH(changes), 0);  // held back for other reasons
    assert_reason(&narrow, "not certain enough, given that there are 1 cases");
    finish(&narrow);
}

static void a_refuted_change_says_what_either_run_found(void **state)
{
    (void)state;
    static const double changes[] = {.1, .1, -.01, -.02, -.03};
    static const struct {
        enum verdict second;
        const char *words;
    } runs[] = {{VERDICT_UNDECIDED, "could not tell"},
                {VERDICT_FASTER, "found it faster"},
                {VERDICT_SAME, "found no change"}};
    for (size_t i = 0; i < LENGTH(runs); i++) {
        struct trial trial = made(changes, LENGTH(changes), 0);
        trial.first = 2;
        trial.flagged = VERDICT_SLOWER;
        trial.verdict = runs[i].second;
        trial.busy = i == 1 ? .5 : .25;
        assert_int_equal(trial_is_doubtful(&trial), i == 1);
        AUTO(text) struct text reason = {0};
        reason_add_refuted(&reason, &trial);
        AUTO(memory) char *expected = mem_format(
            "not confirmed (second run: -2 %%): a first run found it slower, a second run %s%s",
            runs[i].words, i == 1 ? ", while other work took 50 % of the machine" : "");
        assert_string_equal(text_get(&reason), expected);
        finish(&trial);
    }
    AUTO(text) struct text biased = {0};
    reason_add_bias(&biased, log(1.005));
    assert_string_equal(text_get(&biased),
                        "the first side differs from itself by up to 0.5 % here, "
                        "which is too much for this verdict");
}

static void a_second_run_starts_at_once_on_a_quiet_machine(void **state)
{
    (void)state;
    static const double changes[] = {.1, .1, .1};
    struct trial trial = made(changes, 3, 0);
    trial.verdict = VERDICT_SLOWER;
    trial.spent_ns = 3e9;
    trial.begun_ns = 5;
    trial.fork_kept = 2;
    trial.done = true;
    trial.plan.count = 3;
    trial_confirm(&trial);
    assert_int_equal(trial.flagged, VERDICT_SLOWER);
    assert_int_equal(trial.verdict, VERDICT_UNDECIDED);
    assert_int_equal(trial.first, 3);
    assert_int_equal(trial.first_fork, 2);
    assert_near(trial.spent_ns, 0, 0);
    assert_int_equal(trial.not_before_ns, 0);
    assert_int_equal(trial.plan.count, 0);
    assert_false(trial.done);
    finish(&trial);
}

static void on_a_busy_machine_it_waits_for_half_of_the_budget_or_two_seconds(void **state)
{
    (void)state;
    for (int budget_s = 3; budget_s <= 5; budget_s += 2) {
        struct trial trial = made(NULL, 0, 0);
        trial.plan.budget_ns = budget_s * 1e9;
        trial.verdict = VERDICT_FASTER;
        trial.begun_ns = 1000;
        trial.busy = .26;
        trial_confirm(&trial);
        assert_int_equal(trial.not_before_ns, 1000 + (budget_s == 3 ? 1500000000 : 2000000000));
        assert_near(trial.spent_ns, budget_s * .5e9, 0);
        finish(&trial);
    }
}

static void conclude(struct trial *trial, const struct trial_shared *shared)
{
    trial_conclude(trial, shared, "because");
    assert_string_equal(trial->record.verdict->reason, "because");
}

static void a_record_has_the_change_the_interval_and_both_times(void **state)
{
    (void)state;
    double changes[20];
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = .02 + (i % 2 ? .001 : -.001);
    struct trial trial = made(changes, LENGTH(changes), 0);
    struct trial_shared shared = shared_by_default();
    struct sample sample = {changes, LENGTH(changes)};
    struct finding finding = judge_sample(&sample, &default_margins);
    trial.verdict = VERDICT_SLOWER;
    conclude(&trial, &shared);
    const struct bilanx_verdict *verdict = trial.record.verdict;
    assert_string_equal(verdict->verdict, "slower");
    assert_string_equal(verdict->baseline, "old");
    assert_near(verdict->change, exp(.02) - 1, 1e-12);
    assert_near(verdict->interval[0], exp(finding.interval.low) - 1, 1e-12);
    assert_near(verdict->interval[1], exp(finding.interval.high) - 1, 1e-12);
    assert_near(verdict->p, finding.p, 1e-12);
    assert_true(isnan(verdict->detectable));
    assert_near(verdict->times[0], 1000e-9, 1e-18);
    assert_near(verdict->times[1], 1000e-9 * exp(.02), 1e-18);
    assert_int_equal(verdict->change_count, 20);
    assert_near(verdict->changes[1], .021, 1e-12);
    assert_int_equal(verdict->layout_count, 0);
    assert_null(trial.record.core);
    assert_int_equal(trial.record.warning_count, 0);
    assert_non_null(strstr(trial.record.machine, "\"cores\":"));
    finish(&trial);
}

static void an_undecided_record_says_what_was_detectable(void **state)
{
    (void)state;
    double changes[20];
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = i % 2 ? .05 : -.05;
    struct sample sample = {changes, LENGTH(changes)};
    struct finding finding = judge_sample(&sample, &default_margins);
    for (int unresolved = 0; unresolved < 2; unresolved++) {
        struct trial trial = made(changes, LENGTH(changes), 0);
        struct trial_shared shared = shared_by_default();
        trial.unresolved = unresolved;
        conclude(&trial, &shared);
        if (unresolved)
            assert_true(isnan(trial.record.verdict->detectable));
        else
            assert_near(trial.record.verdict->detectable,
                        judge_detectable(&finding, &default_margins), 1e-12);
        finish(&trial);
    }
}

static void two_runs_that_disagree_leave_room_for_both(void **state)
{
    (void)state;
    double changes[40];
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = (i < 20 ? .03 : -.03) + (i % 2 ? .001 : -.001);
    for (int turned = 0; turned < 2; turned++) {
        struct trial trial = made(changes, LENGTH(changes), 0);
        struct trial_shared shared = shared_by_default();
        for (size_t i = 0; i < LENGTH(changes); i++)
            trial.changes[i] *= turned ? -1 : 1;
        trial.first = 20;
        trial.flagged = turned ? VERDICT_FASTER : VERDICT_SLOWER;
        conclude(&trial, &shared);
        assert_true(trial.record.verdict->interval[0] < exp(-.03) - 1);
        assert_true(trial.record.verdict->interval[1] > exp(.03) - 1);
        assert_true(trial.record.verdict->interval[0] > -.04);
        assert_true(trial.record.verdict->interval[1] < .04);
        finish(&trial);
    }
}

static void layouts_are_recorded_if_they_were_drawn(void **state)
{
    (void)state;
    static const double changes[] = {.1, .3, .1, .1};
    struct trial trial = made(changes, 4, 3);
    struct trial_shared shared = shared_by_default();
    memcpy(trial.layouts, ((const size_t[]){0, 1, 0, 2}), 4 * sizeof(size_t));
    conclude(&trial, &shared);
    assert_int_equal(trial.record.verdict->layout_count, 3);
    assert_near(trial.record.verdict->layouts[0], .1, 1e-12);
    assert_near(trial.record.verdict->layouts[1], .3, 1e-12);
    finish(&trial);
}

static const struct bilanx_warning *warning_of(const struct trial *trial, const char *code)
{
    for (size_t i = 0; i < trial->record.warning_count; i++)
        if (strcmp(trial->record.warnings[i].code, code) == 0)
            return &trial->record.warnings[i];
    return NULL;
}

static void a_costly_setup_is_reported_while_there_are_too_few_epochs(void **state)
{
    (void)state;
    static const double changes[10] = {0};
    for (size_t count = 9; count <= 10; count++) {
        struct trial trial = made(changes, count, 0);
        struct trial_shared shared = shared_by_default();
        trial.plan.setup_ns = 1.23e9;
        conclude(&trial, &shared);
        const struct bilanx_warning *warning = warning_of(&trial, "costly-setup");
        assert_int_equal(warning != NULL, count == 9);
        if (warning)
            assert_string_equal(warning->text,
                                "setting up both sides takes 1.2 s per epoch, and a verdict needs "
                                "at least 10 epochs: try --budget 25");
        finish(&trial);
    }
}

static void notes_about_the_code_of_a_side_become_warnings(void **state)
{
    (void)state;
    static const struct run_note removed = {"removed", "the statement is gone"},
                                 folded = {"folded", "computed by the compiler"};
    struct trial trial = made((const double[]){0}, 1, 0);
    struct trial_shared shared = shared_by_default();
    items[1].notes[0] = &removed;
    items[1].notes[1] = &folded;
    conclude(&trial, &shared);
    assert_int_equal(trial.record.warning_count, 2);
    assert_string_equal(warning_of(&trial, "removed")->text, "side B: the statement is gone");
    assert_string_equal(warning_of(&trial, "folded")->text, "side B: computed by the compiler");
    finish(&trial);
    memset(items[1].notes, 0, sizeof items[1].notes);
}

static void code_that_kept_its_pages_is_reported(void **state)
{
    (void)state;
    struct trial trial = made((const double[]){0}, 1, 0);
    struct trial_shared shared = shared_by_default();
    trial.refused = true;
    conclude(&trial, &shared);
    assert_non_null(strstr(warning_of(&trial, "pages-kept")->text, "may then differ by 4 %"));
    finish(&trial);
}

// Epochs in the other state: 20 of them at this change.
static void add_others(struct trial *trial, double change)
{
    enum { OTHERS = 20 };
    trial->others.changes = mem_array(double, OTHERS);
    trial->others.count = OTHERS;
    for (size_t i = 0; i < OTHERS; i++) {
        trial->others.changes[i] = change + (i % 2 ? 1e-4 : -1e-4);
        trial->others.time_logs[1] += log(3000);
    }
}

static struct trial stated(double other_change, bool for_shared)
{
    double changes[20];
    for (size_t i = 0; i < LENGTH(changes); i++)
        changes[i] = .02 + (i % 2 ? 1e-4 : -1e-4);
    struct trial trial = made(changes, LENGTH(changes), 0);
    trial.has_states = true;
    trial.settled_for_shared = for_shared;
    trial.readings = 200;
    trial.free_readings = 150;
    trial.verdict = VERDICT_SLOWER;
    add_others(&trial, other_change);
    return trial;
}

static void the_other_state_of_the_core_is_recorded(void **state)
{
    (void)state;
    struct trial trial = stated(.05, false);
    struct trial_shared shared = shared_by_default();
    conclude(&trial, &shared);
    const struct bilanx_neighbour *neighbour = trial.record.neighbour;
    assert_string_equal(trial.record.core, "free");
    assert_near(neighbour->free, .75, 0);
    assert_near(neighbour->time, 3000e-9, 1e-18);
    assert_near(neighbour->change, exp(.05) - 1, 1e-9);
    assert_true(neighbour->interval[0] < exp(.05) - 1 && neighbour->interval[0] > .045);
    assert_true(neighbour->interval[1] > exp(.05) - 1 && neighbour->interval[1] < .056);
    assert_int_equal(neighbour->epochs, 20);
    const char *text = warning_of(&trial, "neighbour")->text;
    assert_non_null(strstr(text, "the change depends on the other thread of the core: +5.13 % ("));
    assert_non_null(strstr(text, "while it was busy, which was 25 % of the time"));
    finish(&trial);
}

static void another_state_with_the_same_change_is_not_worth_a_warning(void **state)
{
    (void)state;
    static const double others[] = {.02, -.05};
    for (size_t i = 0; i < LENGTH(others); i++) {
        struct trial trial = stated(others[i], false);
        struct trial_shared shared = shared_by_default();
        conclude(&trial, &shared);
        assert_int_equal(warning_of(&trial, "neighbour") != NULL, i == 1);
        finish(&trial);
    }
}

static void a_verdict_beside_a_neighbour_says_so(void **state)
{
    (void)state;
    struct trial trial = stated(.05, true);
    struct trial_shared shared = shared_by_default();
    conclude(&trial, &shared);
    assert_string_equal(trial.record.core, "shared");
    assert_string_equal(warning_of(&trial, "core-shared")->text,
                        "another thread used this core for 25 % of the time, so the verdict is "
                        "about code beside such a neighbour, not about the core to itself");
    assert_null(warning_of(&trial, "neighbour"));
    finish(&trial);
}

static void batches_too_long_for_states_are_free_if_nearly_all_readings_were(void **state)
{
    (void)state;
    for (int share = 94; share <= 95; share++) {
        struct trial trial = stated(.05, false);
        struct trial_shared shared = shared_by_default();
        trial.has_states = false;
        trial.readings = 100;
        trial.free_readings = share;
        conclude(&trial, &shared);
        assert_string_equal(trial.record.core, share == 95 ? "free" : "shared");
        assert_int_equal(trial.record.neighbour->epochs, 0);
        assert_true(isnan(trial.record.neighbour->change));
        assert_true(isnan(trial.record.neighbour->time));
        finish(&trial);
    }
}

static void without_readings_nothing_is_said_about_the_core(void **state)
{
    (void)state;
    struct trial trial = stated(.05, false);
    struct trial_shared shared = shared_by_default();
    trial.readings = trial.free_readings = 0;
    conclude(&trial, &shared);
    assert_null(trial.record.core);
    assert_null(trial.record.neighbour);
    finish(&trial);
}

static void a_floor_in_doubt_leaves_the_state_of_the_core_unknown(void **state)
{
    (void)state;
    struct trial trial = stated(.02, false);
    struct trial_shared shared = shared_by_default();
    shared.core.doubtful = true;
    conclude(&trial, &shared);
    assert_string_equal(trial.record.core, "unknown");
    finish(&trial);
}

static void a_few_readings_are_enough_to_record_the_core(void **state)
{
    (void)state;
    struct trial trial = stated(.02, false);
    struct trial_shared shared = shared_by_default();
    trial.readings = 1;
    trial.free_readings = 1;
    conclude(&trial, &shared);
    assert_near(trial.record.neighbour->free, 1, 0);
    finish(&trial);
}

static void a_machine_busy_with_other_work_is_reported_with_the_verdict(void **state)
{
    (void)state;
    struct trial trial = stated(.02, false);
    struct trial_shared shared = shared_by_default();
    trial.busy = .3;
    conclude(&trial, &shared);
    assert_non_null(strstr(warning_of(&trial, "busy-machine")->text, "other work used 30 %"));
    finish(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_layouts_every_epoch_counts),
        cmocka_unit_test(epochs_of_one_layout_are_one_value_if_there_are_ten_layouts),
        cmocka_unit_test(a_few_outlying_epochs_are_accidents),
        cmocka_unit_test(an_accident_counts_as_the_furthest_that_is_usual),
        cmocka_unit_test(before_ten_epochs_forks_are_the_sample),
        cmocka_unit_test(few_draws_of_addresses_leave_doubt),
        cmocka_unit_test(enough_epochs_leave_the_margins_alone),
        cmocka_unit_test(a_share_has_two_digits),
        cmocka_unit_test(a_reason_names_the_margin_of_its_verdict),
        cmocka_unit_test(an_open_verdict_says_what_was_missing),
        cmocka_unit_test(an_open_verdict_says_what_would_have_been_seen),
        cmocka_unit_test(a_refuted_change_says_what_either_run_found),
        cmocka_unit_test(a_second_run_starts_at_once_on_a_quiet_machine),
        cmocka_unit_test(on_a_busy_machine_it_waits_for_half_of_the_budget_or_two_seconds),
        cmocka_unit_test(a_record_has_the_change_the_interval_and_both_times),
        cmocka_unit_test(an_undecided_record_says_what_was_detectable),
        cmocka_unit_test(two_runs_that_disagree_leave_room_for_both),
        cmocka_unit_test(layouts_are_recorded_if_they_were_drawn),
        cmocka_unit_test(a_costly_setup_is_reported_while_there_are_too_few_epochs),
        cmocka_unit_test(notes_about_the_code_of_a_side_become_warnings),
        cmocka_unit_test(code_that_kept_its_pages_is_reported),
        cmocka_unit_test(the_other_state_of_the_core_is_recorded),
        cmocka_unit_test(another_state_with_the_same_change_is_not_worth_a_warning),
        cmocka_unit_test(a_verdict_beside_a_neighbour_says_so),
        cmocka_unit_test(batches_too_long_for_states_are_free_if_nearly_all_readings_were),
        cmocka_unit_test(without_readings_nothing_is_said_about_the_core),
        cmocka_unit_test(a_floor_in_doubt_leaves_the_state_of_the_core_unknown),
        cmocka_unit_test(a_few_readings_are_enough_to_record_the_core),
        cmocka_unit_test(a_machine_busy_with_other_work_is_reported_with_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
