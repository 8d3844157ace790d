// cmd_run: measures benchmark programs, and shows what is in suites.
#include "command.h"

#include "console/console.h"
#include "run_suites.h"

struct run_arguments {
    struct console_settings settings;
    struct suite_arguments suites;
};

#define AT(member) offsetof(struct run_arguments, member)
static const struct option run_options[] = {
    CONSOLE_SELECTING(struct run_arguments, settings),
    {"tag", 0, OPTION_LIST, AT(suites.tags), "TAG", .help = "of a suite: cases with this tag"},
    {"no-lang", 0, OPTION_LIST, AT(suites.without_languages), "LANG",
     .help = "of a suite: no cases in c, c++ or python"},
    {"expand", 0, OPTION_FLAG, AT(suites.expand),
     .help = "print a suite's cases as JSON and measure nothing"},
    CONSOLE_MEASURING(struct run_arguments, settings),
    CONSOLE_SHOWING(struct run_arguments, settings),
    {0},
};

static bool any_suite(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (is_suite(words->items[i]))
            return true;
    return false;
}

static int run_words(struct run_arguments *arguments, const struct words *words)
{
    struct suite_arguments *suites = &arguments->suites;
    if (any_suite(words)) {
        suites->filter = arguments->settings.filter;
        suites->list = arguments->settings.list;
        return run_suites(words->items, words->count, suites);
    }
    if (suites->expand || suites->tags.count || suites->without_languages.count)
        return command_fail(
            bilanx_error_make(BILANX_E_USAGE, "--expand, --tag and --no-lang are for suites"));
    return console_run_programs(words->items, words->count, &arguments->settings);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct run_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE && words.count == 0)
        code = command_fail(bilanx_error_make(
            BILANX_E_USAGE,
            "run needs a suite or a benchmark program ('bilanx help run' shows examples)"));
    else if (code == EXIT_DONE)
        code = run_words(&arguments, &words);
    words_done(&arguments.suites.tags);
    words_done(&arguments.suites.without_languages);
    return code;
}

static const struct example run_examples[] = {
    {"bilanx run ./copy", "measure all its cases"},
    {"bilanx run ./copy --filter 4096 -o copy.jsonl", "some of them, and keep the records"},
    {"bilanx run ./old ./new", "two programs, their epochs interleaved"},
    {"bilanx run ./copy --method latency", "percentiles of single calls"},
    {"bilanx run suites/machine.yaml --list", "the cases of a suite"},
    {"bilanx run suites/machine.yaml --expand --filter copy", "... with their code, as JSON"},
    {0},
};

const struct command cmd_run = {
    .name = "run",
    .usage = "[OPTION...] SUITE|PROGRAM...",
    .summary = "measure benchmark programs made with <bilanx/bench.h>; show suites",
    .options = run_options,
    .examples = run_examples,
    .details =
        "Each case runs in processes of its own: one that crashes or hangs is one failed\n"
        "case. ^C keeps what was measured. Records: docs/formats/record.md. A suite is a file of\n"
        "YAML, - for stdin: docs/formats/suite.md.\n",
    .run = run,
};
