// case_json: a case as a line of JSON; docs/formats/suite.md describes it.
#include <string.h>

#include "base/json_writer.h"
#include "bilanx/suite.h"
#include "core/record/shape.h"

static void add_text(struct json_writer *json, const char *key, const char *text)
{
    if (text)
        json_key_text(json, key, text);
}

static void add_list(struct json_writer *json, const char *key, char *const *list)
{
    if (!list)
        return;
    json_key(json, key);
    json_open(json, '[');
    for (; *list; list++)
        json_text(json, *list);
    json_close(json, ']');
}

static void add_number(struct json_writer *json, const char *key, double number)
{
    if (number > 0)
        json_key_number(json, key, number);
}

static void add_compile(struct json_writer *json, const struct bilanx_suite_case *item)
{
    if (!item->cc && !item->flags && !item->ldflags)
        return;
    json_key(json, "compile");
    json_open(json, '{');
    add_text(json, "cc", item->cc);
    add_text(json, "flags", item->flags);
    add_text(json, "ldflags", item->ldflags);
    json_close(json, '}');
}

static void add_model(struct json_writer *json, const struct bilanx_suite_model *model)
{
    if (!model)
        return;
    json_key(json, "model");
    json_open(json, '{');
    json_key_text(json, "name", model->name);
    json_key_text(json, "signature", model->signature);
    json_key_text(json, "program", model->program);
    json_close(json, '}');
}

char *bilanx_suite_case_json(const struct bilanx_suite_case *item)
{
    static const char *const modes[] = {"eager", "torchscript", "call"};
    static const char *const autograd[] = {"forward", "forward+backward"};
    struct text out = {0};
    struct json_writer json = {.out = &out};
    json_open(&json, '{');
    add_text(&json, "suite", item->suite);
    json_key_text(&json, "name", item->name);
    json_key_text(&json, "label", item->label);
    json_key_text(&json, "language", item->task.language);
    json_key_text(&json, "mode", modes[item->mode]);
    json_key_text(&json, "autograd", autograd[item->autograd]);
    json_key_count(&json, "threads", item->task.num_threads);
    json_key(&json, "task");
    shape_write(&shape_task, &item->task, &json);
    add_compile(&json, item);
    add_list(&json, "sources", item->sources);
    add_list(&json, "include", item->include);
    add_list(&json, "pkg", item->pkg);
    add_list(&json, "with", item->with);
    add_list(&json, "tags", item->tags);
    add_list(&json, "requires", item->required);
    add_text(&json, "subject", item->subject);
    add_text(&json, "since", item->since);
    add_text(&json, "until", item->until);
    add_text(&json, "skip", item->skip);
    add_number(&json, "timeout", item->timeout);
    add_number(&json, "bytes", item->bytes);
    add_number(&json, "items", item->items);
    add_model(&json, item->model);
    add_text(&json, "directory", item->directory);
    json_key_text(&json, "file", item->file);
    json_key_count(&json, "line", item->line);
    if (item->column)
        json_key_count(&json, "column", item->column);
    json_close(&json, '}');
    return text_take(&out);
}
