// report: results of commands, formatted for people.
#ifndef COMMANDS_REPORT_H
#define COMMANDS_REPORT_H

#include "base/table.h"
#include "sources/commands/commands.h"

void report_table(const struct commands *commands, struct table_look look, struct text *out);

// For programs: fixed columns, plain numbers, times in seconds. `safe`: as csv_safe in table_look.
void report_csv(const struct commands *commands, bool safe, struct text *out);

// Writes one line per command that can be compared with another: "./b is 1.04 times slower than ./a
// (1.03 .. 1.05)".
void report_ratios(const struct commands *commands, struct text *out);

// Writes failures with their output, and each warning once; or only a line for each failure.
void report_notes(const struct commands *commands, bool only_failures, bool color,
                  struct text *out);

#endif
