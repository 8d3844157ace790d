// json_writer: writes JSON text, on one line. Uses libc only, so that benchmark programs can write
// records. For reading JSON, see support/json.
//
//     struct json_writer json = {.out = &line};
//     json_open(&json, '{');
//     json_key(&json, "kind");
//     json_text(&json, "measurement");
//     json_close(&json, '}');
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json_writer {
    struct text *out;
    bool after_value;  // the next value or key needs a comma
};

void json_open(struct json_writer *json, char bracket);   // '{' or '['
void json_close(struct json_writer *json, char bracket);  // '}' or ']'
void json_key(struct json_writer *json, const char *key);
void json_text(struct json_writer *json, const char *text);  // invalid UTF-8 becomes U+FFFD
void json_number(struct json_writer *json, double number);   // shortest form; null if not finite
void json_count(struct json_writer *json, uint64_t count);
void json_bool(struct json_writer *json, bool value);
void json_raw(struct json_writer *json, const char *text);  // a value that is already JSON

// Adds a key and its value.
void json_key_text(struct json_writer *json, const char *key, const char *text);
void json_key_number(struct json_writer *json, const char *key, double number);
void json_key_count(struct json_writer *json, const char *key, uint64_t count);

// Adds the members of an object that is already JSON, without its braces: {"a":1} adds "a":1.
void json_members(struct json_writer *json, const char *object);

#endif
