// launchers: how to start a worker so that a counter can count in it.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "collect.h"
#include "nursery.h"

// A file name for valgrind to expand: %p is the process that writes.
static char *expanding(const char *directory)
{
    struct text name = {0};
    text_add(&name, "--callgrind-out-file=");
    for (; *directory; directory++)
        text_add(&name, *directory == '%' ? "%%" : (char[]){*directory, '\0'});
    text_add(&name, "/out.%p");
    return text_take(&name);
}

static struct bilanx_error under_valgrind(const char *directory,
                                          const struct surroundings *surroundings,
                                          struct list *argv, struct list *environment)
{
    AUTO(memory) char *valgrind = surroundings_find_program(surroundings, "valgrind");
    if (!valgrind)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "counting needs valgrind, which is not installed: "
                                 "apt-get install valgrind");
    // The first flag disables ~/.valgrindrc. A fork touches the memory of all possible threads, 500
    // by default. Names are written in full: a part that is removed later might contain the
    // definition of an abbreviation.
    static const char *const flags[] = {"--command-line-only=yes",
                                        "--quiet",
                                        "--tool=callgrind",
                                        "--max-threads=100",
                                        "--vgdb=no",
                                        "--instr-atstart=no",
                                        "--collect-atstart=yes",
                                        "--compress-strings=no"};
    list_add(argv, valgrind);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        list_add(argv, flags[i]);
    list_take(argv, expanding(directory));
    // Only one thread runs at a time, so a thread that spins would be counted for a random
    // duration.
    static const char *const calm[] = {"OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=0",
                                       "KMP_BLOCKTIME=0", "OPENBLAS_THREAD_TIMEOUT=4"};
    for (size_t i = 0; i < sizeof calm / sizeof *calm; i++)
        list_add(environment, calm[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error under_valgrind_with_callers(const char *directory,
                                                       const struct surroundings *surroundings,
                                                       struct list *argv, struct list *environment)
{
    BILANX_TRY(under_valgrind(directory, surroundings, argv, environment));
    list_take(argv, mem_format("--separate-callers=%d", COLLECT_CALLERS));
    list_take(argv, mem_format("--separate-recs=%d", COLLECT_RECURSIONS));
    return BILANX_SUCCESS;
}

static struct bilanx_error as_it_is(const char *directory, const struct surroundings *surroundings,
                                    struct list *argv, struct list *environment)
{
    (void)directory;
    (void)surroundings;
    (void)argv;
    (void)environment;
    return BILANX_SUCCESS;
}

// Next to this program, as in a build; or where it is installed.
static struct bilanx_error watching_allocations(const char *directory,
                                                const struct surroundings *surroundings,
                                                struct list *argv, struct list *environment)
{
    (void)directory;
    (void)argv;
    AUTO(memory) char *own = file_own_folder();
    const char *folder = own ? own : "";
    const char *already = surroundings_variable(surroundings, "LD_PRELOAD");
    char *candidates[] = {mem_format("%s/bilanx-allocations.so", folder),
                          mem_format("%s/../libexec/bilanx/bilanx-allocations.so", folder),
                          mem_text(BILANX_LIBEXEC "/bilanx-allocations.so")};
    bool found = false;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!found && access(candidates[i], R_OK) == 0) {
            found = true;
            list_take(environment, mem_format("LD_PRELOAD=%s%s%s", candidates[i],
                                              already ? ":" : "", already ? already : ""));
        }
        free(candidates[i]);
    }
    if (!found)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot find 'bilanx-allocations.so' next to this program or in "
                                 "'%s': install bilanx",
                                 BILANX_LIBEXEC);
    return BILANX_SUCCESS;
}

const struct launcher launch_callgrind = {"callgrind", true, under_valgrind};
const struct launcher launch_callers = {"callgrind", true, under_valgrind_with_callers};
const struct launcher launch_perf = {"perf", false, as_it_is};
const struct launcher launch_allocations = {"allocations", false, watching_allocations};
