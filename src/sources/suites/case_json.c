// case_json: a case as a line of JSON; docs/formats/suite.md describes it.
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "bilanx/suite.h"
#include "core/record/shape.h"

static void add_text(struct json_writer *json, const char *key, const char *text)
{
    if (text)
        writer_key_text(json, key, text);
}

static void add_list(struct json_writer *json, const char *key, char *const *list)
{
    if (!list)
        return;
    writer_key(json, key);
    writer_open(json, '[');
    for (; *list; list++)
        writer_text(json, *list);
    writer_close(json, ']');
}

static void add_number(struct json_writer *json, const char *key, double number)
{
    if (number > 0)
        writer_key_number(json, key, number);
}

static void add_compile(struct json_writer *json, const struct bilanx_suite_case *item)
{
    if (!item->cc && !item->flags && !item->ldflags)
        return;
    writer_key(json, "compile");
    writer_open(json, '{');
    add_text(json, "cc", item->cc);
    add_text(json, "flags", item->flags);
    add_text(json, "ldflags", item->ldflags);
    writer_close(json, '}');
}

static void add_model(struct json_writer *json, const struct bilanx_suite_model *model)
{
    if (!model)
        return;
    writer_key(json, "model");
    writer_open(json, '{');
    writer_key_text(json, "name", model->name);
    writer_key_text(json, "signature", model->signature);
    writer_key_text(json, "program", model->program);
    writer_close(json, '}');
}

char *bilanx_suite_case_json(const struct bilanx_suite_case *item)
{
    static const char *const modes[] = {"eager", "torchscript", "call"};
    static const char *const autograd[] = {"forward", "forward+backward"};
    if (!item)
        return mem_text("{}");
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    add_text(&json, "suite", item->suite);
    writer_key_text(&json, "name", item->name);
    writer_key_text(&json, "label", item->label);
    writer_key_text(&json, "language", item->task.language);
    writer_key_text(&json, "mode", modes[item->mode]);
    writer_key_text(&json, "autograd", autograd[item->autograd]);
    writer_key_count(&json, "threads", item->task.num_threads);
    writer_key(&json, "task");
    shape_write(&shape_task, &item->task, &json);
    add_compile(&json, item);
    add_list(&json, "sources", item->sources);
    add_list(&json, "preload", item->preload);
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
    add_text(&json, "overhead_of", item->overhead_of);
    if (item->expected) {
        writer_key(&json, "expected");
        shape_write(&shape_expected, item->expected, &json);
    }
    add_list(&json, "columns", item->columns);
    add_model(&json, item->model);
    if (item->inputs)
        writer_key_text(&json, "inputs", item->inputs->text);
    add_text(&json, "directory", item->directory);
    writer_key_text(&json, "file", item->file);
    writer_key_count(&json, "line", item->line);
    if (item->column)
        writer_key_count(&json, "column", item->column);
    writer_close(&json, '}');
    return text_take(&out);
}
