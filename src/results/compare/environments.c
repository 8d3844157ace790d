// environments: distinguishes the results of one task in one file, and orders them.
#include "environments.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/provenance.h"

struct environment {
    const char *name;
    const char *git;  // of its first record; NULL: unknown
    size_t first;     // entry
    uint64_t depth;   // of its commit; 0: unknown
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct environment *)a)->name, ((const struct environment *)b)->name);
}

static int by_history(const void *a, const void *b)
{
    const struct environment *left = a, *right = b;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

static int by_first(const void *a, const void *b)
{
    const struct environment *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

static const char *git_of(const struct collation *collation, const struct entry *entry)
{
    return entry->commit ? collation->commits.items[entry->commit - 1] : NULL;
}

// "v1.2-3-gabcdef0", or the start of the hash.
static char *name_of_commit(const char *git)
{
    enum { SHORT = 10 };
    AUTO(memory) char *described = provenance_text(git, "describe");
    AUTO(memory) char *commit = provenance_text(git, "commit");
    bool dirty = strstr(git, "\"dirty\":true");
    return described ? mem_format("%s%s", described, dirty ? "-dirty" : "")
                     : mem_format("%.*s%s", SHORT, commit ? commit : "", dirty ? "-dirty" : "");
}

static void name_by_commit(struct collation *collation)
{
    AUTO(memory) size_t *only = mem_array(size_t, collation->sources.count + 1);
    AUTO(memory) bool *several = mem_array(bool, collation->sources.count + 1);
    for (size_t i = 0; i < collation->count; i++) {
        const struct entry *entry = &collation->entries[i];
        size_t commit = entry->commit;
        several[entry->source] |= commit && only[entry->source] && only[entry->source] != commit;
        only[entry->source] = commit ? commit : only[entry->source];
    }
    for (size_t i = 0; i < collation->count; i++) {
        struct entry *entry = &collation->entries[i];
        struct bilanx_task *task = &entry->record.task;
        if (!several[entry->source] || !entry->commit || (task->env && *task->env))
            continue;
        free(task->env);
        task->env = name_of_commit(git_of(collation, entry));
        entry->task = record_task_hash(task);
    }
}

static uint64_t depth_of(const char *git)
{
    static const char KEY[] = "\"depth\":";
    const char *at = git ? strstr(git, KEY) : NULL;
    return at ? strtoull(at + strlen(KEY), NULL, 10) : 0;
}

void environments_arrange(struct collation *collation, bool alphabetically)
{
    name_by_commit(collation);
    AUTO(index) struct index names = {0};
    AUTO(memory) struct environment *all = mem_array(struct environment, collation->count + 1);
    AUTO(memory) size_t *rank = mem_array(size_t, collation->count + 1);
    size_t count = 0;
    bool commits = true;
    for (size_t i = 0; i < collation->count; i++) {
        struct entry *entry = &collation->entries[i];
        const char *name = entry->record.task.env ? entry->record.task.env : "";
        bool added;
        entry->rank = index_find_or_add(&names, hash_of_text(name), count, &added);
        if (!added)
            continue;
        const char *git = git_of(collation, entry);
        all[count++] = (struct environment){name, git, i, depth_of(git)};
        commits &= depth_of(git) > 0;
    }
    for (size_t i = 0; i < count; i++)  // where each was found, until they are sorted
        rank[all[i].first] = i;
    qsort(all, count, sizeof *all, alphabetically ? by_name : commits ? by_history : by_first);
    AUTO(memory) size_t *place = mem_array(size_t, count + 1);
    for (size_t i = 0; i < count; i++)
        place[rank[all[i].first]] = i;
    for (size_t i = 0; i < collation->count; i++)
        collation->entries[i].rank = place[collation->entries[i].rank];
}
