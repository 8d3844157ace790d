// flame_beside: the option --flame of commands that measure: a graph of what they measured.
//
// The cases run once more, in processes of their own, so that sampling does not disturb their
// times. The extension of FILE decides the format: ".folded", ".json" for speedscope, ".jsonl" for
// a record; otherwise a graph.
#ifndef PROGRAMS_FLAME_BESIDE_H
#define PROGRAMS_FLAME_BESIDE_H

#include "core/show/show_run.h"
#include "count/counting/hwcaps.h"
#include "profile/stacks/stacks.h"
#include "sources/commands/commands.h"
#include "sources/source/source.h"

struct flame_beside {
    const char *path;    // NULL: not asked for
    bool counted;        // instructions, not time
    enum hwcaps hwcaps;  // counted: which variants of glibc's functions
    const struct show_settings *settings;
};

extern const struct option flame_beside_options[];  // for a const char *

// Before anything is measured: whether the file can be written.
struct bilanx_error flame_beside_check(const struct flame_beside *flame);

// The graph of the cases of a source that is measured. Each case is sampled as soon as it is
// measured, before the machine can change, and shown as parts of the time that was measured.
struct flame_run {
    struct flame_beside flame;
    struct source cases;     // the same cases, prepared to be sampled
    struct stacks **stacks;  // of each; NULL: none. The array is NULL before they are prepared
    bool *sampled;
    bool failed;
};
void flame_run_done(struct flame_run *run);
SCOPE_VALUE(flame_run, flame_run_done)

// These do nothing if no graph was requested.
struct bilanx_error flame_run_prepare(struct flame_run *run, const struct source *source);
void flame_run_measured(struct flame_run *run, size_t at, const struct bilanx_record *record);

// Samples the remaining cases, unless the measurement was interrupted, and writes the graph. `code`
// is the exit code so far; returns the new one.
int flame_run_finish(struct flame_run *run, const struct source *source, int code);

// The same for commands, which are all sampled at the end.
int flame_beside_commands(const struct flame_beside *flame, const struct commands *commands,
                          int code);

// Writes stacks. If there are several files, `inserted` goes into the name: out.B.svg.
struct bilanx_error flame_beside_write(const struct flame_beside *flame,
                                       const struct stacks *stacks, const char *inserted);

#endif
