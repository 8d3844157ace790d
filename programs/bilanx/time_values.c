// time_values: statements measured for several values of a parameter.
#include "time_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "sources/commands/parameters.h"

void time_values_done(struct time_values *values)
{
    list_done(&values->kept);
}

// What is replaced in one combination.
struct expansion {
    const struct parameters *parameters;
    const struct combination *combination;
    struct statement_options *options;
    const struct words *given;  // the statements as typed
    struct time_values *out;
    struct words stmts, setups, names, sub_labels, descriptions, sets;
};

static void expansion_done(struct expansion *expansion)
{
    words_done(&expansion->stmts);
    words_done(&expansion->setups);
    words_done(&expansion->names);
    words_done(&expansion->sub_labels);
    words_done(&expansion->descriptions);
    words_done(&expansion->sets);
}
SCOPE_VALUE(expansion, expansion_done)

static void add(struct expansion *expansion, struct words *words, char *text)
{
    list_take(&expansion->out->kept, text);
    mem_grow(words->items, words->count, &words->room);
    words->items[words->count++] = text;
}

static bool occurs(const struct expansion *expansion, const struct parameter *parameter)
{
    bool found = parameter_occurs(parameter, expansion->options->setup) ||
                 parameter_occurs(parameter, expansion->options->global_setup);
    for (size_t i = 0; i < expansion->given->count; i++)
        found |= parameter_occurs(parameter, expansion->given->items[i]);
    return found;
}

static void add_quoted(const char *value, struct text *out)
{
    text_add_char(out, '"');
    for (; *value; value++) {
        if (strchr("\"\\", *value))
            text_add_char(out, '\\');
        text_add_char(out, *value);
    }
    text_add_char(out, '"');
}

static void declare(const struct expansion *expansion, size_t at, struct text *out)
{
    const struct parameter *parameter = &expansion->parameters->items[at];
    const char *value = combination_value(expansion->combination, at);
    bool python = text_equal(expansion->options->language, "python");
    bool whole = !value[strspn(value, "-0123456789")];
    double number;
    bool is_number = parameter_number(parameter, value, &number);
    if (!python)
        text_add(out, !is_number ? "const char *" : whole ? "long " : "double ");
    text_format(out, "%s = ", parameter->name);
    if (is_number)
        text_add(out, value);
    else
        add_quoted(value, out);
    text_add(out, python ? "\n" : ";\n");
}

static char *setup_of(const struct expansion *expansion)
{
    struct text text = {0};
    for (size_t i = 0; i < expansion->parameters->count; i++)
        if (!occurs(expansion, &expansion->parameters->items[i]))
            declare(expansion, i, &text);
    AUTO(memory) char *own = combination_fill(expansion->combination, expansion->options->setup);
    text_add(&text, own ? own : "");
    return text_take(&text);
}

static char *row_of(const struct expansion *expansion)
{
    struct text text = {0};
    for (size_t i = 0; i < expansion->parameters->count; i++)
        text_format(&text, "%s%s=%s", i ? ", " : "", expansion->parameters->items[i].name,
                    combination_value(expansion->combination, i));
    return text_take(&text);
}

static char *recorded(const struct expansion *expansion)
{
    struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (size_t i = 0; i < expansion->parameters->count; i++) {
        const struct parameter *parameter = &expansion->parameters->items[i];
        const char *value = combination_value(expansion->combination, i);
        double number;
        if (parameter_number(parameter, value, &number))
            writer_key_number(&json, parameter->name, number);
        else
            writer_key_text(&json, parameter->name, value);
    }
    writer_close(&json, '}');
    return text_take(&text);
}

static const char *word_or(const struct words *words, size_t at, const char *otherwise)
{
    return at < words->count ? words->items[at] : otherwise;
}

static void add_combination(struct expansion *expansion)
{
    const struct statement_options *options = expansion->options;
    AUTO(memory) char *row = row_of(expansion);
    for (size_t i = 0; i < expansion->given->count; i++) {
        const char *typed = expansion->given->items[i];
        const char *name = word_or(&options->names, i, typed);
        const char *column = word_or(&options->descriptions, i, name), *all = options->description;
        add(expansion, &expansion->stmts, combination_fill(expansion->combination, typed));
        add(expansion, &expansion->setups, setup_of(expansion));
        add(expansion, &expansion->names, mem_format("%s [%s]", name, row));
        add(expansion, &expansion->sub_labels, mem_text(row));
        add(expansion, &expansion->descriptions,
            !all                          ? mem_text(column)
            : expansion->given->count > 1 ? mem_format("%s, %s", all, column)
                                          : mem_text(all));
        add(expansion, &expansion->sets, recorded(expansion));
    }
}

static void move(struct words *from, struct words *to)
{
    words_done(to);
    *to = *from;
    *from = (struct words){0};
}

static struct bilanx_error check(const struct expansion *expansion)
{
    const struct parameters *parameters = expansion->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const char *name = parameters->items[i].name;
        if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
                strlen(name) ||
            strchr("0123456789", *name))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "-L '%s' is not a name that a statement can use", name);
        if (parameter_occurs(&parameters->items[i], expansion->options->global_setup))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "{%s} occurs in --global, which is the same for all values: "
                                     "use it in --setup or in statements",
                                     name);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error time_values_expand(const struct words *lists, struct statement_options *options,
                                       struct words *stmts, struct time_values *out)
{
    AUTO(parameters) struct parameters parameters = {0};
    for (size_t i = 0; i + 1 < lists->count; i += 2)
        BILANX_TRY(parameters_add_list(&parameters, lists->items[i], lists->items[i + 1]));
    AUTO(memory) bool *used = mem_array(bool, parameters.count);
    AUTO(memory) size_t *indices = mem_array(size_t, parameters.count);
    for (size_t i = 0; i < parameters.count; i++)
        used[i] = true;
    struct combination combination = {&parameters, used, indices};
    AUTO(expansion) struct expansion expansion = {.parameters = &parameters,
                                                  .combination = &combination,
                                                  .options = options,
                                                  .given = stmts,
                                                  .out = out};
    BILANX_TRY(check(&expansion));
    do
        add_combination(&expansion);
    while (combination_next(&combination));
    move(&expansion.stmts, stmts);
    move(&expansion.setups, &options->setups);
    move(&expansion.names, &options->names);
    move(&expansion.sub_labels, &options->sub_labels);
    move(&expansion.descriptions, &options->descriptions);
    move(&expansion.sets, &options->parameters);
    return BILANX_SUCCESS;
}
