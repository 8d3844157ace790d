// cluster_task: the task on a machine of a cluster: checks the machine, then runs its shard.
#include "cluster_task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "bilanx/version.h"
#include "cluster/launching/launcher.h"
#include "cluster/shards/portion.h"
#include "machine_state.h"
#include "sources/statements/language.h"

struct task {
    struct run_folder folder;
    const struct launcher *launcher;
    struct run_batch batch;
    const char *number;  // of the batch, and of the task in it
    const char *index;
    const char *replica;
    char *name;  // "1.7.1": of its files
    struct run_node node;
};

static void task_done(struct task *task)
{
    run_folder_done(&task->folder);
    run_batch_done(&task->batch);
    run_node_done(&task->node);
    free(task->name);
}
SCOPE_VALUE(task, task_done)

static const char *replica_of(const struct run_folder *folder)
{
    static char number[16];
    const char *rank = folder->replicas > 1 ? getenv("SLURM_PROCID") : NULL;
    snprintf(number, sizeof number, "%d", rank ? atoi(rank) + 1 : 1);
    return number;
}

// The command runs the worker of the same installation, so a stale worker is noticed here.
static struct bilanx_error check_worker(const char *wanted)
{
    AUTO(memory) char *worker = NULL;
    AUTO(text) struct text said = {0};
    int status = 0;
    BILANX_TRY(language_find_part("bilanx-worker", "BILANX_WORKER_PROGRAM", NULL, &worker));
    const char *const argv[] = {worker, "--version", NULL};
    BILANX_TRY(
        capture_run(&(struct capture_options){.argv = argv, .timeout_s = 60}, &said, &status));
    while (said.size && said.data[said.size - 1] == '\n')
        said.data[--said.size] = '\0';
    const char *version = strrchr(text_get(&said), ' ');
    if (status == 0 && version && strcmp(version + 1, wanted) == 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_FAILED, "the worker here is '%.60s', but the run needs %s",
                             text_get(&said), wanted);
}

static struct bilanx_error check_versions(const struct task *task)
{
    const char *wanted = task->folder.version;
    if (strcmp(wanted, BILANX_VERSION) != 0)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "%s here is bilanx %s, but the run was started by bilanx %s: "
                                 "install the same version on all machines",
                                 task->folder.program, BILANX_VERSION, wanted);
    return check_worker(wanted);
}

// An unfit machine refuses each task at once, so it would take one task after the other.
static void keep_away(const struct task *task)
{
    enum { PAUSE_S = 20 };
    if (task->batch.job &&
        task->launcher->avoid(task->batch.job, task->node.name).status != BILANX_OK)
        sleep(PAUSE_S);
}

static bool is_refused(struct task *task, struct text *why)
{
    AUTO(run_nodes) struct run_nodes nodes = {0};
    run_nodes_read(task->folder.path, &nodes);
    for (size_t i = 0; i < nodes.count; i++)
        if (text_equal(nodes.items[i].name, task->node.name))
            return machine_is_unfit(&nodes, i, why);
    return false;
}

static void add_words(const struct task *task, const char *records, struct list *words)
{
    const struct shard *shard = &task->batch.shard;
    AUTO(text) struct text part = {0};
    text_format(&part, "--shard=%s/%llu", task->index, (unsigned long long)shard->count);
    if (shard->step)
        text_format(&part, "/%llu", (unsigned long long)shard->step);
    list_add(words, task->folder.program);
    list_add_all(words, &task->folder.words);
    list_add(words, text_get(&part));
    list_take(words, mem_format("--cases=%s/batches/%s.cases", task->folder.path, task->number));
    list_take(words, mem_format("--json=%s", records));
    list_add(words, "--append");
    list_add(words, "--quiet");
    if (task->folder.counted && strcmp(task->folder.words.items[0], "count") == 0)
        list_take(words, mem_format("--jobs=%ld", sysconf(_SC_NPROCESSORS_ONLN)));
}

// Builds of revisions and compiled statements are shared by machines of one kind, for all runs.
static void add_variables(const struct task *task, struct list *out)
{
    list_take(out, mem_format("BILANX_NODE=%s", task->node.name));
    if (task->folder.replicas > 1)
        list_take(out, mem_format("BILANX_REPLICA=%s", task->replica));
    if (task->folder.digest)
        list_take(out, mem_format(PORTION_DIGEST "=%s", task->folder.digest));
    list_take(out,
              mem_format("XDG_CACHE_HOME=%s/../cache/%s", task->folder.path, task->node.build));
}

