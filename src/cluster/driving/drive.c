// drive: runs a campaign on a cluster: submits, watches, retries, gathers records.
#include "drive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/monotonic.h"
#include "cluster/shards/ranges.h"
#include "drive_tasks.h"
#include "streaming.h"
#include "submission.h"

void drive_done(struct drive *drive)
{
    for (size_t i = 0; drive->batches && i < drive->campaign.batch_count; i++) {
        free(drive->batches[i].job);
        free(drive->batches[i].tasks);
    }
    for (size_t i = 0; i < drive->trouble_count; i++) {
        free(drive->troubles[i].node);
        free(drive->troubles[i].what);
    }
    free(drive->batches);
    free(drive->troubles);
    streaming_free(drive->streaming);
    gathering_free(drive->gathering);
    campaign_done(&drive->campaign);
    *drive = (struct drive){0};
}

static void pause_for(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&left, NULL);  // ends early on ^C
}

struct bilanx_error drive_answer(struct drive *drive, struct bilanx_error error)
{
    if (error.status == BILANX_E_TIMED_OUT) {
        AUTO(memory) char *line =
            mem_format("the scheduler does not answer; waiting (%s)", error.text);
        if (!drive->silent)
            tell_line(&drive->tell, line);
        drive->silent_ns = drive->silent ? drive->silent_ns : monotonic_ns();
        drive->silent = true;
    } else if (error.status == BILANX_OK && drive->silent) {
        AUTO(memory) char *line = mem_format("the scheduler answers again, after %.0f s",
                                             (double)(monotonic_ns() - drive->silent_ns) / 1e9);
        tell_line(&drive->tell, line);
        drive->silent = false;
    }
    return error;
}

static struct bilanx_error survey(struct drive *drive)
{
    enum { AGAIN_S = 3 };
    for (;;) {
        struct bilanx_error error =
            drive_answer(drive, drive->launcher->survey(&drive->site, &drive->facts));
        if (error.status != BILANX_E_TIMED_OUT)
            return error;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        pause_for(AGAIN_S);
    }
}

void drive_add_batch(struct drive *drive, size_t batch, const char *job)
{
    mem_grow(drive->batches, batch, &drive->batch_room);
    drive->batches[batch] = (struct drive_batch){
        .job = mem_text(job),
        .tasks = mem_array(struct drive_task, drive->campaign.batches[batch].shard.count)};
}

static struct bilanx_error damaged(const struct drive *drive, uint64_t number, const char *what)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s/batches/%" PRIu64 ": %s", drive->folder->path,
                             number, what);
}

// Each case is in a batch at most once, in order, so this is bounded.
static struct bilanx_error list_cases(const struct drive *drive, uint64_t number, const char *text,
                                      size_t *cases, size_t *count)
{
    AUTO(ranges) struct ranges ranges = {0};
    BILANX_TRY(ranges_parse(text, &ranges));
    uint64_t last = 0;
    *count = 0;
    for (size_t i = 0; i < ranges.count; i++) {
        const struct range *range = &ranges.items[i];
        if (range->from <= last || range->to > drive->folder->case_count)
            return damaged(drive, number, "its cases are not those of the run");
        for (uint64_t at = range->from; at <= range->to; at += range->step)
            cases[(*count)++] = at - 1;
        last = range->to;
    }
    return BILANX_SUCCESS;
}

// Batches of an earlier process.
static struct bilanx_error restore(struct drive *drive)
{
    AUTO(memory) size_t *cases = mem_array(size_t, drive->folder->case_count + 1);
    uint64_t tasks = 0;
    for (uint64_t number = 1;; number++) {
        AUTO(run_batch) struct run_batch batch = {0};
        AUTO(text) struct text positions = {0};
        bool found;
        size_t count;
        BILANX_TRY(run_batch_read(drive->folder->path, number, &batch, &positions, &found));
        if (!found)
            return BILANX_SUCCESS;
        BILANX_TRY(list_cases(drive, number, text_get(&positions), cases, &count));
        tasks += batch.shard.count;
        if (batch.shard.count > count || tasks > SHARDS_MOST)
            return damaged(drive, number, "has too many tasks");
        if (batch.job && !drive->launcher->is_job(batch.job))
            return damaged(drive, number, "its 'job' is not the number of a job");
        size_t at = campaign_restore(&drive->campaign, cases, count, &batch.shard);
        drive_add_batch(drive, at, batch.job);
        drive->batches[at].asked = true;
    }
}

