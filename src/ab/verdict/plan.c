// plan: chooses the length of epochs.
#include "plan.h"

#include <math.h>

#include "core/stats/elementary.h"
#include "core/timer/rigorous.h"

static const double EPOCH_NS = 5e6, WARMUP_NS = 2e6;
static const double SLOW_PAIR_NS = 1e8;  // so slow that every pair matters
static const double FEW_EPOCHS = 20;     // minimum that should fit the budget
enum { FEWEST_PAIRS = 25, PILOTS = 4 };

static double most_pairs(const struct plan *plan)
{
    double most = plan->budget_ns / FEW_EPOCHS / plan->pair_ns;
    return fmax(plan->pairs, fmin(most, DUEL_MOST_PAIRS));
}

static double start_ns(const struct plan *plan, double wall_ns)
{
    return fmax(0, wall_ns - plan->pairs * plan->pair_ns);
}

static void plan_pairs(struct plan *plan)
{
    double pairs = EPOCH_NS / plan->pair_ns;
    unsigned fewest = plan->pair_ns > SLOW_PAIR_NS ? 1 : 3;
    plan->pairs = pairs < fewest ? fewest : (unsigned)pairs;
    if (plan->setup_ns > 0)
        plan->pairs = (unsigned)most_pairs(plan);
}

void plan_calls(struct plan *plan, double a_ns, double b_ns)
{
    static const double LARGEST = 1u << 31;  // limit for calls that take no time
    double number = fmin(RIGOROUS_BATCH_NS / square_root(a_ns * b_ns), LARGEST);
    plan->number = number > 1 ? (uint64_t)(number + .5) : 1;
    double lead_in = plan->number < 3 ? 0 : 1.0 / 3;
    plan->pair_ns = (a_ns + b_ns) * (double)plan->number * (1 + lead_in);
    plan_pairs(plan);
}

void plan_setup(struct plan *plan, double setup_ns)
{
    plan->setup_ns = setup_ns * PLAN_FIRST_VERDICT > plan->budget_ns ? setup_ns : 0;
    plan_pairs(plan);
}

void plan_relent(struct plan *plan, double wall_ns)
{
    double setup_ns = start_ns(plan, wall_ns);
    if (setup_ns < plan->setup_ns)
        plan_setup(plan, setup_ns);
}

bool plan_mend(struct plan *plan, const struct paired_result *result)
{
    double batch_ns = square_root(result->batch_ns[0] * result->batch_ns[1]);
    bool off = batch_ns < RIGOROUS_BATCH_NS / 2.0 || batch_ns > 2.0 * RIGOROUS_BATCH_NS;
    if (!off || plan->number == 1 || plan->mended)
        return false;
    plan->mended = true;
    plan_calls(plan, result->batch_ns[0] / (double)plan->number,
               result->batch_ns[1] / (double)plan->number);
    return true;
}

// An epoch that mostly starts up is wasteful. Measuring for as long as the start takes at most
// doubles its time. If pairs vary, as with 16 MiB of cold memory, it is worth several short ones:
// .28 % instead of 1.1 for twice the time.
bool plan_lengthen(struct plan *plan, double wall_ns)
{
    static const double MUCH = 1.5;
    double wanted = fmin(start_ns(plan, wall_ns) / plan->pair_ns, most_pairs(plan));
    if (plan->count || plan->lengthened || wanted < MUCH * plan->pairs)
        return false;
    plan->lengthened = true;
    plan->pairs = (unsigned)wanted;
    return true;
}

void plan_note(struct plan *plan, const struct paired_result *result, double wall_ns)
{
    double apart = result->halves[0] - result->halves[1];
    plan->within += apart * apart / 4;
    plan->start_ns += start_ns(plan, wall_ns);
    plan->count++;
}

bool plan_adapt(struct plan *plan, const struct sample *epochs, const struct margins *margins)
{
    if (plan->count != PILOTS || plan->piloted || plan->forks)
        return false;
    double change = fabs(stats_mean(epochs->values, epochs->count));
    double start_pairs = plan->start_ns / PILOTS / plan->pair_ns;
    unsigned before = plan->pairs;
    plan->pairs = judge_pairs(&(struct epoch_costs){
        .start_ns = plan->start_ns / PILOTS,
        .pair_ns = plan->pair_ns,
        .within = plan->within / PILOTS,
        .between = stats_variance(epochs->values, epochs->count),
        .room = fmax(change - margins->claim, margins->same - change),
        .alpha = margins->alpha,
        .pairs = before,
        .fewest = (unsigned)fmin(before, fmax(FEWEST_PAIRS, start_pairs)),
        .most = (unsigned)most_pairs(plan),
    });
    plan->piloted = true;
    if (plan->pairs <= 2 * before)
        return false;
    plan_restart(plan);
    return true;
}

void plan_restart(struct plan *plan)
{
    plan->within = plan->start_ns = 0;
    plan->count = 0;
}

unsigned plan_forks(const struct plan *plan, double wall_ns)
{
    enum { SEVERAL = 4 };
    static const double SHARE = 1.0 / 4;  // of the budget: a fork that takes more is too slow
    return wall_ns < SHARE * plan->budget_ns ? SEVERAL : 1;
}

unsigned plan_most_pairs(const struct plan *plan)
{
    static const double WAIT_NS = 50e6;
    return (unsigned)fmin(plan->pairs + WAIT_NS / (plan->pair_ns + 1), DUEL_MOST_PAIRS);
}

unsigned plan_warm_pairs(const struct plan *plan)
{
    return (unsigned)fmin(WARMUP_NS / (plan->pair_ns + 1) + 1, DUEL_MOST_PAIRS);
}

double plan_epoch_ns(const struct plan *plan)
{
    if (plan->setup_ns > 0)
        return plan->setup_ns + plan->pairs * plan->pair_ns;
    return plan->forks ? plan->budget_ns / FEW_EPOCHS : plan->pairs * plan->pair_ns;
}

double plan_epochs(const struct plan *plan)
{
    double start = plan->forks || plan->setup_ns > 0 ? 0 : plan->start_ns / (double)plan->count;
    return plan->budget_ns / (plan_epoch_ns(plan) + start);
}
