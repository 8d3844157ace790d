// slurm: starts tasks as job arrays of Slurm, through its commands.
//
// It uses the commands, not the library: libslurm's structures change with every release, while the
// output formats of the commands have been the same for years.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "slurm_answers.h"

static const double PATIENCE_S = 60;  // a busy controller answers slowly

// Runs one of Slurm's commands.
static struct bilanx_error ask(const struct list *words, struct text *answer)
{
    const char *command = words->items[0];
    AUTO(memory) char *program = file_find_program(command);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "there is no '%s' here: run this where Slurm's commands are "
                                 "installed (Debian: slurm-client)",
                                 command);
    int status = 0;
    struct bilanx_error error =
        capture_run(&(struct capture_options){.argv = (const char *const *)words->items,
                                              .timeout_s = PATIENCE_S},
                    answer, &status);
    if (error.status == BILANX_E_TIMED_OUT)
        return bilanx_error_make(BILANX_E_TIMED_OUT, "'%s' does not answer", command);
    BILANX_TRY(error);
    if (status == 0)
        return BILANX_SUCCESS;
    while (answer->size && answer->data[answer->size - 1] == '\n')
        answer->data[--answer->size] = '\0';
    const char *text = text_get(answer);
    return bilanx_error_make(slurm_is_unreachable(text) ? BILANX_E_TIMED_OUT : BILANX_E_FAILED,
                             "'%s' failed with status %d: %.300s", command, status, text);
}

static struct bilanx_error ask_words(const char *const *words, struct text *answer)
{
    AUTO(list) struct list list = {0};
    for (; *words; words++)
        list_add(&list, *words);
    return ask(&list, answer);
}
#define ASK(answer, ...) ask_words((const char *const[]){__VA_ARGS__, NULL}, answer)

static struct bilanx_error count_machines(const struct launch_site *site, uint64_t *out)
{
    AUTO(list) struct list words = {0};
    AUTO(text) struct text answer = {0};
    list_add(&words, "sinfo");
    list_add(&words, "--noheader");
    list_add(&words, "--format=%D|%T");
    if (site->partition)
        list_take(&words, mem_format("--partition=%s", site->partition));
    BILANX_TRY(ask(&words, &answer));
    BILANX_TRY(slurm_read_nodes(text_get(&answer), out));
    if (*out == 0)
        return bilanx_error_make(BILANX_E_FAILED, "Slurm has no usable nodes%s%s (see 'sinfo')",
                                 site->partition ? " in the partition " : "",
                                 site->partition ? site->partition : "");
    return BILANX_SUCCESS;
}

static struct bilanx_error survey(const struct launch_site *site, struct launch_facts *out)
{
    AUTO(text) struct text config = {0};
    BILANX_TRY(ASK(&config, "scontrol", "show", "config"));
    AUTO(memory) char *size = slurm_config_value(text_get(&config), "MaxArraySize");
    AUTO(memory) char *accounts = slurm_config_value(text_get(&config), "AccountingStorageType");
    uint64_t most = 1001;
    if (!size || !number_read_count(size, &most) || most < 2)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "'scontrol show config' does not name a usable MaxArraySize");
    struct launch_facts facts = {.most_tasks = most - 1,  // indices end before it
                                 .accounts = accounts && !strstr(accounts, "none") &&
                                             !strstr(accounts, "null")};
    BILANX_TRY(count_machines(site, &facts.machines));
    *out = facts;
    return BILANX_SUCCESS;
}

