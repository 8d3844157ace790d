// show: prints records as a table for the user.
#ifndef SHOW_SHOW_H
#define SHOW_SHOW_H

#include "base/table.h"
#include "core/run/run.h"

struct shown {  // the records of a run, with their cases
    const struct run_case **cases;
    struct bilanx_record *records;
    size_t count, cases_room, records_room;
};
void shown_add(struct shown *shown, const struct run_case *measured, struct bilanx_record *record);
void shown_sort(struct shown *shown);  // in order of definition; cases finish in any order
void shown_done(struct shown *shown);
SCOPE_VALUE(shown, shown_done)

void show_table(const struct shown *shown, struct table_look look, struct text *out);

// Output for programs: always the same columns, plain numbers, times in seconds. `safe` is as
// csv_safe in struct table_look.
void show_csv(const struct shown *shown, bool safe, struct text *out);

// Prints counts per function: one table for each record that has any.
void show_functions(const struct shown *shown, bool inclusive, struct table_look look,
                    struct text *out);

// Prints the notes below a table: each warning once with its cases, failures with their output, and
// how time grows if a benchmark asked for that.
void show_notes(const struct shown *shown, bool color, struct text *out);

// Prints what --quiet does not suppress: a line for each failure; identical failures share one.
void show_failures(const struct shown *shown, bool color, struct text *out);

// Adds " (copy/64 and 2 more):", about `count` cases, in `room` columns (0: any number).
void show_about(const char *name, size_t count, size_t room, struct text *out);

// Adds one line for progress: "1.58 ns" or "crashed".
void show_result(const struct bilanx_record *record, struct text *out);

#endif
