// merge: joins the records of shards in the order in which their cases are defined.
#include "merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/extent.h"
#include "base/lines.h"
#include "base/mem.h"
#include "merge_runs.h"
#include "record_line.h"

struct merge {
    struct runs runs;
    uint64_t next_number;
    uint32_t file_count;
};

struct merge *merge_new(size_t budget)
{
    struct merge *merge = mem_new(struct merge);
    merge->runs.budget = budget;
    return merge;
}

void merge_free(struct merge *merge)
{
    if (merge)
        runs_done(&merge->runs);
    free(merge);
}

static struct bilanx_error add_line(struct merge *merge, const char *line, size_t size,
                                    const char *where)
{
    struct record_line facts;
    BILANX_TRY(record_line_read(line, size, where, &facts));
    if (size > UINT32_MAX)
        return bilanx_error_make(BILANX_E_INPUT, "%s: the record is too long", where);
    return runs_add(&merge->runs,
                    &(struct run_entry){.place = facts.place ? facts.place : UINT64_MAX,
                                        .number = merge->next_number++,
                                        .what = facts.what,
                                        .file = merge->file_count,
                                        .size = (uint32_t)size,
                                        .poor = facts.failed || facts.cut_short,
                                        .replicated = facts.replicated},
                    line);
}

struct bilanx_error merge_add_file(struct merge *merge, const char *path, const struct tell *tell)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    merge->file_count++;
    uint64_t kept = 0;
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(&lines, &line, &size));
        if (!line)
            return BILANX_SUCCESS;
        if (strspn(line, " \t\r") == size)
            continue;
        char where[256];
        snprintf(where, sizeof where, "%s:%lu", lines.name, lines.number);
        struct bilanx_error error = add_line(merge, line, size, where);
        if (error.status == BILANX_E_INPUT && lines.open_ended && extent_is_cut(line, size)) {
            AUTO(memory) char *said =
                mem_format("%s: the last line is incomplete; left out, kept the %" PRIu64
                           " record%s before it",
                           where, kept, kept == 1 ? "" : "s");
            tell_line(tell, said);
            return BILANX_SUCCESS;
        }
        kept++;
        BILANX_TRY(error);
    }
}

// Writes in pieces, because one system call per record would cost more than sorting them.
struct writing {
    int fd;
    const char *name;
    struct text buffer;
    struct merge_result *result;
    uint64_t last_place;
    struct rival {  // the records of one place
        struct run_entry entry;
        char *line;
    } *rivals;
    size_t count, room;
};

static void forget_rivals(struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++)
        free(writing->rivals[i].line);
    writing->count = 0;
}

static void writing_done(struct writing *writing)
{
    forget_rivals(writing);
    free(writing->rivals);
    text_done(&writing->buffer);
}
SCOPE_VALUE(writing, writing_done)

static struct bilanx_error flush(struct writing *writing)
{
    const char *at = text_get(&writing->buffer);
    for (size_t left = writing->buffer.size; left > 0;) {
        ssize_t written = write(writing->fd, at, left);
        if (written < 0 && errno != EINTR)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", writing->name,
                                     strerror(errno));
        at += written < 0 ? 0 : written;
        left -= written < 0 ? 0 : (size_t)written;
    }
    text_clear(&writing->buffer);
    return BILANX_SUCCESS;
}

static struct bilanx_error put(struct writing *writing, const char *line, size_t size)
{
    enum { PIECE = 1 << 20 };
    text_add_n(&writing->buffer, line, size);
    text_add_char(&writing->buffer, '\n');
    writing->result->records++;
    return writing->buffer.size < PIECE ? BILANX_SUCCESS : flush(writing);
}

static bool is_same(const struct run_entry *a, const struct run_entry *b)
{
    return a->what.a == b->what.a && a->what.b == b->what.b;
}

static bool is_good(const struct writing *writing, const struct run_entry *entry, uint32_t file)
{
    for (size_t i = 0; i < writing->count; i++) {
        const struct run_entry *other = &writing->rivals[i].entry;
        if (other->file == file && is_same(other, entry) && other->poor)
            return false;
    }
    return true;
}

// The file whose records of this case are kept: the first in which all succeeded, otherwise the
// first.
static uint32_t winner(const struct writing *writing, const struct run_entry *entry)
{
    uint32_t first = 0;
    for (size_t i = 0; i < writing->count; i++) {
        const struct run_entry *other = &writing->rivals[i].entry;
        if (!is_same(other, entry))
            continue;
        first = first ? first : other->file;
        if (is_good(writing, entry, other->file))
            return other->file;
    }
    return first;
}

static void note_gap(struct writing *writing, uint64_t place)
{
    enum { ENOUGH = 2000 };
    struct text *missing = &writing->result->missing;
    uint64_t from = writing->last_place + 1;
    writing->last_place = place;
    writing->result->cases++;
    if (place == from || missing->size > ENOUGH)
        return;
    text_format(missing, "%s%" PRIu64, missing->size ? "," : "", from);
    if (place > from + 1)
        text_format(missing, "-%" PRIu64, place - 1);
    if (missing->size > ENOUGH)
        text_add(missing, ",...");
}

static bool has_in_common(const struct writing *writing, uint32_t file, uint32_t other)
{
    for (size_t i = 0; i < writing->count; i++)
        for (size_t k = 0; k < writing->count; k++) {
            const struct run_entry *a = &writing->rivals[i].entry, *b = &writing->rivals[k].entry;
            if (a->file == file && b->file == other && is_same(a, b))
                return true;
        }
    return false;
}

// One machine measures a case as a whole. So two files of one run that have the same position share
// at least one result, except for replicas.
static bool are_strangers(const struct writing *writing)
{
    const struct run_entry *first = &writing->rivals[0].entry;
    for (size_t i = 1; i < writing->count; i++) {
        const struct run_entry *other = &writing->rivals[i].entry;
        if (other->file != first->file && !other->replicated &&
            !has_in_common(writing, first->file, other->file))
            return true;
    }
    return false;
}

static struct bilanx_error settle(struct writing *writing)
{
    if (writing->count)
        note_gap(writing, writing->rivals[0].entry.place);
    writing->result->strangers += writing->count > 1 && are_strangers(writing);
    for (size_t i = 0; i < writing->count; i++) {
        const struct rival *rival = &writing->rivals[i];
        if (writing->count == 1 || winner(writing, &rival->entry) == rival->entry.file)
            BILANX_TRY(put(writing, rival->line, rival->entry.size));
        else
            writing->result->duplicates++;
    }
    forget_rivals(writing);
    return BILANX_SUCCESS;
}

static struct bilanx_error take(void *context, const struct run_entry *entry, const char *line)
{
    struct writing *writing = context;
    if (writing->count && writing->rivals[0].entry.place != entry->place)
        BILANX_TRY(settle(writing));
    if (entry->place == UINT64_MAX)
        return put(writing, line, entry->size);
    mem_grow(writing->rivals, writing->count, &writing->room);
    writing->rivals[writing->count++] = (struct rival){*entry, mem_text_n(line, entry->size)};
    return BILANX_SUCCESS;
}

void merge_result_done(struct merge_result *result)
{
    text_done(&result->missing);
}

struct bilanx_error merge_write(struct merge *merge, int fd, const char *name,
                                struct merge_result *out)
{
    AUTO(writing) struct writing writing = {.fd = fd, .name = name, .result = out};
    BILANX_TRY(runs_each(&merge->runs, &(struct runs_sink){take, &writing}));
    BILANX_TRY(settle(&writing));
    return flush(&writing);
}
