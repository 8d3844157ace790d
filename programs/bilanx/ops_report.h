// ops_report: the output of `bilanx ops`.
#ifndef PROGRAMS_OPS_REPORT_H
#define PROGRAMS_OPS_REPORT_H

#include <stdio.h>

#include "base/options.h"
#include "cluster_arguments.h"
#include "core/show/show_run.h"
#include "sources/operator_cases/speedups.h"

struct ops_arguments {
    struct show_settings shown;
    struct ops_options measure;
    struct words suites, files, backends, inductor_configs;
    const char *show_code;  // of this operator
    const char *baseline, *dtype, *device, *accuracy, *csv, *profile, *resume;
    bool fuse;  // measure chains
    struct share share;
    struct cluster_arguments cluster;
    int argc;  // the whole line, for nodes of a cluster
    char **argv;
    bool list_backends, nvfuser, no_nvfuser, compatible, verdict, no_roof;
};

struct machine_roof;

// With exactly two backends besides the baseline, the name of their ratio: "openblas/onednn". NULL:
// there is no such ratio. The caller frees it.
char *ops_pair_name(const struct ops *ops);

// The reference's line: "aten.add.Tensor: inductor=1.0312x (0.9870-1.2048) took 4s".
void ops_add_line(const struct ops *ops, const struct ops_operator *of, struct text *out);

// The tables at the end: operators, then each backend on the whole model.
void ops_show(const struct ops_arguments *arguments, const struct ops *ops,
              const struct machine_roof *roof);

// What is noted about an operator on a backend.
enum ops_note { OPS_NOTE_WRONG, OPS_NOTE_FAILED, OPS_NOTE_SPECIAL, OPS_NOTES };

// "onednn wrong on 3 (error 0.25)". NULL: there is nothing to say. The caller frees it.
char *ops_note(const struct ops *ops, const struct ops_operator *of, size_t backend,
               enum ops_note kind);

// Prints below the tables, on stderr, which operators are wrong or failed, and which were skipped,
// and why.
void ops_show_notes(const struct ops *ops);

// Prints the operators of a log, and those that each backend supports.
int ops_list(const struct ops_arguments *arguments, const struct operator_log *log);
int ops_show_backends(const struct ops_arguments *arguments, struct operator_log *log);

// The code that the first backend generates for the selected operators.
int ops_show_code(const struct ops_arguments *arguments, const struct operator_log *log,
                  struct ops *ops);

// A CSV file in the reference's layout, one row per operator, flushed.
void ops_csv_head(FILE *file, const struct ops *ops, bool safe);
void ops_csv_row(FILE *file, const struct ops *ops, const struct ops_operator *of, bool safe);

#endif
