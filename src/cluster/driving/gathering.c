// gathering: collects the records of tasks as they are written, and writes them in the order of
// definition.
#include "gathering.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/index.h"
#include "base/lines.h"
#include "base/mem.h"
#include "cluster/merging/record_line.h"
#include "delivery.h"

// A file of records that grows while a task runs.
struct source_file {
    char *path;
    size_t batch;                   // SIZE_MAX: of an earlier run
    uint64_t task, replica, start;  // the scheduler may restart a task: 0, 1, ...
    off_t read;                     // bytes taken so far: whole lines
    bool ended;
    size_t last_case;  // of its last record; SIZE_MAX: none yet
};

// Where a record is.
struct piece {
    size_t file;
    off_t at;
    size_t size;  // with its newline
    size_t next;  // the next of the same case, plus 1
    uint32_t replica;
    bool held;  // counts only if its task finishes
    bool failed;
    char node[64];
};

struct gathering {
    const struct run_folder *folder;
    struct campaign *campaign;
    struct delivery delivery;
    const struct tell *tell;
    struct source_file *files;
    size_t file_count, file_room;
    struct index names;  // of files
    struct piece *pieces;
    size_t piece_count, piece_room;
    size_t *first;   // piece of each case, plus 1
    size_t written;  // cases before this are in the output
};

struct gathering *gathering_new(const struct run_folder *folder, struct campaign *campaign,
                                const struct tell *tell)
{
    struct gathering *gathering = mem_new(struct gathering);
    *gathering = (struct gathering){.folder = folder,
                                    .campaign = campaign,
                                    .tell = tell,
                                    .first = mem_array(size_t, folder->case_count + 1)};
    return gathering;
}

void gathering_write_to(struct gathering *gathering, FILE **out, bool only_ours)
{
    delivery_start(&gathering->delivery, gathering->folder->out, out, only_ours);
}

void gathering_free(struct gathering *gathering)
{
    if (!gathering)
        return;
    for (size_t i = 0; i < gathering->file_count; i++)
        free(gathering->files[i].path);
    free(gathering->files);
    free(gathering->pieces);
    free(gathering->first);
    index_done(&gathering->names);
    delivery_done(&gathering->delivery);
    free(gathering);
}

static bool is_usable(const struct gathering *gathering, const char *node)
{
    return !*node || !campaign_node(gathering->campaign, node)->bad;
}

// A case is complete once each of its replicas has a record that counts.
static void count_case(struct gathering *gathering, size_t index)
{
    uint64_t wanted = gathering->folder->replicas ? gathering->folder->replicas : 1;
    uint64_t seen = 0;
    const char *node = "";
    for (size_t at = gathering->first[index]; at; at = gathering->pieces[at - 1].next) {
        const struct piece *piece = &gathering->pieces[at - 1];
        bool earlier = gathering->files[piece->file].batch == SIZE_MAX;
        if (!piece->held)
            seen |= earlier ? ~0ull : 1ull << ((piece->replica - 1) % 64);
        node = piece->node;
    }
    uint64_t all = wanted >= 64 ? ~0ull : (1ull << wanted) - 1;
    if ((seen & all) == all)
        campaign_case_done(gathering->campaign, index, wanted > 1 ? NULL : node);
}

// Whether the case already has records of this replica from another file, or from any file if a
// case has a single record.
static bool has_other(const struct gathering *gathering, size_t index, const struct piece *piece)
{
    for (size_t at = gathering->first[index]; at; at = gathering->pieces[at - 1].next) {
        const struct piece *other = &gathering->pieces[at - 1];
        bool elsewhere = other->file != piece->file || gathering->folder->records == RECORDS_SINGLE;
        if (elsewhere && other->replica == piece->replica && !other->held)
            return true;
    }
    return false;
}

// Keeps the order in which they were written.
static void add_piece(struct gathering *gathering, size_t index, const struct piece *piece)
{
    mem_grow(gathering->pieces, gathering->piece_count, &gathering->piece_room);
    gathering->pieces[gathering->piece_count++] = *piece;
    size_t *at = &gathering->first[index];
    while (*at)
        at = &gathering->pieces[*at - 1].next;
    *at = gathering->piece_count;
}

