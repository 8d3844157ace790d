// labels: names cases.
#include "labels.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/number.h"
#include "code.h"

// "Python TorchScript forward+backward"; nothing for a plain statement in the usual language.
static void add_manner(const struct labelling *labelling, struct text *out)
{
    const char *words[] = {NULL, NULL, NULL};
    if (labelling->language && strcmp(labelling->language->name, labelling->usual_language) != 0)
        words[0] = labelling->language->word;
    if (labelling->mode != BILANX_SUITE_EAGER)
        words[1] = labelling->mode == BILANX_SUITE_CALL ? "as a call" : "TorchScript";
    if (labelling->autograd == BILANX_SUITE_FORWARD_BACKWARD)
        words[2] = "forward+backward";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i])
            text_format(out, "%s%s", out->size ? " " : "", words[i]);
}

char *labels_name(const struct labelling *labelling)
{
    struct text name = {0};
    AUTO(text) struct text manner = {0};
    text_add(&name, labelling->path);
    for (size_t i = 0; i < labelling->bindings->count; i++)
        text_format(&name, "/%s=%s", labelling->bindings->items[i].name,
                    labelling->bindings->items[i].value);
    if (labelling->inputs)
        text_format(&name, "/%s", labelling->inputs);
    add_manner(labelling, &manner);
    if (manner.size)
        text_format(&name, "/%s", text_get(&manner));
    if (labelling->env)
        text_format(&name, "/%s", labelling->env);
    if (labelling->threads > 1)
        text_format(&name, "/threads=%llu", (unsigned long long)labelling->threads);
    return text_take(&name);
}

// Values that no label mentions go into the description: sizes become columns.
static void add_unmentioned(const struct labelling *labelling, struct text *out)
{
    const struct bilanx_suite_entry *entry = labelling->entry;
    for (size_t i = 0; i < labelling->bindings->count; i++) {
        const struct binding *binding = &labelling->bindings->items[i];
        if (!suite_mentions(entry->sub_label, binding->name) &&
            !suite_mentions(entry->env, binding->name))
            text_format(out, "%s%s=%s", out->size ? " " : "", binding->name, binding->value);
    }
}

char *labels_description(const struct labelling *labelling)
{
    AUTO(text) struct text description = {0}, manner = {0};
    if (labelling->description)
        text_add(&description, labelling->description);
    else
        add_unmentioned(labelling, &description);
    if (labelling->inputs)
        text_format(&description, "%s%s", description.size ? ", " : "", labelling->inputs);
    add_manner(labelling, &manner);
    if (manner.size)
        text_format(&description, "%s%s", description.size ? ", " : "", text_get(&manner));
    return code_take(&description);
}

char *labels_parameters(const struct bindings *bindings, const char *inputs)
{
    if (bindings->count == 0)
        return mem_text(inputs);
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    for (size_t i = 0; i < bindings->count; i++) {
        const char *value = bindings->items[i].value;
        double number;
        char shortest[NUMBER_SIZE];
        // Written as a number if that preserves its spelling.
        if (number_read(value, &number) && strcmp(number_shortest(number, shortest), value) == 0)
            writer_key_number(&json, bindings->items[i].name, number);
        else
            writer_key_text(&json, bindings->items[i].name, value);
    }
    if (inputs)
        writer_members(&json, inputs);
    writer_close(&json, '}');
    return text_take(&out);
}
