// size_rows: a row per size, a column per function.
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
    bool is_own;  // the title names the function
};

void size_rows_done(struct size_rows *rows)
{
    for (size_t i = 0; i < rows->group_count; i++)
        text_done(&rows->groups[i].title);
    free(rows->groups);
    free(rows->places);
}

// Whether the row is named by the parameters already, as with `bilanx time -L`.
static bool is_row(const struct bilanx_task *task)
{
    const char *name = task->parameters + strcspn(task->parameters, "\"");
    size_t size = *name ? strcspn(name + 1, "\"") : 0;
    const char *row = task->sub_label ? task->sub_label : "";
    return size && strncmp(row, name + 1, size) == 0 && row[size] == '=';
}

// Its parameters are numbers, and the description names them.
static bool has_size(const struct bilanx_task *task)
{
    return task->parameters && strchr(task->parameters, ':') && !strstr(task->parameters, ":\"") &&
           !strstr(task->parameters, ":{") && !strstr(task->parameters, ":[") &&
           task->description && *task->description && !is_row(task);
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
static size_t find_functions(const struct collation *collation, size_t *function_of,
                             struct function *functions)
{
    AUTO(index) struct index names = {0}, sizes = {0};
    size_t count = 0;
    for (size_t i = 0; i < collation->count; i++) {
        const struct bilanx_task *task = &collation->entries[i].record.task;
        bool added;
        size_t at = index_find_or_add(&names, key_of(task->label, task->sub_label), count, &added);
        function_of[i] = at;
        if (added)
            functions[count++] = (struct function){.task = task, .set = hash_start()};
        struct function *function = &functions[at];
        function->other |= !has_size(task);
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

static struct size_group *add_group(struct size_rows *rows, struct function *function)
{
    struct size_group *group = &rows->groups[rows->group_count];
    function->group = rows->group_count++;
    return group;
}

static void add_title(struct size_group *group, const char *title)
{
    text_format(&group->title, "%s%s", group->functions ? ", " : "", title ? title : "");
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
        size_t at = index_find_or_add(&groups, key, out->group_count, &added);
        struct size_group *group = added ? add_group(out, function) : &out->groups[at];
        function->group = at;
        if (added || is_alone(function->task))
            add_title(group, function->task->label);
        group->functions++;
    }
}

// Gives the functions of wide tables one each.
static void split_groups(struct function *functions, size_t count, size_t variants,
                         struct size_rows *out)
{
    enum { MOST_COLUMNS = 6 };
    for (size_t i = 0; i < count && variants > 1; i++) {
        struct function *function = &functions[i];
        size_t sharing = is_turned(function) ? out->groups[function->group].functions : 0;
        if (sharing < 2 || sharing * variants <= MOST_COLUMNS)
            continue;
        struct size_group *group = add_group(out, function);
        add_title(group, function->task->label);
        group->functions = 1;
        group->is_own = true;
        if (!is_alone(function->task))
            add_title(group, function->task->sub_label);
    }
}

void size_rows_find(const struct collation *collation, size_t variants, struct size_rows *out)
{
    size_t count = collation->count;
    AUTO(memory) size_t *function_of = mem_array(size_t, count);
    AUTO(memory) struct function *functions = mem_array(struct function, count);
    *out = (struct size_rows){.places = mem_array(struct size_place, count),
                              .count = count,
                              .groups = mem_array(struct size_group, 2 * count)};
    size_t function_count = find_functions(collation, function_of, functions);
    find_groups(functions, function_count, out);
    split_groups(functions, function_count, variants, out);
    for (size_t i = 0; i < count; i++) {
        const struct function *function = &functions[function_of[i]];
        if (!is_turned(function))
            continue;
        const struct size_group *group = &out->groups[function->group];
        const struct bilanx_task *task = &collation->entries[i].record.task;
        bool is_titled = group->functions == 1 && (group->is_own || is_alone(function->task));
        const char *column = is_titled ? "" : function->task->sub_label;
        out->places[i] = (struct size_place){.row = task->description,
                                             .table = text_get(&group->title),
                                             .column = column ? column : ""};
    }
}