// A case of a sequential file is complete when the next case begins.
static void release(struct gathering *gathering, size_t index, size_t file)
{
    for (size_t at = gathering->first[index]; at; at = gathering->pieces[at - 1].next)
        if (gathering->pieces[at - 1].file == file)
            gathering->pieces[at - 1].held = false;
    count_case(gathering, index);
}

// SIZE_MAX: unknown.
static size_t case_of(const struct record_line *facts)
{
    return (facts->sample ? facts->sample : facts->place) - 1;
}

static void take_line(struct gathering *gathering, size_t file, const struct record_line *facts,
                      off_t at, size_t size)
{
    struct source_file *source = &gathering->files[file];
    size_t index = case_of(facts);
    bool poor = facts->failed || facts->cut_short;
    enum run_records kind = gathering->folder->records;
    struct piece piece = {.file = file,
                          .at = at,
                          .size = size,
                          .replica = (uint32_t)source->replica,
                          .failed = facts->failed && !facts->skipped,
                          .held = source->batch != SIZE_MAX && (poor || kind != RECORDS_SINGLE)};
    snprintf(piece.node, sizeof piece.node, "%s", facts->node);
    if (index >= gathering->folder->case_count || !is_usable(gathering, facts->node) ||
        has_other(gathering, index, &piece))
        return;
    if (kind == RECORDS_SEQUENTIAL && source->last_case != SIZE_MAX && source->last_case != index)
        release(gathering, source->last_case, file);
    source->last_case = index;
    add_piece(gathering, index, &piece);
    count_case(gathering, index);
}

static struct bilanx_error cannot_read(const char *path)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
}

static void read_line(struct gathering *gathering, size_t file, const char *line, size_t size,
                      off_t at)
{
    const struct source_file *source = &gathering->files[file];
    struct record_line facts;
    struct bilanx_error error = record_line_read(line, size, source->path, &facts);
    if (error.status != BILANX_OK) {
        tell_line(gathering->tell, error.text);
        return;
    }
    delivery_know(&gathering->delivery, line, size);
    if (source->batch != SIZE_MAX || (!facts.failed && !facts.cut_short))
        take_line(gathering, file, &facts, at, size + 1);
}

// Reads the whole lines that have been added to a file.
static struct bilanx_error read_lines(struct gathering *gathering, size_t file)
{
    enum { PIECE = 1 << 20 };
    AUTO(text) struct text buffer = {0};
    AUTO(memory) char *chunk = mem_array(char, PIECE);
    struct source_file *source = &gathering->files[file];
    AUTO(fd) int fd = -1;
    BILANX_TRY(file_open_to_read(source->path, &fd, NULL));
    for (;;) {
        ssize_t got = pread(fd, chunk, PIECE, source->read + (off_t)buffer.size);
        if (got < 0)
            return cannot_read(source->path);
        if (got == 0)
            return BILANX_SUCCESS;
        text_add_n(&buffer, chunk, (size_t)got);
        size_t done = 0;
        for (char *end; (end = memchr(buffer.data + done, '\n', buffer.size - done));) {
            size_t size = (size_t)(end - (buffer.data + done));
            read_line(gathering, file, buffer.data + done, size, source->read + (off_t)done);
            done += size + 1;
        }
        source->read += (off_t)done;
        memmove(buffer.data, buffer.data + done, buffer.size - done + 1);
        buffer.size -= done;
        if (buffer.size > LINES_LONGEST)
            return bilanx_error_make(BILANX_E_INPUT, "%s: a line is too long", source->path);
    }
}

static size_t add_file(struct gathering *gathering, const struct source_file *file)
{
    mem_grow(gathering->files, gathering->file_count, &gathering->file_room);
    gathering->files[gathering->file_count] = *file;
    gathering->files[gathering->file_count].last_case = SIZE_MAX;
    return gathering->file_count++;
}

struct bilanx_error gathering_take(struct gathering *gathering, const char *path)
{
    size_t file = add_file(
        gathering, &(struct source_file){.path = mem_text(path), .batch = SIZE_MAX, .replica = 1});
    return read_lines(gathering, file);
}

