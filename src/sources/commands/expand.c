// expand: combines commands with the values of their parameters into items to run.
#include "commands.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "core/run/case_names.h"

static void hook_done(struct commands_hook *hook)
{
    free(hook->text);
    list_done(&hook->argv);
}

static void item_done(struct commands_item *item)
{
    struct run_case *measured = &item->measured;
    record_task_done(&measured->task);
    for (size_t i = 0; i < measured->argument_count; i++)
        free(measured->arguments[i].name);
    free(measured->arguments);
    free(measured->name);
    free(measured->complexity);
    list_done(&item->argv);
    hook_done(&item->setup);
    hook_done(&item->prepare);
    hook_done(&item->cleanup);
    free(item->runs);
    free(item->program);
    free(item->readings);
    free(item->exits);
    bilanx_record_done(&item->record);
}

void commands_done(struct commands *commands)
{
    for (size_t i = 0; i < commands->count; i++)
        item_done(&commands->items[i]);
    free(commands->items);
    free(commands->cleanup_error);
    *commands = (struct commands){0};
}

static struct bilanx_error add_shell(const char *shell, char *text, struct list *argv)
{
    struct bilanx_error error = shell_words_split(shell, argv);
    if (error.status == BILANX_OK && argv->count == 0)
        error = bilanx_error_make(BILANX_E_USAGE, "the shell's name is empty");
    if (error.status != BILANX_OK) {
        free(text);
        return error;
    }
    list_take(argv, mem_text("-c"));
    list_take(argv, text);
    return BILANX_SUCCESS;
}