struct bilanx_error drive_open(struct drive *drive, const struct run_folder *folder,
                               const struct drive_observer *observer)
{
    *drive = (struct drive){.folder = folder,
                            .observer = observer,
                            .tell = {observer->note, observer->context},
                            .site = {folder->partition, &folder->options},
                            .started_ns = monotonic_ns()};
    BILANX_TRY(launcher_find(folder->launcher, &drive->launcher));
    BILANX_TRY(survey(drive));
    uint64_t machines = drive->facts.machines;
    if (folder->nodes && folder->nodes < machines)
        machines = folder->nodes;
    if (folder->replicas > machines)
        return bilanx_error_make(
            BILANX_E_USAGE, "--replicate %" PRIu64 " needs as many nodes, but there are %" PRIu64,
            folder->replicas, machines);
    machines = folder->replicas > 1 ? machines / folder->replicas : machines;
    campaign_init(&drive->campaign, folder->items, folder->case_count,
                  &(struct campaign_options){.machines = machines,
                                             .retries = folder->retries,
                                             .most_tasks = drive->facts.most_tasks});
    drive->gathering = gathering_new(folder, &drive->campaign, &drive->tell);
    BILANX_TRY(restore(drive));
    AUTO(memory) char *earlier = mem_format("%s/earlier.jsonl", folder->path);
    return access(earlier, F_OK) == 0 ? gathering_take(drive->gathering, earlier) : BILANX_SUCCESS;
}

// A full disk must not end the tasks: writing is retried, and once more at the end.
static void write_records(struct drive *drive)
{
    struct bilanx_error error = gathering_write(drive->gathering);
    bool failed = error.status != BILANX_OK;
    if (failed && !drive->unwritten) {
        AUTO(memory) char *line = mem_format("%s; trying again", error.text);
        tell_line(&drive->tell, line);
    }
    drive->unwritten = failed;
}

struct bilanx_error drive_look(struct drive *drive)
{
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    struct bilanx_error error = drive_answer(drive, submission_look(drive, &tasks));
    bool answered = error.status == BILANX_OK;
    if (!answered && error.status != BILANX_E_TIMED_OUT && error.status != BILANX_E_INPUT)
        return error;
    if (error.status == BILANX_E_INPUT)
        tell_line(&drive->tell, error.text);
    BILANX_TRY(gathering_look(drive->gathering));
    drive_follow_tasks(drive, answered ? &tasks : NULL);
    drive_check_nodes(drive);
    write_records(drive);
    return BILANX_SUCCESS;
}

// Polls often at first, because the tasks of a small run end soon, and rarely later, to spare the
// scheduler.
static double interval_s(const struct drive *drive)
{
    double running_s = (double)(monotonic_ns() - drive->started_ns) / 1e9;
    return running_s < 60 ? 1 : running_s < 600 ? 3 : 10;
}

struct bilanx_error drive_run(struct drive *drive)
{
    for (;;) {
        if (!drive->only_look)
            BILANX_TRY(drive_submit(drive));
        BILANX_TRY(drive_look(drive));
        if (drive->observer->progress)
            drive->observer->progress(drive->observer->context, drive);
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (campaign_is_over(&drive->campaign) ||
            (drive->only_look && !campaign_open_tasks(&drive->campaign)))
            return BILANX_SUCCESS;
        bool again = false;
        for (size_t i = 0; i < drive->campaign.case_count && !again; i++)
            again = drive->campaign.cases[i].progress == CAMPAIGN_MISSING;
        if (!again || drive->silent || drive->full)
            pause_for(interval_s(drive));
    }
}

struct bilanx_error drive_submit_surely(struct drive *drive)
{
    for (;;) {
        BILANX_TRY(drive_submit(drive));
        if (!drive->silent && !drive->full)
            return BILANX_SUCCESS;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        pause_for(interval_s(drive));
    }
}

struct bilanx_error drive_cancel(struct drive *drive)
{
    enum { LOOKS = 15 };
    streaming_cancel(drive);
    for (size_t i = 0; i < drive->campaign.batch_count && !drive->folder->streamed; i++)
        if (drive->batches[i].job && drive->campaign.batches[i].open_count)
            BILANX_TRY(drive->launcher->cancel(drive->batches[i].job));
    drive->only_look = drive->cancelled = true;
    for (int i = 0; i < LOOKS && campaign_open_tasks(&drive->campaign); i++) {
        BILANX_TRY(drive_look(drive));
        if (campaign_open_tasks(&drive->campaign))
            pause_for(.5);
    }
    return BILANX_SUCCESS;
}

size_t drive_count(const struct drive *drive, enum launch_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < drive->campaign.batch_count; i++)
        for (uint64_t k = 0; k < drive->campaign.batches[i].shard.count; k++)
            count += drive->campaign.batches[i].states[k] == CAMPAIGN_OPEN &&
                     drive->batches[i].tasks[k].state == state;
    return count;
}
