// suite_arguments: options of `bilanx run` for suites.
#include "suite_arguments.h"

static const char *const orders[] = {[SUITE_RANDOM] = "random", [SUITE_DEFINED] = "defined", NULL};

#define AT(member) offsetof(struct suite_arguments, member)
const struct option suite_options[] = {
    {"no-time", 0, OPTION_FLAG, AT(no_time), .help = "of a suite: with --count, count only"},
    {"tag", 0, OPTION_LIST, AT(tags), "TAG", .help = "of a suite: cases with this tag"},
    {"no-lang", 0, OPTION_LIST, AT(without_languages), "LANG",
     .help = "of a suite: no cases in c, c++ or python"},
    {"expand", 0, OPTION_FLAG, AT(expand),
     .help = "print a suite's cases as JSON and measure nothing"},
    {"resume", 0, OPTION_TEXT, AT(resume), "FILE",
     .help = "measure what has no record in FILE, and add it there"},
    {"retries", 0, OPTION_COUNT, AT(retries), "N",
     .help = "try what crashes or takes too long again (0)"},
    {"jobs", 0, OPTION_COUNT, AT(jobs), "N", .help = "count so many cases at once (one per core)"},
    {"order", 0, OPTION_CHOICE, AT(order), .choices = orders, .help = "of the cases of a suite"},
    {"backtest", 0, OPTION_FLAG, AT(backtest),
     .help = "leave out what the subject's version is not for"},
    {"cc", 0, OPTION_TEXT, AT(statement.cc), "CC",
     .help = "a suite's compiler, where it names none"},
    {"cflags", 0, OPTION_TEXT, AT(statement.cflags), "FLAGS",
     .help = "its flags, where it names none"},
    {"layouts", 0, OPTION_COUNT, AT(statement.layouts), "K",
     .help = "lay its C and C++ out in K ways, one per epoch (32)"},
    {"ldflags", 0, OPTION_TEXT, AT(statement.ldflags), "FLAGS",
     .help = "for its linker, where it names none"},
    {"python", 0, OPTION_TEXT, AT(statement.python), "EXE",
     .help = "its interpreter ($BILANX_PYTHON, or python3)"},
    {"preload", 0, OPTION_TEXT, AT(statement.preload), "NAMES",
     .help = "Python: import once, then fork; torch and numpy always"},
    {"fresh", 0, OPTION_FLAG, AT(statement.fresh), .help = "Python: a process for each epoch"},
    {0},
};

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
