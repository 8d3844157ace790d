// submission: hands batches to the launcher.
#include "submission.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cluster/shards/ranges.h"
#include "streaming.h"

// The name of a batch's job. A comma in it would name other jobs as well. The caller frees it.
static char *name_of(const struct drive *drive, size_t batch)
{
    const char *slash = strrchr(drive->folder->path, '/');
    char *name = mem_format("bilanx-%s.%zu", slash ? slash + 1 : drive->folder->path, batch + 1);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_", *at))
            *at = '_';
    return name;
}

char *submission_names(const struct drive *drive)
{
    struct text names = {0};
    for (size_t i = 0; i < drive->campaign.batch_count; i++) {
        AUTO(memory) char *name = name_of(drive, i);
        text_format(&names, "%s%s", i ? "," : "", name);
    }
    return names.size ? text_take(&names) : mem_text("");
}

char *submission_excluded(const struct drive *drive)
{
    struct text names = {0};
    for (size_t i = 0; i < drive->campaign.node_count; i++)
        if (drive->campaign.nodes[i].bad)
            text_format(&names, "%s%s", names.size ? "," : "", drive->campaign.nodes[i].name);
    return names.size ? text_take(&names) : mem_text("");
}

// The command of a task. With replicas, it runs once on each of the task's machines.
static struct bilanx_error write_script(const struct drive *drive, uint64_t number, char **out)
{
    const struct run_folder *folder = drive->folder;
    AUTO(memory) char *path =
        mem_format("%s/batches/%llu.sh", folder->path, (unsigned long long)number);
    AUTO(text) struct text script = {0};
    text_format(&script, "#!/bin/sh\nexec %s",
                folder->replicas > 1 ? "srun --kill-on-bad-exit=0 " : "");
    text_add_quoted(&script, folder->program);
    text_add(&script, " cluster task ");
    text_add_quoted(&script, folder->path);
    text_format(&script, " %llu\n", (unsigned long long)number);
    BILANX_TRY(run_file_write(path, text_get(&script), script.size));
    if (chmod(path, 0755) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    *out = TAKE(path);
    return BILANX_SUCCESS;
}

static char *positions_of(const struct campaign_batch *batch)
{
    struct text text = {0};
    AUTO(memory) uint64_t *positions = mem_array(uint64_t, batch->case_count + 1);
    for (size_t i = 0; i < batch->case_count; i++)
        positions[i] = batch->cases[i] + 1;
    ranges_print(positions, batch->case_count, &text);
    return text_take(&text);
}

// After a submission without an answer, the job may still exist. Leaves `*job` alone if it does
// not. The caller frees it.
static struct bilanx_error find_job(struct drive *drive, size_t at, char **job)
{
    AUTO(launch_tasks) struct launch_tasks tasks = {0};
    AUTO(memory) char *name = name_of(drive, at);
    BILANX_TRY(drive_answer(drive, drive->launcher->look(name, &tasks)));
    if (tasks.count)
        *job = mem_text(tasks.items[0].job);
    return BILANX_SUCCESS;
}

static struct bilanx_error submit_batch(struct drive *drive, size_t at)
{
    const struct run_folder *folder = drive->folder;
    const struct campaign_batch *cases = &drive->campaign.batches[at];
    AUTO(memory) char *script = NULL;
    AUTO(memory) char *name = name_of(drive, at);
    AUTO(memory) char *log = mem_format("%s/logs/%zu.%%a.log", folder->path, at + 1);
    AUTO(memory) char *excluded = submission_excluded(drive);
    AUTO(memory) char *positions = positions_of(cases);
    AUTO(run_batch) struct run_batch batch = {.shard = cases->shard};
    BILANX_TRY(write_script(drive, at + 1, &script));
    BILANX_TRY(run_batch_write(folder->path, at + 1, &batch, positions));
    uint64_t replicas = folder->replicas ? folder->replicas : 1;
    struct launch_array array = {.name = name,
                                 .script = script,
                                 .log = log,
                                 .tasks = cases->shard.count,
                                 .at_once =
                                     folder->nodes ? (folder->nodes + replicas - 1) / replicas : 0,
                                 .machines = replicas,
                                 .excluded = excluded};
    BILANX_TRY(drive_answer(drive, drive->launcher->submit(&drive->site, &array, &batch.job)));
    drive->batches[at].job = mem_text(batch.job);
    return run_batch_write(folder->path, at + 1, &batch, NULL);
}

// A batch whose submission had no answer may have been accepted, so this is checked first.
static struct bilanx_error submit_or_find(struct drive *drive, size_t at)
{
    struct drive_batch *batch = &drive->batches[at];
    if (drive->folder->streamed) {
        batch->job = mem_text("stream");
        streaming_add(drive, at);
        return BILANX_SUCCESS;
    }
    if (batch->asked)
        BILANX_TRY(find_job(drive, at, &batch->job));
    if (batch->job)
        return run_batch_write(drive->folder->path, at + 1,
                               &(struct run_batch){batch->job, drive->campaign.batches[at].shard},
                               NULL);
    batch->asked = true;
    return submit_batch(drive, at);
}

// Whether an error is temporary: the scheduler does not answer, or there is no space for our files.
static bool will_pass(struct drive *drive, struct bilanx_error error)
{
    bool full = error.status == BILANX_E_SYSTEM && file_disk_is_full(drive->folder->path);
    if (full && !drive->full) {
        AUTO(memory) char *line =
            mem_format("the shared disk is full; waiting for space (%s)", error.text);
        tell_line(&drive->tell, line);
    }
    drive->full = full;
    return full || error.status == BILANX_OK || error.status == BILANX_E_TIMED_OUT;
}

struct bilanx_error drive_submit(struct drive *drive)
{
    size_t batch;
    while (campaign_next(&drive->campaign, &batch))
        drive_add_batch(drive, batch, NULL);
    for (size_t i = 0; i < drive->campaign.batch_count; i++)
        if (!drive->batches[i].job && drive->campaign.batches[i].open_count) {
            struct bilanx_error error = submit_or_find(drive, i);
            if (!will_pass(drive, error))
                return error;
        }
    return BILANX_SUCCESS;
}

struct bilanx_error submission_look(struct drive *drive, struct launch_tasks *out)
{
    if (drive->folder->streamed)
        return streaming_look(drive, out);
    AUTO(memory) char *names = submission_names(drive);
    return *names ? drive->launcher->look(names, out) : BILANX_SUCCESS;
}
