// records: makes records from JSON, for unit tests.
#ifndef UNIT_RECORDS_H
#define UNIT_RECORDS_H

#include "core/record/records.h"
#include "unit.h"

// The members of a record, without "schema": record_of("'kind':'failure', ..."); ' stands for ".
static inline struct bilanx_record record_of(const char *members)
{
    AUTO(text) struct text json = {0};
    text_format(&json, "{'schema':'bilanx/1',%s}", members);
    for (char *at = json.data; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    struct bilanx_record record;
    assert_ok(bilanx_record_read(json.data, json.size, "test", &record));
    return record;
}

// A measurement of these raw times, with more members: MEASURED("[1,2]", ",'side':'A'").
#define MEASURED(times, more) \
    record_of("'kind':'measurement','number_per_run':1,'raw_times':" times more)

static inline void assert_json(const struct bilanx_record *record, const char *expected)
{
    AUTO(memory) char *json = bilanx_record_json(record);
    for (char *at = json; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    assert_string_equal(json, expected);
}

static inline bool has_warning(const struct bilanx_record *record, const char *code)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (text_equal(record->warnings[i].code, code))
            return true;
    return false;
}

#endif
