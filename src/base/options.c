// options: parses a command line by its table, and prints help from it.
#include "options.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "number.h"
#include "options_given.h"
#include "terminal.h"

void words_done(struct words *words)
{
    free(words->items);
    list_done(&words->kept);
    *words = (struct words){0};
}

static void add_word(struct words *words, const char *word)
{
    mem_grow(words->items, words->count, &words->room);
    words->items[words->count++] = word;
}

static struct bilanx_error bad_value(const struct option *option, const char *value,
                                     const char *wanted)
{
    AUTO(memory) char *name = mem_format("--%s", option->name);
    return range_refuse(&(struct range){.wanted = wanted}, name, value);
}

static struct bilanx_error store_choice(const struct option *option, const char *value, int *out)
{
    struct text words = {0};
    for (int i = 0; option->choices[i]; i++) {
        if (strcasecmp(option->choices[i], value) == 0) {
            *out = i;
            text_done(&words);
            return BILANX_SUCCESS;
        }
        text_format(&words, "%s%s",
                    i == 0                   ? ""
                    : option->choices[i + 1] ? ", "
                                             : " or ",
                    option->choices[i]);
    }
    struct bilanx_error error = bad_value(option, value, text_get(&words));
    text_done(&words);
    return error;
}

static struct bilanx_error store_switch(const struct option *option, const char *value, bool *out)
{
    static const char *const words[] = {"false", "true", "0", "1", "no", "yes"};
    for (size_t i = 0; value && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i], value) == 0) {
            *out = i % 2;
            return BILANX_SUCCESS;
        }
    if (value)
        return bad_value(option, value, "true or false");
    *out = true;
    return BILANX_SUCCESS;
}

// NULL: not a number.
static const struct range *range_of(const struct option *option)
{
    static const struct range *const usual[] = {[OPTION_COUNT] = &range_count,
                                                [OPTION_SECONDS] = &range_seconds,
                                                [OPTION_NUMBER] = &range_number,
                                                [OPTION_PERHAPS] = NULL};
    return option->range ? option->range : usual[option->kind];
}

static double number_at(const struct option *option, const void *target)
{
    const void *field = (const char *)target + option->offset;
    return option->kind == OPTION_COUNT ? (double)*(const uint64_t *)field : *(const double *)field;
}

static struct bilanx_error store_number(const struct option *option, const char *value,
                                        void *target)
{
    union {
        double number;
        uint64_t count;
    } read;
    const struct range *range = range_of(option);
    struct option at_read = {.kind = option->kind};
    bool is_number = option->kind == OPTION_COUNT     ? number_read_count(value, &read.count)
                     : option->kind == OPTION_SECONDS ? number_read_seconds(value, &read.number)
                                                      : number_read(value, &read.number);
    if (!is_number || !range_holds(range, number_at(&at_read, &read)))
        return bad_value(option, value, range->wanted);
    memcpy((char *)target + option->offset, &read, sizeof read);
    return BILANX_SUCCESS;
}

static struct bilanx_error store(const struct option *option, const char *value, void *target)
{
    void *field = (char *)target + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return BILANX_SUCCESS;
    case OPTION_SWITCH:
        return store_switch(option, value, field);
    case OPTION_TEXT:
        *(const char **)field = value;
        return BILANX_SUCCESS;
    case OPTION_COUNT:
    case OPTION_SECONDS:
    case OPTION_NUMBER:
        return store_number(option, value, target);
    case OPTION_CHOICE:
        return store_choice(option, value, field);
    case OPTION_LIST:
        add_word(field, value);
        return BILANX_SUCCESS;
    case OPTION_PERHAPS:
        *(const char **)field = value ? value : "";
        return BILANX_SUCCESS;
    }
    return BILANX_SUCCESS;
}

static bool is_row(const struct option *option)
{
    return option->name || option->group;
}

static void add_names(const struct option *options, struct words *out)
{
    for (const struct option *option = options; is_row(option); option++)
        if (option->group)
            add_names(option->group, out);
        else if (option->help)
            add_word(out, option->name);
}

