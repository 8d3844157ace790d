// streaming: tasks whose records come back over the launcher, for clusters without a shared folder.
#include "streaming.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "cluster/shards/portion.h"
#include "cluster/shards/ranges.h"
#include "cluster/tasks/cluster_task.h"
#include "submission.h"

struct stream {
    size_t batch;
    uint64_t task;
    pid_t pid;  // 0: waiting
    bool ended;
};

struct streaming {
    struct stream *items;
    size_t count, room;
};

void streaming_free(struct streaming *streaming)
{
    for (size_t i = 0; streaming && i < streaming->count; i++)
        if (streaming->items[i].pid && !streaming->items[i].ended) {
            kill(streaming->items[i].pid, SIGKILL);
            waitpid(streaming->items[i].pid, NULL, 0);
        }
    if (streaming)
        free(streaming->items);
    free(streaming);
}

void streaming_add(struct drive *drive, size_t batch)
{
    if (!drive->streaming)
        drive->streaming = mem_new(struct streaming);
    struct streaming *streaming = drive->streaming;
    for (uint64_t task = 1; task <= drive->campaign.batches[batch].shard.count; task++) {
        mem_grow(streaming->items, streaming->count, &streaming->room);
        streaming->items[streaming->count++] = (struct stream){.batch = batch, .task = task};
    }
}

// The positions of a task's cases are passed along, because its machine cannot read our files.
static char *positions_of(const struct campaign_batch *batch, uint64_t task)
{
    struct text text = {0};
    AUTO(memory) uint64_t *positions = mem_array(uint64_t, batch->case_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < batch->case_count; i++)
        if (batch->tasks[i] == task)
            positions[count++] = batch->cases[i] + 1;
    ranges_print(positions, count, &text);
    return count ? text_take(&text) : NULL;
}

static int open_new(const char *folder, const char *part, const struct stream *stream,
                    const char *end)
{
    AUTO(memory) char *path =
        mem_format("%s/%s/%zu.%" PRIu64 "%s", folder, part, stream->batch + 1, stream->task, end);
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

// The caller frees it; NULL: it never started.
static char *node_of(const struct drive *drive, const struct stream *stream)
{
    AUTO(memory) char *path = mem_format("%s/logs/%zu.%" PRIu64 ".log", drive->folder->path,
                                         stream->batch + 1, stream->task);
    AUTO(text) struct text log = {0};
    AUTO(list) struct list lines = {0};
    if (file_read(path, &log).status != BILANX_OK)
        return NULL;
    list_split_lines(&lines, text_get(&log));
    for (size_t i = 0; i < lines.count; i++)
        if (text_starts(lines.items[i], STREAM_NODE))
            return mem_text(lines.items[i] + strlen(STREAM_NODE));
    return NULL;
}

static void write_end(struct drive *drive, const struct stream *stream, uint64_t status,
                      const char *failed)
{
    AUTO(memory) char *name = mem_format("%zu.%" PRIu64 ".1", stream->batch + 1, stream->task);
    AUTO(run_end) struct run_end end = {
        .node = node_of(drive, stream), .status = status, .failed = mem_text(failed)};
    struct bilanx_error error = run_end_write(drive->folder->path, name, &end);
    if (error.status != BILANX_OK)
        tell_line(&drive->tell, error.text);
}

static void start(struct drive *drive, struct stream *stream)
{
    const struct run_folder *folder = drive->folder;
    AUTO(memory) char *positions =
        positions_of(&drive->campaign.batches[stream->batch], stream->task);
    AUTO(memory) char *excluded = submission_excluded(drive);
    AUTO(list) struct list words = {0};
    AUTO(fd) int out = open_new(folder->path, "records", stream, ".1.0.jsonl");
    AUTO(fd) int log = open_new(folder->path, "logs", stream, ".log");
    stream->ended = !positions;
    if (!positions) {
        write_end(drive, stream, 0, NULL);
        return;
    }
    drive->launcher->attach(&drive->site, 1, excluded, &words);
    list_add(&words, folder->program);
    list_add(&words, "cluster");
    list_add(&words, "stream");
    list_add(&words, folder->version);
    list_add_all(&words, &folder->words);
    list_take(&words, mem_format("--cases=%s", positions));
    list_add(&words, "--json=-");
    list_add(&words, "--quiet");
    AUTO(list) struct list variables = {0};
    if (folder->digest)
        list_take(&variables, mem_format(PORTION_DIGEST "=%s", folder->digest));
    struct bilanx_error error =
        out < 0 || log < 0 ? bilanx_error_make(BILANX_E_SYSTEM, "cannot write to '%s': %s",
                                               folder->path, strerror(errno))
                           : spawn(&(struct spawn_options){.argv = (const char *const *)words.items,
                                                           .directory = folder->directory,
                                                           .environment = variables.items,
                                                           .streams = {0, out, log}},
                                   &stream->pid);
    if (error.status != BILANX_OK) {
        stream->ended = true;
        write_end(drive, stream, 1, error.text);
    }
}

static void reap(struct drive *drive, struct stream *stream)
{
    int status;
    if (waitpid(stream->pid, &status, WNOHANG) != stream->pid)
        return;
    stream->ended = true;
    write_end(drive, stream,
              WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : 128u + (uint64_t)WTERMSIG(status),
              NULL);
}

static void report(const struct stream *stream, struct launch_tasks *out)
{
    struct launch_task task = {.number = stream->task,
                               .state = stream->ended ? LAUNCH_ENDED
                                        : stream->pid ? LAUNCH_RUNNING
                                                      : LAUNCH_WAITING};
    snprintf(task.array, sizeof task.array, "stream.%zu", stream->batch + 1);
    mem_grow(out->items, out->count, &out->room);
    out->items[out->count++] = task;
}

struct bilanx_error streaming_look(struct drive *drive, struct launch_tasks *out)
{
    struct streaming *streaming = drive->streaming;
    uint64_t running = 0;
    for (size_t i = 0; streaming && i < streaming->count; i++) {
        struct stream *stream = &streaming->items[i];
        if (stream->pid && !stream->ended)
            reap(drive, stream);
        running += stream->pid && !stream->ended;
    }
    for (size_t i = 0; streaming && i < streaming->count; i++) {
        struct stream *stream = &streaming->items[i];
        if (!stream->pid && !stream->ended && !drive->cancelled &&
            running < drive->campaign.options.machines) {
            start(drive, stream);
            running += !stream->ended;
        }
        report(stream, out);
    }
    return BILANX_SUCCESS;
}

void streaming_cancel(struct drive *drive)
{
    for (size_t i = 0; drive->streaming && i < drive->streaming->count; i++) {
        struct stream *stream = &drive->streaming->items[i];
        if (stream->pid && !stream->ended)
            kill(stream->pid, SIGTERM);
        else if (!stream->pid)
            stream->ended = true;
    }
}
