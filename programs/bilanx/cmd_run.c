// cmd_run: measures suites and benchmark programs.
#include "command.h"

#include <unistd.h>

#include "base/file.h"
#include "core/show/console.h"
#include "count_beside.h"
#include "run_suites.h"

struct run_arguments {
    struct console_settings settings;
    struct suite_arguments suites;
};

#define AT(member) offsetof(struct run_arguments, member)
static const struct option run_options[] = {
    {.group = console_selection_options, .offset = AT(settings)},
    {"count", 0, OPTION_FLAG, AT(suites.count), .help = "instructions, too ('bilanx help count')"},
    {.group = suite_options, .offset = AT(suites)},
    {.group = console_measuring_options, .offset = AT(settings)},
    {.group = console_showing_options, .offset = AT(settings)},
    {0},
};

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    count_beside(context, measured, record);
}

static bool any_suite(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (is_suite(words->items[i]))
            return true;
    return false;
}

// A word may be something else that is there: a FIFO, a folder, a device.
static struct bilanx_error check_words(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        AUTO(memory) char *program = file_find_program(words->items[i]);
        if (!program && !is_suite(words->items[i]) && access(words->items[i], F_OK) == 0)
            BILANX_TRY(file_check(words->items[i]));
    }
    return BILANX_SUCCESS;
}

static int run_programs(struct run_arguments *arguments, const struct words *words)
{
    const char *for_suites = suite_arguments_given(&arguments->suites);
    if (for_suites)
        return complain_error(bilanx_error_make(BILANX_E_USAGE, "--%s is for suites", for_suites));
    struct count_beside beside = {0};
    if (arguments->suites.count) {
        count_beside_init(&beside, &arguments->settings);
        arguments->settings.check = check;
        arguments->settings.check_context = &beside;
    }
    int code = console_run_programs(words->items, words->count, &arguments->settings);
    count_beside_done(&beside);
    return code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct run_arguments arguments = {.suites.statement.layouts = STATEMENT_LAYOUTS};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (arguments.settings.method != CONSOLE_RIGOROUS)
        arguments.suites.statement.layouts = 0;
    if (code == EXIT_DONE && words.count == 0)
        code = complain_error(bilanx_error_make(
            BILANX_E_USAGE,
            "run needs a suite or a benchmark program ('bilanx help run' shows examples)"));
    if (code == EXIT_DONE)
        code = complain_error(check_words(&words));
    if (code == EXIT_DONE)
        code = any_suite(&words)
                   ? run_suites(words.items, words.count, &arguments.suites, &arguments.settings)
                   : run_programs(&arguments, &words);
    suite_arguments_done(&arguments.suites);
    return code;
}

static const struct example run_examples[] = {
    {"bilanx run suites/machine.yaml", "what this machine and its libc can do"},
    {"bilanx run suite.yaml --filter copy -o copy.jsonl", "some cases, and keep the records"},
    {"bilanx run suite.yaml --resume copy.jsonl", "only what is missing there"},
    {"bilanx run suite.yaml --count --no-time", "instructions instead of times"},
    {"bilanx run ./copy", "a program made with <bilanx/bench.h>"},
    {"bilanx run ./old ./new", "two of them, their epochs interleaved"},
    {0},
};

const struct command cmd_run = {
    .name = "run",
    .usage = "[OPTION...] SUITE|PROGRAM...",
    .summary = "measure suites, and benchmark programs made with <bilanx/bench.h>",
    .options = run_options,
    .examples = run_examples,
    .details =
        "Each case runs in processes of its own: one that crashes or hangs is one failed\n"
        "case. ^C keeps what was measured. Records: docs/formats/record.md. A suite is a file of\n"
        "YAML, - for stdin: docs/formats/suite.md.\n",
    .run = run,
};
