// side: one side of a comparison: from a SPEC to surroundings that processes start in.
//
//     struct side side;
//     BILANX_TRY(side_open("A", "source env/bin/activate", &(struct side_options){0}, &side));
//     BILANX_TRY(capture_run(&(struct capture_options){.argv = argv,
//                                                      .surroundings = &side.surroundings},
//                            &output, &status));
//
// docs/formats/sides.md says what a SPEC may be. A shell runs two things, exactly as they are
// given: a SPEC without a prefix, and the command that builds a revision. Measures nothing.
#ifndef AB_SIDES_SIDE_H
#define AB_SIDES_SIDE_H

#include <stdbool.h>

#include "base/surroundings.h"
#include "base/tell.h"

struct side;

struct side_options {        // every field may be left at zero
    const char *build;       // makes a revision ready; NULL: it is checked out and no more
    const char *repository;  // a folder in it; NULL: the working directory
    double timeout_s;        // that setting an environment up may take; default 60
    struct tell tell;        // what takes long; what an environment printed
};

struct side_kind {
    const char *prefix;  // "git:"; "" for a shell command
    const char *takes;   // what follows the prefix, for help: "REVISION"
    // Its statements are compiled here with our own variables, so that they can be loaded into one
    // process with those of another such side.
    bool can_share;
    struct bilanx_error (*open)(struct side *side, const char *rest,
                                const struct side_options *options);
};

struct side {    // a member that belongs to another kind is NULL
    char *name;  // "A"
    char *spec;  // as given
    const struct side_kind *kind;
    char *title;                       // for tables: "gcc -O2", "1a2b3c4 subject"
    struct surroundings surroundings;  // where its processes start
    char *cc, *cflags;                 // side_compiler: both as words that list_split() reads
    char *path;                        // side_program, side_records: absolute
    char *command;                     // side_command: its text
    char *commit;                      // side_revision: the whole hash; NULL: the tree as it is
    char *tree;                        // side_revision: its checkout; NULL: the tree as it is
    int lock;                          // side_revision: its folder stays while it is open
};

extern const struct side_kind side_shell, side_revision, side_compiler, side_program, side_command,
    side_records;

// All of them, in the order of the documentation; ends in a NULL.
extern const struct side_kind *const side_kinds[];

// Runs what there is to run. The error names the side and what it was given.
struct bilanx_error side_open(const char *name, const char *spec,
                              const struct side_options *options, struct side *out);
void side_done(struct side *side);
SCOPE_VALUE(side, side_done)

// The commits after `from` up to `to`, oldest first, by first parents; whole hashes. An error if
// `from` is not among the ancestors of `to`.
struct bilanx_error revisions_between(const struct side_options *options, const char *from,
                                      const char *to, struct list *commits);

// "1a2b3c4 subject line"; the caller frees it.
struct bilanx_error revision_title(const struct side_options *options, const char *revision,
                                   char **out);

#endif
