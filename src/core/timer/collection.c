// collection: the epochs of one case, sorted by the state of the core, until they are enough.
#include "collection.h"

// Epochs with the core to themselves that are worth more than any number beside a neighbour.
enum { FEWEST_FREE = 3 };

// The machine changed during the epoch: its batches vary several times as much as in the calmest.
static bool spreads_much(struct collection *collection, const struct bilanx_epoch *epoch)
{
    static const double MUCH = 0.03, TIMES = 4;
    double spread = epoch->time > 0 ? (epoch->p75 - epoch->p25) / epoch->time : 0;
    if (!collection->calm || spread < collection->calmest)
        collection->calmest = spread;
    collection->calm = true;
    return spread > MUCH && spread > TIMES * collection->calmest;
}

// Drops no more epochs than it keeps, so a machine that does not calm down is measured as it is.
// The decision ignores the case's own time, so we never discard anything due to the code.
static bool is_bad_moment(struct collection *collection, const struct bilanx_timing *timing,
                          const struct epoch_part *part, const struct epoch_report *report,
                          const struct rigorous_options *options)
{
    bool bad = spreads_much(collection, &part->epoch) &&
               collection->dropped < timing->epoch_count + 2 &&
               rigorous_has_room(options, timing, collection->spent_ns, report->spent_ns);
    collection->dropped += bad;
    return bad;
}

// If the floor turns out to be lower than known, epochs that counted as free were not.
static void note_core(struct collection *collection, const struct epoch_report *report)
{
    double readings = (double)report->core.readings;
    core_floor_note(collection->core, &report->core);
    double floor = core_floor_get(collection->core);
    if (floor < collection->floor) {
        bilanx_timing_done(&collection->free);
        collection->free_readings = 0;
    }
    collection->floor = floor;
    collection->readings += readings;
    collection->free_readings += report->core.free * readings;
    collection->has_states |= report->has_states != 0;
}

static void add_part(struct collection *collection, struct bilanx_timing *timing, bool judged,
                     const struct epoch_part *part, const struct epoch_report *report,
                     const struct rigorous_options *options)
{
    if (part->epoch.batches &&
        !(judged && is_bad_moment(collection, timing, part, report, options)))
        rigorous_add(timing, report, part);
}

void collection_add(struct collection *collection, const struct epoch_report *report,
                    const struct rigorous_options *options)
{
    collection->spent_ns += report->spent_ns;
    collection->epochs++;
    note_core(collection, report);
    bool states = collection->has_states;
    add_part(collection, &collection->free, states, &report->free, report, options);
    add_part(collection, &collection->other, !states, &report->other, report, options);
    double share = rigorous_share(options, states ? &collection->free : &collection->other,
                                  collection->spent_ns);
    if (states && rigorous_is_spent(options, collection->spent_ns - collection->core_wait_ns))
        share = 1;
    collection->share = share > collection->share ? share : collection->share;
    collection->done = share >= 1;
}

static bool is_about_free_core(const struct collection *collection)
{
    return collection->free.epoch_count >= FEWEST_FREE ||
           collection->free.epoch_count >= collection->other.epoch_count;
}

size_t collection_count(const struct collection *collection)
{
    return is_about_free_core(collection) ? collection->free.epoch_count
                                          : collection->other.epoch_count;
}

static enum core_state state_of(const struct collection *collection, double free_share)
{
    if (collection->readings == 0 || core_floor_is_doubtful(collection->core))
        return CORE_UNKNOWN;
    bool is_free =
        collection->has_states ? is_about_free_core(collection) : free_share >= CORE_MOSTLY_FREE;
    return is_free ? CORE_FREE : CORE_SHARED;
}

// Times are stated for the fastest pace of this core, if that is near enough to tell.
static void set_reference(const struct core_floor *core, struct bilanx_timing *timing)
{
    static const double NEAR = .15;
    double mean = 0, kept = core->chain_ns / 1e9;
    for (size_t i = 0; i < timing->epoch_count; i++)
        mean += timing->epochs[i].reference / (double)timing->epoch_count;
    bool near = kept > 0 && mean < kept * (1 + NEAR) && mean > kept * (1 - NEAR);
    timing->reference = near ? kept : mean;
}

static double time_of(const struct bilanx_timing *timing)
{
    enum { FEWEST = 2 };
    struct bilanx_stats stats = {0};
    if (timing->epoch_count < FEWEST)
        return NAN;
    bilanx_timing_summarize(timing, &stats);
    return stats.estimate;
}

void collection_take(struct collection *collection, struct bilanx_timing *out,
                     struct core_outcome *outcome)
{
    bool is_free = is_about_free_core(collection);
    struct bilanx_timing *mine = is_free ? &collection->free : &collection->other;
    struct bilanx_timing *rest = is_free ? &collection->other : &collection->free;
    double share =
        collection->readings > 0 ? collection->free_readings / collection->readings : NAN;
    set_reference(collection->core, mine);
    set_reference(collection->core, rest);
    *outcome = (struct core_outcome){
        .state = state_of(collection, share),
        .free_share = share,
        .other_time = collection->has_states ? time_of(rest) : NAN,
        .other_epochs = collection->has_states ? rest->epoch_count : 0,
        .redrawn = collection->epochs - mine->epoch_count,
    };
    *out = *mine;
    *mine = (struct bilanx_timing){0};
}

void collection_done(struct collection *collection)
{
    bilanx_timing_done(&collection->free);
    bilanx_timing_done(&collection->other);
}