static struct bilanx_error submit(const struct launch_site *site, const struct launch_array *array,
                                  char **job)
{
    AUTO(list) struct list words = {0};
    AUTO(text) struct text answer = {0};
    uint64_t machines = array->machines ? array->machines : 1;
    list_add(&words, "sbatch");
    list_add(&words, "--parsable");
    list_add(&words, "--exclusive");
    list_add(&words, "--no-requeue");
    list_add(&words, "--open-mode=append");
    list_take(&words, mem_format("--nodes=%llu", (unsigned long long)machines));
    list_add(&words, "--ntasks-per-node=1");
    list_take(&words, mem_format("--job-name=%s", array->name));
    list_take(&words, mem_format("--output=%s", array->log));
    if (site->partition)
        list_take(&words, mem_format("--partition=%s", site->partition));
    if (array->excluded && *array->excluded)
        list_take(&words, mem_format("--exclude=%s", array->excluded));
    if (site->options)
        list_add_all(&words, site->options);
    AUTO(memory) char *limit =
        array->at_once ? mem_format("%%%llu", (unsigned long long)array->at_once) : mem_text("");
    list_take(&words, mem_format("--array=1-%llu%s", (unsigned long long)array->tasks, limit));
    list_add(&words, array->script);
    BILANX_TRY(ask(&words, &answer));
    return slurm_read_job(text_get(&answer), job);
}

// Asks by name, not by job: a job that Slurm has forgotten would be an error. Other jobs of the
// user may have bars and newlines in their names, so they must not be in the answer.
static struct bilanx_error look(const char *names, struct launch_tasks *out)
{
    AUTO(text) struct text answer = {0};
    AUTO(memory) char *user = mem_format("--user=%lu", (unsigned long)getuid());
    AUTO(memory) char *chosen = mem_format("--name=%s", names);
    BILANX_TRY(ASK(&answer, "squeue", "--noheader", "--array", "--states=all", user, chosen,
                   "--format=" SLURM_QUEUE_FORMAT));
    return slurm_read_queue(text_get(&answer), out);
}

// Without --array, which sacct has only had since Slurm 23.02; we understand array notation.
static struct bilanx_error recall(const char *names, struct launch_tasks *out)
{
    AUTO(text) struct text answer = {0};
    AUTO(memory) char *chosen = mem_format("--name=%s", names);
    BILANX_TRY(ASK(&answer, "sacct", "--noheader", "--parsable2", "--allocations",
                   "--starttime=now-7days", chosen, "--format=" SLURM_ACCOUNT_FORMAT));
    return slurm_read_accounts(text_get(&answer), out);
}

static struct bilanx_error check_job(const char *job)
{
    if (slurm_is_job(job))
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_INPUT, "'%.60s' is not the number of a job", job);
}

static struct bilanx_error cancel(const char *job)
{
    AUTO(text) struct text answer = {0};
    BILANX_TRY(check_job(job));
    return ASK(&answer, "scancel", "--quiet", "--", job);
}

static struct bilanx_error avoid(const char *job, const char *machines)
{
    AUTO(text) struct text answer = {0};
    BILANX_TRY(check_job(job));
    AUTO(memory) char *id = mem_format("JobId=%s", job);
    AUTO(memory) char *excluded = mem_format("ExcNodeList=%s", machines);
    return ASK(&answer, "scontrol", "update", id, excluded);
}

static void attach(const struct launch_site *site, uint64_t machines, const char *excluded,
                   struct list *out)
{
    list_add(out, "srun");
    list_add(out, "--quiet");
    list_add(out, "--exclusive");
    list_add(out, "--ntasks-per-node=1");
    list_take(out, mem_format("--nodes=%llu", (unsigned long long)(machines ? machines : 1)));
    if (site->partition)
        list_take(out, mem_format("--partition=%s", site->partition));
    if (excluded && *excluded)
        list_take(out, mem_format("--exclude=%s", excluded));
    if (site->options)
        list_add_all(out, site->options);
}

static const char *task_number(void)
{
    return getenv("SLURM_ARRAY_TASK_ID");
}

static const char *machine_name(void)
{
    return getenv("SLURMD_NODENAME");
}

const struct launcher launcher_slurm = {
    .name = "slurm",
    .survey = survey,
    .submit = submit,
    .is_job = slurm_is_job,
    .look = look,
    .recall = recall,
    .cancel = cancel,
    .avoid = avoid,
    .attach = attach,
    .task_number = task_number,
    .machine_name = machine_name,
};
