// flame_beside: the option --flame of commands that measure: a graph of what they measured.
//
// The cases run once more, in processes of their own, so that sampling does not disturb their
// times. The end of FILE says what is written: ".folded", ".json" for speedscope, ".jsonl" for a
// record; otherwise a graph.
#ifndef PROGRAMS_FLAME_BESIDE_H
#define PROGRAMS_FLAME_BESIDE_H

#include "core/show/show_run.h"
#include "profile/stacks/stacks.h"
#include "sources/commands/commands.h"
#include "sources/source/source.h"

struct flame_beside {
    const char *path;  // NULL: not asked for
    bool counted;      // instructions, not time
    const struct show_settings *settings;
};

extern const struct option flame_beside_options[];  // for a const char *

// Before anything is measured: whether the file can be written.
struct bilanx_error flame_beside_check(const struct flame_beside *flame);

// Draws the cases of a source that was measured. `code` is the exit code so far; returns the new
// one. Does nothing if the measurement was interrupted or nobody asked.
int flame_beside_source(const struct flame_beside *flame, const struct source *source, int code);

// The same for commands.
int flame_beside_commands(const struct flame_beside *flame, const struct commands *commands,
                          int code);

// Collects the cases of one side of a comparison; each weighs what a call of it costs.
struct bilanx_error flame_beside_side(const struct flame_beside *flame,
                                      const struct run_cases *cases, struct stacks **out);

// Draws the difference of two sides. With more than two, the name of the second is inserted in that
// of the file.
struct bilanx_error flame_beside_difference(const struct flame_beside *flame,
                                            const struct stacks *a, const struct stacks *b,
                                            const char *inserted);

#endif
