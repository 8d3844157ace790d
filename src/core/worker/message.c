// message: parses and writes lines of words.
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/number.h"

static struct bilanx_error add_word(struct message *message, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return bilanx_error_make(BILANX_E_INPUT, "message '%s': '%.40s' is not key=value",
                                 message->verb, word);
    *equals = '\0';
    if (!escape_decode(word) || !escape_decode(equals + 1))
        return bilanx_error_make(BILANX_E_INPUT, "message '%s': bad escape in '%.40s'",
                                 message->verb, word);
    mem_grow(message->pairs, message->count, &message->room);
    message->pairs[message->count++] = (struct message_pair){word, equals + 1};
    return BILANX_SUCCESS;
}

struct bilanx_error message_parse(const char *line, size_t size, struct message *out)
{
    if (memchr(line, '\0', size))
        return bilanx_error_make(BILANX_E_INPUT, "a message contains a NUL");
    AUTO(message) struct message message = {.line = mem_text_n(line, size)};
    char *rest = message.line;
    message.verb = strsep(&rest, " ");
    if (message.verb[0] == '\0' || strchr(message.verb, '='))
        return bilanx_error_make(BILANX_E_INPUT, "a message without a verb: '%.40s'", message.verb);
    while (rest) {
        char *word = strsep(&rest, " ");
        if (*word)
            BILANX_TRY(add_word(&message, word));
    }
    *out = message;
    message = (struct message){0};
    return BILANX_SUCCESS;
}

void message_done(struct message *message)
{
    free(message->line);
    free(message->pairs);
    *message = (struct message){0};
}

const char *message_text(const struct message *message, const char *key)
{
    for (size_t i = 0; i < message->count; i++)
        if (strcmp(message->pairs[i].key, key) == 0)
            return message->pairs[i].value;
    return NULL;
}

static struct bilanx_error bad_number(const struct message *message, const char *key)
{
    return bilanx_error_make(BILANX_E_INPUT, "message '%s': '%s=%.40s' is not a number",
                             message->verb, key, message_text(message, key));
}

struct bilanx_error message_number(const struct message *message, const char *key, double *out)
{
    const char *value = message_text(message, key);
    if (value && !number_read(value, out))
        return bad_number(message, key);
    return BILANX_SUCCESS;
}

struct bilanx_error message_count(const struct message *message, const char *key, uint64_t *out)
{
    const char *value = message_text(message, key);
    if (value && !number_read_count(value, out))
        return bad_number(message, key);
    return BILANX_SUCCESS;
}

struct bilanx_error message_numbers(const struct message *message, const char *key, double **out,
                                    size_t *count)
{
    const char *value = message_text(message, key);
    AUTO(memory) char *list = mem_text(value ? value : "");
    AUTO(memory) double *numbers = NULL;
    size_t n = 0, room = 0;
    char *rest = list[0] ? list : NULL;
    while (rest) {
        char *word = strsep(&rest, ",");
        mem_grow(numbers, n, &room);
        if (!number_read(word, &numbers[n++]))
            return bad_number(message, key);
    }
    *out = TAKE(numbers);
    *count = n;
    return BILANX_SUCCESS;
}

void message_begin(struct text *out, const char *verb)
{
    text_add(out, verb);
}

static void add_key(struct text *out, const char *key)
{
    text_add_char(out, ' ');
    escape_add(out, key, '=');
    text_add_char(out, '=');
}

void message_add(struct text *out, const char *key, const char *value)
{
    add_key(out, key);
    escape_add(out, value, '\0');
}

void message_add_number(struct text *out, const char *key, double value)
{
    char digits[NUMBER_SIZE];
    if (isfinite(value))
        message_add(out, key, number_shortest(value, digits));
}

void message_add_count(struct text *out, const char *key, uint64_t value)
{
    add_key(out, key);
    text_format(out, "%llu", (unsigned long long)value);
}

void message_add_numbers(struct text *out, const char *key, const double *values, size_t count)
{
    char digits[NUMBER_SIZE];
    if (count == 0)
        return;
    add_key(out, key);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s", i ? "," : "", number_shortest(values[i], digits));
}

void message_end(struct text *out)
{
    text_add_char(out, '\n');
}