static struct bilanx_error unknown_option(const struct option *options, const char *word)
{
    AUTO(words) struct words names = {0};
    add_names(options, &names);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest =
        text_starts(word, "--") ? text_nearest(name, names.items, names.count) : NULL;
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE, "unknown option '%s' (did you mean '--%s'?)", word,
                                 nearest);
    return bilanx_error_make(BILANX_E_USAGE, "unknown option '%s'", word);
}

// The option that a word of the command line refers to.
struct match {
    const struct option *option;
    const char *value;  // attached value, or NULL
    void *target;       // the struct that the offset is relative to
};

static bool is_named(const struct option *option, const char *word, const char **value)
{
    size_t size = strlen(option->name);
    if (text_starts(word, "--") && strncmp(word + 2, option->name, size) == 0 &&
        (word[2 + size] == '\0' || word[2 + size] == '=')) {
        *value = word[2 + size] ? word + 3 + size : NULL;
        return true;
    }
    if (option->letter && word[1] == option->letter) {
        *value = word[2] ? word + 2 : NULL;
        return true;
    }
    return false;
}

static bool find(const struct option *options, const char *word, void *target, struct match *out)
{
    for (const struct option *option = options; is_row(option); option++) {
        if (option->group) {
            if (find(option->group, word, (char *)target + option->offset, out))
                return true;
        } else if (is_named(option, word, &out->value)) {
            out->option = option;
            out->target = target;
            return true;
        }
    }
    return false;
}

struct bilanx_error options_check(const struct option *options, const void *target)
{
    for (const struct option *option = options; is_row(option); option++) {
        const struct range *range = range_of(option);
        double value = range ? number_at(option, target) : 0;
        char text[NUMBER_SIZE];
        snprintf(text, sizeof text, "%g", value);
        if (range && value != 0 && !range_holds(range, value))
            return range_refuse(range, option->name, text);
    }
    return BILANX_SUCCESS;
}

bool options_know(const struct option *options, const char *word)
{
    return word[0] == '-' && word[1] && find(options, word, NULL, &(struct match){0});
}

// Returns how many of the following words an option takes; `attached` means it already has one.
static int words_taken(const struct option *option, bool attached, const char *next)
{
    switch (option->kind) {
    case OPTION_FLAG:
    case OPTION_SWITCH:
        return 0;
    case OPTION_LIST:
        return (option->values ? option->values : 1) - attached;
    case OPTION_PERHAPS:
        return !attached && next && next[0] != '-';
    default:
        return 1 - attached;
    }
}

static struct bilanx_error missing_value(const struct option *option)
{
    if (option->values > 1)
        return bilanx_error_make(BILANX_E_USAGE, "option '--%s' needs %d values (%s)", option->name,
                                 option->values, option->value);
    AUTO(text) struct text value = {0};
    for (size_t i = 0; option->kind == OPTION_CHOICE && option->choices[i]; i++)
        text_format(&value, "%s%s", i ? "|" : "", option->choices[i]);
    return bilanx_error_make(BILANX_E_USAGE, "option '--%s' needs a value (%s)", option->name,
                             value.size ? text_get(&value) : option->value);
}

// Stores an option with its attached value, if any, and the next `taken` words.
static struct bilanx_error store_all(const struct match *match, char **following, int taken)
{
    if (match->value || taken == 0)
        BILANX_TRY(store(match->option, match->value, match->target));
    for (int i = 0; i < taken; i++)
        BILANX_TRY(store(match->option, following[i], match->target));
    return BILANX_SUCCESS;
}

struct bilanx_error options_parse(const struct option *options, int argc, char **argv, void *target,
                                  struct words *words)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || word[1] == '\0') {
            add_word(words, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            while (++i < argc)
                add_word(words, argv[i]);
            break;
        }
        struct match match;
        if (!find(options, word, target, &match))
            return unknown_option(options, word);
        const struct option *option = match.option;
        if (option->kind == OPTION_FLAG && match.value)
            return bilanx_error_make(BILANX_E_USAGE, "option '--%s' takes no value", option->name);
        int taken = words_taken(option, match.value != NULL, i + 1 < argc ? argv[i + 1] : NULL);
        if (taken > argc - 1 - i)
            return missing_value(option);
        BILANX_TRY(store_all(&match, argv + i + 1, taken));
        i += taken;
    }
    return BILANX_SUCCESS;
}

