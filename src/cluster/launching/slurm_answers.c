// slurm_answers: parses the output of Slurm's commands, in the formats that slurm.c asks for.
#include "slurm_answers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/shards/ranges.h"

static const struct slurm_state {
    const char *word;
    enum launch_state state;
    const char *means;  // of an end; NULL: none
} states[] = {
    {"PENDING", LAUNCH_WAITING, NULL},
    {"CONFIGURING", LAUNCH_WAITING, NULL},
    {"REQUEUED", LAUNCH_WAITING, NULL},
    {"REQUEUE_FED", LAUNCH_WAITING, NULL},
    {"POWER_UP_NODE", LAUNCH_WAITING, NULL},
    {"REQUEUE_HOLD", LAUNCH_HELD, NULL},
    {"RESV_DEL_HOLD", LAUNCH_HELD, NULL},
    {"SPECIAL_EXIT", LAUNCH_HELD, NULL},
    {"RUNNING", LAUNCH_RUNNING, NULL},
    {"COMPLETING", LAUNCH_RUNNING, NULL},
    {"SUSPENDED", LAUNCH_RUNNING, NULL},
    {"STOPPED", LAUNCH_RUNNING, NULL},
    {"SIGNALING", LAUNCH_RUNNING, NULL},
    {"STAGE_OUT", LAUNCH_RUNNING, NULL},
    {"RESIZING", LAUNCH_RUNNING, NULL},
    {"EXPEDITING", LAUNCH_WAITING, NULL},
    {"COMPLETED", LAUNCH_ENDED, NULL},
    {"FAILED", LAUNCH_ENDED, "it failed"},
    {"BOOT_FAIL", LAUNCH_KILLED, "the node did not boot"},
    {"CANCELLED", LAUNCH_KILLED, "it was cancelled"},
    {"DEADLINE", LAUNCH_KILLED, "it missed its deadline"},
    {"LAUNCH_FAILED", LAUNCH_KILLED, "it could not be started"},
    {"NODE_FAIL", LAUNCH_KILLED, "the node failed"},
    {"OUT_OF_MEMORY", LAUNCH_KILLED, "out of memory"},
    {"PREEMPTED", LAUNCH_KILLED, "it was preempted"},
    {"RECONFIG_FAIL", LAUNCH_KILLED, "the node could not be configured"},
    {"REVOKED", LAUNCH_KILLED, "it was revoked"},
    {"TIMEOUT", LAUNCH_KILLED, "over its time limit"},
};

const char *launch_explain(const char *word)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].means && strcmp(states[i].word, word) == 0)
            return states[i].means;
    return word;
}

void launch_tasks_done(struct launch_tasks *tasks)
{
    free(tasks->items);
    *tasks = (struct launch_tasks){0};
}

static struct bilanx_error unexpected(const char *command, const char *line)
{
    return bilanx_error_make(BILANX_E_INPUT, "cannot understand %s's answer '%.120s'", command,
                             line);
}

// "squeue: error: ...", and empty lines.
static bool is_message(const char *command, const char *line)
{
    size_t size = strlen(command);
    return !*line || (strncmp(line, command, size) == 0 && line[size] == ':');
}

// Cuts a line at bars. Returns false unless there are exactly `count` fields.
static bool split(char *line, char **fields, size_t count)
{
    size_t found = 0;
    for (char *at = line; at; found++) {
        if (found < count)
            fields[found] = at;
        at = strchr(at, '|');
        if (at)
            *at++ = '\0';
    }
    return found == count;
}

// sacct adds who cancelled a job: "CANCELLED by 1000".
static bool read_state(const char *word, struct launch_task *out)
{
    size_t size = strcspn(word, " ");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strlen(states[i].word) != size || strncmp(states[i].word, word, size) != 0)
            continue;
        snprintf(out->word, sizeof out->word, "%s", states[i].word);
        out->state = states[i].state;
        return true;
    }
    return false;
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

// "7", or "[3-7,9%2]" for tasks that wait, which may end in "...".
static bool read_numbers(char *text, struct ranges *out)
{
    size_t size = strlen(text);
    if (size >= 2 && text[0] == '[' && text[size - 1] == ']') {
        text[size - 1] = '\0';
        text++;
        text[strcspn(text, "%")] = '\0';
    } else if (!is_number(text))
        return false;
    return ranges_parse(text, out).status == BILANX_OK;
}

static bool add_tasks(struct launch_task *like, char *numbers, struct launch_tasks *out)
{
    AUTO(ranges) struct ranges ranges = {0};
    if (!read_numbers(numbers, &ranges) || ranges_size(&ranges) > 1000000)
        return false;
    for (size_t i = 0; i < ranges.count; i++)
        for (uint64_t at = ranges.items[i].from; at <= ranges.items[i].to;
             at += ranges.items[i].step) {
            mem_grow(out->items, out->count, &out->room);
            like->number = at;
            out->items[out->count++] = *like;
        }
    return true;
}

