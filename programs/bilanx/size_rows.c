// size_rows: how tables of a suite are arranged: a row per size, a column per function.
#include "size_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/text.h"

// Cases with the same label and sub_label.
struct function {
    const struct bilanx_task *task;  // of its first case
    bool other;                      // it has cases that are not of a size
    size_t sizes;                    // different ones
    struct hash set;                 // of these
    size_t group;
};

// Functions of one table.
struct size_group {
    struct text title;
    size_t functions;
};

void size_rows_done(struct size_rows *rows)
{
    for (size_t i = 0; i < rows->group_count; i++)
        text_done(&rows->groups[i].title);
    free(rows->groups);
    free(rows->places);
}

// Its parameters are numbers, and the description names them.
static bool has_size(const struct run_case *item)
{
    const struct bilanx_task *task = &item->task;
    return task->parameters && strchr(task->parameters, ':') && !strstr(task->parameters, ":\"") &&
           !strstr(task->parameters, ":{") && !strstr(task->parameters, ":[") &&
           task->description && *task->description && item->argument_count == 0;
}

static bool is_alone(const struct bilanx_task *task)
{
    return text_equal(task->label, task->sub_label);
}

static struct hash key_of(const char *one, const char *other)
{
    struct hash key = hash_start();
    hash_add_text(&key, one);
    hash_add_text(&key, other);
    return key;
}

// Returns how many functions there are.
static size_t find_functions(const struct run_cases *cases, size_t *function_of,
                             struct function *functions)
{
    AUTO(index) struct index names = {0}, sizes = {0};
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct bilanx_task *task = &cases->items[i].task;
        bool added;
        size_t at = index_find_or_add(&names, key_of(task->label, task->sub_label), count, &added);
        function_of[i] = at;
        if (added)
            functions[count++] = (struct function){.task = task, .set = hash_start()};
        struct function *function = &functions[at];
        function->other |= !has_size(&cases->items[i]);
        struct hash size = key_of(task->description, NULL);
        hash_add(&size, &at, sizeof at);
        index_find_or_add(&sizes, size, i, &added);
        function->sizes += added;
        if (added)
            hash_add_text(&function->set, task->description);
    }
    return count;
}

static bool is_turned(const struct function *function)
{
    return !function->other && function->sizes > 1;
}

// Functions at the top of a suite share a table if their sizes are the same, others if their label
// is, too.
static void find_groups(struct function *functions, size_t count, struct size_rows *out)
{
    AUTO(index) struct index groups = {0};
    for (size_t i = 0; i < count; i++) {
        struct function *function = &functions[i];
        if (!is_turned(function))
            continue;
        struct hash key = function->set;
        hash_add_text(&key, is_alone(function->task) ? NULL : function->task->label);
        bool added;
        function->group = index_find_or_add(&groups, key, out->group_count, &added);
        out->group_count += added;
        struct size_group *group = &out->groups[function->group];
        if (added || is_alone(function->task))
            text_format(&group->title, "%s%s", group->functions ? ", " : "",
                        function->task->label ? function->task->label : "");
        group->functions++;
    }
}

void size_rows_find(const struct run_cases *cases, struct size_rows *out)
{
    AUTO(memory) size_t *function_of = mem_array(size_t, cases->count);
    AUTO(memory) struct function *functions = mem_array(struct function, cases->count);
    *out = (struct size_rows){.places = mem_array(struct size_place, cases->count),
                              .count = cases->count,
                              .groups = mem_array(struct size_group, cases->count)};
    size_t count = find_functions(cases, function_of, functions);
    find_groups(functions, count, out);
    for (size_t i = 0; i < cases->count; i++) {
        const struct function *function = &functions[function_of[i]];
        if (!is_turned(function))
            continue;
        const struct size_group *group = &out->groups[function->group];
        bool is_titled = group->functions == 1 && is_alone(function->task);
        out->places[i] = (struct size_place){.row = cases->items[i].task.description,
                                             .table = text_get(&group->title),
                                             .column = is_titled ? "" : function->task->sub_label};
    }
}

static void set(char **member, const char *text)
{
    char *copy = mem_text(text);
    free(*member);
    *member = copy;
}

void size_rows_apply(const struct size_rows *rows, size_t at, struct bilanx_task *task)
{
    const struct size_place *place = &rows->places[at];
    if (!place->row)
        return;
    set(&task->label, place->table);
    set(&task->sub_label, place->row);
    set(&task->description, place->column);
}
