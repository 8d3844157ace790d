// passes: runs cases in some order and repeats those that failed by chance.
#include "passes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

struct pass {
    const struct passes *passes;
    const struct run_cases *all;
    const struct run_observer *observer;
    struct run_cases cases;  // of this pass: copies whose contents belong to `all`
    size_t *again;           // indices for the next pass
    size_t again_count;
    uint64_t attempt;
};

size_t passes_place(const struct run_case *measured)
{
    return measured->place;
}

static void working(void *context, const struct run_case *measured, double ahead)
{
    const struct pass *pass = context;
    if (pass->observer->working)
        pass->observer->working(pass->observer->context, &pass->all->items[passes_place(measured)],
                                ahead);
}

static bool by_chance(const struct bilanx_record *record)
{
    return record->error && (text_equal(record->error->code, "crashed") ||
                             text_equal(record->error->code, "timed-out"));
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct pass *pass = context;
    size_t place = passes_place(measured);
    if (by_chance(record) && pass->attempt <= pass->passes->retries) {
        pass->again[pass->again_count++] = place;
        bilanx_record_done(record);
        return;
    }
    record->attempts = pass->attempt;
    if (pass->attempt > 1 && !record->error)
        record_warn(record, "retried", "it only succeeded on attempt %llu",
                    (unsigned long long)pass->attempt);
    pass->observer->finished(pass->observer->context, &pass->all->items[place], record);
}

static struct bilanx_error run_pass(struct pass *pass, const size_t *places, size_t count)
{
    pass->cases = (struct run_cases){.items = mem_array(struct run_case, count), .count = count};
    for (size_t i = 0; i < count; i++) {
        pass->cases.items[i] = pass->all->items[places[i]];
        pass->cases.items[i].place = places[i];
    }
    struct bilanx_error error = pass->passes->measure(
        pass->passes->context, &pass->cases, &(struct run_observer){pass, working, finished});
    free(pass->cases.items);
    return error;
}

struct bilanx_error passes_run(const struct passes *passes, const struct run_cases *cases,
                               const struct run_observer *observer)
{
    AUTO(memory) size_t *places = mem_array(size_t, cases->count);
    AUTO(memory) size_t *again = mem_array(size_t, cases->count);
    struct random random;
    random_init(&random, passes->seed ? passes->seed : random_fresh_seed());
    for (size_t i = 0; i < cases->count; i++)
        places[i] = i;
    if (passes->shuffled)
        random_shuffle(&random, places, cases->count);
    struct pass pass = {.passes = passes, .all = cases, .observer = observer, .again = again};
    for (size_t count = cases->count; count; count = pass.again_count) {
        pass.attempt++;
        pass.again_count = 0;
        BILANX_TRY(run_pass(&pass, places, count));
        memcpy(places, again, pass.again_count * sizeof *places);
    }
    return BILANX_SUCCESS;
}
