// verdicts: verdicts as written by `ab`.
#ifndef COMPARE_VERDICTS_H
#define COMPARE_VERDICTS_H

#include "base/json_writer.h"
#include "base/table.h"
#include "core/record/records.h"

struct verdicts {
    struct bilanx_record *items;
    size_t count, room;
};
void verdicts_done(struct verdicts *verdicts);

// Takes the record. A later verdict on the same task and sides replaces an earlier one.
void verdicts_add(struct verdicts *verdicts, struct bilanx_record *record);

// Prints a table for people or as Markdown; nothing if there are no verdicts.
void verdicts_print(const struct verdicts *verdicts, struct table_look look, struct text *out);

// For programs: adds rows to the table of look_csv(), or a member to a JSON object.
void verdicts_add_rows(const struct verdicts *verdicts, struct table *table);
void verdicts_write(const struct verdicts *verdicts, struct json_writer *json);

#endif
