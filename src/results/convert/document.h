// document: JSON documents of other tools.
#ifndef CONVERT_DOCUMENT_H
#define CONVERT_DOCUMENT_H

#include <stdbool.h>

#include "base/lines.h"
#include "support/json/json.h"

// Whether JSON that begins so has `key` in an object at this depth: 1 is the outermost value, an
// object inside an array of its is at 3.
bool document_begins_with(const char *bytes, size_t size, int depth, const char *key);

// Parses all that is left of a file as one object.
struct bilanx_error document_read(struct lines *lines, json_t **out);

// The same for a writer that puts bare NaN, Infinity and -Infinity where numbers stand: each
// becomes an array, which document_odd_number() knows, at the same position.
struct bilanx_error document_read_odd(struct lines *lines, json_t **out);
const char *document_odd_number(const json_t *value);  // "NaN", ...; NULL where it is none

// Where in a document something stands, for messages: "runs.json: 'results[3].mean' must be ...".
struct place {
    const char *file;
    const char *path;  // of the object: "results[3]"
};

struct bilanx_error place_fault(const struct place *place, const char *key, const char *wanted,
                                const json_t *value);

// Members of an object. A member that is absent or null leaves `*out` alone.
struct bilanx_error place_number(const struct place *place, const json_t *object, const char *key,
                                 double *out);  // finite
struct bilanx_error place_time(const struct place *place, const json_t *object, const char *key,
                               double *out);  // and not negative
struct bilanx_error place_count(const struct place *place, const json_t *object, const char *key,
                                uint64_t *out);  // whole, 1 up
struct bilanx_error place_text(const struct place *place, const json_t *object, const char *key,
                               const char **out);  // belongs to the object
struct bilanx_error place_array(const struct place *place, const json_t *object, const char *key,
                                const json_t **out);
struct bilanx_error place_object(const struct place *place, const json_t *object, const char *key,
                                 const json_t **out);

// A JSON number that is read as floating point again: "3.0", not "3"; null where it is not finite.
void document_add_real(struct text *out, double number);

#endif
