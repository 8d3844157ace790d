// cmd_trust: allows a folder's files to name programs.
#include "command.h"

#include <stdio.h>

#include "base/trust.h"

struct trust_arguments {
    bool remove, list;
};

#define AT(member) offsetof(struct trust_arguments, member)
static const struct option trust_options[] = {
    {"list", 0, OPTION_FLAG, AT(list), .help = "list the trusted folders"},
    {"remove", 0, OPTION_FLAG, AT(remove), .help = "stop trusting the folders"},
    {0},
};

static const struct option_rule trust_rules[] = {
    {"list", RULE_EXCLUDES, "remove"},
    {0},
};

static struct bilanx_error print_list(void)
{
    AUTO(list) struct list folders = {0};
    BILANX_TRY(trust_list(&folders));
    for (size_t i = 0; i < folders.count; i++) {
        AUTO(text) struct text line = {0};
        text_add_harmless(&line, folders.items[i]);
        puts(text_get(&line));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error change(const struct trust_arguments *arguments,
                                  const struct words *words)
{
    if (arguments->list && (arguments->remove || words->count))
        return bilanx_error_make(BILANX_E_USAGE, "--list cannot be combined with %s",
                                 arguments->remove ? "--remove" : "folders");
    if (arguments->list)
        return print_list();
    if (words->count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "trust needs a folder (see 'bilanx help trust')");
    for (size_t i = 0; i < words->count; i++) {
        bool changed = false;
        BILANX_TRY(arguments->remove ? trust_remove(words->items[i], &changed)
                                     : trust_add(words->items[i], &changed));
        if (!changed && arguments->remove)
            return bilanx_error_make(BILANX_E_INPUT, "'%s' was not trusted", words->items[i]);
    }
    return BILANX_SUCCESS;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct trust_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    return code == EXIT_DONE ? complain_error(change(&arguments, &words)) : code;
}

static const struct example trust_examples[] = {
    {"bilanx trust .", "let files found here name programs"},
    {"bilanx trust --list", "list the trusted folders"},
    {"bilanx trust --remove old", "stop trusting a folder"},
    {0},
};

const struct command cmd_trust = {
    .name = "trust",
    .usage = "[OPTION...] FOLDER...",
    .summary = "let files found in a folder name programs to run",
    .options = trust_options,
    .rules = trust_rules,
    .examples = trust_examples,
    .details =
        "bilanx reads some files on its own, such as .bilanx/cluster.yaml in the current\n"
        "directory. They may have come with a cloned repository, so they may name a program\n"
        "only in folders that you trust. Files named on the command line need no such\n"
        "permission. See docs/security.md.\n",
    .run = run,
};
