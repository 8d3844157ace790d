// option_rules: checks which options of a command line do not go together.
#include <stdio.h>
#include <string.h>

#include "mem.h"
#include "options.h"
#include "options_given.h"

// The next term of a list; false: there is none.
static bool next_term(const char **list, char *out, size_t size)
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    snprintf(out, size, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

enum { TERM_SIZE = 64 };

static bool is_meant(const struct option_given *given, const char *term)
{
    const char *name = given->option->name;
    size_t size = strcspn(term, "=");
    if (size && term[size - 1] == '-' && !term[size])
        return strncmp(name, term, size) == 0;
    return strlen(name) == size && strncmp(name, term, size) == 0 &&
           (!term[size] || text_equal(given->value, term + size + 1));
}

static const struct option_given *find_term(const struct options_given *given, const char *term)
{
    for (size_t i = 0; i < given->count; i++)
        if (is_meant(&given->items[i], term))
            return &given->items[i];
    return NULL;
}

static bool any_given(const struct options_given *given, const char *terms)
{
    char term[TERM_SIZE];
    while (terms && next_term(&terms, term, sizeof term))
        if (find_term(given, term))
            return true;
    return false;
}

static bool lists(const char *terms, const struct option_given *given)
{
    char term[TERM_SIZE];
    while (next_term(&terms, term, sizeof term))
        if (is_meant(given, term))
            return true;
    return false;
}

// "--format csv", or "-o".
static void add_name(const struct option *option, const char *value, struct text *out)
{
    if (option->letter == 'o')
        text_add(out, "-o");
    else
        text_format(out, "--%s", option->name);
    if (value)
        text_format(out, " %s", value);
}

// Options for the words of a rule: with their value, if the rule is about one.
static void add_given(const char *terms, const struct option_given *given, struct text *out)
{
    char term[TERM_SIZE];
    bool by_value = false;
    while (next_term(&terms, term, sizeof term))
        by_value |= is_meant(given, term) && strchr(term, '=') != NULL;
    add_name(given->option, by_value ? given->value : NULL, out);
}

static void add_needed(const struct option *options, const char *terms, struct text *out)
{
    char term[TERM_SIZE];
    for (const char *between = ""; next_term(&terms, term, sizeof term);) {
        char *value = strchr(term, '=');
        if (value)
            *value++ = '\0';
        const struct option *option = options_find(options, term);
        if (!option || !option->help)
            continue;
        text_add(out, between);
        add_name(option, value ? value : option->letter == 'o' ? option->value : NULL, out);
        between = " or ";
    }
}

static struct bilanx_error refuse(const struct option_rule *rule, const struct text *line)
{
    return bilanx_error_make(BILANX_E_USAGE, "%s%s%s", text_get(line), rule->why ? ": " : "",
                             rule->why ? rule->why : "");
}

static struct bilanx_error refuse_both(const struct option_rule *rule,
                                       const struct option_given *one,
                                       const struct option_given *other)
{
    AUTO(text) struct text line = {0};
    add_given(rule->options, one, &line);
    text_add(&line, " cannot be combined with ");
    add_given(rule->kind == RULE_EXCLUDES ? rule->others : "", other, &line);
    return refuse(rule, &line);
}

static struct bilanx_error check_needs(const struct option *options, const struct option_rule *rule,
                                       const struct options_given *given,
                                       const struct option_given *one)
{
    if (any_given(given, rule->others))
        return BILANX_SUCCESS;
    AUTO(text) struct text line = {0};
    add_given(rule->options, one, &line);
    text_add(&line, " needs ");
    add_needed(options, rule->others, &line);
    return refuse(rule, &line);
}

static struct bilanx_error check_one(const struct option *options, const struct option_rule *rule,
                                     const struct options_given *given,
                                     const struct option_given *one)
{
    if (rule->kind == RULE_NEEDS)
        return check_needs(options, rule, given, one);
    if (any_given(given, rule->unless))
        return BILANX_SUCCESS;
    for (size_t i = 0; i < given->count; i++) {
        const struct option_given *other = &given->items[i];
        if (!other->option->help || other->option == one->option)
            continue;
        if (lists(rule->others, other) == (rule->kind == RULE_EXCLUDES))
            return refuse_both(rule, one, other);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error check_rules(const struct option *options,
                                       const struct option_rule *rules,
                                       const struct options_given *given)
{
    for (const struct option_rule *rule = rules; rule && (rule->options || rule->group); rule++) {
        if (rule->group)
            BILANX_TRY(check_rules(options, rule->group, given));
        const char *terms = rule->options ? rule->options : "";
        char term[TERM_SIZE];
        while (next_term(&terms, term, sizeof term)) {
            const struct option_given *one = find_term(given, term);
            if (one && one->option->help)
                BILANX_TRY(check_one(options, rule, given, one));
        }
    }
    return BILANX_SUCCESS;
}

struct bilanx_error options_agree(const struct option *options, const struct option_rule *rules,
                                  int argc, char **argv)
{
    AUTO(options_given) struct options_given given = {0};
    options_given_find(options, argc, argv, &given);
    return check_rules(options, rules, &given);
}

struct bilanx_error options_apply(const struct option *options, struct option_scope scope, int argc,
                                  char **argv)
{
    AUTO(options_given) struct options_given given = {0};
    options_given_find(options, argc, argv, &given);
    for (size_t i = 0; i < given.count; i++)
        if (given.items[i].option->help && lists(scope.options, &given.items[i]))
            return bilanx_error_make(BILANX_E_USAGE, "--%s %s", given.items[i].option->name,
                                     scope.says);
    return BILANX_SUCCESS;
}
