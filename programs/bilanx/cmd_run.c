// cmd_run: measures benchmark programs.
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "console/console.h"
#include "worker/server.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// With several programs each is an environment of its own, or equal cases would pass for
// replicates. Where two files have the same name, the whole path tells them apart.
static const char *env_of(const struct words *programs, size_t index)
{
    if (programs->count == 1)
        return NULL;
    for (size_t i = 0; i < programs->count; i++)
        if (i != index &&
            strcmp(last_part(programs->items[i]), last_part(programs->items[index])) == 0)
            return programs->items[index];
    return last_part(programs->items[index]);
}

static int run_programs(const struct words *programs, const struct console_settings *settings)
{
    struct run_subject *subjects = mem_array(struct run_subject, programs->count);
    const char *(*arguments)[2] = mem_zeroed(programs->count, sizeof *arguments);
    for (size_t i = 0; i < programs->count; i++) {
        arguments[i][0] = programs->items[i];
        subjects[i] = (struct run_subject){
            .name = programs->items[i],
            .env = env_of(programs, i),
            .launch = {.argv = arguments[i], .channel = WORKER_CHANNEL, .cpu = -1}};
    }
    int code = console_run(subjects, programs->count, settings);
    free(arguments);
    free(subjects);
    return code;
}

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
    return run_programs(&words, &settings);
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
