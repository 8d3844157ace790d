// op_subjects: cases that run alone, like those of other sources.
#include "op_subjects.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/worker/server.h"
#include "hosts.h"

struct op_subject {
    struct run_subject subject;
    const char *argv[3];
    struct text prepare;
};

struct op_subjects {
    struct op_subject *items;  // one per backend
    size_t count;
};

void op_subjects_free(struct op_subjects *subjects)
{
    for (size_t i = 0; subjects && i < subjects->count; i++) {
        run_standby_free(subjects->items[i].subject.standby);
        text_done(&subjects->items[i].prepare);
    }
    if (subjects)
        free(subjects->items);
    free(subjects);
}

static void make(const struct ops_hosts *hosts, const struct ops_backend *backend,
                 struct op_subject *out)
{
    bool python = hosts->items[backend->host].python;
    host_add_setup(hosts, &out->prepare);
    host_add_backend(backend, &out->prepare);
    out->argv[0] = python ? host_interpreter(hosts) : hosts->program;
    out->argv[1] = python ? hosts->script : "operators";
    out->subject = (struct run_subject){.name = backend->name,
                                        .launch = {.argv = out->argv,
                                                   .channel = WORKER_CHANNEL,
                                                   .environment = hosts->environment.items},
                                        .prepare = text_get(&out->prepare)};
}

static char *open_words(const struct ops *ops, const char *name, const char *arguments)
{
    struct text words = {0};
    host_add_call(&ops->options.data, name, arguments, &words);
    message_add_count(&words, "backend", 0);
    return text_take(&words);
}

void op_subjects_assign(const struct op_subjects *subjects, const struct ops *ops,
                        struct run_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        struct run_case *item = &cases->items[i];
        item->subject = &subjects->items[i % subjects->count].subject;
        free(item->open);
        item->open = open_words(ops, item->task.label, item->task.sub_label);
    }
}

void op_subjects_stand_by(struct op_subjects *subjects)
{
    for (size_t i = 0; i < subjects->count; i++)
        subjects->items[i].subject.standby = run_standby_new();
}

struct op_subjects *op_subjects_new(const struct ops *ops, const struct ops_hosts *hosts)
{
    struct op_subjects *subjects = mem_new(struct op_subjects);
    size_t count = ops->backends.count;
    subjects->items = mem_array(struct op_subject, count);
    subjects->count = count;
    for (size_t i = 0; i < count; i++)
        make(hosts, &ops->backends.items[i], &subjects->items[i]);
    return subjects;
}
