// message: one line of the conversation between a controller and a worker.
//
//     epoch number=31250 warmup_ns=4000000
//
// It is a verb followed by key=value words. In keys and values, bytes up to and including the
// space, '%' and DEL are written as %XX; in keys, also '='. Commas separate multiple numbers.
// docs/formats/protocol.md lists the verbs.
#ifndef WORKER_MESSAGE_H
#define WORKER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "bilanx/error.h"

struct message {
    char *line;  // the decoded words, which the other members point into
    const char *verb;
    struct message_pair {
        const char *key, *value;
    } *pairs;
    size_t count, room;
};

struct bilanx_error message_parse(const char *line, size_t size, struct message *out);
void message_done(struct message *message);
SCOPE_VALUE(message, message_done)

const char *message_text(const struct message *message, const char *key);  // NULL: absent
// If the key is absent, leaves `*out` unchanged. A word that is not a valid number is an error.
struct bilanx_error message_number(const struct message *message, const char *key, double *out);
struct bilanx_error message_count(const struct message *message, const char *key, uint64_t *out);
// The caller frees the array. If the key is absent, the array is empty.
struct bilanx_error message_numbers(const struct message *message, const char *key, double **out,
                                    size_t *count);

void message_begin(struct text *out, const char *verb);
void message_add(struct text *out, const char *key, const char *value);
void message_add_number(struct text *out, const char *key, double value);  // NaN is left out
void message_add_count(struct text *out, const char *key, uint64_t value);
void message_add_numbers(struct text *out, const char *key, const double *values, size_t count);
void message_end(struct text *out);

#endif
