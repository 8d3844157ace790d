// document: reads JSON documents of other tools.
#ifndef CONVERT_DOCUMENT_H
#define CONVERT_DOCUMENT_H

#include <stdbool.h>

#include "base/lines.h"
#include "support/json/json.h"

// Whether JSON that starts with these bytes has `key` in an object at this depth: 1 is the
// outermost value, 3 an object in an array in it.
bool document_begins_with(const char *bytes, size_t size, int depth, const char *key);

// Parses the rest of a file as one object.
struct bilanx_error document_read(struct lines *lines, json_t **out);

// The same for writers that use bare NaN, Infinity and -Infinity as numbers. Each becomes an array
// at the same position, which document_odd_number() recognises.
struct bilanx_error document_read_odd(struct lines *lines, json_t **out);
const char *document_odd_number(const json_t *value);  // "NaN", ...; NULL: not one

// A location in a document, for messages: "runs.json: 'results[3].mean' must be ...".
struct place {
    const char *file;
    const char *path;  // of the object: "results[3]"
};

struct bilanx_error place_fault(const struct place *place, const char *key, const char *wanted,
                                const json_t *value);

// Members of an object. An absent or null member leaves `*out` unchanged.
struct bilanx_error place_number(const struct place *place, const json_t *object, const char *key,
                                 double *out);  // finite
struct bilanx_error place_time(const struct place *place, const json_t *object, const char *key,
                               double *out);  // finite and not negative
struct bilanx_error place_count(const struct place *place, const json_t *object, const char *key,
                                uint64_t *out);  // integer, at least 1
struct bilanx_error place_text(const struct place *place, const json_t *object, const char *key,
                               const char **out);  // belongs to the object
struct bilanx_error place_array(const struct place *place, const json_t *object, const char *key,
                                const json_t **out);
struct bilanx_error place_object(const struct place *place, const json_t *object, const char *key,
                                 const json_t **out);

// Appends a JSON number that reads back as floating point: "3.0", not "3"; null if not finite.
void document_add_real(struct text *out, double number);

#endif
