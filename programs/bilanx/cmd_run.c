// cmd_run: measures benchmark programs.
#include "command.h"

#include "console/console.h"
#include "count_beside.h"

struct run_arguments {
    struct console_settings settings;
    bool count;
};

static const struct option run_options[] = {
    CONSOLE_SELECTING(struct run_arguments, settings),
    {"count", 0, OPTION_FLAG, offsetof(struct run_arguments, count),
     .help = "instructions, too ('bilanx help count')"},
    CONSOLE_MEASURING(struct run_arguments, settings),
    CONSOLE_SHOWING(struct run_arguments, settings),
    {0},
};

static void check(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    count_beside(context, measured, record);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct run_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code != EXIT_DONE)
        return code;
    if (words.count == 0)
        return command_fail(bilanx_error_make(
            BILANX_E_USAGE, "run needs a benchmark program ('bilanx help run' shows examples)"));
    struct count_beside beside = {0};
    if (arguments.count) {
        count_beside_init(&beside, &arguments.settings);
        arguments.settings.check = check;
        arguments.settings.check_context = &beside;
    }
    code = console_run_programs(words.items, words.count, &arguments.settings);
    count_beside_done(&beside);
    return code;
}

static const struct example run_examples[] = {
    {"bilanx run ./copy", "measure all its cases"},
    {"bilanx run ./copy --filter 4096 -o copy.jsonl", "some of them, and keep the records"},
    {"bilanx run ./old ./new", "two programs, their epochs interleaved"},
    {"bilanx run ./copy --method latency", "percentiles of single calls"},
    {0},
};

const struct command cmd_run = {
    .name = "run",
    .usage = "[OPTION...] PROGRAM...",
    .summary = "measure benchmark programs made with <bilanx/bench.h>",
    .options = run_options,
    .examples = run_examples,
    .details = "Each case runs in processes of its own: one that crashes or hangs is one failed\n"
               "case. ^C keeps what was measured. Records: docs/formats/record.md.\n",
    .run = run,
};