// A held job has the priority 0. Its reason may be one of many texts: "JobHeldUser", "job requeued
// in held state", "launch failed requeued held".
static bool read_queue_line(char *line, struct launch_tasks *out)
{
    enum { NAME, ARRAY, TASK, STATE, PRIORITY, NODES, REASON, FIELDS };
    char *fields[FIELDS];
    struct launch_task task = {0};
    if (!split(line, fields, FIELDS) || !is_number(fields[ARRAY]) || !is_number(fields[PRIORITY]) ||
        !read_state(fields[STATE], &task))
        return false;
    if (task.state == LAUNCH_WAITING && strcmp(fields[PRIORITY], "0") == 0)
        task.state = LAUNCH_HELD;
    snprintf(task.array, sizeof task.array, "%s", fields[NAME]);
    snprintf(task.job, sizeof task.job, "%s", fields[ARRAY]);
    snprintf(task.node, sizeof task.node, "%s", fields[NODES]);
    snprintf(task.reason, sizeof task.reason, "%s", fields[REASON]);
    return add_tasks(&task, fields[TASK], out);
}

// Steps, such as "12_3.batch", are ignored.
static bool read_account_line(char *line, struct launch_tasks *out)
{
    enum { NAME, JOB, STATE, NODES, FIELDS };
    char *fields[FIELDS];
    struct launch_task task = {0};
    if (!split(line, fields, FIELDS))
        return false;
    char *number = strchr(fields[JOB], '_');
    snprintf(task.array, sizeof task.array, "%s", fields[NAME]);
    snprintf(task.node, sizeof task.node, "%s",
             strcmp(fields[NODES], "None assigned") == 0 ? "" : fields[NODES]);
    return number && read_state(fields[STATE], &task) && add_tasks(&task, number + 1, out);
}

static struct bilanx_error each_line(const char *text, const char *command,
                                     bool (*read)(char *line, struct launch_tasks *out),
                                     struct launch_tasks *out)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text);
    for (size_t i = 0; i < lines.count; i++) {
        AUTO(memory) char *copy = mem_text(lines.items[i]);
        if (!is_message(command, copy) && !read(copy, out))
            return unexpected(command, lines.items[i]);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error slurm_read_queue(const char *text, struct launch_tasks *out)
{
    return each_line(text, "squeue", read_queue_line, out);
}

struct bilanx_error slurm_read_accounts(const char *text, struct launch_tasks *out)
{
    return each_line(text, "sacct", read_account_line, out);
}

struct bilanx_error slurm_read_job(const char *text, char **job)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text);
    for (size_t i = 0; i < lines.count; i++) {
        AUTO(memory) char *word = mem_text(lines.items[i]);
        if (is_message("sbatch", word))
            continue;
        word[strcspn(word, ";")] = '\0';
        if (!is_number(word))
            return unexpected("sbatch", lines.items[i]);
        *job = TAKE(word);
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_INPUT, "sbatch did not name a job");
}

bool slurm_is_job(const char *word)
{
    enum { DIGITS_MOST = 20 };
    return is_number(word) && strlen(word) <= DIGITS_MOST;
}

struct bilanx_error slurm_read_nodes(const char *text, uint64_t *machines)
{
    static const char *const unusable[] = {"down", "drain", "fail", "unk", "future", "inval"};
    AUTO(list) struct list lines = {0};
    uint64_t sum = 0;
    list_split_lines(&lines, text);
    for (size_t i = 0; i < lines.count; i++) {
        AUTO(memory) char *line = mem_text(lines.items[i]);
        char *fields[2];
        if (is_message("sinfo", line))
            continue;
        if (!split(line, fields, 2) || !is_number(fields[0]))
            return unexpected("sinfo", lines.items[i]);
        bool usable = true;
        for (size_t k = 0; k < sizeof unusable / sizeof *unusable; k++)
            usable &= !text_starts(fields[1], unusable[k]);
        sum += usable ? strtoull(fields[0], NULL, 10) : 0;
    }
    *machines = sum;
    return BILANX_SUCCESS;
}

char *slurm_config_value(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) != 0 || !isspace((unsigned char)line[size]))
            continue;
        const char *value = line + size + strspn(line + size, " ");
        if (*value++ != '=')
            continue;
        value += strspn(value, " ");
        return mem_text_n(value, strcspn(value, "\n"));
    }
    return NULL;
}

bool slurm_is_unreachable(const char *text)
{
    static const char *const signs[] = {"Unable to contact slurm controller",
                                        "Socket timed out",
                                        "Connection refused",
                                        "Connection timed out",
                                        "Connection reset",
                                        "connect failure",
                                        "Zero Bytes were transmitted",
                                        "Unexpected message received",
                                        "temporarily unable",
                                        "Transport endpoint is not connected",
                                        "Primary controller is not responding",
                                        "in standby mode"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcasestr(text, signs[i]))
            return true;
    return false;
}
