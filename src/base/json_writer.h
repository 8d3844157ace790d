// json_writer: writes JSON text, on one line. Uses libc only, so that benchmark programs can write
// records. For reading JSON, see support/json.
//
//     struct json_writer json = {.out = &line};
//     writer_open(&json, '{');
//     writer_key(&json, "kind");
//     writer_text(&json, "measurement");
//     writer_close(&json, '}');
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_writer {
    struct text *out;
    bool after_value;  // the next value or key needs a comma
};

void writer_open(struct json_writer *json, char bracket);   // '{' or '['
void writer_close(struct json_writer *json, char bracket);  // '}' or ']'
void writer_key(struct json_writer *json, const char *key);
void writer_text(struct json_writer *json, const char *text);  // invalid UTF-8 becomes U+FFFD
void writer_number(struct json_writer *json, double number);   // shortest form; null if not finite
void writer_count(struct json_writer *json, uint64_t count);
void writer_bool(struct json_writer *json, bool value);
void writer_raw(struct json_writer *json, const char *text);  // a value that is already JSON

// Adds a key and its value.
void writer_key_text(struct json_writer *json, const char *key, const char *text);
void writer_key_number(struct json_writer *json, const char *key, double number);
void writer_key_count(struct json_writer *json, const char *key, uint64_t count);

// Adds the members of an object that is already JSON, without its braces: {"a":1} adds "a":1.
void writer_members(struct json_writer *json, const char *object);

#endif
