// run_files: the small files in a run's folder: batches, ends of tasks, machines.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "json_keys.h"
#include "run_folder.h"

static const struct json_key batch_keys[] = {
    {"job", JSON_TEXT, offsetof(struct run_batch, job)},
    {"tasks", JSON_COUNT, offsetof(struct run_batch, shard.count)},
    {"step", JSON_COUNT, offsetof(struct run_batch, shard.step)},
    {0},
};

void run_batch_done(struct run_batch *batch)
{
    free(batch->job);
    *batch = (struct run_batch){0};
}

struct bilanx_error run_batch_write(const char *folder, uint64_t number,
                                    const struct run_batch *batch, const char *positions)
{
    AUTO(memory) char *cases =
        mem_format("%s/batches/%llu.cases", folder, (unsigned long long)number);
    AUTO(memory) char *path =
        mem_format("%s/batches/%llu.json", folder, (unsigned long long)number);
    if (positions)
        BILANX_TRY(run_file_write(cases, positions, strlen(positions)));
    return json_keys_write(path, batch_keys, batch);
}

struct bilanx_error run_batch_read(const char *folder, uint64_t number, struct run_batch *batch,
                                   struct text *positions, bool *found)
{
    AUTO(memory) char *cases =
        mem_format("%s/batches/%llu.cases", folder, (unsigned long long)number);
    AUTO(memory) char *path =
        mem_format("%s/batches/%llu.json", folder, (unsigned long long)number);
    *found = access(path, F_OK) == 0;
    if (!*found)
        return BILANX_SUCCESS;
    BILANX_TRY(json_keys_read(path, batch_keys, batch));
    if (batch->shard.count < 1 || batch->shard.count > SHARDS_MOST ||
        batch->shard.step > SHARDS_MOST)
        return bilanx_error_make(BILANX_E_INPUT, "%s: 'tasks' must be between 1 and %d", path,
                                 SHARDS_MOST);
    return positions ? file_read(cases, positions) : BILANX_SUCCESS;
}

static const struct json_key end_keys[] = {
    {"node", JSON_TEXT, offsetof(struct run_end, node)},
    {"kind", JSON_TEXT, offsetof(struct run_end, kind)},
    {"status", JSON_COUNT, offsetof(struct run_end, status)},
    {"refused", JSON_TEXT, offsetof(struct run_end, refused)},
    {"failed", JSON_TEXT, offsetof(struct run_end, failed)},
    {0},
};

void run_end_done(struct run_end *end)
{
    free(end->node);
    free(end->kind);
    free(end->refused);
    free(end->failed);
    *end = (struct run_end){0};
}

struct bilanx_error run_end_write(const char *folder, const char *task, const struct run_end *end)
{
    AUTO(memory) char *path = mem_format("%s/ends/%s.json", folder, task);
    return json_keys_write(path, end_keys, end);
}

bool run_end_read(const char *folder, const char *task, struct run_end *end)
{
    AUTO(memory) char *path = mem_format("%s/ends/%s.json", folder, task);
    return access(path, F_OK) == 0 && json_keys_read(path, end_keys, end).status == BILANX_OK;
}

static const struct json_key node_keys[] = {
    {"name", JSON_TEXT, offsetof(struct run_node, name)},
    {"kind", JSON_TEXT, offsetof(struct run_node, kind)},
    {"build", JSON_TEXT, offsetof(struct run_node, build)},
    {"kernel_ns", JSON_NUMBER, offsetof(struct run_node, kernel_ns)},
    {"failing", JSON_TEXTS, offsetof(struct run_node, failing)},
    {"counts", JSON_TEXTS, offsetof(struct run_node, counts)},
    {0},
};

void run_node_done(struct run_node *node)
{
    free(node->name);
    free(node->kind);
    free(node->build);
    list_done(&node->failing);
    list_done(&node->counts);
    *node = (struct run_node){0};
}

void run_nodes_done(struct run_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        run_node_done(&nodes->items[i]);
    free(nodes->items);
    *nodes = (struct run_nodes){0};
}

struct bilanx_error run_node_write(const char *folder, const struct run_node *node)
{
    AUTO(memory) char *path = mem_format("%s/nodes/%s.json", folder, node->name);
    return json_keys_write(path, node_keys, node);
}

void run_nodes_read(const char *folder, struct run_nodes *out)
{
    AUTO(memory) char *path = mem_format("%s/nodes", folder);
    AUTO(directory) DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".json") != 0)
            continue;
        AUTO(memory) char *file = mem_format("%s/%s", path, entry->d_name);
        AUTO(run_node) struct run_node node = {0};
        if (json_keys_read(file, node_keys, &node).status != BILANX_OK || !node.name || !node.kind)
            continue;
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = node;
        node = (struct run_node){0};
    }
}
