// side: one side of a comparison: turns a SPEC into the surroundings that processes start in.
//
//     struct side side;
//     BILANX_TRY(side_open("A", "source env/bin/activate", &(struct side_options){0}, &side));
//     BILANX_TRY(capture_run(&(struct capture_options){.argv = argv,
//                                                      .surroundings = &side.surroundings},
//                            &output, &status));
//
// docs/formats/sides.md describes SPECs. A shell runs two things, exactly as given: a SPEC without
// a prefix, and the command that builds a revision. Measures nothing.
#ifndef AB_SIDES_SIDE_H
#define AB_SIDES_SIDE_H

#include <stdbool.h>

#include "base/surroundings.h"
#include "base/tell.h"

struct side;

struct side_options {        // every field may be left at zero
    const char *build;       // command that builds a revision; NULL: only check it out
    const char *repository;  // a folder in it; NULL: the current directory
    double timeout_s;        // for setting up an environment; default 60
    struct tell tell;        // reports slow steps and output of environments
};

struct side_kind {
    const char *prefix;  // "git:"; "" for a shell command
    const char *takes;   // what follows the prefix, for help: "REVISION"
    // Its statements are compiled here with our environment variables, so they can share a process
    // with those of another such side.
    bool can_share;
    struct bilanx_error (*open)(struct side *side, const char *rest,
                                const struct side_options *options);
};

struct side {    // members for other kinds are NULL
    char *name;  // "A"
    char *spec;  // as given
    const struct side_kind *kind;
    char *title;                       // for tables: "gcc -O2", "v1.9.2: 1a2b3c4 subject"
    struct surroundings surroundings;  // for its processes
    char *cc, *cflags;                 // side_compiler: both in list_split() syntax
    char *path;                        // side_program, side_records: absolute
    char *command;                     // side_command: the command text
    char *commit;                      // side_revision: full hash; NULL: the working tree
    char *tree;                        // side_revision: its checkout; NULL: the working tree
    int lock;                          // side_revision: protects its folder while open
};

extern const struct side_kind side_shell, side_revision, side_compiler, side_program, side_command,
    side_records;

// All kinds, in the order of the documentation; ends in NULL.
extern const struct side_kind *const side_kinds[];

// The prefix that the user probably forgot: "bin:" for "./old".
const char *side_likely_prefix(const char *word);

// Detects certain mistakes before anything runs: an unknown or a missing prefix, or a program where
// a command that sets up an environment is expected.
struct bilanx_error side_check(const char *name, const char *spec);

// Opens a side, running commands if needed. The error names the side and its spec.
struct bilanx_error side_open(const char *name, const char *spec,
                              const struct side_options *options, struct side *out);
void side_done(struct side *side);
SCOPE_VALUE(side, side_done)

// The commits after `from` up to `to` along first parents, oldest first, as full hashes. Fails if
// `from` is not an ancestor of `to`.
struct bilanx_error revisions_between(const struct side_options *options, const char *from,
                                      const char *to, struct list *commits);

// "1a2b3c4 subject line"; the caller frees it.
struct bilanx_error revision_title(const struct side_options *options, const char *revision,
                                   char **out);

#endif
