// json_writer: writes JSON text.
#include "json_writer.h"

#include <math.h>
#include <string.h>

#include "number.h"

static void separate(struct json_writer *json)
{
    if (json->after_value)
        text_add_char(json->out, ',');
    json->after_value = true;
}

void writer_open(struct json_writer *json, char bracket)
{
    separate(json);
    text_add_char(json->out, bracket);
    json->after_value = false;
}

void writer_close(struct json_writer *json, char bracket)
{
    text_add_char(json->out, bracket);
    json->after_value = true;
}

static void add_quoted(struct text *out, const char *text)
{
    text_add_char(out, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t size = text_character(at, NULL);
        if (size == 0) {
            text_add(out, "\xEF\xBF\xBD");
            at++;
            continue;
        }
        if (*at == '"' || *at == '\\')
            text_format(out, "\\%c", *at);
        else if (*at == '\n')
            text_add(out, "\\n");
        else if (*at < 0x20)
            text_format(out, "\\u%04x", *at);
        else
            text_add_n(out, (const char *)at, size);
        at += size;
    }
    text_add_char(out, '"');
}

void writer_key(struct json_writer *json, const char *key)
{
    separate(json);
    add_quoted(json->out, key);
    text_add_char(json->out, ':');
    json->after_value = false;
}

void writer_text(struct json_writer *json, const char *text)
{
    separate(json);
    add_quoted(json->out, text);
}

void writer_number(struct json_writer *json, double number)
{
    char digits[NUMBER_SIZE];
    separate(json);
    text_add(json->out, isfinite(number) ? number_shortest(number, digits) : "null");
}

void writer_count(struct json_writer *json, uint64_t count)
{
    separate(json);
    text_format(json->out, "%llu", (unsigned long long)count);
}

void writer_bool(struct json_writer *json, bool value)
{
    separate(json);
    text_add(json->out, value ? "true" : "false");
}

void writer_raw(struct json_writer *json, const char *text)
{
    separate(json);
    text_add(json->out, text);
}

void writer_key_text(struct json_writer *json, const char *key, const char *text)
{
    writer_key(json, key);
    writer_text(json, text);
}

void writer_key_number(struct json_writer *json, const char *key, double number)
{
    writer_key(json, key);
    writer_number(json, number);
}

void writer_key_count(struct json_writer *json, const char *key, uint64_t count)
{
    writer_key(json, key);
    writer_count(json, count);
}

void writer_members(struct json_writer *json, const char *object)
{
    size_t size = strlen(object);
    if (size <= 2)
        return;
    separate(json);
    text_add_n(json->out, object + 1, size - 2);
}
