// The folder of a run on a cluster, as a stranger may have left it, is read or refused: its files,
// separated by lines of three dashes, are run.json, cases, batches/1.json, batches/1.cases,
// ends/1.0.1.json and nodes/n.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cluster/campaign/campaign.h"
#include "cluster/launching/launcher.h"
#include "cluster/shards/ranges.h"
#include "cluster/site/run_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"run.json",        "cases",           "batches/1.json",
                                    "batches/1.cases", "ends/1.0.1.json", "nodes/n.json"};
enum { FILES = sizeof names / sizeof *names };
static char folder[] = "/dev/shm/bilanx-fuzz-XXXXXX";

static void remove_folder(void)
{
    file_remove_tree(folder);
}

static void make_folder(void)
{
    if (!strstr(folder, "XXXXXX"))
        return;
    // A new run makes its folder itself.
    if (!mkdtemp(folder) || rmdir(folder) != 0)
        abort();
    atexit(remove_folder);
    struct run_folder empty = {.path = folder};
    if (run_folder_create(&empty).status != BILANX_OK)
        abort();
}

static void write_files(const char *text, size_t size)
{
    static const char MARK[] = "\n---\n";
    const char *end = text + size;
    for (size_t i = 0; i < FILES; i++) {
        const char *mark = memmem(text, (size_t)(end - text), MARK, strlen(MARK));
        AUTO(memory) char *path = mem_format("%s/%s", folder, names[i]);
        if (run_file_write(path, text, (size_t)((mark ? mark : end) - text)).status != BILANX_OK)
            abort();
        text = mark ? mark + strlen(MARK) : end;
    }
}

// As whoever drives the run does.
static void restore_batch(const struct run_folder *run)
{
    AUTO(run_batch) struct run_batch batch = {0};
    AUTO(text) struct text positions = {0};
    AUTO(ranges) struct ranges ranges = {0};
    const struct launcher *launcher = NULL;
    bool found = false;
    struct bilanx_error error = run_batch_read(folder, 1, &batch, &positions, &found);
    if (error.status != BILANX_OK && !strstr(error.text, folder))
        abort();
    if (!found || ranges_parse(text_get(&positions), &ranges).status != BILANX_OK ||
        launcher_find("slurm", &launcher).status != BILANX_OK)
        return;
    if (batch.job && launcher->is_job(batch.job) &&
        strspn(batch.job, "0123456789") != strlen(batch.job))
        abort();  // another program might take it for an option
    AUTO(memory) size_t *cases = mem_array(size_t, run->case_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < run->case_count; i++)
        if (ranges_have(&ranges, i + 1))
            cases[count++] = i;
    if (batch.shard.count > count || batch.shard.count > SHARDS_MOST)
        return;  // refused by whoever drives the run
    struct campaign campaign;
    campaign_init(&campaign, run->items, run->case_count,
                  &(struct campaign_options){.machines = 3, .retries = 1, .most_tasks = 100});
    campaign_restore(&campaign, cases, count, &batch.shard);
    campaign_done(&campaign);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    make_folder();
    write_files((const char *)data, size);
    AUTO(run_folder) struct run_folder run = {0};
    AUTO(run_end) struct run_end end = {0};
    AUTO(run_nodes) struct run_nodes nodes = {0};
    struct bilanx_error error = run_folder_read(folder, true, &run);
    if (error.status == BILANX_OK)
        restore_batch(&run);
    else if (!strstr(error.text, folder))
        abort();
    run_end_read(folder, "1.0.1", &end);
    run_nodes_read(folder, &nodes);
    return 0;
}