static bool is_listed(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static void add_file(const struct option *option, const char *path, struct output_uses *out)
{
    char name[40];
    if (!path || is_listed(path, option->choices))
        return;
    if (option->letter)
        snprintf(name, sizeof name, "-%c", option->letter);
    else
        snprintf(name, sizeof name, "--%s", option->name);
    if (option->writes)
        output_uses_add(out, path, option->writes, "%s", name);
    else
        output_uses_add(out, path, NULL, "what %s reads", name);
}

void options_files(const struct option *options, const void *target, struct output_uses *out)
{
    for (const struct option *option = options; is_row(option); option++) {
        const void *field = (const char *)target + option->offset;
        if (option->group)
            options_files(option->group, field, out);
        else if (!option->writes && !option->reads)
            continue;
        else if (option->kind != OPTION_LIST)
            add_file(option, *(const char *const *)field, out);
        else
            for (size_t i = 0; i < ((const struct words *)field)->count; i++)
                add_file(option, ((const struct words *)field)->items[i], out);
    }
}

void options_without(const struct option *options, int argc, char **argv,
                     const char *const *dropped, struct list *out)
{
    char unused;
    for (int i = 1; i < argc; i++) {
        struct match match;
        int last = i;
        if (strcmp(argv[i], "--") == 0)
            last = argc - 1;
        else if (argv[i][0] == '-' && argv[i][1] && find(options, argv[i], &unused, &match)) {
            last +=
                words_taken(match.option, match.value != NULL, i + 1 < argc ? argv[i + 1] : NULL);
            if (is_listed(match.option->name, dropped)) {
                i = last;
                continue;
            }
        }
        for (; i <= last && i < argc; i++)
            list_add(out, argv[i]);
        i = last;
    }
}

void options_given_done(struct options_given *given)
{
    free(given->items);
    *given = (struct options_given){0};
}

void options_given_find(const struct option *options, int argc, char **argv,
                        struct options_given *out)
{
    char unused;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        struct match match;
        if (argv[i][0] != '-' || !argv[i][1] || !find(options, argv[i], &unused, &match))
            continue;
        int taken =
            words_taken(match.option, match.value != NULL, i + 1 < argc ? argv[i + 1] : NULL);
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = (struct option_given){match.option, match.value ? match.value
                                                                       : taken     ? argv[i + 1]
                                                                                   : NULL};
        i += taken;
    }
}

const struct option *options_find(const struct option *options, const char *name)
{
    for (const struct option *option = options; is_row(option); option++) {
        const struct option *found = option->group ? options_find(option->group, name)
                                     : strcmp(option->name, name) == 0 ? option
                                                                       : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static void add_heading(const struct option *option, struct text *out)
{
    if (option->letter)
        text_format(out, "  -%c, --%s", option->letter, option->name);
    else
        text_format(out, "      --%s", option->name);
    if (option->kind == OPTION_CHOICE)
        for (int i = 0; option->choices[i]; i++)
            text_format(out, "%c%s", i ? '|' : ' ', option->choices[i]);
    else if (option->kind == OPTION_PERHAPS)
        text_format(out, "[=%s]", option->value);
    else if (option->kind != OPTION_FLAG && option->kind != OPTION_SWITCH)
        text_format(out, " %s", option->value);
}

static void add_row(const struct option *option, struct text *out)
{
    enum { HELP_COLUMN = 30 };
    size_t start = out->size;
    add_heading(option, out);
    if (out->size - start > HELP_COLUMN - 2) {
        text_add_char(out, '\n');
        start = out->size;
    }
    text_add_repeated(out, " ", HELP_COLUMN - (out->size - start));
    text_add_paragraph(out, HELP_COLUMN, HELP_COLUMN, terminal_help_width(), option->help);
    text_add_char(out, '\n');
}

void options_help(const struct option *options, struct text *out)
{
    for (const struct option *option = options; is_row(option); option++) {
        if (option->group)
            options_help(option->group, out);
        else if (option->help)
            add_row(option, out);
    }
}