// A scheduler may restart a task, so each start has its own file, created here.
static struct bilanx_error claim_records(const struct task *task, char **out)
{
    enum { STARTS_MOST = 1000 };
    for (int start = 0; start < STARTS_MOST; start++) {
        AUTO(memory) char *path =
            mem_format("%s/records/%s.%d.jsonl", task->folder.path, task->name, start);
        AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path,
                                     strerror(errno));
        if (fd < 0)
            continue;
        *out = TAKE(path);
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_FAILED, "started %d times", STARTS_MOST);
}

static struct bilanx_error run_shard(const struct task *task, uint64_t *out)
{
    AUTO(memory) char *records = NULL;
    BILANX_TRY(claim_records(task, &records));
    AUTO(list) struct list words = {0}, variables = {0};
    add_words(task, records, &words);
    add_variables(task, &variables);
    pid_t pid;
    int status = 0;
    BILANX_TRY(spawn(&(struct spawn_options){.argv = (const char *const *)words.items,
                                             .directory = task->folder.directory,
                                             .environment = variables.items,
                                             .streams = {0, STDOUT_FILENO, STDERR_FILENO}},
                     &pid));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot wait: %s", strerror(errno));
    *out = WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : 128u + (uint64_t)WTERMSIG(status);
    return BILANX_SUCCESS;
}

static struct bilanx_error perform(struct task *task, struct run_end *end)
{
    AUTO(text) struct text why = {0};
    AUTO(memory) char *known = mem_format("%s/nodes/%s.json", task->folder.path, task->node.name);
    struct bilanx_error error = check_versions(task);
    if (error.status != BILANX_OK) {
        end->refused = mem_text(error.text);
        keep_away(task);
        return BILANX_SUCCESS;
    }
    AUTO(run_node) struct run_node state = {0};
    machine_state(&task->folder, task->node.name, &state);
    run_node_done(&task->node);
    task->node = state;
    state = (struct run_node){0};
    if (access(known, F_OK) != 0)
        BILANX_TRY(run_node_write(task->folder.path, &task->node));
    if (!task->folder.unchecked && is_refused(task, &why)) {
        end->refused = text_take(&why);
        keep_away(task);
        return BILANX_SUCCESS;
    }
    BILANX_TRY(run_shard(task, &end->status));
    // Cases that could not be compiled, for example, are retried.
    if (end->status != 0 && file_disk_is_full(task->folder.path))
        return bilanx_error_make(BILANX_E_SYSTEM, "the shared disk is full");
    return BILANX_SUCCESS;
}

static struct bilanx_error open_task(const char *folder, const char *batch, struct task *out)
{
    BILANX_TRY(run_folder_read(folder, false, &out->folder));
    BILANX_TRY(launcher_find(out->folder.launcher, &out->launcher));
    out->number = batch;
    out->index = out->launcher->task_number();
    const char *name = out->launcher->machine_name();
    if (!out->index || !name)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "'bilanx cluster task' is started by jobs, not by users");
    char *end;
    uint64_t number = strtoull(batch, &end, 10);
    bool found = false;
    if (!*end)
        BILANX_TRY(run_batch_read(folder, number, &out->batch, NULL, &found));
    if (!found || (out->batch.job && !out->launcher->is_job(out->batch.job)))
        return bilanx_error_make(BILANX_E_INPUT, "'%s' has no batch %s", folder, batch);
    out->replica = replica_of(&out->folder);
    out->name = mem_format("%s.%s.%s", batch, out->index, out->replica);
    out->node.name = mem_text(name);
    return BILANX_SUCCESS;
}

struct bilanx_error cluster_task(const char *folder, const char *batch)
{
    AUTO(task) struct task task = {0};
    BILANX_TRY(open_task(folder, batch, &task));
    AUTO(run_end) struct run_end end = {.node = mem_text(task.node.name), .kind = machine_kind()};
    struct bilanx_error error = perform(&task, &end);
    if (error.status != BILANX_OK)
        end.failed = mem_text(error.text);
    return run_end_write(folder, task.name, &end);
}

struct bilanx_error cluster_stream(const char *version, char **words)
{
    const char *node = launcher_slurm.machine_name();
    struct task task = {.folder = {.version = (char *)version, .program = (char *)"bilanx"}};
    if (node) {
        fprintf(stderr, STREAM_NODE "%s\n", node);
        setenv("BILANX_NODE", node, 1);
    }
    BILANX_TRY(check_versions(&task));
    execv("/proc/self/exe", words);
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot start bilanx: %s", strerror(errno));
}
