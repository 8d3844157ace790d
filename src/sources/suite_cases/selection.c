// selection: the selected cases of suites, including those of benchmark programs.
#include "selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/filter.h"
#include "base/mem.h"
#include "core/worker/server.h"
#include "requirements.h"
#include "versions.h"

struct program {
    char *path;
    const char *argv[2];
    struct run_subject subject;
    struct run_cases listed;
    struct bilanx_suite_case *made;  // parallel: copies of the entry; only some members are owned
};

static void program_free(struct program *program)
{
    for (size_t i = 0; i < program->listed.count; i++)
        record_task_done(&program->made[i].task);
    free(program->made);
    run_cases_done(&program->listed);
    free(program->path);
    free(program);
}

void selection_done(struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        free(selection->faults[i]);
    for (size_t i = 0; i < selection->program_count; i++)
        program_free(selection->programs[i]);
    free(selection->programs);
    free(selection->cases);
    free(selection->listed);
    free(selection->faults);
    *selection = (struct selection){0};
}

static void add(struct selection *selection, struct bilanx_suite_case *item,
                const struct run_case *listed, const char *fault)
{
    if (selection->count == selection->room) {
        size_t room = selection->room ? 2 * selection->room : 64;
        selection->cases = mem_resized(selection->cases, room * sizeof *selection->cases);
        selection->listed = mem_resized(selection->listed, room * sizeof *selection->listed);
        selection->faults = mem_resized(selection->faults, room * sizeof *selection->faults);
        selection->room = room;
    }
    selection->cases[selection->count] = item;
    selection->listed[selection->count] = listed;
    selection->faults[selection->count++] = mem_text(fault);
}

static void replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

// Puts its labels under those of the entry and adds the entry's other settings.
static void settle(struct run_case *listed, const struct bilanx_suite_case *entry)
{
    struct bilanx_task *task = &listed->task;
    const char *added = entry->task.description;
    replace(&listed->name, mem_format("%s/%s", entry->name, listed->name));
    replace(&task->label, mem_format("%s/%s", entry->label, task->label ? task->label : ""));
    if (added && task->description)
        replace(&task->description, mem_format("%s, %s", task->description, added));
    else if (added)
        task->description = mem_text(added);
    if (!task->parameters)
        task->parameters = mem_text(entry->task.parameters);
    listed->timeout = entry->timeout;
}

static struct program *program_new(const struct bilanx_suite_case *entry,
                                   const struct surroundings *surroundings)
{
    struct program *program = mem_new(struct program);
    const char *name = entry->task.stmt;
    bool elsewhere = *name != '/' && entry->directory && strcmp(entry->directory, ".") != 0;
    if (elsewhere)
        program->path = mem_format("%s/%s", entry->directory, name);
    else  // do not search $PATH
        program->path = strchr(name, '/') ? mem_text(name) : mem_format("./%s", name);
    program->argv[0] = program->path;
    program->subject = (struct run_subject){
        .name = program->path,
        .env = entry->task.env,
        .barrier = " case=0 barrier=1",
        .launch = {.argv = program->argv, .channel = WORKER_CHANNEL, .surroundings = surroundings}};
    return program;
}

static void make_cases(struct program *program, const struct bilanx_suite_case *entry)
{
    program->made = mem_array(struct bilanx_suite_case, program->listed.count);
    for (size_t i = 0; i < program->listed.count; i++) {
        struct run_case *listed = &program->listed.items[i];
        struct bilanx_suite_case *made = &program->made[i];
        settle(listed, entry);
        *made = *entry;
        made->name = listed->name;
        made->task = (struct bilanx_task){0};
        record_copy_task(&listed->task, &made->task);
    }
}

struct choosing {
    const struct selection_options *options;
    struct filter filter;
    struct requirements known;
    struct versions versions;
};

static bool wanted(const struct choosing *choosing, const struct bilanx_suite_case *item)
{
    for (const char *const *name = choosing->options->suite.without_languages; name && *name;
         name++)
        if (text_equal(*name, item->task.language))
            return false;
    return filter_keeps(&choosing->filter, item->name);
}

static struct bilanx_error add_program(struct choosing *choosing, struct bilanx_suite_case *entry,
                                       struct selection *out)
{
    AUTO(text) struct text reason = {0};
    if (requirements_refuse(&choosing->known, entry, choosing->options->defaults, &reason)) {
        if (wanted(choosing, entry))
            add(out, entry, NULL, NULL);
        return BILANX_SUCCESS;
    }
    struct program *program = program_new(entry, choosing->options->defaults->surroundings);
    mem_grow(out->programs, out->program_count, &out->program_room);
    out->programs[out->program_count++] = program;
    struct bilanx_error error = run_list(&program->subject, NULL, &program->listed);
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    if (error.status == BILANX_OK && program->listed.count == 0)
        error = bilanx_error_make(BILANX_E_FAILED, "'%s' has no benchmarks", program->path);
    if (error.status != BILANX_OK && wanted(choosing, entry))
        add(out, entry, NULL, error.text);
    if (error.status != BILANX_OK)
        run_cases_done(&program->listed);  // the list may be incomplete
    make_cases(program, entry);
    for (size_t i = 0; i < program->listed.count; i++)
        if (wanted(choosing, &program->made[i]))
            add(out, &program->made[i], &program->listed.items[i], NULL);
    return BILANX_SUCCESS;
}

static struct bilanx_error add_all(struct choosing *choosing, struct bilanx_suite_case **cases,
                                   size_t count, struct selection *out)
{
    for (size_t i = 0; i < count; i++) {
        bool allowed = true;
        if (choosing->options->backtest)
            BILANX_TRY(versions_allow(&choosing->versions, cases[i], choosing->options->defaults,
                                      &allowed));
        if (!allowed)
            continue;
        if (text_equal(cases[i]->task.language, "program"))
            BILANX_TRY(add_program(choosing, cases[i], out));
        else
            add(out, cases[i], NULL, NULL);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error selection_make(const struct bilanx_suite *suite,
                                   const struct selection_options *options, struct selection *out)
{
    AUTO(memory) struct bilanx_suite_case **cases = NULL;
    size_t count = 0;
    BILANX_TRY(bilanx_suite_materialize(suite, &options->suite, &cases, &count));
    struct choosing choosing = {.options = options};
    BILANX_TRY(filter_open(options->suite.filter, &choosing.filter));
    struct bilanx_error error = add_all(&choosing, cases, count, out);
    filter_done(&choosing.filter);
    requirements_done(&choosing.known);
    versions_done(&choosing.versions);
    return error;
}

void selection_keep(struct selection *selection, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < selection->count; i++) {
        if (!keep[i]) {
            free(selection->faults[i]);
            continue;
        }
        selection->cases[kept] = selection->cases[i];
        selection->listed[kept] = selection->listed[i];
        selection->faults[kept++] = selection->faults[i];
    }
    selection->count = kept;
}
