// drive_tasks: tracks how tasks ended, and which machines are fit.
#include "drive_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/monotonic.h"
#include "cluster/tasks/machine_state.h"
#include "submission.h"

// How long the files of a task that has ended may take to appear in the shared folder.
static const double SHOWS_UP_S = 10;

static void note_trouble(struct drive *drive, const char *node, const char *what)
{
    const char *name = node && *node ? node : "no node";
    for (size_t i = 0; i < drive->trouble_count; i++) {
        struct drive_trouble *trouble = &drive->troubles[i];
        if (strcmp(trouble->node, name) == 0 && strcmp(trouble->what, what) == 0) {
            trouble->count++;
            return;
        }
    }
    mem_grow(drive->troubles, drive->trouble_count, &drive->trouble_room);
    drive->troubles[drive->trouble_count++] =
        (struct drive_trouble){mem_text(name), mem_text(what), 1};
}

static void drop_node(struct drive *drive, const char *node, const char *why)
{
    if (campaign_node(&drive->campaign, node)->bad)
        return;
    gathering_drop_node(drive->gathering, node);
    size_t again = campaign_node_bad(&drive->campaign, node, why);
    AUTO(text) struct text line = {0};
    text_format(&line, "%s is no longer used: %s", node, why);
    if (again)
        text_format(&line, "; its %zu case%s will be measured elsewhere", again,
                    again == 1 ? "" : "s");
    tell_line(&drive->tell, text_get(&line));
    AUTO(memory) char *excluded = submission_excluded(drive);
    if (drive->only_collect || drive->folder->streamed)
        return;
    for (size_t i = 0; i < drive->campaign.batch_count; i++)
        if (drive->batches[i].job && drive->campaign.batches[i].open_count)
            drive->launcher->avoid(drive->batches[i].job, excluded);  // may have no waiting tasks
}

// The last line of a task's log explains its end best, and our own lines are better than srun's.
static void add_last_words(const struct drive *drive, size_t batch, uint64_t task, struct text *out)
{
    AUTO(memory) char *path =
        mem_format("%s/logs/%zu.%" PRIu64 ".log", drive->folder->path, batch + 1, task);
    AUTO(text) struct text log = {0};
    AUTO(list) struct list lines = {0};
    if (access(path, F_OK) != 0 || file_read(path, &log).status != BILANX_OK)
        return;
    list_split_lines(&lines, text_get(&log));
    const char *last = NULL, *own = NULL;
    for (size_t i = 0; i < lines.count; i++) {
        last = lines.items[i][0] ? lines.items[i] : last;
        own = text_starts(lines.items[i], "bilanx: ") ? lines.items[i] + strlen("bilanx: ") : own;
    }
    if (last)
        text_format(out, ": %.200s", own ? own : last);
}

static void lose_task(struct drive *drive, size_t batch, uint64_t task, const char *node,
                      const char *what)
{
    if (!drive->cancelled)
        note_trouble(drive, node, what);
    gathering_task_ended(drive->gathering, batch, task, false);
    size_t before = drive->campaign.abandoned_count;
    campaign_task_ended(&drive->campaign, batch, task, CAMPAIGN_DIED, node);
    size_t given_up = drive->campaign.abandoned_count - before;
    AUTO(text) struct text line = {0};
    text_format(&line, "task %zu.%" PRIu64 "%s%s: %s", batch + 1, task, node && *node ? " on " : "",
                node ? node : "", what);
    add_last_words(drive, batch, task, &line);
    if (given_up)
        text_format(&line, "; gave up on %zu case%s", given_up, given_up == 1 ? "" : "s");
    if (!drive->cancelled)
        tell_line(&drive->tell, text_get(&line));
}

static bool is_complete(uint64_t status)
{
    enum { DONE = 0, SOME_FAILED = 1 };
    return status == DONE || status == SOME_FAILED;
}

// The scheduler ends a task by a signal, and the task may end before the scheduler reports the
// reason.
static bool is_signal(uint64_t status)
{
    return status > 128;
}

static bool is_running(const struct drive_task *state)
{
    return state->known && state->state != LAUNCH_ENDED && state->state != LAUNCH_KILLED;
}

// Reads how all replicas of a task ended. Returns false if one has not, or if the scheduler has yet
// to say why.
static bool take_ends(struct drive *drive, size_t batch, uint64_t task)
{
    uint64_t replicas = drive->folder->replicas ? drive->folder->replicas : 1;
    const struct drive_task *state = &drive->batches[batch].tasks[task - 1];
    AUTO(memory) char *refused = NULL, *failed = NULL, *node = NULL;
    for (uint64_t i = 1; i <= replicas; i++) {
        AUTO(run_end) struct run_end end = {0};
        AUTO(memory) char *name = mem_format("%zu.%" PRIu64 ".%" PRIu64, batch + 1, task, i);
        if (!run_end_read(drive->folder->path, name, &end))
            return false;
        if (end.refused || end.failed || !is_complete(end.status) || !node) {
            free(node);
            node = mem_text(end.node);
        }
        if (end.refused && !refused)
            refused = TAKE(end.refused);
        if (end.failed && !failed)
            failed = TAKE(end.failed);
        if (!failed && is_signal(end.status) && is_running(state))
            return false;
        if (!failed && is_signal(end.status) && state->state == LAUNCH_KILLED)
            failed = mem_text(launch_explain(state->word));
        if (!failed && !is_complete(end.status))
            failed = mem_format("exit status %" PRIu64, end.status);
    }
    if (failed) {
        lose_task(drive, batch, task, node, failed);
        return true;
    }
    gathering_task_ended(drive->gathering, batch, task, !refused);
    bool unused = refused || (node && campaign_node(&drive->campaign, node)->bad);
    if (!unused && campaign_task_lacks(&drive->campaign, batch, task)) {
        lose_task(drive, batch, task, node, "it did not record all its cases");
        return true;
    }
    campaign_task_ended(&drive->campaign, batch, task,
                        unused ? CAMPAIGN_REFUSED : CAMPAIGN_FINISHED, node);
    if (refused && node)
        drop_node(drive, node, refused);
    return true;
}

