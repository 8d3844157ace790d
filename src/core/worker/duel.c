// duel: two sides take turns, batch by batch, following a plan that both know.
#include "duel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/timer/reference.h"

static struct bilanx_error map(int fd, struct duel_memory **out)
{
    void *memory = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot map shared memory: %s", strerror(errno));
    *out = memory;
    return BILANX_SUCCESS;
}

struct bilanx_error duel_mapping_init(struct duel_mapping *mapping)
{
    *mapping = (struct duel_mapping){.fd = memfd_create("bilanx-duel", MFD_CLOEXEC)};
    if (mapping->fd < 0 || ftruncate(mapping->fd, sizeof *mapping->memory) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot create shared memory: %s",
                                 strerror(errno));
    snprintf(mapping->path, sizeof mapping->path, "/proc/%d/fd/%d", (int)getpid(), mapping->fd);
    return map(mapping->fd, &mapping->memory);
}

void duel_mapping_done(struct duel_mapping *mapping)
{
    duel_memory_close(mapping->memory);
    if (mapping->fd > 0)
        close(mapping->fd);
    *mapping = (struct duel_mapping){0};
}

struct bilanx_error duel_memory_open(const char *path, struct duel_memory **out)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    struct bilanx_error error = map(fd, out);
    close(fd);
    return error;
}

void duel_memory_close(struct duel_memory *memory)
{
    if (memory)
        munmap(memory, sizeof *memory);
}

// Flips a fair coin for each pair, the same for both sides: splitmix64 of the seed and the pair.
static unsigned coin(uint64_t seed, unsigned pair)
{
    uint64_t bits = seed + (pair + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return (unsigned)((bits ^ (bits >> 31)) >> 63);
}

unsigned duel_enough_free(const struct duel_plan *plan)
{
    enum { FEW = 12 };
    return plan->pairs < FEW ? plan->pairs : FEW;
}

// How many pairs there will be, as far as is known.
static unsigned pairs_of(const struct duel *duel)
{
    const struct duel_memory *memory = duel->memory;
    const struct duel_plan *plan = &duel->plan;
    bool lacking = plan->floor > 0 && memory->free_pairs < duel_enough_free(plan);
    if (memory->pairs < plan->pairs || !lacking || memory->pairs >= plan->most_pairs)
        return memory->pairs > plan->pairs ? memory->pairs : plan->pairs;
    return memory->pairs + 1;
}

// Both sides get the same result, because its inputs change only with the turn.
static unsigned slots_of(const struct duel *duel)
{
    return 2 * (duel->plan.warm_pairs + pairs_of(duel));
}

bool duel_is_mine(const struct duel *duel, unsigned slot)
{
    return slot >= slots_of(duel) || (coin(duel->plan.seed, slot / 2) ^ (slot & 1)) == duel->role;
}

enum core_state duel_pair_state(const struct duel_memory *memory, unsigned pair, double floor)
{
    enum core_state states[2];
    for (unsigned side = 0; side < 2; side++)
        states[side] =
            pace_state(memory->paces[side][pair][0], memory->paces[side][pair][1], floor);
    return states[0] == states[1] ? states[0] : CORE_UNKNOWN;
}

static void keep(struct duel *duel, const struct batch *last)
{
    struct duel_memory *memory = duel->memory;
    if (duel->slot / 2 < duel->plan.warm_pairs)
        return;
    unsigned pair = duel->slot / 2 - duel->plan.warm_pairs;
    struct pace(*paces)[2] = &memory->paces[duel->role][pair];
    if (last->manual) {  // times reported by the body may not be about this core at all
        duel->clock = NULL;
        duel->before = (struct pace){0};
    }
    memory->ns[duel->role][pair] = last->ns;
    memory->disturbed[duel->role][pair] = last->disturbed;
    (*paces)[0] = duel->before;
    (*paces)[1] = duel->clock ? reference_pace(duel->clock) : (struct pace){0};
    if (duel->slot % 2 == 0)
        return;
    memory->pairs = pair + 1;
    memory->free_pairs +=
        last->manual || duel_pair_state(memory, pair, duel->plan.floor) == CORE_FREE;
}

// Waits for this side's next slot.
static void await_turn(struct duel *duel)
{
    if (!duel_is_mine(duel, duel->slot) || duel->slot >= slots_of(duel))
        duel->forsaken |= !duel->hand_over(duel);
    while (!duel_is_mine(duel, duel->slot))
        duel->slot++;
}

uint64_t duel_next(struct duel *duel, const struct batch *last)
{
    assert(last || duel->stage == DUEL_BEGIN);
    uint64_t lead_in = duel->plan.number / 3;
    if (duel->stage == DUEL_TIMED) {
        keep(duel, last);
        atomic_store(&duel->memory->turn, ++duel->slot);
        duel->stage = DUEL_BEGIN;
    }
    if (duel->stage == DUEL_BEGIN) {
        await_turn(duel);
        if (duel->forsaken || duel->slot >= slots_of(duel))
            return 0;
    }
    if (duel->stage == DUEL_BEGIN && lead_in) {
        duel->stage = DUEL_LEAD_IN;
        return lead_in;
    }
    duel->stage = DUEL_TIMED;
    if (duel->clock)
        duel->before = reference_pace(duel->clock);
    return duel->plan.number;
}

// From the kernel's <linux/futex.h>, which musl's compiler does not find.
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1 };

static long futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

bool duel_hand_over_by_futex(struct duel *duel)
{
    static const struct timespec NOW_AND_THEN = {.tv_nsec = 100000000};
    atomic_uint *turn = &duel->memory->turn;
    futex(turn, FUTEX_WAKE, 1, NULL);
    for (;;) {
        unsigned slot = atomic_load(turn);
        if (duel_is_mine(duel, slot))
            return true;
        if (atomic_load(&duel->memory->over))
            return false;
        futex(turn, FUTEX_WAIT, slot, &NOW_AND_THEN);
    }
}
