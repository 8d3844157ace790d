// check_tools: checks for the programs that bilanx uses.
#include "checks.h"

#include "tool.h"

static void check_valgrind(const struct machine *machine, struct bilanx_finding *finding)
{
    (void)machine;
    char version[TOOL_VERSION_SIZE];
    if (tool_version("valgrind", version))
        finding_good(finding, "%s", version);
    else
        finding_fix(finding, "sudo apt install valgrind",
                    "not found: instructions cannot be counted by function");
}

static void check_compilers(const struct machine *machine, struct bilanx_finding *finding)
{
    (void)machine;
    static const char *const names[] = {"cc", "gcc", "clang"};
    AUTO(text) struct text found = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char version[TOOL_VERSION_SIZE];
        if (tool_version(names[i], version))
            text_format(&found, "%s%s %s", found.size ? ", " : "", names[i], version);
    }
    if (found.size)
        finding_good(finding, "%s", text_get(&found));
    else
        finding_fix(finding, "sudo apt install gcc", "no C compiler in PATH");
}

static const struct check checks[] = {
    {"valgrind", check_valgrind},
    {"compilers", check_compilers},
};

const struct check_group tool_checks = {"tools", checks, sizeof checks / sizeof *checks};
