// verdicts: what `ab` found out, as it wrote it.
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

// Takes the record. Of two verdicts on a task between the same sides the later one counts.
void verdicts_add(struct verdicts *verdicts, struct bilanx_record *record);

// A table for a person, or as Markdown; nothing where there are none.
void verdicts_print(const struct verdicts *verdicts, struct table_look look, struct text *out);

// For programs: rows of the table that look_csv() makes, and a member of a JSON object.
void verdicts_add_rows(const struct verdicts *verdicts, struct table *table);
void verdicts_write(const struct verdicts *verdicts, struct json_writer *json);

#endif