// Adds a file, whose path is set here, unless it is known. Returns false if there is none.
static bool add_records(struct gathering *gathering, struct source_file file)
{
    bool added;
    AUTO(memory) char *path =
        mem_format("%s/records/%zu.%" PRIu64 ".%" PRIu64 ".%" PRIu64 ".jsonl",
                   gathering->folder->path, file.batch + 1, file.task, file.replica, file.start);
    if (access(path, F_OK) != 0)
        return false;
    index_find_or_add(&gathering->names, hash_of_text(path), gathering->file_count, &added);
    file.path = added ? TAKE(path) : NULL;
    if (added)
        add_file(gathering, &file);
    return true;
}

// Finds new files: BATCH.TASK.REPLICA.START.jsonl.
static void find_files(struct gathering *gathering)
{
    AUTO(memory) char *folder = mem_format("%s/records", gathering->folder->path);
    AUTO(directory) DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        unsigned long long batch, task, replica, start;
        int used = 0;
        if (sscanf(entry->d_name, "%llu.%llu.%llu.%llu.jsonl%n", &batch, &task, &replica, &start,
                   &used) != 4 ||
            !used || entry->d_name[used] || batch < 1 || batch > gathering->campaign->batch_count)
            continue;
        add_records(gathering,
                    (struct source_file){
                        .batch = batch - 1, .task = task, .replica = replica, .start = start});
    }
}

struct bilanx_error gathering_look(struct gathering *gathering)
{
    find_files(gathering);
    for (size_t i = 0; i < gathering->file_count; i++)
        if (!gathering->files[i].ended && gathering->files[i].batch != SIZE_MAX)
            BILANX_TRY(read_lines(gathering, i));
    return BILANX_SUCCESS;
}

static void drop_piece(struct gathering *gathering, size_t *at)
{
    *at = gathering->pieces[*at - 1].next;
}

// Makes held records count, or forgets them.
static void settle_case(struct gathering *gathering, size_t index, size_t file, bool finished)
{
    for (size_t *at = &gathering->first[index]; *at;) {
        struct piece *piece = &gathering->pieces[*at - 1];
        if (piece->file != file || !piece->held) {
            at = &piece->next;
            continue;
        }
        piece->held = !finished;
        if (finished)
            at = &piece->next;
        else
            drop_piece(gathering, at);
    }
    count_case(gathering, index);
}

static bool is_of(const struct source_file *file, size_t batch, uint64_t task)
{
    return file->batch == batch && file->task == task && !file->ended;
}

// A task may have written more between the last check and its end.
static void catch_up(struct gathering *gathering, size_t batch, uint64_t task)
{
    uint64_t replicas = gathering->folder->replicas ? gathering->folder->replicas : 1;
    struct source_file file = {.batch = batch, .task = task};
    for (file.replica = 1; file.replica <= replicas; file.replica++)
        for (file.start = 0; add_records(gathering, file);)
            file.start++;
    for (size_t i = 0; i < gathering->file_count; i++) {
        struct bilanx_error error = BILANX_SUCCESS;
        if (is_of(&gathering->files[i], batch, task))
            error = read_lines(gathering, i);
        if (error.status != BILANX_OK)
            tell_line(gathering->tell, error.text);
    }
}

// Whether the scheduler restarted this task later.
static bool is_restarted(const struct gathering *gathering, const struct source_file *file)
{
    for (size_t i = 0; i < gathering->file_count; i++) {
        const struct source_file *other = &gathering->files[i];
        if (other->batch == file->batch && other->task == file->task &&
            other->replica == file->replica && other->start > file->start)
            return true;
    }
    return false;
}

void gathering_task_ended(struct gathering *gathering, size_t batch, uint64_t task, bool finished)
{
    const struct campaign_batch *cases = &gathering->campaign->batches[batch];
    catch_up(gathering, batch, task);
    for (size_t i = 0; i < gathering->file_count; i++) {
        struct source_file *file = &gathering->files[i];
        if (!is_of(file, batch, task))
            continue;
        file->ended = true;
        bool counts = finished && !is_restarted(gathering, file);
        for (size_t k = 0; k < cases->case_count; k++)
            if (cases->tasks[k] == task)
                settle_case(gathering, cases->cases[k], i, counts);
    }
}