// Splits a hook into words before substitution, so a value stays within its word.
static struct bilanx_error expand_hook(const char *name, const char *text,
                                       const struct combination *values, const char *shell,
                                       struct commands_hook *out)
{
    if (!text)
        return BILANX_SUCCESS;
    out->text = combination_fill(values, text);
    if (shell)
        return add_shell(shell, mem_text(out->text), &out->argv);
    AUTO(list) struct list words = {0};
    struct bilanx_error error = shell_words_split(text, &words);
    if (error.status == BILANX_OK && words.count == 0)
        error = bilanx_error_make(BILANX_E_USAGE, "it is empty");
    if (error.status != BILANX_OK)
        return bilanx_error_make(error.status, "--%s: %s", name, error.text);
    for (size_t i = 0; i < words.count; i++)
        list_take(&out->argv, combination_fill(values, words.items[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_error expand_words(const struct commands_template *from,
                                        const struct combination *values, const char *shell,
                                        struct commands_item *item)
{
    struct text line = {0};
    for (size_t i = 0; i < from->count; i++) {
        char *word = combination_fill(values, from->words[i]);
        text_add(&line, i ? " " : "");
        if (shell)
            text_add(&line, word);
        else
            text_add_quoted(&line, word);
        list_take(&item->argv, word);
    }
    item->measured.task.stmt = text_take(&line);
    if (!shell)
        return BILANX_SUCCESS;
    list_done(&item->argv);
    return add_shell(shell, mem_text(item->measured.task.stmt), &item->argv);
}

// How the command is run, for the record: distinguishes commands with the same text.
static char *describe(const struct commands_item *item, const struct commands_options *options)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    writer_key(&json, "argv");
    writer_open(&json, '[');
    for (size_t i = 0; i < item->argv.count; i++)
        writer_text(&json, item->argv.items[i]);
    writer_close(&json, ']');
    if (options->shell)
        writer_key_text(&json, "shell", options->shell);
    if (item->prepare.text)
        writer_key_text(&json, "prepare", item->prepare.text);
    if (item->cleanup.text)
        writer_key_text(&json, "cleanup", item->cleanup.text);
    if (options->input)
        writer_key_text(&json, "input", options->input);
    writer_close(&json, '}');
    return text_take(&out);
}

static void add_parameter(struct commands_item *item, const struct parameter *parameter,
                          const char *value, struct json_writer *json, struct text *choice)
{
    struct run_case *measured = &item->measured;
    double number;
    text_format(choice, "%s%s=%s", choice->size ? " " : "", parameter->name, value);
    if (!parameter_number(parameter, value, &number)) {
        writer_key_text(json, parameter->name, value);
        return;
    }
    writer_key_number(json, parameter->name, number);
    measured->arguments[measured->argument_count++] =
        (struct run_argument){.name = mem_text(parameter->name), .value = number};
}

// Whether growth over the parameter can be computed: at least three numbers above 0.
static bool can_grow(const struct parameter *parameter)
{
    double number;
    for (size_t i = 0; i < parameter->values.count; i++)
        if (!parameter_number(parameter, parameter->values.items[i], &number) || number <= 0)
            return false;
    return parameter->values.count >= 3;
}

// Writes the values it uses into the task; `choice` becomes "n=4 file=a".
static void expand_parameters(const struct combination *values, struct commands_item *item,
                              struct text *choice)
{
    const struct parameters *parameters = values->parameters;
    struct run_case *measured = &item->measured;
    struct text object = {0};
    struct json_writer json = {.out = &object};
    measured->arguments = mem_array(struct run_argument, parameters->count);
    writer_open(&json, '{');
    const char *grows = NULL;
    size_t used = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        if (!values->used[i])
            continue;
        used++;
        add_parameter(item, &parameters->items[i], combination_value(values, i), &json, choice);
        if (!grows && can_grow(&parameters->items[i]))
            grows = parameters->items[i].name;
    }
    writer_close(&json, '}');
    measured->task.parameters = used ? text_take(&object) : NULL;
    text_done(&object);
    if (measured->argument_count == used)  // a non-number would mix several curves
        measured->complexity = mem_text(grows);
}

static void label_item(const struct commands_template *from, const struct combination *values,
                       const struct commands_options *options, const char *choice,
                       struct commands_item *item)
{
    struct bilanx_task *task = &item->measured.task;
    AUTO(text) struct text typed = {0};  // as on the command line, with {names}
    for (size_t i = 0; i < from->count; i++) {
        text_add(&typed, i ? " " : "");
        if (options->shell || strpbrk(from->words[i], "{"))
            text_add(&typed, from->words[i]);
        else
            text_add_quoted(&typed, from->words[i]);
    }
    AUTO(memory) char *name = combination_fill(values, from->name);
    const char *title = from->name ? from->name : text_get(&typed);
    task->language = mem_text("command");
    // One row per command, unless they have names or parameters.
    bool named = from->name || *choice;
    task->label = mem_text(options->label ? options->label : named ? title : NULL);
    if (options->sub_label || *choice)
        task->sub_label = mem_text(options->sub_label ? options->sub_label : choice);
    // With a label given, the commands are compared: one column each.
    task->description = mem_text(options->description ? options->description
                                 : options->label     ? title
                                                      : NULL);
    task->env = mem_text(options->env);
    task->setup = mem_text(item->setup.text);
    task->command = describe(item, options);
    AUTO(text) struct text shown = {0};
    text_add(&shown, name ? name : task->stmt);
    if (name && *choice && strcmp(name, from->name) == 0)
        text_format(&shown, " (%s)", choice);
    item->measured.name = case_name_of(text_get(&shown));
}

static struct bilanx_error expand_one(const struct commands_template *from,
                                      const struct combination *values,
                                      const struct commands_options *options,
                                      struct commands_item *item)
{
    AUTO(text) struct text choice = {0};
    BILANX_TRY(expand_words(from, values, options->shell, item));
    BILANX_TRY(expand_hook("setup", from->setup, values, options->shell, &item->setup));
    BILANX_TRY(expand_hook("prepare", from->prepare, values, options->shell, &item->prepare));
    BILANX_TRY(expand_hook("cleanup", from->cleanup, values, options->shell, &item->cleanup));
    expand_parameters(values, item, &choice);
    label_item(from, values, options, text_get(&choice), item);
    return BILANX_SUCCESS;
}

static bool uses(const struct commands_template *from, const struct parameter *parameter)
{
    for (size_t i = 0; i < from->count; i++)
        if (parameter_occurs(parameter, from->words[i]))
            return true;
    return parameter_occurs(parameter, from->setup) || parameter_occurs(parameter, from->prepare) ||
           parameter_occurs(parameter, from->cleanup);
}

static struct bilanx_error check_use(const struct commands_template *templates, size_t count,
                                     const struct parameters *parameters)
{
    for (size_t p = 0; p < parameters->count; p++) {
        bool used = false;
        for (size_t i = 0; i < count && !used; i++)
            used = uses(&templates[i], &parameters->items[p]);
        if (!used)
            return bilanx_error_make(BILANX_E_USAGE, "no command uses the parameter {%s}",
                                     parameters->items[p].name);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error expand_template(const struct commands_template *from, size_t index,
                                           struct combination *values, bool *used,
                                           const struct commands_options *options,
                                           struct commands *out)
{
    for (size_t p = 0; p < values->parameters->count; p++) {
        used[p] = uses(from, &values->parameters->items[p]);
        values->indices[p] = 0;
    }
    do {
        if (out->count >= PARAMETERS_MOST)
            return bilanx_error_make(
                BILANX_E_USAGE, "the parameters expand to more than %d commands", PARAMETERS_MOST);
        mem_grow(out->items, out->count, &out->room);
        struct commands_item *item = &out->items[out->count++];
        *item = (struct commands_item){.template_index = index};
        BILANX_TRY(expand_one(from, values, options, item));
    } while (combination_next(values));
    return BILANX_SUCCESS;
}

static void name_apart(const struct commands *commands)
{
    AUTO(memory) struct run_case **cases = mem_array(struct run_case *, commands->count);
    for (size_t i = 0; i < commands->count; i++)
        cases[i] = &commands->items[i].measured;
    case_names_tell_apart(cases, commands->count);
}

static bool setups_differ(const struct commands *commands)
{
    for (size_t i = 1; i < commands->count; i++)
        if (!text_equal(commands->items[i].setup.text, commands->items[0].setup.text))
            return true;
    return false;
}

struct bilanx_error commands_expand(const struct commands_template *templates, size_t count,
                                    const struct parameters *parameters,
                                    const struct commands_options *options, struct commands *out)
{
    BILANX_TRY(check_use(templates, count, parameters));
    AUTO(memory) bool *used = mem_array(bool, parameters->count);
    AUTO(memory) size_t *indices = mem_array(size_t, parameters->count);
    struct combination values = {parameters, used, indices};
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(expand_template(&templates[i], i, &values, used, options, out));
    name_apart(out);
    out->interleaved = options->order == COMMANDS_INTERLEAVED ||
                       (options->order == COMMANDS_AUTO && !setups_differ(out));
    return BILANX_SUCCESS;
}

struct bilanx_error commands_refer(struct commands *commands, const char *name)
{
    for (size_t i = 0; i < commands->count; i++)
        if (strcmp(commands->items[i].measured.name, name) == 0) {
            commands->reference = i + 1;
            return BILANX_SUCCESS;
        }
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < commands->count; i++)
        text_format(&names, "%s'%s'", i ? ", " : "", commands->items[i].measured.name);
    return bilanx_error_make(BILANX_E_USAGE, "--reference '%s' is none of %s", name,
                             text_get(&names));
}

const struct commands_item *commands_reference(const struct commands *commands,
                                               const struct commands_item *item)
{
    const struct commands_item *first = commands->items;
    if (commands->reference)
        return item == first + commands->reference - 1 ? NULL : first + commands->reference - 1;
    size_t last = commands->items[commands->count - 1].template_index;
    bool single = commands->count == 1 || commands->items[1].template_index > 0;
    if (last == 0 || single)  // all are compared with the very first
        return item == first ? NULL : first;
    for (size_t i = 0; item->template_index > 0 && i < commands->count; i++) {
        const struct commands_item *other = &commands->items[i];
        if (other->template_index == 0 &&
            text_equal(other->measured.task.parameters, item->measured.task.parameters))
            return other;
    }
    return NULL;
}
