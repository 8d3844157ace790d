// bundle_parts: the data that the files of a bundle are made from; for this room only.
#ifndef BUNDLE_BUNDLE_PARTS_H
#define BUNDLE_BUNDLE_PARTS_H

#include "bilanx/output_format.h"
#include "bundle.h"
#include "entry_names.h"

struct bundle_graph {  // without stacks, all of it is empty
    char *file;        // without its end: "diff-parse"
    struct text svg, png;
    double height;  // of the drawing, in its own units
    char *remark;   // whether its samples agree with the verdict; NULL: not known
    bool disagrees;
};

struct bundle_part {                           // a case on one side
    struct bilanx_record slots[BUNDLE_SLOTS];  // kind NULL: none
    struct bundle_graph own, difference;       // the difference from the first side
};

struct bundle_case {
    char *name;
    char *stem;                 // its name in names of files
    struct bundle_part *parts;  // one per side
};

struct bundle {
    struct bundle_side *sides;  // owns its strings
    size_t side_count;
    char *command;
    bool all;
    struct text text, markdown;
    struct entry_names stems;
    struct index by_name;  // of cases
    struct bundle_case *cases;
    size_t case_count, case_room;
    struct list missing;
};

// Whether the case has a section of its own.
bool bundle_is_examined(const struct bundle *bundle, const struct bundle_case *item);

// The verdict of a part; NULL if there is none.
const struct bilanx_verdict *part_verdict(const struct bundle_part *part);
bool part_is_slower(const struct bundle_part *part);

// "base", "branch", or "branch-NAME" if there are more than two sides.
char *bundle_role(const struct bundle *bundle, size_t side);

// The facts about the machine, as a JSON object; NULL: unknown.
const char *bundle_machine(const struct bundle *bundle);

struct bundle_entry {
    const char *name;
    const char *what;  // for the list of files
    const struct text *content;
};
struct bundle_entries {
    struct bundle_entry *items;
    size_t count, room;
};
void bundle_entries_done(struct bundle_entries *entries);
SCOPE_VALUE(bundle_entries, bundle_entries_done)

// bundle_verdicts.c: shared by the page and the summary.
struct bundle_totals {
    size_t cases, slower, faster, same, undecided, failed, skipped;
    double mean;  // geometric, of the changes; NaN: none
};
struct bundle_totals bundle_total(const struct bundle *bundle);
void bundle_add_totals(const struct bundle_totals *totals, struct text *out);  // "1 slower, 2 same"
int verdict_decimals(const struct bilanx_verdict *verdict);
void verdict_add_change(const struct bilanx_verdict *verdict, struct text *out);    // "+1.2 %"
void verdict_add_interval(const struct bilanx_verdict *verdict, struct text *out);  // "+1 .. +2"

// bundle_counts.c: instructions per call, by function.
struct counted_function {
    char *name;
    double before, after;
};
struct counted_functions {
    struct counted_function *items;  // largest change first, then largest
    size_t count;
    double before, after;  // all of them
};
void counted_functions_done(struct counted_functions *functions);
SCOPE_VALUE(counted_functions, counted_functions_done)

// Returns false if the case was not counted on both sides.
bool bundle_functions(const struct bundle_case *item, size_t side, struct counted_functions *out);
void bundle_add_counts(const struct bundle *bundle, enum bilanx_output_format format,
                       struct text *out);
// A sentence if the variants of glibc's functions that were counted are not those that were timed
// and sampled, or not the same on both sides; the second one is about the first case that was
// counted.
void case_add_variants(const struct bundle_case *item, size_t side, struct text *out);
void bundle_add_variants(const struct bundle *bundle, struct text *out);
// "12,345.5", "+12,345"; an empty text for nothing.
void count_add(struct text *out, double count, bool is_signed);

// One file each.
void bundle_add_page(const struct bundle *bundle, const struct bundle_entries *files,
                     struct text *out);
void bundle_add_summary(const struct bundle *bundle, struct text *out);
void bundle_add_manifest(const struct bundle *bundle, struct text *out);
void bundle_add_records(const struct bundle *bundle, struct text *out);
void bundle_add_commands(const struct bundle *bundle, struct text *out);

#endif