bool gathering_has_failures(const struct gathering *gathering)
{
    for (size_t index = 0; index < gathering->folder->case_count; index++)
        for (size_t at = gathering->first[index]; at; at = gathering->pieces[at - 1].next)
            if (gathering->pieces[at - 1].failed && !gathering->pieces[at - 1].held)
                return true;
    return false;
}

void gathering_drop_node(struct gathering *gathering, const char *node)
{
    for (size_t index = 0; index < gathering->folder->case_count; index++)
        for (size_t *at = &gathering->first[index]; *at;) {
            struct piece *piece = &gathering->pieces[*at - 1];
            if (strcmp(piece->node, node) != 0) {
                at = &piece->next;
                continue;
            }
            drop_piece(gathering, at);
            if (delivery_restart(&gathering->delivery))
                gathering->written = 0;
        }
}

static struct bilanx_error add_piece_text(const struct gathering *gathering,
                                          const struct piece *piece, struct text *out)
{
    const struct source_file *file = &gathering->files[piece->file];
    AUTO(memory) char *line = mem_array(char, piece->size);
    AUTO(fd) int fd = -1;
    BILANX_TRY(file_open_to_read(file->path, &fd, NULL));
    if (pread(fd, line, piece->size, piece->at) != (ssize_t)piece->size)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s' again", file->path);
    text_add_n(out, line, piece->size);
    return BILANX_SUCCESS;
}

static struct bilanx_error add_case(const struct gathering *gathering, size_t index,
                                    struct text *out)
{
    for (size_t at = gathering->first[index]; at; at = gathering->pieces[at - 1].next)
        if (!gathering->pieces[at - 1].held)
            BILANX_TRY(add_piece_text(gathering, &gathering->pieces[at - 1], out));
    return BILANX_SUCCESS;
}

// Adds cases from `*next` on; `all`: even those after gaps. Stops when there is enough for one
// write.
static struct bilanx_error add_cases(const struct gathering *gathering, bool all, size_t *next,
                                     struct text *out)
{
    enum { ENOUGH = 1 << 20 };
    const struct campaign *campaign = gathering->campaign;
    while (*next < gathering->folder->case_count && out->size < ENOUGH &&
           (all || campaign->cases[*next].progress == CAMPAIGN_DONE))
        BILANX_TRY(add_case(gathering, (*next)++, out));
    return BILANX_SUCCESS;
}

// How many records are next in order.
static size_t count_ready(const struct gathering *gathering)
{
    const struct campaign *campaign = gathering->campaign;
    size_t count = 0;
    for (size_t i = 0; i < campaign->case_count && campaign->cases[i].progress == CAMPAIGN_DONE;
         i++)
        for (size_t at = gathering->first[i]; at; at = gathering->pieces[at - 1].next)
            count += !gathering->pieces[at - 1].held;
    return count;
}

static struct bilanx_error add_to(struct gathering *gathering, bool all)
{
    struct delivery *delivery = &gathering->delivery;
    bool begun;
    BILANX_TRY(delivery_begin(delivery, all ? SIZE_MAX : count_ready(gathering), &begun));
    while (begun) {
        AUTO(text) struct text part = {0};
        size_t next = gathering->written;
        BILANX_TRY(add_cases(gathering, all, &next, &part));
        if (next == gathering->written)
            return delivery_settle(delivery);
        BILANX_TRY(delivery_add(delivery, text_get(&part), part.size));
        gathering->written = next;
    }
    return BILANX_SUCCESS;
}

// A pipe cannot be rewritten, so nothing is written before all records are known.
static struct bilanx_error write_records(struct gathering *gathering, bool all)
{
    struct delivery *delivery = &gathering->delivery;
    if (!delivery->out || (!delivery->plain && !all))
        return BILANX_SUCCESS;
    struct bilanx_error error = add_to(gathering, all);
    if (error.status != BILANX_OK && delivery_give_up(delivery))
        gathering->written = 0;
    return error;
}

struct bilanx_error gathering_write(struct gathering *gathering)
{
    return write_records(gathering, false);
}

struct bilanx_error gathering_finish(struct gathering *gathering)
{
    return write_records(gathering, true);
}
