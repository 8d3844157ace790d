// harmless_flags: which flags of a compiler only affect the code it generates.
#include "harmless_flags.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

// The value may also be the next word.
static const char *const with_value[] = {"-I",        "-D",       "-U",         "-isystem",
                                         "-iquote",   "-include", "-idirafter", "-imacros",
                                         "-isysroot", "-x",       "-target",    NULL};

static const char *const beginnings[] = {
    "-O",       "-g",         "-m",        "-W",         "-std=",     "--std=",
    "-f",       "--sysroot=", "--target=", "-nostdinc",  "-pedantic", "-ansi",
    "-pthread", "-pipe",      "-w",        "-trigraphs", "-undef",    NULL};

// Of those, not these: they pass words to other programs, load code, or write files.
static const char *const harmful[] = {"-Wl,",
                                      "-Wa,",
                                      "-Wp,",
                                      "-wrapper",
                                      "-mllvm",
                                      "-mmlir",
                                      "-fplugin",
                                      "-fpass-plugin",
                                      "-fdump",
                                      "-fstack-usage",
                                      "-fcallgraph-info",
                                      "-fsave-optimization-record",
                                      "-ftime-trace",
                                      "-fprofile",
                                      "-fauto-profile",
                                      "-fopt-info",
                                      "-fmodule",
                                      "-fuse-ld",
                                      "-fcompare-debug",
                                      "-fproc-stat-report",
                                      "-fthinlto",
                                      NULL};

// A value of another -f flag may be the name of a file.
static const char *const values_of_f[] = {"-fabi-version",
                                          "-falign-",
                                          "-fcf-protection",
                                          "-fconstexpr-",
                                          "-fdenormal-fp-math",
                                          "-fdiagnostics-color",
                                          "-fexcess-precision",
                                          "-fdebug-prefix-map",
                                          "-ffile-prefix-map",
                                          "-ffp-contract",
                                          "-ffp-model",
                                          "-finline-limit",
                                          "-fivopts",
                                          "-flto",
                                          "-fmacro-prefix-map",
                                          "-fmax-errors",
                                          "-fmessage-length",
                                          "-fno-sanitize",
                                          "-fopenmp",
                                          "-frandom-seed",
                                          "-fsanitize",
                                          "-fsimd-cost-model",
                                          "-fstack-clash",
                                          "-ftabstop",
                                          "-ftemplate-depth",
                                          "-ftls-model",
                                          "-ftrivial-auto-var-init",
                                          "-fvect-cost-model",
                                          "-fvisibility",
                                          "-fzero-call-used-regs",
                                          NULL};

static bool starts_any(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (text_starts(word, *list))
            return true;
    return false;
}

bool flag_is_harmless(const char *word, bool *takes_value)
{
    *takes_value = false;
    for (size_t i = 0; with_value[i]; i++)
        if (text_starts(word, with_value[i])) {
            *takes_value = strcmp(word, with_value[i]) == 0;
            return true;
        }
    if (!starts_any(word, beginnings) || starts_any(word, harmful))
        return false;
    return !text_starts(word, "-f") || !strchr(word, '=') || starts_any(word, values_of_f);
}
