// suite_arguments: options of `bilanx run` for suites.
#include "suite_arguments.h"

static const char *const orders[] = {[SUITE_RANDOM] = "random", [SUITE_DEFINED] = "defined", NULL};

#define AT(member) offsetof(struct suite_arguments, member)
const struct option suite_options[] = {
    {"no-time", 0, OPTION_FLAG, AT(no_time), .help = "suites: with --count, skip timing"},
    {"tag", 0, OPTION_LIST, AT(tags), "TAG", .help = "suites: only cases with this tag"},
    {"no-lang", 0, OPTION_LIST, AT(without_languages), "LANG",
     .help = "suites: skip cases in c, c++ or python"},
    {"expand", 0, OPTION_FLAG, AT(expand),
     .help = "print a suite's cases as JSON; measure nothing"},
    {"fit", 0, OPTION_FLAG, AT(fit),
     .help = "suites: show how time grows with the inputs' elements"},
    {"resume", 0, OPTION_TEXT, AT(resume), "FILE", .writes = "records",
     .help = "measure the cases without a record in FILE and\n"
             "append them to it"},
    {"retries", 0, OPTION_COUNT, AT(retries), "N",
     .help = "retry cases that crash or time out (0)"},
    {"jobs", 0, OPTION_COUNT, AT(jobs), "N",
     .help = "count N cases in parallel (one per CPU that it may use)"},
    {"order", 0, OPTION_CHOICE, AT(order), .choices = orders, .help = "order of a suite's cases"},
    {"backtest", 0, OPTION_FLAG, AT(backtest),
     .help = "skip cases that the subject's version does not\n"
             "support"},
    {"cc", 0, OPTION_TEXT, AT(statement.cc), "CC", .help = "compiler, unless the suite names one"},
    {"cflags", 0, OPTION_TEXT, AT(statement.cflags), "FLAGS",
     .help = "compiler flags, unless the suite names some"},
    {"layouts", 0, OPTION_COUNT, AT(statement.layouts), "K",
     .help = "C and C++: use K code layouts, one per epoch (32)"},
    {"ldflags", 0, OPTION_TEXT, AT(statement.ldflags), "FLAGS",
     .help = "linker flags, unless the suite names some"},
    {"python", 0, OPTION_TEXT, AT(statement.python), "EXE",
     .help = "Python interpreter ($BILANX_PYTHON, or python3)"},
    {"preload", 0, OPTION_TEXT, AT(statement.preload), "NAMES",
     .help = "Python: import these once, then fork (torch and\n"
             "numpy always are)"},
    {"fresh", 0, OPTION_FLAG, AT(statement.fresh), .help = "Python: new process per epoch"},
    {0},
};

const struct option_scope suite_scope = {
    "no-time tag no-lang expand fit resume retries jobs order backtest cc cflags layouts ldflags "
    "python preload fresh",
    "only applies to suites"};

void suite_arguments_done(struct suite_arguments *arguments)
{
    words_done(&arguments->tags);
    words_done(&arguments->without_languages);
}
