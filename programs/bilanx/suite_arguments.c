// suite_arguments: the options of `bilanx run` that are about suites.
#include "suite_arguments.h"

const char *const suite_orders[] = {"random", "defined", NULL};

const char *suite_arguments_given(const struct suite_arguments *arguments)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {
        {"no-time", arguments->no_time},
        {"tag", arguments->tags.count},
        {"no-lang", arguments->without_languages.count},
        {"expand", arguments->expand},
        {"resume", arguments->resume},
        {"retries", arguments->retries},
        {"jobs", arguments->jobs},
        {"order", arguments->order},
        {"backtest", arguments->backtest},
        {"cc", arguments->statement.cc},
        {"cflags", arguments->statement.cflags},
        {"ldflags", arguments->statement.ldflags},
        {"python", arguments->statement.python},
        {"preload", arguments->statement.preload},
        {"fresh", arguments->statement.fresh},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

void suite_arguments_done(struct suite_arguments *arguments)
{
    words_done(&arguments->tags);
    words_done(&arguments->without_languages);
}