static void take_state(struct drive *drive, const struct launch_task *seen)
{
    const char *dot = strrchr(seen->array, '.');
    size_t batch = dot ? strtoull(dot + 1, NULL, 10) : 0;
    if (batch < 1 || batch > drive->campaign.batch_count || seen->number < 1 ||
        seen->number > drive->campaign.batches[batch - 1].shard.count)
        return;
    struct drive_task *task = &drive->batches[batch - 1].tasks[seen->number - 1];
    task->known = true;
    task->state = seen->state;
    snprintf(task->word, sizeof task->word, "%s", seen->word);
    snprintf(task->reason, sizeof task->reason, "%s", seen->reason);
    if (*seen->node)
        snprintf(task->node, sizeof task->node, "%s", seen->node);
    if (seen->state != LAUNCH_HELD || task->reported)
        return;
    AUTO(memory) char *line = mem_format(
        "task %zu.%" PRIu64 " is held (%s): 'scontrol release %s_%" PRIu64 "' starts it", batch,
        seen->number, *seen->reason ? seen->reason : seen->word,
        drive->batches[batch - 1].job ? drive->batches[batch - 1].job : "JOB", seen->number);
    tell_line(&drive->tell, line);
    task->reported = true;
}

// Whether a task has been gone for so long that its files must have appeared.
static bool is_gone(struct drive_task *task)
{
    if (is_running(task))
        task->gone_ns = 0;
    else if (!task->gone_ns)
        task->gone_ns = monotonic_ns();
    return task->gone_ns && (task->state == LAUNCH_KILLED ||
                             (double)(monotonic_ns() - task->gone_ns) > SHOWS_UP_S * 1e9);
}

static void judge_gone(struct drive *drive, size_t batch, uint64_t task)
{
    const struct drive_task *state = &drive->batches[batch].tasks[task - 1];
    const char *what = state->state == LAUNCH_KILLED ? launch_explain(state->word)
                       : file_disk_is_full(drive->folder->path)
                           ? "it left no result: the shared disk is full"
                           : "it ended without a result";
    lose_task(drive, batch, task, state->node, what);
}

// Asks sacct about tasks that squeue has forgotten.
static void recall(struct drive *drive)
{
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    AUTO(memory) char *names = submission_names(drive);
    if (!drive->facts.accounts || !drive->launcher->recall || drive->folder->streamed)
        return;
    struct bilanx_error error = drive->launcher->recall(names, &tasks);
    if (error.status != BILANX_OK)
        tell_line(&drive->tell, error.text);
    for (size_t i = 0; i < tasks.count; i++)
        take_state(drive, &tasks.items[i]);
}

static void follow_task(struct drive *drive, size_t batch, uint64_t task, bool answered,
                        bool *recalled)
{
    struct drive_task *state = &drive->batches[batch].tasks[task - 1];
    if (take_ends(drive, batch, task) || !answered || !drive->batches[batch].job || !is_gone(state))
        return;
    if (!*recalled && state->state != LAUNCH_KILLED) {
        recall(drive);
        *recalled = true;
    }
    judge_gone(drive, batch, task);
}

void drive_follow_tasks(struct drive *drive, const struct launch_tasks *tasks)
{
    bool recalled = false;
    for (size_t i = 0; tasks && i < drive->campaign.batch_count; i++)
        for (uint64_t k = 0; k < drive->campaign.batches[i].shard.count; k++)
            drive->batches[i].tasks[k].known = false;
    for (size_t i = 0; tasks && i < tasks->count; i++)
        take_state(drive, &tasks->items[i]);
    for (size_t i = 0; i < drive->campaign.batch_count; i++)
        for (uint64_t task = 1; task <= drive->campaign.batches[i].shard.count; task++)
            if (drive->campaign.batches[i].states[task - 1] == CAMPAIGN_OPEN)
                follow_task(drive, i, task, tasks != NULL, &recalled);
}

void drive_check_nodes(struct drive *drive)
{
    if (drive->folder->unchecked)
        return;
    AUTO(run_nodes) struct run_nodes nodes = {0};
    run_nodes_read(drive->folder->path, &nodes);
    for (size_t i = 0; i < nodes.count; i++) {
        AUTO(text) struct text why = {0};
        if (!campaign_node(&drive->campaign, nodes.items[i].name)->bad &&
            machine_is_unfit(&nodes, i, &why))
            drop_node(drive, nodes.items[i].name, text_get(&why));
    }
}
