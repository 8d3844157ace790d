// show: records as a table for a person.
#ifndef CONSOLE_SHOW_H
#define CONSOLE_SHOW_H

#include "base/table.h"
#include "core/run/run.h"

struct shown {  // the records of a run, beside the cases they belong to
    const struct run_case **cases;
    struct bilanx_record *records;
    size_t count, cases_room, records_room;
};
void shown_add(struct shown *shown, const struct run_case *measured, struct bilanx_record *record);
void shown_sort(struct shown *shown);  // as the cases are defined; they finish in any order
void shown_done(struct shown *shown);
SCOPE_VALUE(shown, shown_done)

void show_table(const struct shown *shown, struct table_look look, struct text *out);

// For programs: the same columns always, plain numbers, times in seconds. `safe`: as
// csv_safe of a table_look.
void show_csv(const struct shown *shown, bool safe, struct text *out);

// What was counted, by function: a table for each record that has some.
void show_functions(const struct shown *shown, bool inclusive, struct table_look look,
                    struct text *out);

// Below a table: each warning once with its cases, failures with what they printed, and how time
// grows where a benchmark asked for it.
void show_notes(const struct shown *shown, bool color, struct text *out);

// What is not kept quiet about: a line for each failure; those that are alike share one.
void show_failures(const struct shown *shown, bool color, struct text *out);

// One line for progress: "1.58 ns" or "crashed".
void show_result(const struct bilanx_record *record, struct text *out);

#endif
