// cmd_run: measures benchmark programs.
#include "command.h"

#include "console/console.h"

static int run(const struct command *command, int argc, char **argv)
{
    struct console_settings settings = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &settings, &words);
    if (code != EXIT_DONE)
        return code;
    if (words.count == 0)
        return command_fail(bilanx_error_make(
            BILANX_E_USAGE, "run needs a benchmark program ('bilanx help run' shows examples)"));
    return console_run_programs(words.items, words.count, &settings);
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
    .options = console_options,
    .examples = run_examples,
    .details = "Each case runs in processes of its own: one that crashes or hangs is one failed\n"
               "case. ^C keeps what was measured. Records: docs/formats/record.md.\n",
    .run = run,
};
