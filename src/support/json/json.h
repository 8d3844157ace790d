// json: reads JSON, as a thin layer over jansson. For writing, see base/json_writer.h.
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "base/text.h"
#include "bilanx/error.h"

// Parses one whole value. Duplicate keys, NaN and trailing text are errors. `where` names the
// source in messages: "runs.jsonl:12". The caller releases the value with json_decref().
struct bilanx_error read_json(const char *text, size_t size, const char *where, json_t **out);

// Like read_json(), for a document of several lines. Positions are line and column:
// "runs.json:3:14".
struct bilanx_error read_json_document(const char *text, size_t size, const char *where,
                                       json_t **out);

// Returns a value as text on one line, with numbers in shortest form. The caller frees it.
char *print_json(const json_t *value);

const char *kind_of_json(const json_t *value);  // "a string", "an object", ... for messages

static inline void scope_json(json_t **value)
{
    json_decref(*value);
}

#endif
