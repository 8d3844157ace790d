// json_writer: JSON text, written as it comes, on one line. libc only, so that a benchmark program
// can write records; what reads JSON is in json.
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
void json_text(struct json_writer *json, const char *text);  // broken UTF-8 becomes U+FFFD
void json_number(struct json_writer *json, double number);   // shortest form; not finite: null
void json_count(struct json_writer *json, uint64_t count);
void json_bool(struct json_writer *json, bool value);
void json_raw(struct json_writer *json, const char *text);  // a value that is JSON already

// A key and its value.
void json_key_text(struct json_writer *json, const char *key, const char *text);
void json_key_number(struct json_writer *json, const char *key, double number);
void json_key_count(struct json_writer *json, const char *key, uint64_t count);

// The members of an object that is JSON already, without its braces: "{"a":1}" adds "a":1.
void json_members(struct json_writer *json, const char *object);

#endif
