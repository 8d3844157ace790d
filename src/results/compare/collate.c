// collate: merges records with their replicates.
#include "collate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/provenance.h"
#include "core/record/variants.h"
#include "core/stats/pace_effect.h"

void collation_done(struct collation *collation)
{
    for (size_t i = 0; i < collation->count; i++)
        bilanx_record_done(&collation->entries[i].record);
    free(collation->entries);
    index_done(&collation->places);
    list_done(&collation->sources);
    list_done(&collation->commits);
    index_done(&collation->commit_places);
    list_done(&collation->kinds);
    list_done(&collation->variants);
}

// Sources come one after the other, so the last one nearly always matches.
static size_t source_place(struct collation *collation, const char *source)
{
    struct list *sources = &collation->sources;
    for (size_t i = sources->count; i-- > 0;)
        if (text_equal(sources->items[i], source))
            return i;
    list_add(sources, source);
    return sources->count - 1;
}

// Uncommitted changes count as a difference, too. 0: unknown.
static size_t commit_place(struct collation *collation, const char *git)
{
    AUTO(memory) char *commit = git ? provenance_text(git, "commit") : NULL;
    if (!commit)
        return 0;
    bool added;
    AUTO(memory) char *state = mem_format("%s%s", commit, strstr(git, "\"dirty\":true") ? "+" : "");
    size_t at = index_find_or_add(&collation->commit_places, hash_of_text(state),
                                  collation->commits.count, &added);
    if (added)
        list_add(&collation->commits, git);
    return at + 1;
}

// Tables only show the processor of a machine: {"cpu":"..."}. NULL: unknown.
static char *slim_machine(const char *machine)
{
    static const char KEY[] = "\"cpu\":\"";
    const char *at = machine ? strstr(machine, KEY) : NULL;
    if (!at)
        return NULL;
    size_t size = strcspn(at + strlen(KEY), "\"");
    return mem_format("{%.*s\"}", (int)(strlen(KEY) + size), at);
}

// Drops members that no table shows, which would take most of the memory for a million records.
static void slim(struct bilanx_record *record)
{
    pace_effect_remove_from_times(&record->timing);
    struct bilanx_record kept = {
        .kind = TAKE(record->kind),
        .task = record->task,
        .side = TAKE(record->side),
        .timing = {.method = TAKE(record->timing.method),
                   .number_per_run = record->timing.number_per_run,
                   .raw_times = TAKE(record->timing.raw_times),
                   .raw_count = record->timing.raw_count,
                   .raw_cpu_times = TAKE(record->timing.raw_cpu_times),
                   .raw_cpu_count = record->timing.raw_cpu_count},
        .core = TAKE(record->core),
        .stats = record->stats,
        .rates = TAKE(record->rates),
        .overhead_of = TAKE(record->overhead_of),
        .expected = TAKE(record->expected),
        .counts = TAKE(record->counts),
        .counters = TAKE(record->counters),
        .max_rss = record->max_rss,
        .machine = slim_machine(record->machine),
        .warnings = TAKE(record->warnings),
        .warning_count = record->warning_count,
        .error = TAKE(record->error),
    };
    kept.stats.extra = NULL;
    record->task = (struct bilanx_task){0};
    record->warning_count = 0;
    bilanx_record_done(record);
    *record = kept;
}

static void note_kind(struct collation *collation, const char *machine)
{
    for (size_t i = collation->kinds.count; i-- > 0;)
        if (strcmp(collation->kinds.items[i], machine) == 0)
            return;
    list_add(&collation->kinds, machine);
}

static void note_variants(struct collation *collation, const struct bilanx_record *record)
{
    AUTO(memory) char *variants = record_variants(record);
    for (size_t i = collation->variants.count; i-- > 0;)
        if (variants_equal(collation->variants.items[i], variants))
            return;
    list_take(&collation->variants, TAKE(variants));
}

static bool is(const struct bilanx_record *record, const char *kind)
{
    return text_equal(record->kind, kind);
}

static void replace(struct bilanx_record *into, struct bilanx_record *from)
{
    bilanx_record_done(into);
    *into = *from;
    *from = (struct bilanx_record){0};
}

// A record from the library may come without statistics.
static bool is_unsummarized(const struct bilanx_record *record)
{
    return record->stats.estimate == 0 && is(record, "measurement");
}

// Appends times to times, merges counts and times of a task into one entry, and keeps a failure
// only while there is nothing else.
static void join(struct entry *entry, struct bilanx_record *record)
{
    struct bilanx_record *into = &entry->record;
    if (is(into, "measurement") && is(record, "measurement")) {
        if (!into->counts)
            into->counts = TAKE(record->counts);
        record_absorb(into, record);
        entry->stale = true;
    } else if (is(into, "failure")) {
        replace(into, record);
        entry->stale = is_unsummarized(into);
    } else if (is(into, "counts") && is(record, "measurement")) {
        if (!record->counts)
            record->counts = TAKE(into->counts);
        replace(into, record);
        entry->stale = is_unsummarized(into);
    } else if (!into->counts) {
        into->counts = TAKE(record->counts);
    }
    bilanx_record_done(record);
}

static bool can_be_shown(const struct bilanx_record *record)
{
    const struct bilanx_timing *timing = &record->timing;
    if (is(record, "measurement"))  // one from the library may be empty
        return timing->raw_count > 0 && timing->number_per_run > 0;
    return is(record, "counts") || is(record, "failure");
}

void collate(struct collation *collation, struct bilanx_record *record, const char *source)
{
    if (!can_be_shown(record)) {
        bilanx_record_done(record);
        return;
    }
    if (record->counts)
        note_variants(collation, record);
    size_t commit = commit_place(collation, record->git);
    slim(record);
    if (record->machine && !record->error)
        note_kind(collation, record->machine);
    struct hash task = record_task_hash(&record->task);
    size_t place = source_place(collation, source ? source : "");
    struct hash whole = task;
    hash_add_text(&whole, record->side ? record->side : "");
    hash_add(&whole, &place, sizeof place);
    hash_add(&whole, &commit, sizeof commit);
    bool added;
    size_t at = index_find_or_add(&collation->places, whole, collation->count, &added);
    if (!added) {
        join(&collation->entries[at], record);
        return;
    }
    mem_grow(collation->entries, collation->count, &collation->room);
    collation->entries[collation->count++] = (struct entry){.record = *record,
                                                            .source = place,
                                                            .commit = commit,
                                                            .task = task,
                                                            .stale = is_unsummarized(record)};
    *record = (struct bilanx_record){0};
}

void collation_summarize(struct collation *collation)
{
    for (size_t i = 0; i < collation->count; i++)
        if (collation->entries[i].stale) {
            record_summarize(&collation->entries[i].record);
            collation->entries[i].stale = false;
        }
}
