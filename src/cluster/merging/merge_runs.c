// merge_runs: lines with their positions, sorted in memory or in temporary files.
#include "merge_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scope.h"

void runs_done(struct runs *runs)
{
    for (size_t i = 0; i < runs->file_count; i++)
        fclose(runs->files[i]);
    free(runs->files);
    free(runs->arena);
    free(runs->entries);
    free(runs->offsets);
    *runs = (struct runs){.budget = runs->budget};
}

static int compare_entries(const struct run_entry *a, const struct run_entry *b)
{
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_entry(const void *left, const void *right, void *context)
{
    const struct run_entry *entries = context;
    return compare_entries(&entries[*(const size_t *)left], &entries[*(const size_t *)right]);
}

// The caller frees the result.
static size_t *sorted(const struct runs *runs)
{
    size_t *order = mem_array(size_t, runs->count + 1);
    for (size_t i = 0; i < runs->count; i++)
        order[i] = i;
    qsort_r(order, runs->count, sizeof *order, by_entry, runs->entries);
    return order;
}

static struct bilanx_error cannot_store(void)
{
    return bilanx_error_make(BILANX_E_SYSTEM,
                             "cannot write a temporary file: %s (TMPDIR names another directory)",
                             strerror(errno));
}

// tmpfile() ignores TMPDIR.
static FILE *open_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    AUTO(memory) char *path =
        mem_format("%s/bilanx-merge-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    unlink(path);
    return fdopen(fd, "w+");
}

static struct bilanx_error store(struct runs *runs)
{
    FILE *file = open_temporary();
    if (!file)
        return cannot_store();
    mem_grow(runs->files, runs->file_count, &runs->file_room);
    runs->files[runs->file_count++] = file;
    AUTO(memory) size_t *order = sorted(runs);
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_entry *entry = &runs->entries[order[i]];
        fwrite(entry, sizeof *entry, 1, file);
        fwrite(runs->arena + runs->offsets[order[i]], 1, entry->size, file);
    }
    if (ferror(file) || fflush(file) != 0)
        return cannot_store();
    rewind(file);
    runs->used = runs->count = 0;
    return BILANX_SUCCESS;
}

struct bilanx_error runs_add(struct runs *runs, const struct run_entry *entry, const char *line)
{
    if (runs->count && runs->used + entry->size > runs->budget)
        BILANX_TRY(store(runs));
    if (runs->used + entry->size > runs->room) {
        size_t room = 2 * runs->room > runs->budget ? runs->budget : 2 * runs->room + 65536;
        runs->room = runs->used + entry->size > room ? runs->used + entry->size : room;
        runs->arena = mem_resized(runs->arena, runs->room);
    }
    memcpy(runs->arena + runs->used, line, entry->size);
    mem_grow(runs->entries, runs->count, &runs->entry_room);
    mem_grow(runs->offsets, runs->count, &runs->offset_room);
    runs->offsets[runs->count] = runs->used;
    runs->entries[runs->count++] = *entry;
    runs->used += entry->size;
    return BILANX_SUCCESS;
}

// The next line of a stored run.
struct head {
    FILE *file;
    struct run_entry entry;
    char *line;
    size_t room;
    bool ended;
};

static struct bilanx_error advance(struct head *head)
{
    head->ended = fread(&head->entry, sizeof head->entry, 1, head->file) != 1;
    if (head->ended)
        return ferror(head->file) ? cannot_store() : BILANX_SUCCESS;
    if (head->entry.size > head->room) {
        head->room = head->entry.size;
        head->line = mem_resized(head->line, head->room);
    }
    return fread(head->line, 1, head->entry.size, head->file) == head->entry.size ? BILANX_SUCCESS
                                                                                  : cannot_store();
}

static struct head *first_of(struct head *heads, size_t count)
{
    struct head *first = NULL;
    for (struct head *head = heads; head < heads + count; head++)
        if (!head->ended && (!first || compare_entries(&head->entry, &first->entry) < 0))
            first = head;
    return first;
}

static struct bilanx_error join(struct runs *runs, struct head *heads, const struct runs_sink *sink)
{
    for (size_t i = 0; i < runs->file_count; i++) {
        heads[i].file = runs->files[i];
        BILANX_TRY(advance(&heads[i]));
    }
    for (struct head *head; (head = first_of(heads, runs->file_count));) {
        BILANX_TRY(sink->take(sink->context, &head->entry, head->line));
        BILANX_TRY(advance(head));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error each_in_memory(struct runs *runs, const struct runs_sink *sink)
{
    AUTO(memory) size_t *order = sorted(runs);
    for (size_t i = 0; i < runs->count; i++)
        BILANX_TRY(sink->take(sink->context, &runs->entries[order[i]],
                              runs->arena + runs->offsets[order[i]]));
    return BILANX_SUCCESS;
}

struct bilanx_error runs_each(struct runs *runs, const struct runs_sink *sink)
{
    if (runs->file_count == 0)
        return each_in_memory(runs, sink);
    if (runs->count)
        BILANX_TRY(store(runs));
    struct head *heads = mem_array(struct head, runs->file_count);
    struct bilanx_error error = join(runs, heads, sink);
    for (size_t i = 0; i < runs->file_count; i++)
        free(heads[i].line);
    free(heads);
    return error;
}
